package packfile

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"tabletop/rules/nearest"
)

//go:embed pack.schema.json
var schemaJSON []byte

const schemaURL = "https://tabletop.example/schemas/pack.schema.json"

// Schema is the JSON Schema (draft 2020-12) of a pack file. Editors that know
// JSON Schema complete and check pack files by it.
func Schema() []byte { return slices.Clone(schemaJSON) }

// compileSchema never reaches for anything outside the program: the schema
// refers to itself alone.
func compileSchema() (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaJSON))
	if err != nil {
		return nil, fmt.Errorf("pack.schema.json: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// conform holds a file against the schema and returns all that is off.
func conform(s *source) error {
	schema, err := compileSchema()
	if err != nil {
		return err
	}
	var value any
	if err := s.decode(&value); err != nil {
		return err
	}
	invalid := (*jsonschema.ValidationError)(nil)
	if err := schema.Validate(value); !errors.As(err, &invalid) {
		return err
	}
	var problems []error
	for _, leaf := range leaves(invalid) {
		path := leaf.InstanceLocation
		for _, text := range describe(leaf, known(schema, leaf)) {
			at := path
			if text.key != "" {
				at = append(slices.Clone(path), text.key)
			}
			p := s.problem(at, "%s", text.text)
			p.Key = s.key(path)
			problems = append(problems, p)
		}
	}
	slices.SortStableFunc(problems, func(a, b error) int { return a.(Problem).Line - b.(Problem).Line })
	return errors.Join(problems...)
}

// leaves are the errors that no other explains.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	// An alternative that fails is told as a whole, not by each of its arms.
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.Not:
		return []*jsonschema.ValidationError{e}
	}
	if len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, c := range e.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

// trouble is what is off, and with which key if it is about one.
type trouble struct{ key, text string }

// describe says in plain words what is off.
func describe(e *jsonschema.ValidationError, keys []string) []trouble {
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return []trouble{{text: "it lacks " + strings.Join(k.Missing, ", ") + "; add it"}}
	case *kind.AdditionalProperties:
		var all []trouble
		for _, key := range k.Properties {
			all = append(all, trouble{key, fmt.Sprintf("there is no key %q here%s", key, suggestion(key, keys))})
		}
		return all
	case *kind.Enum:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = fmt.Sprint(w)
		}
		got := fmt.Sprint(k.Got)
		if slices.Contains(want, got) {
			got = fmt.Sprintf("the text %q: take the quotes away", k.Got)
		}
		return []trouble{{text: fmt.Sprintf("it is one of %s, not %s", strings.Join(want, ", "), got)}}
	case *kind.Type:
		if at := e.InstanceLocation; len(at) > 0 && slices.Contains([]string{"source", "passage", "quote"}, at[len(at)-1]) {
			return []trouble{{text: "it takes a text for each language, as {en: Tapping, de: Tappen}"}}
		}
		return []trouble{{text: fmt.Sprintf("it takes %s, not %s", plain(k.Want...), plain(k.Got))}}
	case *kind.Pattern:
		switch {
		case k.Want == `\S`:
			return []trouble{{text: "it is empty; write it or take the key out"}}
		case strings.HasPrefix(k.Want, `^card`):
			return []trouble{{text: fmt.Sprintf("an event is card. and a word in small letters, as card.tapped, not %q", k.Got)}}
		}
		return []trouble{{text: fmt.Sprintf("%q is no name: small letters and digits, words joined by -", k.Got)}}
	case *kind.MinItems, *kind.MinProperties:
		return []trouble{{text: "it is empty; it takes at least one entry"}}
	case *kind.AnyOf:
		return []trouble{{text: "it judges nothing; it takes at least one of board, change, refuses, owes"}}
	case *kind.Not:
		return []trouble{{text: "it takes board or change, not both; make two rules of it"}}
	case *kind.UniqueItems:
		return []trouble{{text: fmt.Sprintf("entries %d and %d are the same; take one out", k.Duplicates[0]+1, k.Duplicates[1]+1)}}
	case *kind.PropertyNames:
		return []trouble{{k.Property, fmt.Sprintf("%q is no name: small letters and digits, words joined by -", k.Property)}}
	}
	return []trouble{{text: e.ErrorKind.LocalizedString(message.NewPrinter(language.English))}}
}

func plain(types ...string) string {
	words := map[string]string{
		"object": "keys with values", "array": "a list", "string": "a text", "integer": "a whole number",
		"number": "a number", "boolean": "true or false", "null": "nothing",
	}
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = words[t]
	}
	return strings.Join(list, " or ")
}

// known are the keys that the schema has where an error is.
func known(root *jsonschema.Schema, e *jsonschema.ValidationError) []string {
	s := root
	for _, step := range e.InstanceLocation {
		for s != nil && s.Ref != nil {
			s = s.Ref
		}
		if s == nil {
			return nil
		}
		if next := s.Properties[step]; next != nil {
			s = next
		} else {
			s = s.Items2020
		}
	}
	for s != nil && s.Ref != nil {
		s = s.Ref
	}
	if s == nil {
		return nil
	}
	var keys []string
	for key := range s.Properties {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// suggestion names the key that was likely meant, else all there are.
func suggestion(key string, keys []string) string {
	best := nearest.Word(strings.ToLower(key), keys)
	switch {
	case best != "":
		return fmt.Sprintf("; did you mean %q?", best)
	case len(keys) > 0:
		return "; known are " + strings.Join(keys, ", ")
	}
	return ""
}
