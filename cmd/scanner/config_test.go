package main

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"tabletop/board"
	"tabletop/web"
)

func configFlags(t *testing.T, args ...string) *pflag.FlagSet {
	t.Helper()
	fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	AddConfigFlags(fs)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return fs
}

func TestConfigReferenceFileHoldsTheDefaults(t *testing.T) {
	c, err := LoadConfig("scanner.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, DefaultConfig()) {
		t.Errorf("the file says %+v, the defaults are %+v", c, DefaultConfig())
	}
	onDisk, err := os.ReadFile("scanner.yaml")
	if err != nil || string(onDisk) != referenceConfig {
		t.Errorf("what is embedded is not the file (%v)", err)
	}
	var origin = map[string]string{}
	if err := c.readFile("scanner.yaml", onDisk, origin); err != nil {
		t.Fatal(err)
	}
	for _, k := range configKeys() {
		if origin[k.name] == "" {
			t.Errorf("the reference file lacks %s", k.name)
		}
	}
}

// TestConfigReferenceExamples holds the examples in the comments (indented by
// three) to be settings that load.
func TestConfigReferenceExamples(t *testing.T) {
	example := regexp.MustCompile(`(?m)^#   ([a-z-]+:( [A-Z].*)?|  [a-z]+: .*)$`)
	var text strings.Builder
	for _, m := range example.FindAllStringSubmatch(referenceConfig, -1) {
		text.WriteString(m[1] + "\n")
	}
	c := DefaultConfig()
	if err := c.readFile("examples", []byte(text.String()), map[string]string{}); err != nil {
		t.Fatalf("%v in:\n%s", err, text.String())
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if len(c.Tokens[web.RoleJudge]) != 2 || c.Delay[web.RoleViewer] != 30*time.Second || c.LightGreen != "GPIO17" {
		t.Errorf("the examples give %+v", c)
	}
}

func TestConfigKeysFieldsAndFlagsAreTheSame(t *testing.T) {
	var fields, keys, flags, wantFlags []string
	typ := reflect.TypeFor[Config]()
	for i := range typ.NumField() {
		fields = append(fields, typ.Field(i).Tag.Get("yaml"))
	}
	for _, k := range configKeys() {
		keys, wantFlags = append(keys, k.name), append(wantFlags, k.flag)
		if k.flag != k.name && !(k.name == "tokens" && k.flag == "token") {
			t.Errorf("key %s has the flag --%s", k.name, k.flag)
		}
		if k.help == "" {
			t.Errorf("--%s explains nothing", k.flag)
		}
	}
	configFlags(t).VisitAll(func(f *pflag.Flag) { flags = append(flags, f.Name) })
	if !slices.Equal(fields, keys) {
		t.Errorf("fields %v\nkeys %v", fields, keys)
	}
	slices.Sort(wantFlags)
	slices.Sort(flags)
	if !slices.Equal(flags, wantFlags) {
		t.Errorf("flags %v, keys want %v", flags, wantFlags)
	}
}

// TestConfigEverySettingCanBeSetBothWays gives each key a value that isn't its
// default, once by file and once by flag, and looks at the field of its name.
func TestConfigEverySettingCanBeSetBothWays(t *testing.T) {
	values := map[string]struct{ text, yaml string }{
		"camera": {"rpicam:", `"rpicam:"`}, "max-fps": {text: "12.5"}, "calibration": {text: "c.json"}, "px-per-mm": {text: "9"},
		"cards": {text: "d"}, "card-size-mm": {text: "66x91"}, "game": {text: "tapper"}, "packs": {text: clubFolder(t)}, "lang": {text: "de"}, "settle": {text: "1s"},
		"settle-frames": {text: "3"}, "journal": {text: "j.db"}, "match": {text: "m1"}, "cases": {text: "c"}, "listen": {text: ":0"},
		"table": {text: "Feature"}, "tokens": {"judge=t", "{judge: t}"}, "delay": {"viewer=9s", "{viewer: 9s}"},
		"light-green": {text: "GPIO1"}, "light-amber": {text: "GPIO2"}, "light-red": {text: "GPIO3"}, "buzzer": {text: "GPIO4"},
		"button": {text: "GPIO5"}, "log-level": {text: "debug"}, "log-format": {text: "json"},
	}
	typ := reflect.TypeFor[Config]()
	for i, k := range configKeys() {
		v, ok := values[k.name]
		if !ok {
			t.Errorf("this test has no value for %s", k.name)
		}
		if v.yaml == "" {
			v.yaml = v.text
		}
		file := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(file, []byte(k.name+": "+v.yaml+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		byFile, err := LoadConfig(file, nil)
		if err != nil {
			t.Errorf("%s by file: %v", k.name, err)
		}
		byFlag, err := LoadConfig("", configFlags(t, "--"+k.flag+"="+v.text))
		if err != nil {
			t.Errorf("%s by flag: %v", k.name, err)
		}
		if !reflect.DeepEqual(byFile, byFlag) {
			t.Errorf("%s: by file %+v, by flag %+v", k.name, byFile, byFlag)
		}
		for j := range typ.NumField() {
			got, def := reflect.ValueOf(byFlag).Field(j).Interface(), reflect.ValueOf(DefaultConfig()).Field(j).Interface()
			if changed := !reflect.DeepEqual(got, def); changed != (j == i) {
				t.Errorf("setting %s: field %s changed: %t", k.name, typ.Field(j).Name, changed)
			}
		}
	}
}

func TestConfigFlagsWinOverTheFile(t *testing.T) {
	c, err := LoadConfig("testdata/config/club.good.yaml", configFlags(t,
		"--lang", "en", "--token", "judge=mine", "--token", "judge=yours", "--delay", "overlay=5s"))
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultConfig()
	want.Camera, want.Cards, want.Listen = "rpicam:?width=2304&height=1296", "/home/pi/cards", ":8080"
	want.CardSizeMM, want.Settle, want.PxPerMM, want.LightGreen = board.Size{Width: 66.5, Height: 91}, 1500*time.Millisecond, 12.5, "GPIO17"
	want.Tokens = map[web.Role][]string{web.RoleJudge: {"mine", "yours"}, web.RoleOperator: {"third-token"}}
	want.Delay = map[web.Role]time.Duration{web.RoleViewer: 30 * time.Second, web.RoleOverlay: 5 * time.Second}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v\nwant %+v", c, want)
	}
	roles := map[string]web.Role{"mine": web.RoleJudge, "yours": web.RoleJudge, "third-token": web.RoleOperator}
	if !reflect.DeepEqual(c.RoleOfToken(), roles) {
		t.Errorf("roles of tokens %v", c.RoleOfToken())
	}
}

func TestConfigAFlagMendsTheFile(t *testing.T) {
	if _, err := LoadConfig("testdata/config/lang.bad.yaml", configFlags(t, "--lang", "de")); err != nil {
		t.Error(err)
	}
}

func TestConfigGoodFiles(t *testing.T) {
	files, _ := filepath.Glob("testdata/config/*.good.yaml")
	if len(files) == 0 {
		t.Fatal("no good files")
	}
	for _, file := range files {
		if _, err := LoadConfig(file, nil); err != nil {
			t.Error(err)
		}
	}
}

// TestConfigBadFiles loads each bad file; the lines "# want: " at its top are
// parts of the error, "# want-not: " must not be in it.
func TestConfigBadFiles(t *testing.T) {
	files, _ := filepath.Glob("testdata/config/*.bad.yaml")
	if len(files) == 0 {
		t.Fatal("no bad files")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = LoadConfig(file, nil)
			if err == nil {
				t.Fatal("it loads")
			}
			wants := 0
			for line := range strings.Lines(string(text)) {
				line = strings.TrimSpace(line)
				if want, ok := strings.CutPrefix(line, "# want: "); ok {
					wants++
					if !strings.Contains(err.Error(), want) {
						t.Errorf("error\n%v\nlacks\n%s", err, want)
					}
				}
				if not, ok := strings.CutPrefix(line, "# want-not: "); ok && strings.Contains(err.Error(), not) {
					t.Errorf("error\n%v\nhas\n%s", err, not)
				}
			}
			if wants == 0 {
				t.Error("the file says no '# want: '")
			}
		})
	}
}

