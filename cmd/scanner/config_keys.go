package main

import (
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"tabletop/board"
	"tabletop/hardware/camera"
	"tabletop/web"
)

// configKey is one setting: its name in the file, its flag, how its text is
// read and which values are allowed.
type configKey struct {
	name  string
	flag  string // the same, but for settings given role by role
	help  string
	value func(*Config) setting
	check func(*Config) error // nil: anything goes
}

// setting reads and writes one field of a Config as text.
type setting interface {
	Set(text string) error
	String() string
}

// perRole is a setting that has a value for each role; Set takes role=value.
type perRole interface{ example() string }

func configKeyNamed(name string) (configKey, bool) {
	keys := configKeys()
	i := slices.IndexFunc(keys, func(k configKey) bool { return k.name == name })
	if i < 0 {
		return configKey{}, false
	}
	return keys[i], true
}

// configKeys lists the settings in the order of the reference file.
func configKeys() []configKey {
	text := func(name, help string, field func(*Config) *string, check func(string) error) configKey {
		k := configKey{name: name, flag: name, help: help, value: func(c *Config) setting { return (*textSetting)(field(c)) }}
		if check != nil {
			k.check = func(c *Config) error { return check(*field(c)) }
		}
		return k
	}
	number := func(name, help string, field func(*Config) *float64, most float64) configKey {
		return configKey{
			name: name, flag: name, help: help,
			value: func(c *Config) setting { return (*numberSetting)(field(c)) },
			check: func(c *Config) error {
				if v := *field(c); math.IsNaN(v) || v < 0 || v > most {
					return fmt.Errorf("%g is not allowed: give a number from 0 to %g", v, most)
				}
				return nil
			},
		}
	}
	pin := func(name, what string, field func(*Config) *string) configKey {
		k := text(name, "`PIN` of "+what+", by name (GPIO17); empty: there is none", field, nil)
		k.check = func(c *Config) error { return checkPin(c, name, *field(c)) }
		return k
	}
	return []configKey{
		text("camera", "camera `ADDRESS`: v4l2:/dev/video0, rpicam:, http://…, rtsp://…, file:game.mp4, dir:pictures",
			func(c *Config) *string { return &c.Camera }, checkCamera),
		number("max-fps", "look at `N` frames a second at most; 0: at all of them",
			func(c *Config) *float64 { return &c.MaxFPS }, 240),
		text("calibration", "calibration `FILE`; empty: the plane is found from the cards",
			func(c *Config) *string { return &c.Calibration }, nil),
		number("px-per-mm", "scale in pixels per millimetre (`N`) of a camera that looks straight down; 0: found out from the cards",
			func(c *Config) *float64 { return &c.PxPerMM }, 200),
		text("cards", "`DIR` of card pictures; empty: cards are found but not named",
			func(c *Config) *string { return &c.Cards }, nil),
		{
			name: "card-size-mm", flag: "card-size-mm", help: "card size in millimetres, that of the sleeve where cards wear one, `WxH`",
			value: func(c *Config) setting { return (*sizeSetting)(&c.CardSizeMM) },
			check: func(c *Config) error { _, err := parseSize((*sizeSetting)(&c.CardSizeMM).String()); return err },
		},
		{
			name: "game", flag: "game", help: "`GAME` whose rules are judged: " + strings.Join(builtinIDs(), ", ") + ", or one of --packs",
			value: func(c *Config) setting { return (*textSetting)(&c.Game) },
			check: func(c *Config) error {
				if _, err := addedPacks(c.Packs); err != nil {
					return nil // what is off is the folder
				}
				_, err := gamePack(c.Game, c.Packs)
				return err
			},
		},
		text("packs", "`DIR` of further games, a folder with a pack.yaml for each; empty: none",
			func(c *Config) *string { return &c.Packs }, func(dir string) error { _, err := addedPacks(dir); return err }),
		{
			name: "lang", flag: "lang", help: "`LANGUAGE` of findings",
			value: func(c *Config) setting { return (*textSetting)(&c.Lang) },
			check: checkLang,
		},
		{
			name: "settle", flag: "settle", help: "how long a card must lie still, `DURATION`",
			value: func(c *Config) setting { return (*durationSetting)(&c.Settle) },
			check: func(c *Config) error {
				if c.Settle < time.Millisecond || c.Settle > time.Minute {
					return fmt.Errorf("%v is not allowed: give a duration from 1ms to 1m", c.Settle)
				}
				return nil
			},
		},
		{
			name: "settle-frames", flag: "settle-frames", help: "count `N` frames instead of time; 0: go by --settle",
			value: func(c *Config) setting { return (*countSetting)(&c.SettleFrames) },
			check: func(c *Config) error {
				if c.SettleFrames < 0 || c.SettleFrames > 1000 {
					return fmt.Errorf("%d is not allowed: give a whole number from 0 to 1000", c.SettleFrames)
				}
				return nil
			},
		},
		text("journal", "journal `FILE`, made if it isn't there",
			func(c *Config) *string { return &c.Journal }, notEmpty("the file that keeps the events, such as scanner.db")),
		text("match", "`MATCH` in the journal to go on with; empty: a new one",
			func(c *Config) *string { return &c.Match }, nil),
		text("cases", "`DIR` for frames that are saved in the debug view with the key s, for 'scanner eval'; empty: none are saved",
			func(c *Config) *string { return &c.Cases }, nil),
		text("listen", "`ADDRESS` to listen at; :8080 serves the whole network",
			func(c *Config) *string { return &c.Listen }, checkListen),
		text("table", "`NAME` of the table, for clients",
			func(c *Config) *string { return &c.Table }, notEmpty("what clients see the table called, such as Table 1")),
		{
			name: "tokens", flag: "token", help: "token of a role, `ROLE=TOKEN`; may be repeated. Better kept in the config file: others on this computer can read flags",
			value: func(c *Config) setting { return &tokensSetting{tokens: &c.Tokens} },
			check: checkTokens,
		},
		{
			name: "delay", flag: "delay", help: "how much later a role sees the game, `ROLE=DURATION`; may be repeated",
			value: func(c *Config) setting { return (*delaySetting)(&c.Delay) },
			check: checkDelay,
		},
		pin("light-green", "the green light", func(c *Config) *string { return &c.LightGreen }),
		pin("light-amber", "the amber light", func(c *Config) *string { return &c.LightAmber }),
		pin("light-red", "the red light", func(c *Config) *string { return &c.LightRed }),
		pin("buzzer", "the buzzer", func(c *Config) *string { return &c.Buzzer }),
		pin("button", "the judge's button", func(c *Config) *string { return &c.Button }),
		text("log-level", "`LEVEL` from which on things are logged: debug, info, warn, error",
			func(c *Config) *string { return &c.LogLevel }, oneOf("debug", "info", "warn", "error")),
		text("log-format", "`FORMAT` of the log: text or json",
			func(c *Config) *string { return &c.LogFormat }, oneOf("text", "json")),
	}
}

