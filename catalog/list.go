package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"tabletop/board"
)

// listed is a card of the card list. landscape is nil when the list does not
// say. mistakable are its attributes whose names may be meant for a known key,
// with that key.
type listed struct {
	card       board.Card
	landscape  *bool
	mistakable map[string]string
}

// loadList reads the card list of a folder. There may be none: then the map is
// empty and the name is "".
func loadList(dir string) (map[board.CardID]listed, string, error) {
	var found string
	for _, name := range []string{"cards.json", "cards.yaml", "cards.yml"} {
		path := filepath.Join(dir, name)
		_, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, "", fmt.Errorf("card list: %w", err)
		}
		if found != "" {
			return nil, "", fmt.Errorf("%s and %s are both there: keep one card list", found, path)
		}
		found = path
	}
	if found == "" {
		return map[board.CardID]listed{}, "", nil
	}
	data, err := os.ReadFile(found)
	if err != nil {
		return nil, "", fmt.Errorf("card list: %w", err)
	}
	var doc any
	if filepath.Ext(found) == ".json" {
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		err = dec.Decode(&doc)
		if err == nil && dec.More() {
			err = errors.New("there is more after the end of the list")
		}
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			err = fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), err)
		}
	} else {
		err = yaml.Unmarshal(data, &doc)
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s is not a readable card list (%w): correct it there", found, err)
	}
	list, err := parseList(doc)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", found, err)
	}
	return list, found, nil
}

func parseList(doc any) (map[board.CardID]listed, error) {
	if m, ok := doc.(map[string]any); ok {
		if cards, ok := m["cards"]; ok {
			doc = cards
		}
	}
	list := make(map[board.CardID]listed)
	add := func(where string, id string, fields map[string]any) error {
		item, err := parseCard(fields)
		if err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if _, twice := list[board.CardID(id)]; twice {
			return fmt.Errorf("%s: card %q stands there twice: keep one", where, id)
		}
		item.card.ID = board.CardID(id)
		list[item.card.ID] = item
		return nil
	}
	switch cards := doc.(type) {
	case []any:
		for i, c := range cards {
			where := fmt.Sprintf("card %d of the list", i+1)
			fields, ok := c.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s is %s: write each card as an object with id, name, type", where, kindOf(c))
			}
			id, ok := fields["id"].(string)
			if !ok || id == "" {
				return nil, fmt.Errorf(`%s has no id that is a text: write id: "…", the name of its picture without .png or .jpg (a number needs quotes)`, where)
			}
			if err := add(fmt.Sprintf("%s (%s)", where, id), id, fields); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for id, c := range cards {
			fields, ok := c.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("card %q is %s: write each card as an object with name, type", id, kindOf(c))
			}
			if inner, ok := fields["id"]; ok && inner != id {
				return nil, fmt.Errorf("card %q has another id, %v, inside: make them the same", id, inner)
			}
			if err := add(fmt.Sprintf("card %q", id), id, fields); err != nil {
				return nil, err
			}
		}
	default:
		return nil, fmt.Errorf("it holds %s: write a list of cards, each with id, name, type", kindOf(doc))
	}
	return list, nil
}

func parseCard(fields map[string]any) (listed, error) {
	var item listed
	attrs := make(map[string]string)
	for key, value := range fields {
		if value == nil {
			continue
		}
		switch key {
		case "id":
		case "name", "type", "back":
			text, ok := value.(string)
			if !ok {
				return listed{}, fmt.Errorf("%s is %s: write a text in quotes", key, kindOf(value))
			}
			switch key {
			case "name":
				item.card.Name = text
			case "type":
				item.card.Type = text
			case "back":
				item.card.Back = board.BackID(text)
			}
		case "landscape":
			b, ok := value.(bool)
			if !ok {
				return listed{}, fmt.Errorf("landscape is %s: write true or false", kindOf(value))
			}
			item.landscape = &b
		case "attributes":
			inner, ok := value.(map[string]any)
			if !ok {
				return listed{}, fmt.Errorf("attributes is %s: write an object of names and values", kindOf(value))
			}
			for k, v := range inner {
				text, err := attributeText(v)
				if err != nil {
					return listed{}, fmt.Errorf("attribute %s: %w", k, err)
				}
				attrs[k] = text
			}
		default:
			text, err := attributeText(value)
			if err != nil {
				return listed{}, fmt.Errorf("%s: %w", key, err)
			}
			attrs[key] = text
			if meant := meantKey(key); meant != "" && fields[meant] == nil {
				if item.mistakable == nil {
					item.mistakable = make(map[string]string)
				}
				item.mistakable[key] = meant
			}
		}
	}
	if len(attrs) > 0 {
		item.card.Attributes = attrs
	}
	return item, nil
}

// attributeText writes a value as an attribute: texts as they are, everything
// else as JSON.
func attributeText(v any) (string, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false) // card texts hold markup
	if err := enc.Encode(v); err != nil {
		return "", fmt.Errorf("the value can't be kept as an attribute (%w): write a text, a number or a list", err)
	}
	return string(bytes.TrimSpace(text.Bytes())), nil
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "empty"
	case string:
		return "a text"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "a number"
}
