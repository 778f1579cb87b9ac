package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"tabletop/board"
	"tabletop/web"
)

// messageTypes are the Go types of the contract's messages.
var messageTypes = map[string]reflect.Type{
	"hello":     reflect.TypeFor[web.Hello](),
	"subscribe": reflect.TypeFor[web.Subscribe](),
	"auth":      reflect.TypeFor[web.Auth](),
	"snapshot":  reflect.TypeFor[web.Snapshot](),
	"event":     reflect.TypeFor[board.Event](),
	"heartbeat": reflect.TypeFor[web.Heartbeat](),
	"error":     reflect.TypeFor[web.Error](),
}

// document reads the AsyncAPI document as JSON values.
func document(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../docs/asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		t.Fatalf("docs/asyncapi.yaml: %v", err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at follows keys, and references, into the document.
func at(t *testing.T, doc map[string]any, path string) map[string]any {
	t.Helper()
	v := doc
	for _, key := range strings.Split(strings.TrimPrefix(path, "#/"), "/") {
		next, ok := v[key].(map[string]any)
		if !ok {
			t.Fatalf("docs/asyncapi.yaml has no %s (at %q)", path, key)
		}
		v = next
	}
	if ref, ok := v["$ref"].(string); ok {
		return at(t, doc, ref)
	}
	return v
}

func TestExamplesOfTheContract(t *testing.T) {
	doc := document(t)
	messages := at(t, doc, "components/messages")
	for name := range messages {
		if _, ok := messageTypes[name]; !ok {
			t.Errorf("message %s has no Go type", name)
		}
	}
	for name, goType := range messageTypes {
		message := at(t, doc, "components/messages/"+name)
		schema := at(t, doc, "components/messages/"+name+"/payload")
		examples, _ := message["examples"].([]any)
		if len(examples) == 0 {
			t.Errorf("message %s has no example", name)
		}
		for _, e := range examples {
			example := e.(map[string]any)
			t.Run(fmt.Sprintf("%s: %s", name, example["name"]), func(t *testing.T) {
				want := example["payload"]
				for _, problem := range mismatches(t, doc, schema, want, name) {
					t.Error("the example is not what its schema says: " + problem)
				}
				data, err := json.Marshal(want)
				if err != nil {
					t.Fatal(err)
				}
				value := reflect.New(goType)
				decoder := json.NewDecoder(bytes.NewReader(data))
				decoder.DisallowUnknownFields()
				if err := decoder.Decode(value.Interface()); err != nil {
					t.Fatal(err)
				}
				again, err := json.Marshal(value.Interface())
				if err != nil {
					t.Fatal(err)
				}
				var got any
				if err := json.Unmarshal(again, &got); err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("through the Go type it becomes\n%s\nfrom\n%s", again, data)
				}
			})
		}
	}
}

// Every field that a Go type can say stands in its schema, and no other.
func TestSchemasNameEveryField(t *testing.T) {
	doc := document(t)
	for name, goType := range map[string]reflect.Type{
		"hello": reflect.TypeFor[web.Hello](), "subscribe": reflect.TypeFor[web.Subscribe](), "position": reflect.TypeFor[web.Position](),
		"auth": reflect.TypeFor[web.Auth](), "snapshot": reflect.TypeFor[web.Snapshot](), "heartbeat": reflect.TypeFor[web.Heartbeat](),
		"error": reflect.TypeFor[web.Error](), "board": reflect.TypeFor[board.Board](), "layout": reflect.TypeFor[board.Layout](),
		"seat": reflect.TypeFor[board.Seat](), "zone": reflect.TypeFor[board.Zone](), "copy": reflect.TypeFor[board.Copy](),
		"cardRef": reflect.TypeFor[board.CardRef](), "pose": reflect.TypeFor[board.Pose](), "finding": reflect.TypeFor[board.Finding](),
		"citation": reflect.TypeFor[board.Citation](), "prompt": reflect.TypeFor[board.Prompt](), "action": reflect.TypeFor[board.Action](),
		"answer": reflect.TypeFor[board.Answer](), "breach": reflect.TypeFor[board.Breach](), "correction": reflect.TypeFor[board.Correction](),
		"game": reflect.TypeFor[board.Game](), "battle": reflect.TypeFor[board.Battle](), "barred": reflect.TypeFor[board.Barred](),
		"past": reflect.TypeFor[board.Past](), "dismissal": reflect.TypeFor[board.Dismissal](), "outOfStep": reflect.TypeFor[board.OutOfStep](),
		"difference": reflect.TypeFor[board.Difference](),
	} {
		properties := at(t, doc, "components/schemas/"+name+"/properties")
		var fields []string
		for i := range goType.NumField() {
			field, _, _ := strings.Cut(goType.Field(i).Tag.Get("json"), ",")
			fields = append(fields, field)
			if _, ok := properties[field]; !ok {
				t.Errorf("%s: the schema does not know %s", name, field)
			}
		}
		for field := range properties {
			if !slices.Contains(fields, field) {
				t.Errorf("%s: the Go type does not know %s", name, field)
			}
		}
	}
}

// What the server really says must be what the document says, fields that no
// example has included.
func TestTheServerKeepsToTheDocument(t *testing.T) {
	doc := document(t)
	tb := newTable(t, web.HubOptions{Match: web.Match{Epoch: "show", Table: "Table 7", Game: "l5r-emperor", Board: showBoard()}})
	for _, token := range []string{"", "judge-token"} {
		tb.hub.SetProblem("No picture from the camera for 12 s")
		c := tb.dial(cookie(token))
		c.hello()
		c.subscribe("board", nil)
		c.snapshot()
		finding := showBoard().Findings["f1"]
		tb.publish(bow("c1")...)
		tb.publish(board.Event{Kind: board.EventFindingEnded, Finding: &finding},
			change(board.EventPlaced, nil, copyOf("c50", "", board.FaceDown, "south.home")))
		tb.clock.Advance(10e9)
		tb.hub.SetProblem("The disk is full: nothing more is recorded")
		c.send("nonsense")
		seen := map[string]bool{}
		for !seen["heartbeat"] || !seen["error"] {
			kind, _, err := c.receive()
			if err != nil {
				t.Fatal(err)
			}
			seen[kind] = true
		}
		keepsToTheDocument(t, doc, c.raw.String())
	}
}

// keepsToTheDocument compares messages, one a line, with the document.
func keepsToTheDocument(t *testing.T, doc map[string]any, messages string) {
	t.Helper()
	for line := range strings.Lines(messages) {
		var message map[string]any
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			t.Fatal(err)
		}
		kind := message["type"].(string)
		for _, problem := range mismatches(t, doc, at(t, doc, "components/messages/"+kind+"/payload"), message, kind) {
			t.Errorf("%s\nin %s", problem, line)
		}
	}
}

