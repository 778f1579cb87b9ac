package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/scenario"
)

// oneHolding is a board on which a Holding lies turned.
func oneHolding(t *testing.T, angle float64) []byte {
	t.Helper()
	b := board.NewBoard(uncalibratedLayout())
	pose := board.Pose{Centre: board.Point{X: 100, Y: 100}, AngleDeg: angle, Rotation: board.NearestTurn(angle), Face: board.FaceUp, Visible: 1, Confidence: 1,
		Corners: board.RectQuad(board.Point{X: 100, Y: 100}, board.StandardCard(), angle)}
	b.Copies["h1"] = board.Copy{ID: "h1", Card: &board.CardRef{ID: "iron-mine", Name: "Iron Mine", Type: "holding"}, Owner: "south", Controller: "south", Pose: pose, State: board.NewState()}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// unitBoard is a board with a bowed Personality who bears a bowed Item.
func unitBoard(t *testing.T) []byte {
	t.Helper()
	layout := scenario.Table()
	layout.Seats[0].Name = "Aiko"
	b := board.NewBoard(layout)
	for id, y := range map[board.CopyID]float64{"p1": 1300, "i1": 1280} {
		kind := map[board.CopyID]string{"p1": "personality", "i1": "item"}[id]
		centre := board.Point{X: 300, Y: y}
		b.Copies[id] = board.Copy{
			ID: id, Card: &board.CardRef{ID: board.CardID(kind), Name: strings.ToUpper(string(id)), Type: kind}, Owner: "south", Controller: "south", Zone: "south.home", State: board.NewState(),
			Pose: board.Pose{Centre: centre, AngleDeg: 90, AngleModulo: 360, Rotation: 90, Face: board.FaceUp, Visible: 1, Confidence: 1, Corners: board.RectQuad(centre, board.StandardCard(), 90)},
		}
	}
	b.Game = &board.Game{Attached: map[board.CopyID]board.CopyID{"i1": "p1"}}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRulesCommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	upsideDown, upright := write("upside-down.json", oneHolding(t, 180)), write("upright.json", oneHolding(t, 0))
	snapshot := write("snapshot.json", []byte(`{"type":"snapshot","seq":9,"board":`+string(oneHolding(t, 180))+`}`))
	cut := write("cut.json", oneHolding(t, 0)[:200])
	misspelt := write("misspelt.json", bytes.Replace(oneHolding(t, 0), []byte(`"face"`), []byte(`"fase"`), 1))
	wrongType := write("wrong-type.json", bytes.Replace(oneHolding(t, 0), []byte(`"visible": 1`), []byte(`"visible": "all"`), 1))
	wrongSeat := write("wrong-seat.json", bytes.Replace(oneHolding(t, 0), []byte(`"owner": "south"`), []byte(`"owner": "west"`), 1))
	wrongName := write("wrong-name.json", bytes.Replace(oneHolding(t, 0), []byte(`"id": "h1"`), []byte(`"id": "h2"`), 1))
	kindMoon := write("kind-moon.json", bytes.Replace(oneHolding(t, 0), []byte(`"zones": null`), []byte(`"zones": [{"id": "x", "kind": "moon", "outline": []}]`), 1))
	circle := write("circle.json", bytes.Replace(oneHolding(t, 0), []byte(`"layout"`), []byte(`"game": {"overlays": {"a": "b", "b": "c", "c": "a", "d": "a"}}, "layout"`), 1))
	list := write("list.json", []byte(`[]`))
	listOfCopies := write("list-of-copies.json", []byte(`{"copies":[{}]}`))
	objectPoint := write("object-point.json", bytes.Replace(oneHolding(t, 0), []byte(`"centre": [`), []byte(`"centre": {}, "corners": [`), 1))
	unit := write("unit.json", unitBoard(t))
	heroes := write("heroes.json", bytes.ReplaceAll(bytes.ReplaceAll(unitBoard(t), []byte("personality"), []byte("ally")), []byte(`"item"`), []byte(`"banana"`)))
	empty := write("empty.json", nil)
	noCards := write("no-cards.json", []byte(`{"layout":{"size_mm":{"width":1,"height":1},"seats":[],"zones":[]},"copies":{},"findings":{}}`))
	const board = "game l5r-emperor\nscenario \"A Holding turns\"\nboard\n  h1 holding \"Mine\" at south.home\n"
	good := write("good.txt", []byte(board+"act turn h1 90\n"))
	bad := write("bad.txt", []byte(board+"act turn h1 180\n\nscenario \"It stays\"\nboard\n  h1 holding \"Mine\" at south.home\n"))
	broken := write("broken.txt", []byte(board+"act frobnicate h1\n"))
	noGame := write("no-game.txt", []byte("scenario \"Nothing\"\nboard\n  h1 hero \"Someone\" at south.home\n"))
	nothing := write("nothing.txt", []byte("# later\n"))
	if err := os.Mkdir(filepath.Join(dir, "none"), 0o755); err != nil {
		t.Fatal(err)
	}

	for name, c := range map[string]struct {
		args   []string
		status int
		says   []string
		not    string
	}{
		"list":                       {[]string{"list"}, exitOK, []string{"honor.personality", "Only Personalities can be dishonorable", "Emperor Edition", " — "}, ""},
		"list in German":             {[]string{"list", "--game", "marvel-champions", "--lang", "de"}, exitOK, []string{"Referenzhandbuch"}, "Rules Reference"},
		"list as JSON":               {[]string{"list", "--json"}, exitOK, []string{`{"id":"`, `"passage":"`}, ""},
		"show":                       {[]string{"show", "honor.personality"}, exitOK, []string{"honor.personality\n", "“", "illegal"}, ""},
		"explain":                    {[]string{"explain", upsideDown}, exitOK, []string{"h1", "Iron Mine", "honor.personality (illegal) h1"}, "No finding"},
		"explain in German":          {[]string{"explain", upsideDown, "--lang", "de"}, exitOK, []string{"liegt auf dem Kopf"}, "upside"},
		"explain a snapshot":         {[]string{"explain", snapshot}, exitOK, []string{"honor.personality"}, ""},
		"explain, all is well":       {[]string{"explain", upright}, exitOK, []string{"No finding."}, ""},
		"test, all is well":          {[]string{"test", good}, exitOK, []string{"ok    " + good + ": 1 scenario\n", "1 scenario run, all as expected."}, "FAIL"},
		"test, one fails":            {[]string{"test", good, bad}, exitFailed, []string{"ok    " + good, "FAIL  " + bad + ":2: A Holding turns (l5r-emperor)", bad + ":5: ", "honor.personality", "1 failed, 3 scenarios run."}, ""},
		"test, verbose":              {[]string{"test", "-v", good}, exitOK, []string{good + ":2: A Holding turns"}, ""},
		"test with --game":           {[]string{"test", "--game", "marvel-champions", noGame}, exitOK, []string{"1 scenario run"}, ""},
		"no such rule":               {[]string{"show", "honor.personalty"}, exitFailed, []string{`did you mean "honor.personality"?`}, ""},
		"nothing like a rule":        {[]string{"show", "checkmate"}, exitFailed, []string{"scanner rules list"}, ""},
		"no rule named":              {[]string{"show"}, exitUsage, []string{"a rule's id"}, ""},
		"no such game":               {[]string{"list", "--game", "chess"}, exitFailed, []string{"chess", "l5r-emperor"}, ""},
		"no such language":           {[]string{"list", "--lang", "fr"}, exitUsage, []string{"--lang", "en, de", `"fr"`}, ""},
		"no such command":            {[]string{"lst"}, exitUsage, []string{`did you mean "list"?`}, ""},
		"no such file":               {[]string{"explain", "nowhere.json"}, exitFailed, []string{"there is no file nowhere.json"}, ""},
		"no file":                    {[]string{"explain"}, exitUsage, []string{"one file"}, ""},
		"an empty file":              {[]string{"explain", empty}, exitFailed, []string{empty, "empty"}, ""},
		"a board without cards":      {[]string{"explain", noCards}, exitFailed, []string{"copies"}, ""},
		"half a board":               {[]string{"explain", cut}, exitFailed, []string{cut, "ends in the middle"}, ""},
		"a misspelt field":           {[]string{"explain", misspelt}, exitFailed, []string{misspelt + ":", `unknown field "fase"`}, "json: unknown"},
		"a field of a wrong type":    {[]string{"explain", wrongType}, exitFailed, []string{wrongType + ":", "visible is a text; it must be a number"}, "float64"},
		"a kind of zone there isn't": {[]string{"explain", kindMoon}, exitFailed, []string{`x is of kind "moon"`, "battlefield"}, ""},
		"overlays in a circle":       {[]string{"explain", circle}, exitFailed, []string{"game.overlays: a, b, c lie on one another in a circle"}, ""},
		"a list":                     {[]string{"explain", list}, exitFailed, []string{"list.json:1: this is no board: it is a list; it must be an object"}, ""},
		"a list of copies":           {[]string{"explain", listOfCopies}, exitFailed, []string{"copies is a list; it must be an object"}, ""},
		"an object for a point":      {[]string{"explain", objectPoint}, exitFailed, []string{"a point is a pair [x, y], not an object"}, "Go "},
		"a unit":                     {[]string{"explain", unit}, exitOK, []string{"attachments: i1", "bowed cards: p1, i1", "location: home", "in play", "read from the side of: Aiko", "bowed"}, ""},
		"a unit in German":           {[]string{"explain", unit, "--lang", "de"}, exitOK, []string{"angelegte Karten: i1", "gebeugte Karten: p1, i1", "Ort: Heimatgebiet", "im Spiel", "gelesen aus der Sicht von: Aiko", "gebeugt", "Kein Befund."}, "bowed"},
		"heroes in German":           {[]string{"explain", heroes, "--game", "marvel-champions", "--lang", "de"}, exitOK, []string{"ob im Spiel, lässt sich nicht sagen", "erschöpft", "im Spielbereich", "kennt keinen Kartentyp „banana“"}, "exhausted"},
		"the board of another game":  {[]string{"explain", unit, "--game", "marvel-champions"}, exitOK, []string{"knows the type of none of these\ncards", `no card type “item”`}, "No finding."},
		"a finding in German":        {[]string{"explain", upsideDown, "--lang", "de"}, exitOK, []string{"honor.personality (regelwidrig) h1", "im Spiel"}, "illegal"},
		"show in German":             {[]string{"show", "honor.personality", "--lang", "de"}, exitOK, []string{"ein klar erkannter Verstoß: regelwidrig"}, "a breach"},
		"a seat there isn't":         {[]string{"explain", wrongSeat}, exitFailed, []string{"h1", `seat "west"`}, ""},
		"two ids":                    {[]string{"explain", wrongName}, exitFailed, []string{`"h1"`, `"h2"`}, ""},
		"no such scenarios":          {[]string{"test", "nowhere.txt"}, exitFailed, []string{"nowhere.txt"}, ""},
		"a broken scenario":          {[]string{"test", broken}, exitFailed, []string{"FAIL  " + broken + ":5: ", "frobnicate"}, ""},
		"no game in it":              {[]string{"test", noGame}, exitFailed, []string{noGame + ":1: Nothing: no game is named", "--game"}, "ok"},
		"no scenario in it":          {[]string{"test", nothing}, exitFailed, []string{nothing, "scenario \"A title\""}, ""},
		"an empty folder":            {[]string{"test", filepath.Join(dir, "none")}, exitFailed, []string{"holds no file *.txt"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			status := Main(t.Context(), append([]string{"rules"}, c.args...), &out, &errs)
			said := out.String() + errs.String()
			if status != c.status {
				t.Errorf("status %d, want %d: %s", status, c.status, said)
			}
			for _, word := range c.says {
				if !strings.Contains(said, word) {
					t.Errorf("%q does not say %q", said, word)
				}
			}
			if c.not != "" && strings.Contains(said, c.not) {
				t.Errorf("%q says %q", said, c.not)
			}
			for line := range strings.Lines(out.String()) {
				if len([]rune(line)) > 200 && !strings.HasPrefix(line, "{") {
					t.Errorf("a long line: %s", line)
				}
			}
		})
	}

	t.Run("explain as JSON", func(t *testing.T) {
		var out, errs bytes.Buffer
		if status := Main(t.Context(), []string{"rules", "explain", "--json", upsideDown}, &out, &errs); status != exitOK {
			t.Fatal(errs.String())
		}
		var x rules.Explanation
		if err := json.Unmarshal(out.Bytes(), &x); err != nil || len(x.Findings) != 1 || len(x.Copies) != 1 {
			t.Fatalf("%v: %s", err, out.String())
		}
	})
}
