package calibration

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tabletop/board"
)

// FileError is everything that is wrong with a calibration file.
type FileError struct {
	Path     string
	Problems []Problem // in the order of the file, at least one
}

// Problem is one thing that is wrong with a file.
type Problem struct {
	Line, Column int    // from 1; 0 when it concerns the whole file
	Key          string // "zones[2].outline"; empty when it concerns the whole file
	Message      string // what is wrong and what was expected
}

// Error has one line for each problem: path:line:column: key: message.
func (e *FileError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = e.Path
		if p.Line > 0 {
			lines[i] += fmt.Sprintf(":%d:%d", p.Line, p.Column)
		}
		if p.Key != "" {
			lines[i] += ": " + p.Key
		}
		lines[i] += ": " + p.Message
	}
	return strings.Join(lines, "\n")
}

// The file as it is written. Pointers tell what is missing.
type (
	fileV1 struct {
		Version  int         `yaml:"version"`
		Image    *fileImage  `yaml:"image"`
		Corners  []filePoint `yaml:"corners"`
		PlayArea *fileSize   `yaml:"play_area_mm"`
		Lens     *fileLens   `yaml:"lens,omitempty"`
		Seats    []fileSeat  `yaml:"seats"`
		Zones    []fileZone  `yaml:"zones"`
	}
	fileImage struct {
		Width  int `yaml:"width"`
		Height int `yaml:"height"`
	}
	fileSize struct {
		Width  float64 `yaml:"width"`
		Height float64 `yaml:"height"`
	}
	fileLens struct {
		FX float64 `yaml:"fx"`
		FY float64 `yaml:"fy"`
		CX float64 `yaml:"cx"`
		CY float64 `yaml:"cy"`
		K1 float64 `yaml:"k1"`
		K2 float64 `yaml:"k2"`
	}
	fileSeat struct {
		ID    fileText `yaml:"id"`
		Name  fileText `yaml:"name,omitempty"`
		UpDeg float64  `yaml:"up_deg"`
	}
	fileZone struct {
		ID      fileText    `yaml:"id"`
		Kind    fileText    `yaml:"kind"`
		Seat    fileText    `yaml:"seat,omitempty"`
		Outline []filePoint `yaml:"outline,flow"`
	}
	filePoint [2]float64
	fileText  string
)

// MarshalYAML quotes whatever is not plain beyond doubt; JSON's quoted strings
// are YAML's too.
func (s fileText) MarshalYAML() ([]byte, error) {
	plain := s != "" && strings.Trim(string(s), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") == ""
	if plain && strings.ContainsAny(string(s[:1]), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") && !isYAMLWord(string(s)) {
		return []byte(s), nil
	}
	return json.Marshal(string(s))
}

// isYAMLWord tells the words that one YAML or another reads as something else
// than a text.
func isYAMLWord(s string) bool {
	return slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s))
}

// UnmarshalYAML reads [x, y].
func (p *filePoint) UnmarshalYAML(node ast.Node) error {
	pair, ok := node.(*ast.SequenceNode)
	if !ok || len(pair.Values) != 2 {
		return &pointError{node.GetToken()}
	}
	for i, v := range pair.Values {
		f, err := strconv.ParseFloat(v.GetToken().Value, 64)
		if err != nil {
			return &pointError{v.GetToken()}
		}
		p[i] = f
	}
	return nil
}

// MarshalYAML writes [x, y] in one line.
func (p filePoint) MarshalYAML() ([]byte, error) {
	return fmt.Appendf(nil, "[%s, %s]", formatNumber(p[0]), formatNumber(p[1])), nil
}

// formatNumber writes a millionth of a pixel or of the play area at the finest,
// which is far below what can be measured and keeps the file readable.
func formatNumber(v float64) string {
	return strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64)
}

type pointError struct{ at *token.Token }

func (*pointError) Error() string { return "a place is a pair of numbers, [x, y]" }

