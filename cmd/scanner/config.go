package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/spf13/pflag"

	"tabletop/board"
	"tabletop/rules/nearest"
	"tabletop/web"
)

// referenceConfig is the commented file with every key and its default.
//
//go:embed scanner.yaml
var referenceConfig string

// Config is every setting of the program. scanner.yaml says what they mean.
type Config struct {
	Camera       string                     `yaml:"camera"`
	MaxFPS       float64                    `yaml:"max-fps"` // 0: no limit
	Calibration  string                     `yaml:"calibration"`
	PxPerMM      float64                    `yaml:"px-per-mm"` // 0: not known
	Cards        string                     `yaml:"cards"`
	CardSizeMM   board.Size                 `yaml:"card-size-mm"`
	Game         string                     `yaml:"game"`
	Packs        string                     `yaml:"packs"` // folder of further games; empty: none
	Lang         string                     `yaml:"lang"`
	Settle       time.Duration              `yaml:"settle"`
	SettleFrames int                        `yaml:"settle-frames"` // 0: by time
	Journal      string                     `yaml:"journal"`
	Match        string                     `yaml:"match"` // empty: a new one
	Cases        string                     `yaml:"cases"` // empty: none are saved
	Listen       string                     `yaml:"listen"`
	Table        string                     `yaml:"table"`
	Tokens       map[web.Role][]string      `yaml:"tokens"`
	Delay        map[web.Role]time.Duration `yaml:"delay"`
	LightGreen   string                     `yaml:"light-green"` // pin names; empty: none
	LightAmber   string                     `yaml:"light-amber"`
	LightRed     string                     `yaml:"light-red"`
	Buzzer       string                     `yaml:"buzzer"`
	Button       string                     `yaml:"button"`
	LogLevel     string                     `yaml:"log-level"`
	LogFormat    string                     `yaml:"log-format"`
}

// DefaultConfig is what holds when neither a file nor a flag says otherwise.
func DefaultConfig() Config {
	return Config{
		Camera:     "v4l2:/dev/video0",
		CardSizeMM: board.StandardCard(),
		Game:       "l5r-emperor",
		Lang:       "en",
		Settle:     250 * time.Millisecond,
		Journal:    "scanner.db",
		Cases:      "cases",
		Listen:     "127.0.0.1:8080",
		Table:      "Table 1",
		Tokens:     map[web.Role][]string{},
		Delay:      map[web.Role]time.Duration{},
		LogLevel:   "info",
		LogFormat:  "text",
	}
}

// RoleOfToken turns the tokens around, as the web server wants them.
func (c Config) RoleOfToken() map[string]web.Role {
	roles := map[string]web.Role{}
	for role, tokens := range c.Tokens {
		for _, token := range tokens {
			roles[token] = role
		}
	}
	return roles
}

// Validate says of every setting that is off what it is and what is allowed.
func (c Config) Validate() error { return c.validate(nil) }

// validate names settings by where they came from, if that is known.
func (c Config) validate(origin map[string]string) error {
	var errs []error
	for _, k := range configKeys() {
		if k.check == nil {
			continue
		}
		if err := k.check(&c); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", named(k.name, origin), err))
		}
	}
	return errors.Join(errs...)
}

func named(key string, origin map[string]string) string {
	if where, ok := origin[key]; ok {
		return where
	}
	return key
}

// AddConfigFlags adds a flag for every key. LoadConfig reads them.
func AddConfigFlags(fs *pflag.FlagSet) {
	defaults := DefaultConfig()
	for _, k := range configKeys() {
		f := fs.VarPF(&flagInput{key: k, shown: k.value(&defaults).String()}, k.flag, "", k.help)
		f.DefValue = k.value(&defaults).String()
	}
}

// flagInput keeps what the command line gave one flag, until the file has been
// read: flags come first on the way in and win in the end.
type flagInput struct {
	key   configKey
	given []string
	shown string
}

func (f *flagInput) Set(text string) error {
	scratch := DefaultConfig()
	value := f.key.value(&scratch)
	given := append(slices.Clip(f.given), text)
	for _, text := range given {
		if err := value.Set(text); err != nil {
			return err
		}
	}
	f.given, f.shown = given, value.String()
	return nil
}

func (f *flagInput) String() string { return f.shown }

func (f *flagInput) Type() string { return "value" }

// LoadConfig takes the defaults, over them the file (path "" is none) and over
// that the flags, which may be nil. Its error names every setting that is off,
// with the file's line or the flag.
func LoadConfig(path string, flags *pflag.FlagSet) (Config, error) {
	c, origin := DefaultConfig(), map[string]string{}
	if path != "" {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return Config{}, fmt.Errorf("there is no config file %s; 'scanner config > %s' writes one to start from", path, path)
		}
		if err != nil {
			return Config{}, fmt.Errorf("the config file can't be read: %w", err)
		}
		if err := c.readFile(path, data, origin); err != nil {
			return Config{}, err
		}
	}
	if flags != nil {
		if err := c.readFlags(flags, origin); err != nil {
			return Config{}, err
		}
	}
	if err := c.validate(origin); err != nil {
		return Config{}, err
	}
	return c, nil
}