func TestConfigBadFlags(t *testing.T) {
	tests := []struct {
		name, arg, want string
	}{
		{"no number", "--px-per-mm=x", `"x" is no number`},
		{"no role", "--token=judge", "it takes ROLE=VALUE, such as judge=TOKEN"},
		{"an unknown role", "--delay=king=3s", `there is no role "king"`},
		{"out of range", "--settle=2h", "--settle: 2h0m0s is not allowed"},
		{"a game there isn't", "--game=chess", `--game: unknown game "chess": known are l5r-emperor`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fs := pflag.NewFlagSet("test", pflag.ContinueOnError)
			AddConfigFlags(fs)
			err := fs.Parse([]string{tt.arg})
			if err == nil {
				_, err = LoadConfig("", fs)
			}
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestConfigMissingFileSaysWhatToDo(t *testing.T) {
	_, err := LoadConfig("nowhere/my.yaml", nil)
	if err == nil || !strings.Contains(err.Error(), "'scanner config > nowhere/my.yaml' writes one") {
		t.Errorf("error %v", err)
	}
	if _, err := LoadConfig(t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "can't be read") {
		t.Errorf("a folder: %v", err)
	}
}

func TestConfigFlagsNeverShowATokenOrChangeTheDefaults(t *testing.T) {
	fs := configFlags(t, "--token", "judge=hush-hush")
	if s := fs.Lookup("token").Value.String(); strings.Contains(s, "hush") || !strings.Contains(s, "judge") {
		t.Errorf("--token shows as %q", s)
	}
	if usage := fs.FlagUsages(); strings.Contains(usage, "hush") || !strings.Contains(usage, "127.0.0.1:8080") {
		t.Errorf("usage:\n%s", usage)
	}
	if !reflect.DeepEqual(DefaultConfig().Tokens, map[web.Role][]string{}) {
		t.Error("the defaults hold a token")
	}
}