// knownKeys lists the keys by the place they may stand in.
func knownKeys(place string) []string {
	switch place {
	case "":
		return []string{"version", "image", "corners", "play_area_mm", "lens", "seats", "zones"}
	case "image", "play_area_mm":
		return []string{"width", "height"}
	case "lens":
		return []string{"fx", "fy", "cx", "cy", "k1", "k2"}
	case "seats[]":
		return []string{"id", "name", "up_deg"}
	case "zones[]":
		return []string{"id", "kind", "seat", "outline"}
	}
	return nil
}

// Parse reads the content of a calibration file; name is what errors call it.
// What is wrong is a *FileError.
func Parse(name string, data []byte) (*Calibration, error) {
	r := &reader{name: name}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, r.fail(yamlProblem(err))
	}
	if len(file.Docs) == 0 || file.Docs[0].Body == nil {
		return nil, r.fail(Problem{Message: "the file is empty; a calibration begins with \"version: 1\""})
	}
	r.root = file.Docs[0].Body
	if err := r.checkVersion(); err != nil {
		return nil, err
	}
	r.checkKeys(r.root, "", "")
	if len(r.problems) > 0 {
		return nil, r.fail()
	}
	var f fileV1
	if err := yaml.NodeToValue(r.root, &f, yaml.Strict()); err != nil {
		p := yamlProblem(err)
		p.Key = r.keyAt(p.Line, p.Column)
		return nil, r.fail(p)
	}
	c := f.calibration()
	r.check(&f, c)
	if len(r.problems) > 0 {
		return nil, r.fail()
	}
	return c, nil
}

// yamlProblem is what the YAML reader says, in our form.
func yamlProblem(err error) Problem {
	var point *pointError
	if errors.As(err, &point) {
		return Problem{Line: point.at.Position.Line, Column: point.at.Position.Column, Message: point.Error()}
	}
	var typed *yaml.TypeError
	var shape *yaml.UnexpectedNodeTypeError
	var syntax *yaml.SyntaxError
	var ye yaml.Error
	if !errors.As(err, &ye) {
		return Problem{Message: err.Error()}
	}
	p := Problem{Message: ye.GetMessage()}
	if t := ye.GetToken(); t != nil {
		p.Line, p.Column = t.Position.Line, t.Position.Column
		switch {
		case errors.As(err, &typed):
			p.Message = fmt.Sprintf("%q must be %s", t.Value, kindName(typed.DstType.Kind()))
		case errors.As(err, &shape) && shape.Expected == ast.MappingType:
			p.Message = "must be " + kindName(reflect.Struct)
		case errors.As(err, &shape) && shape.Expected == ast.SequenceType:
			p.Message = "must be " + kindName(reflect.Slice)
		case errors.As(err, &syntax) && t.Type == token.InvalidType && strings.Contains(t.Value, "\t"):
			p.Message = "a tab stands here; YAML is indented with spaces"
		case errors.As(err, &syntax):
			p.Message = "not readable as YAML: " + p.Message
		}
	}
	return p
}

// kindName is what a value must be, in words.
func kindName(kind reflect.Kind) string {
	switch kind {
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.String:
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Pointer:
		return "a group of keys with values"
	}
	return "a " + kind.String()
}

// reader collects what is wrong with a file.
type reader struct {
	name     string
	root     ast.Node
	problems []Problem
}

func (r *reader) fail(more ...Problem) error {
	problems := append(r.problems, more...)
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return &FileError{Path: r.name, Problems: problems}
}

// report notes a problem at a key, such as "zones[2].outline[0]"; a key that is
// not in the file is reported where the nearest one above it stands.
func (r *reader) report(key, format string, args ...any) {
	p := Problem{Key: key, Message: fmt.Sprintf(format, args...)}
	for at := key; ; at = parentKey(at) {
		if node := r.find(at); node != nil {
			p.Line, p.Column = position(node)
			break
		}
		if at == "" {
			break
		}
	}
	r.problems = append(r.problems, p)
}

func (r *reader) find(key string) ast.Node {
	path, err := yaml.PathString("$" + strings.TrimSuffix("."+key, "."))
	if err != nil {
		return nil
	}
	node, err := path.FilterNode(r.root)
	if err != nil {
		return nil
	}
	return node
}