// --- What is allowed ---

func oneOf(allowed ...string) func(string) error {
	return func(v string) error {
		if slices.Contains(allowed, v) {
			return nil
		}
		return fmt.Errorf("%q is not allowed: it is one of %s", v, strings.Join(allowed, ", "))
	}
}

func notEmpty(what string) func(string) error {
	return func(v string) error {
		if strings.TrimSpace(v) == "" {
			return fmt.Errorf("it is empty: give %s", what)
		}
		return nil
	}
}

// checkCamera looks at the address's form; whether there is such a kind of
// camera turns out when it is opened. It may hold a password, so nothing here
// repeats it.
func checkCamera(v string) error {
	_, err := camera.ParseAddress(v)
	return err
}

func checkLang(c *Config) error {
	pack, err := gamePack(c.Game, c.Packs)
	if err != nil {
		return nil // what is off is the game
	}
	return oneOf(pack.Languages...)(c.Lang)
}

func checkListen(v string) error {
	_, port, err := net.SplitHostPort(v)
	n, portErr := strconv.Atoi(port)
	if err != nil || portErr != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q is not allowed: give host:port with a port from 0 to 65535, such as 127.0.0.1:8080, or :8080 for the whole network", v)
	}
	return nil
}

// checkPin wants a pin to have one use.
func checkPin(c *Config, name, pin string) error {
	if pin == "" {
		return nil
	}
	if strings.ContainsAny(pin, " \t,") {
		return fmt.Errorf("%q is not a pin's name: give one such as GPIO17", pin)
	}
	for _, other := range []struct{ name, pin string }{
		{"light-green", c.LightGreen}, {"light-amber", c.LightAmber}, {"light-red", c.LightRed},
		{"buzzer", c.Buzzer}, {"button", c.Button},
	} {
		if other.name == name {
			break
		}
		if strings.EqualFold(other.pin, pin) {
			return fmt.Errorf("pin %s is taken by %s already: give it another", pin, other.name)
		}
	}
	return nil
}

