package packfile

import (
	"tabletop/board"
	"tabletop/rules"
)

// packFile is a pack file as it is written; pack.schema.json says what each
// entry means.
type packFile struct {
	Game      string              `yaml:"game"`
	Name      string              `yaml:"name"`
	Languages []string            `yaml:"languages"`
	Source    perLanguage         `yaml:"source"`
	Types     map[string][]string `yaml:"types"`
	Zones     []zoneEntry         `yaml:"zones"`
	Areas     []areaEntry         `yaml:"areas"`
	Words     []wordEntry         `yaml:"words"`
	Turns     []turnEntry         `yaml:"turns"`
	SameCard  string              `yaml:"same-card"`
	Actions   []actionEntry       `yaml:"actions"`
	Rules     []ruleEntry         `yaml:"rules"`
}

// perLanguage is a text by the tag of its language.
type perLanguage map[string]string

type zoneEntry struct {
	Kind string `yaml:"kind"`
	Of   string `yaml:"of"`
}

type areaEntry struct {
	Area string `yaml:"area"`
	When string `yaml:"when"`
}

type wordEntry struct {
	Word      string `yaml:"word"`
	Gained    string `yaml:"gained"`
	Lost      string `yaml:"lost"`
	OutOfPlay bool   `yaml:"out-of-play"`
}

type turnEntry struct {
	Turned int      `yaml:"turned"`
	Means  []string `yaml:"means"`
	When   string   `yaml:"when"`
}

type actionEntry struct {
	ID      board.ActionKind `yaml:"id"`
	Seat    rules.Need       `yaml:"seat"`
	Cards   rules.Need       `yaml:"cards"`
	Targets rules.Need       `yaml:"targets"`
	Zone    rules.Need       `yaml:"zone"`
	Amount  rules.Need       `yaml:"amount"`
	Params  []paramEntry     `yaml:"params"`
}

type paramEntry struct {
	Name   string     `yaml:"name"`
	Values []string   `yaml:"values"`
	Need   rules.Need `yaml:"need"`
}

type ruleEntry struct {
	ID       board.RuleID   `yaml:"id"`
	Severity board.Severity `yaml:"severity"`
	Source   perLanguage    `yaml:"source"`
	Passage  perLanguage    `yaml:"passage"`
	Quote    perLanguage    `yaml:"quote"`
	Board    *breachEntry   `yaml:"board"`
	Change   *breachEntry   `yaml:"change"`
	Refuses  []refusalEntry `yaml:"refuses"`
	Follows  []effectEntry  `yaml:"follows"`
	Owes     []debtEntry    `yaml:"owes"`
}

type breachEntry struct {
	When       string `yaml:"when"`
	Mended     string `yaml:"mended"`
	Suspicious string `yaml:"suspicious"`
	Info       string `yaml:"info"`
}

type refusalEntry struct {
	Actions []board.ActionKind `yaml:"actions"`
	About   string             `yaml:"about"`
	When    string             `yaml:"when"`
	Say     string             `yaml:"say"`
}

type effectEntry struct {
	Actions []board.ActionKind `yaml:"actions"`
	About   string             `yaml:"about"`
	When    string             `yaml:"when"`
	Say     string             `yaml:"say"`
}

type debtEntry struct {
	Actions  []board.ActionKind `yaml:"actions"`
	About    string             `yaml:"about"`
	When     string             `yaml:"when"`
	Settled  string             `yaml:"settled"`
	Possible bool               `yaml:"possible"`
	Say      string             `yaml:"say"`
}