// position is where a node begins: for a group its first key, not the colon
// after it that the YAML reader takes for the group's token.
func position(node ast.Node) (line, column int) {
	switch n := node.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 {
			return position(n.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return position(n.Key)
	case *ast.SequenceNode:
		if len(n.Values) > 0 && n.Start != nil && n.Start.Value == "-" {
			return position(n.Values[0])
		}
	}
	t := node.GetToken()
	return t.Position.Line, t.Position.Column
}

func parentKey(key string) string {
	return key[:max(strings.LastIndexAny(key, ".["), 0)]
}

func (r *reader) checkVersion() error {
	const help = "a calibration begins with \"version: 1\""
	if _, ok := r.root.(ast.MapNode); !ok {
		r.report("", "this is no calibration: it must be made of keys with values; %s", help)
		return r.fail()
	}
	node := r.find("version")
	if node == nil {
		r.report("version", "is missing; %s", help)
		return r.fail()
	}
	text := node.GetToken().Value
	v, err := strconv.Atoi(text)
	switch {
	case err != nil || v < 1:
		r.report("version", "%q is no version; %s", text, help)
	case v > Version:
		r.report("version", "the file has version %d and this program reads up to %d: it was made by a newer program; update this one or calibrate again", v, Version)
	default:
		return nil
	}
	return r.fail()
}

// checkKeys reports keys that nobody reads. Place is the node's key with the
// numbers of lists left out, as knownKeys has it.
func (r *reader) checkKeys(node ast.Node, key, place string) {
	switch n := node.(type) {
	case ast.MapNode:
		known := knownKeys(place)
		if known == nil {
			return // a group where there should be none: the decoder says so
		}
		for it := n.MapRange(); it.Next(); {
			name := it.Key().GetToken().Value
			inner := join(key, name)
			if !slices.Contains(known, name) {
				line, column := position(it.Key())
				r.problems = append(r.problems, Problem{line, column, inner, unknownKey(name, known)})
				continue
			}
			r.checkKeys(it.Value(), inner, join(place, name))
		}
	case *ast.SequenceNode:
		for i, v := range n.Values {
			r.checkKeys(v, fmt.Sprintf("%s[%d]", key, i), place+"[]")
		}
	}
}

func unknownKey(name string, known []string) string {
	best, distance := "", 3
	for _, k := range known {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), k); d < distance && d < len(k) {
			best, distance = k, d
		}
	}
	if best != "" {
		return fmt.Sprintf("there is no such key here; did you mean %q?", best)
	}
	return "there is no such key here; there are " + strings.Join(known, ", ")
}