func (c *Config) readFlags(flags *pflag.FlagSet, origin map[string]string) error {
	for _, k := range configKeys() {
		f := flags.Lookup(k.flag)
		if f == nil || !f.Changed {
			continue
		}
		input, ok := f.Value.(*flagInput)
		if !ok {
			return fmt.Errorf("--%s is not a setting's flag here", k.flag)
		}
		value := k.value(c)
		for _, text := range input.given {
			if err := value.Set(text); err != nil {
				return fmt.Errorf("--%s: %w", k.flag, err)
			}
		}
		origin[k.name] = "--" + k.flag
	}
	return nil
}

// readFile sets what a YAML file says. origin gets each key's place in it.
func (c *Config) readFile(path string, data []byte, origin map[string]string) error {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // Windows' Notepad writes one
	file, err := parser.ParseBytes(data, 0)
	if syntax := (*yaml.SyntaxError)(nil); errors.As(err, &syntax) && syntax.Token != nil {
		// Without the lines around it, which may hold a token.
		hint := ""
		if strings.Contains(syntax.Message, "mapping value") {
			hint = `; a value that ends in a colon stands in quotes: camera: "rpicam:"`
		}
		return fmt.Errorf("%s:%d: this is no YAML: %s%s", path, syntax.Token.Position.Line, syntax.Message, hint)
	}
	if err != nil {
		return fmt.Errorf("%s is no YAML file: %w", path, err)
	}
	var errs []error
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.NullType {
			continue
		}
		mapping, ok := doc.Body.(*ast.MappingNode)
		if !ok {
			return fmt.Errorf("%s: a config file is a list of settings, each a line such as 'lang: de'", path)
		}
		for _, entry := range mapping.Values {
			where := fmt.Sprintf("%s:%d", path, entry.Key.GetToken().Position.Line)
			name := entry.Key.GetToken().Value
			k, ok := configKeyNamed(name)
			switch {
			case !ok:
				errs = append(errs, fmt.Errorf("%s: there is no setting %q%s", where, name, suggestion(name)))
				continue
			case origin[name] != "":
				errs = append(errs, fmt.Errorf("%s: %s stands twice; the first is at %s", where, name, strings.TrimSuffix(origin[name], ": "+name)))
				continue
			}
			origin[name] = where + ": " + name
			if err := setNode(k.value(c), entry.Value); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", origin[name], err))
			}
		}
	}
	return errors.Join(errs...)
}

// setNode gives a setting what stands in the file, in the form of its flag: a
// mapping of roles becomes role=value.
func setNode(value setting, node ast.Node) error {
	perRole, isPerRole := value.(perRole)
	mapping, isMapping := node.(*ast.MappingNode)
	switch {
	case !isPerRole:
		text, err := scalar(node)
		if err != nil {
			return err
		}
		return value.Set(text)
	case node.Type() == ast.NullType:
		return nil
	case !isMapping:
		return fmt.Errorf("it takes a value for each role: %s", perRole.example())
	}
	for _, entry := range mapping.Values {
		role := entry.Key.GetToken().Value
		values := []ast.Node{entry.Value}
		if list, ok := entry.Value.(*ast.SequenceNode); ok {
			values = list.Values
		}
		for _, v := range values {
			text, err := scalar(v)
			if err != nil {
				return fmt.Errorf("%s: %w", role, err)
			}
			if err := value.Set(role + "=" + text); err != nil {
				return fmt.Errorf("line %d: %w", entry.Key.GetToken().Position.Line, err)
			}
		}
	}
	return nil
}

// scalar is the text of a plain value.
func scalar(node ast.Node) (string, error) {
	switch n := node.(type) {
	case *ast.NullNode:
		return "", nil
	case *ast.LiteralNode:
		return n.Value.Value, nil
	case *ast.TagNode, *ast.AnchorNode, *ast.AliasNode, *ast.MappingNode, *ast.SequenceNode:
		return "", fmt.Errorf("it takes one plain value, not a list, a mapping, a tag or an alias")
	}
	return node.GetToken().Value, nil
}

// suggestion names the key that was likely meant.
func suggestion(name string) string {
	var names []string
	for _, k := range configKeys() {
		if k.flag == name {
			return fmt.Sprintf("; in a file it is called %q", k.name)
		}
		names = append(names, k.name)
	}
	if best := nearest.Word(strings.ToLower(name), names); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; 'scanner config' lists them all"
}

func cloned[V any](m map[web.Role]V) map[web.Role]V {
	if m == nil {
		return map[web.Role]V{}
	}
	return maps.Clone(m)
}
