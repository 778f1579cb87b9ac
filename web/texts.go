package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Texts are what the pages say in a language, by key ("word.bowed",
// "zone.home"), for programs that say the same elsewhere. In a language that the
// pages don't speak they are the English ones, as on the pages.
func Texts(lang string) (map[string]string, error) {
	base, _, _ := strings.Cut(lang, "-") // "de-AT" is spoken as "de"
	name := "static/text." + base + ".js"
	data, err := static.ReadFile(name)
	if err != nil {
		name = "static/text.en.js"
		if data, err = static.ReadFile(name); err != nil {
			return nil, fmt.Errorf("web: the embedded texts: %w", err)
		}
	}
	_, object, _ := bytes.Cut(data, []byte("export default "))
	var texts map[string]string
	if err := json.Unmarshal(bytes.TrimSuffix(bytes.TrimSpace(object), []byte(";")), &texts); err != nil {
		return nil, fmt.Errorf("web: the embedded texts, %s: %w", name, err)
	}
	return texts, nil
}