// checkTokens repeats no token.
func checkTokens(c *Config) error {
	uses := map[string]web.Role{}
	for _, role := range web.Roles() {
		for _, token := range c.Tokens[role] {
			if other, ok := uses[token]; ok {
				return fmt.Errorf("%s and %s share a token: give each role its own, and each of its tokens once", other, role)
			}
			uses[token] = role
		}
	}
	return nil
}

func checkDelay(c *Config) error {
	for _, role := range web.Roles() {
		if d := c.Delay[role]; d < 0 || d > time.Hour {
			return fmt.Errorf("%v for %s is not allowed: give a duration from 0s to 1h", d, role)
		}
	}
	return nil
}

// --- How text is read ---

type textSetting string

func (s *textSetting) Set(text string) error { *s = textSetting(text); return nil }
func (s *textSetting) String() string        { return string(*s) }

type numberSetting float64

func (s *numberSetting) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return fmt.Errorf("%q is no number: write one such as 12.5", text)
	}
	*s = numberSetting(v)
	return nil
}
func (s *numberSetting) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }

type countSetting int

func (s *countSetting) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%q is no whole number: write one such as 3", text)
	}
	*s = countSetting(v)
	return nil
}
func (s *countSetting) String() string { return strconv.Itoa(int(*s)) }

type durationSetting time.Duration

func (s *durationSetting) Set(text string) error {
	v, err := parseDuration(text)
	if err != nil {
		return err
	}
	*s = durationSetting(v)
	return nil
}
func (s *durationSetting) String() string { return time.Duration(*s).String() }

func parseDuration(text string) (time.Duration, error) {
	v, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%q is no duration: write a number with its unit, such as 250ms, 30s or 2m", text)
	}
	return v, nil
}

type sizeSetting board.Size

func (s *sizeSetting) Set(text string) error {
	v, err := parseSize(text)
	if err != nil {
		return err
	}
	*s = sizeSetting(v)
	return nil
}
func (s *sizeSetting) String() string { return fmt.Sprintf("%gx%g", s.Width, s.Height) }

func cutRole(text, example string) (web.Role, string, error) {
	name, value, ok := strings.Cut(text, "=")
	role := web.Role(strings.TrimSpace(name))
	switch {
	case !ok:
		return "", "", fmt.Errorf("it takes ROLE=VALUE, such as %s", example)
	case !slices.Contains(web.Roles(), role):
		return "", "", fmt.Errorf("there is no role %q: they are viewer, overlay, judge and operator", role)
	}
	return role, value, nil
}

// tokensSetting replaces the tokens of each role that it is given any for: the
// command line's take the place of the file's.
type tokensSetting struct {
	tokens   *map[web.Role][]string
	replaced []web.Role
}

func (s *tokensSetting) example() string { return "judge: a-token" }

func (s *tokensSetting) Set(text string) error {
	role, token, err := cutRole(text, "judge=TOKEN")
	if err != nil {
		return err
	}
	if token == "" || strings.ContainsAny(token, " \t\r\n") {
		return fmt.Errorf("a token of %s is empty or has spaces in it: give a word that is hard to guess", role)
	}
	*s.tokens = cloned(*s.tokens)
	if !slices.Contains(s.replaced, role) {
		(*s.tokens)[role], s.replaced = nil, append(s.replaced, role)
	}
	(*s.tokens)[role] = append((*s.tokens)[role], token)
	return nil
}

// String shows no token: it ends up in help texts and logs.
func (s *tokensSetting) String() string {
	var roles []string
	for _, role := range web.Roles() {
		if n := len((*s.tokens)[role]); n > 0 {
			roles = append(roles, fmt.Sprintf("%s (%d)", role, n))
		}
	}
	return strings.Join(roles, ", ")
}

type delaySetting map[web.Role]time.Duration

func (s *delaySetting) example() string { return "viewer: 30s" }

func (s *delaySetting) Set(text string) error {
	role, value, err := cutRole(text, "viewer=30s")
	if err != nil {
		return err
	}
	d, err := parseDuration(value)
	if err != nil {
		return fmt.Errorf("%s: %w", role, err)
	}
	*s = cloned(*s)
	(*s)[role] = d
	return nil
}

func (s *delaySetting) String() string {
	var delays []string
	for _, role := range web.Roles() {
		if d, ok := (*s)[role]; ok {
			delays = append(delays, fmt.Sprintf("%s=%v", role, d))
		}
	}
	return strings.Join(delays, ",")
}