func join(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

// keyAt is the innermost key at a place in the file.
func (r *reader) keyAt(line, column int) string {
	found := ""
	ast.Walk(visitor(func(n ast.Node) {
		t := n.GetToken()
		if t.Position.Line == line && t.Position.Column == column {
			if key := strings.TrimPrefix(strings.TrimPrefix(n.GetPath(), "$"), "."); len(key) >= len(found) {
				found = key
			}
		}
	}), r.root)
	return found
}

type visitor func(ast.Node)

func (v visitor) Visit(n ast.Node) ast.Visitor {
	v(n)
	return v
}

// check reports what is wrong with values that could be read.
func (r *reader) check(f *fileV1, c *Calibration) {
	r.checkImage(f)
	if f.PlayArea == nil {
		r.report("play_area_mm", "is missing: the width and height of the play area in millimetres")
	} else {
		for _, v := range []struct {
			name string
			mm   float64
		}{{"width", f.PlayArea.Width}, {"height", f.PlayArea.Height}} {
			if !(v.mm >= 50 && v.mm <= 20000) {
				r.report("play_area_mm."+v.name, "%g mm is no size of a play area; from 50 to 20000", v.mm)
			}
		}
	}
	usable := len(r.problems) == 0
	if usable && c.Lens != nil {
		if err := c.Lens.Check(c.Image); err != nil {
			r.report("lens", "%s", trimPackage(err))
			usable = false
		}
	}
	if usable = r.checkCorners(f) && usable; usable {
		if _, err := c.Plane(); err != nil {
			r.report("corners", "%s", trimPackage(err))
		}
	}
	r.checkSeats(f)
	r.checkZones(f)
}

func (r *reader) checkImage(f *fileV1) {
	if f.Image == nil {
		r.report("image", "is missing: the width and height in pixels of the picture the corners were given in")
		return
	}
	for _, v := range []struct {
		name   string
		pixels int
	}{{"width", f.Image.Width}, {"height", f.Image.Height}} {
		if v.pixels < 16 || v.pixels > 65535 {
			r.report("image."+v.name, "%d is no size of a picture in pixels; from 16 to 65535", v.pixels)
		}
	}
}

// checkCorners says whether the corners can be used.
func (r *reader) checkCorners(f *fileV1) bool {
	if len(f.Corners) == 0 {
		r.report("corners", "is missing: the four corners of the play area in the picture, [[x, y], …], in pixels")
		return false
	}
	if len(f.Corners) != 4 {
		r.report("corners", "has %d places and must have 4: top-left, top-right, bottom-right, bottom-left as the camera sees them", len(f.Corners))
		return false
	}
	if f.Image == nil {
		return false
	}
	good := true
	w, h := float64(f.Image.Width), float64(f.Image.Height)
	for i, p := range f.Corners {
		// The play area may stick out of the picture, though hardly by more
		// than the picture's own size.
		if !(p[0] >= -w && p[0] <= 2*w && p[1] >= -h && p[1] <= 2*h) {
			r.report(fmt.Sprintf("corners[%d]", i), "[%g, %g] lies far outside the picture of %d×%d pixels", p[0], p[1], f.Image.Width, f.Image.Height)
			good = false
		}
	}
	return good
}

func (r *reader) checkSeats(f *fileV1) {
	seen := map[string]int{}
	for i, s := range f.Seats {
		key := fmt.Sprintf("seats[%d]", i)
		r.checkID(key, string(s.ID), seen, i)
		r.checkText(key+".name", string(s.Name))
		if !(s.UpDeg >= 0 && s.UpDeg < 360) {
			r.report(key+".up_deg", "%g must be from 0 up to 360 degrees: 0 for a player at the picture's bottom edge, 180 for the one opposite", s.UpDeg)
		}
	}
}

func (r *reader) checkZones(f *fileV1) {
	seen := map[string]int{}
	for i, z := range f.Zones {
		key := fmt.Sprintf("zones[%d]", i)
		r.checkID(key, string(z.ID), seen, i)
		r.checkText(key+".kind", string(z.Kind))
		if z.Kind == "" {
			r.report(key+".kind", "is missing: what the zone is for, such as %s, %s or %s", board.ZoneHome, board.ZoneBattlefield, board.ZoneDeck)
		}
		if z.Seat != "" && !slices.ContainsFunc(f.Seats, func(s fileSeat) bool { return s.ID == z.Seat }) {
			r.report(key+".seat", "there is no seat %q among the seats", z.Seat)
		}
		r.checkOutline(key+".outline", z.Outline)
	}
}

func (r *reader) checkID(key, id string, seen map[string]int, i int) {
	if id == "" {
		r.report(key+".id", "is missing")
		return
	}
	if first, ok := seen[id]; ok {
		list, _, _ := strings.Cut(key, "[")
		r.report(key+".id", "%q is already the name of %s[%d]", id, list, first)
		return
	}
	seen[id] = i
	r.checkText(key+".id", id)
}

// checkText refuses what nobody can see or type.
func (r *reader) checkText(key, text string) {
	if i := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsPrint(c) }); i >= 0 {
		r.report(key, "%q holds a character that can't be printed", text)
	}
}

func (r *reader) checkOutline(key string, outline []filePoint) {
	if len(outline) < 3 {
		r.report(key, "has %d places and needs at least 3: [[x, y], …], each from 0 to 1 of the play area's width and height", len(outline))
		return
	}
	polygon := polygonOf(outline)
	inside := true
	for i, p := range polygon {
		if !(p.X >= 0 && p.X <= 1 && p.Y >= 0 && p.Y <= 1) {
			r.report(fmt.Sprintf("%s[%d]", key, i), "[%g, %g] lies outside the play area: both must be from 0 to 1 (of its width and height, not millimetres or pixels)", p.X, p.Y)
			inside = false
		}
	}
	switch {
	case !inside:
	case crossesItself(polygon):
		r.report(key, "the outline crosses itself; give its corners one after the other around the zone")
	case math.Abs(polygon.Area()) < 1e-6:
		r.report(key, "the outline has no area: its places lie on one line")
	}
}

