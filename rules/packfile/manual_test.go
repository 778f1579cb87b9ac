package packfile

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestTheManualNamesEverything holds docs/packs.md against the fields and keys
// that there are. It looks inside the package: the fields are those of its
// environments.
func TestTheManualNamesEverything(t *testing.T) {
	data, err := os.ReadFile("../../docs/packs.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := string(data)
	named := func(what, name string) {
		if !strings.Contains(manual, "`"+name+"`") && !strings.Contains(manual, "`"+name+"(") {
			t.Errorf("docs/packs.md doesn't name the %s %q", what, name)
		}
	}
	for _, env := range []any{sidesEnv{}, placeEnv{}, boardEnv{}, changeEnv{}, actionEnv{}} {
		for _, name := range names(env) {
			named("variable", name)
		}
	}
	for _, of := range []any{look{}, act{}} {
		for _, name := range names(of) {
			named("field", name)
		}
	}
	for _, name := range allowedBuiltins {
		named("function", name)
	}
	var schema struct {
		Properties map[string]struct {
			Items struct {
				Properties map[string]any `json:"properties"`
			} `json:"items"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(schemaJSON, &schema); err != nil {
		t.Fatal(err)
	}
	for key := range schema.Properties {
		named("key", key)
	}
	for key := range schema.Properties["rules"].Items.Properties {
		if key != "source" {
			named("key of a rule", key)
		}
	}
}
