package packfile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxFile bounds what is read as a pack file; those that exist are a tenth of it.
const maxFile = 1 << 20

// source is a YAML file whose values know on which line they stand.
type source struct {
	name string
	root ast.Node
}

// Problem is one thing that is wrong with a pack file, and what to do about it.
type Problem struct {
	File string // "club/pack.yaml"
	Line int    // 0: of the whole file
	Key  string // "rules[tap.turn].severity"; may be empty
	Text string
}

// Error is "file:line: key: text".
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// parseSource reads one YAML document. It refuses anchors, aliases and tags:
// with them a short file can stand for a huge one, and a reader can't see what a
// line says.
func parseSource(name string, data []byte) (*source, error) {
	if len(data) > maxFile {
		return nil, Problem{File: name, Text: fmt.Sprintf("it has %d bytes; a pack file has at most %d", len(data), maxFile)}
	}
	file, err := parser.ParseBytes(data, 0)
	if syntax := (*yaml.SyntaxError)(nil); errors.As(err, &syntax) && syntax.Token != nil {
		return nil, Problem{File: name, Line: syntax.Token.Position.Line, Text: "this is no YAML: " + syntax.Message + "; a text with a colon or a # stands in quotes, one that begins with a quotation mark in single quotes: '…'"}
	}
	if err != nil {
		return nil, Problem{File: name, Text: "this is no YAML: " + err.Error()}
	}
	var root ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType {
			continue
		}
		if root != nil {
			return nil, Problem{File: name, Line: doc.Body.GetToken().Position.Line, Text: "a second document begins; a file holds one: take the --- out"}
		}
		root = doc.Body
	}
	if root == nil {
		return nil, Problem{File: name, Text: "it is empty; it begins with a line such as 'game: tapper'"}
	}
	var refused plainOnly
	ast.Walk(&refused, root)
	if refused.node != nil {
		return nil, Problem{File: name, Line: refused.node.GetToken().Position.Line, Text: "anchors (&), aliases (*) and tags (!) are not read here; write the value out, or quote it if it is a text"}
	}
	return &source{name: name, root: root}, nil
}

// plainOnly finds the first node that is not plain YAML.
type plainOnly struct{ node ast.Node }

func (p *plainOnly) Visit(n ast.Node) ast.Visitor {
	switch n.Type() {
	case ast.AnchorType, ast.AliasType, ast.TagType, ast.MergeKeyType:
		if p.node == nil {
			p.node = n
		}
	}
	return p
}

// decode reads the whole file into v. Where it is not what v wants, the error
// has its line.
func (s *source) decode(v any) error {
	err := yaml.NodeToValue(s.root, v)
	if err == nil {
		return nil
	}
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return Problem{File: s.name, Line: at.GetToken().Position.Line, Text: at.GetMessage()}
	}
	return Problem{File: s.name, Text: err.Error()}
}

// problem says what is wrong with the value at a path of keys and indices.
func (s *source) problem(path []string, format string, args ...any) Problem {
	return Problem{File: s.name, Line: s.line(path), Key: s.key(path), Text: fmt.Sprintf(format, args...)}
}

// line is where the value at a path stands, or the last part of the path that
// there is.
func (s *source) line(path []string) int {
	node, line := s.root, s.root.GetToken().Position.Line
	if mapping, ok := node.(*ast.MappingNode); ok && len(mapping.Values) > 0 {
		line = mapping.Values[0].Key.GetToken().Position.Line
	}
	for _, step := range path {
		next, at := child(node, step)
		if next == nil {
			break
		}
		node, line = next, at
	}
	return line
}

// textLine is where the text at a path begins: for a block (key: |) the line
// after the key's.
func (s *source) textLine(path []string) int {
	line := s.line(path)
	node := s.root
	for _, step := range path {
		if node, _ = child(node, step); node == nil {
			return line
		}
	}
	if _, block := node.(*ast.LiteralNode); block {
		return line + 1
	}
	return node.GetToken().Position.Line
}

// child is one step into a node, and the line of its key or list item.
func child(node ast.Node, step string) (ast.Node, int) {
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			if v.Key.GetToken().Value == step {
				return v.Value, v.Key.GetToken().Position.Line
			}
		}
	case *ast.MappingValueNode:
		if n.Key.GetToken().Value == step {
			return n.Value, n.Key.GetToken().Position.Line
		}
	case *ast.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Values) {
			return n.Values[i], firstLine(n.Values[i])
		}
	}
	return nil, 0
}

func firstLine(node ast.Node) int {
	if m, ok := node.(*ast.MappingNode); ok && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken().Position.Line
	}
	return node.GetToken().Position.Line
}

// key writes a path as a person would: list items by their id where they have
// one, else counted from 1.
func (s *source) key(path []string) string {
	var b strings.Builder
	node := s.root
	for _, step := range path {
		_, inList := node.(*ast.SequenceNode)
		if node != nil {
			node, _ = child(node, step)
		}
		switch {
		case inList:
			b.WriteString("[" + itemName(node, step) + "]")
		case b.Len() > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

func itemName(node ast.Node, step string) string {
	for _, key := range []string{"id", "word", "kind"} {
		if id, _ := child(node, key); id != nil && slices.Contains([]ast.NodeType{ast.StringType}, id.Type()) {
			return id.GetToken().Value
		}
	}
	if i, err := strconv.Atoi(step); err == nil {
		return strconv.Itoa(i + 1)
	}
	return step
}