// crossesItself says whether two edges that are no neighbours meet.
func crossesItself(p board.Polygon) bool {
	for i := range p {
		for j := i + 2; j < len(p); j++ {
			if (j+1)%len(p) != i && segmentsCross(p[i], p[i+1], p[j], p[(j+1)%len(p)]) {
				return true
			}
		}
	}
	return false
}

func trimPackage(err error) string { return strings.TrimPrefix(err.Error(), "calibration: ") }

func polygonOf(points []filePoint) board.Polygon {
	polygon := make(board.Polygon, len(points))
	for i, p := range points {
		polygon[i] = board.Point{X: p[0], Y: p[1]}
	}
	return polygon
}

func pointsOf(polygon []board.Point) []filePoint {
	points := make([]filePoint, len(polygon))
	for i, p := range polygon {
		points[i] = filePoint{p.X, p.Y}
	}
	return points
}

// calibration is the file's content in our types, as far as it is there.
func (f *fileV1) calibration() *Calibration {
	c := &Calibration{}
	if f.Image != nil {
		c.Image = ImageSize(*f.Image)
	}
	copy(c.Corners[:], polygonOf(f.Corners))
	if f.PlayArea != nil {
		c.PlayArea = board.Size(*f.PlayArea)
	}
	if f.Lens != nil {
		lens := Lens(*f.Lens)
		c.Lens = &lens
	}
	for _, s := range f.Seats {
		c.Seats = append(c.Seats, board.Seat{ID: board.SeatID(s.ID), Name: string(s.Name), UpDeg: s.UpDeg})
	}
	for _, z := range f.Zones {
		c.Zones = append(c.Zones, board.Zone{
			ID: board.ZoneID(z.ID), Kind: board.ZoneKind(z.Kind), Seat: board.SeatID(z.Seat), Outline: polygonOf(z.Outline),
		})
	}
	return c
}

// Marshal returns the calibration as the content of a file, with comments for
// whoever changes it by hand.
func (c *Calibration) Marshal() ([]byte, error) {
	f := fileV1{
		Version: Version,
		Image:   &fileImage{c.Image.Width, c.Image.Height},
		Corners: pointsOf(c.Corners[:]), PlayArea: &fileSize{c.PlayArea.Width, c.PlayArea.Height},
	}
	if c.Lens != nil {
		lens := fileLens(*c.Lens)
		f.Lens = &lens
	}
	for _, s := range c.Seats {
		f.Seats = append(f.Seats, fileSeat{fileText(s.ID), fileText(s.Name), s.UpDeg})
	}
	for _, z := range c.Zones {
		f.Zones = append(f.Zones, fileZone{fileText(z.ID), fileText(z.Kind), fileText(z.Seat), pointsOf(z.Outline)})
	}
	comment := func(text string) []*yaml.Comment { return []*yaml.Comment{yaml.HeadComment(" " + text)} }
	data, err := yaml.MarshalWithOptions(f, yaml.IndentSequence(true), yaml.WithComment(yaml.CommentMap{
		"$.version":      comment("How the camera sees the table."),
		"$.image":        comment("The picture that the corners were given in, pixels."),
		"$.corners":      comment("The play area in that picture: top-left, top-right, bottom-right, bottom-left, pixels."),
		"$.play_area_mm": comment("The play area on the table, millimetres."),
		"$.lens":         comment("Focal lengths, optical centre (pixels) and radial distortion."),
		"$.seats":        comment("up_deg: from the player into the table, clockwise from the picture's up."),
		"$.zones":        comment("Outlines from [0, 0], the play area's top-left corner, to [1, 1]. Where zones overlap, the first counts."),
	}))
	if err != nil {
		return nil, fmt.Errorf("calibration: %w", err)
	}
	return data, nil
}