// mismatches compares a value with a schema, of which it knows the words that
// the document uses. Fields that the schema does not name are mismatches too.
func mismatches(t *testing.T, doc, schema map[string]any, v any, where string) (problems []string) {
	t.Helper()
	report := func(format string, args ...any) {
		problems = append(problems, where+": "+fmt.Sprintf(format, args...))
	}
	if ref, ok := schema["$ref"].(string); ok {
		return mismatches(t, doc, at(t, doc, ref), v, where)
	}
	if options, ok := schema["oneOf"].([]any); ok {
		var all []string
		for _, o := range options {
			p := mismatches(t, doc, o.(map[string]any), v, where)
			if len(p) == 0 {
				return nil
			}
			all = append(all, p...)
		}
		return all
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
		report("%v is none of %v", v, enum)
	}
	list := func(key string) []any { l, _ := schema[key].([]any); return l }
	switch kind := schema["type"]; kind {
	case "null":
		if v != nil {
			report("%v is not null", v)
		}
	case "string":
		if _, ok := v.(string); !ok {
			report("%v is not a string", v)
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			report("%v is not true or false", v)
		}
	case "number", "integer":
		n, ok := v.(float64)
		if !ok || (kind == "integer" && n != math.Trunc(n)) {
			report("%v is not of type %s", v, kind)
		}
	case "array":
		items, ok := v.([]any)
		if !ok {
			report("%v is not a list", v)
			return problems
		}
		if least, ok := schema["minItems"].(float64); ok && len(items) < int(least) {
			report("it has %d items, fewer than %v", len(items), least)
		}
		if most, ok := schema["maxItems"].(float64); ok && len(items) > int(most) {
			report("it has %d items, more than %v", len(items), most)
		}
		for i, item := range items {
			problems = append(problems, mismatches(t, doc, schema["items"].(map[string]any), item, fmt.Sprintf("%s[%d]", where, i))...)
		}
	case "object":
		object, ok := v.(map[string]any)
		if !ok {
			report("%v is not an object", v)
			return problems
		}
		for _, name := range list("required") {
			if _, ok := object[name.(string)]; !ok {
				report("%s is missing", name)
			}
		}
		properties, _ := schema["properties"].(map[string]any)
		others, _ := schema["additionalProperties"].(map[string]any)
		for name, value := range object {
			property, ok := properties[name].(map[string]any)
			if !ok {
				property = others
			}
			if property == nil {
				report("the document does not know %s", name)
				continue
			}
			problems = append(problems, mismatches(t, doc, property, value, where+"."+name)...)
		}
	default:
		t.Fatalf("%s: the schema has no type this test knows: %v", where, schema)
	}
	return problems
}
