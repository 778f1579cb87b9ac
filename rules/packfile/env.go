package packfile

import (
	"maps"
	"math"
	"slices"

	"tabletop/board"
	"tabletop/rules"
)

// printed is a card as the catalogue has it.
type printed struct {
	ID         string            `expr:"id"`
	Name       string            `expr:"name"`
	Type       string            `expr:"type"`
	Attributes map[string]string `expr:"attributes"`
}

// place is a card as a condition on areas and turns may ask about it.
type place struct {
	printed
	Turn    int     `expr:"turn"`
	Slanted bool    `expr:"slanted"`
	Face    string  `expr:"face"`
	Zone    string  `expr:"zone"`
	ZoneOf  string  `expr:"zone_of"`
	Owner   string  `expr:"owner"`
	Seat    string  `expr:"seat"`
	Visible float64 `expr:"visible"`
}

// look is a card as a condition of a rule may ask about it.
type look struct {
	place
	Seen   bool     `expr:"seen"`
	Area   string   `expr:"area"`
	States []string `expr:"states"`
	Shared float64  `expr:"shared"`
}

// The environments in which conditions are judged. docs/packs.md is their
// manual; a test holds it against them.
type (
	sidesEnv struct {
		Card  printed `expr:"card"`
		Other printed `expr:"other"`
	}
	placeEnv struct {
		Card place `expr:"card"`
	}
	boardEnv struct {
		Card     look   `expr:"card"`
		Touching []look `expr:"touching"`
	}
	changeEnv struct {
		Card      look              `expr:"card"`
		Before    look              `expr:"before"`
		Touching  []look            `expr:"touching"`
		Enters    bool              `expr:"enters"`
		Leaves    bool              `expr:"leaves"`
		TakesBack func(string) bool `expr:"takes_back"`
	}
	actionEnv struct {
		Act      act    `expr:"act"`
		Card     look   `expr:"card"`
		Other    look   `expr:"other"`
		Touching []look `expr:"touching"`
	}
)

// act is a declared action.
type act struct {
	Kind   string            `expr:"kind"`
	Seat   string            `expr:"seat"`
	Amount int               `expr:"amount"`
	Zone   string            `expr:"zone"`
	Params map[string]string `expr:"params"`
}

// slantedDeg is the distance from a quarter turn beyond which a card lies
// nearer to a diagonal than to any of them.
const slantedDeg = 22.5

// place is what there is to say of a subject that is taken to be of a type.
func (p *pack) place(s rules.Subject, cardType string) place {
	pose := s.Copy.Pose
	fromQuarter := math.Abs(math.Remainder(s.AngleDeg, 90))
	l := place{
		printed: printed{string(s.Card.ID), s.Card.Name, cardType, s.Card.Attributes},
		Turn:    int(pose.Rotation), Slanted: !pose.Rotation.Known() && fromQuarter > slantedDeg,
		Face: string(pose.Face), Zone: string(s.Zone.Kind), ZoneOf: string(s.Zone.Seat),
		Owner: string(s.Copy.Owner), Seat: string(s.Seat), Visible: pose.Visible,
	}
	if l.Face == "" {
		l.Face = string(board.FaceUnknown)
	}
	return l
}

func (p *pack) look(s rules.Subject, cardType string) look {
	l := look{place: p.place(s, cardType), Seen: true, States: s.Copy.State}
	switch p.areaOf(s, cardType) {
	case rules.AreaInPlay:
		l.Area = inPlay
	case rules.AreaOutOfPlay:
		l.Area = outOfPlay
	default:
		l.Area = undetermined
	}
	return l
}

// touching are the cards that lie on, under or against one.
func (p *pack) touching(s rules.Subject) []look {
	touches := s.Table().Touching(s)
	looks := make([]look, len(touches))
	for i, t := range touches {
		looks[i] = p.look(t.Subject, p.typeOf(t.Subject))
		looks[i].Shared = t.Shared
	}
	return looks
}

// The areas as conditions name them.
const (
	inPlay       = "in-play"
	outOfPlay    = "out-of-play"
	undetermined = "undetermined"
)

// vocabulary are the texts that each field may hold.
func (f *packFile) vocabulary() vocabulary {
	words := vocabulary{
		"type": append(slices.Sorted(maps.Keys(f.Types)), ""),
		"face": {string(board.FaceUp), string(board.FaceDown), string(board.FaceUnknown)},
		"area": {inPlay, outOfPlay, undetermined},
		"turn": {"0", "90", "180", "270"},
		"zone": {""},
	}
	for _, z := range f.Zones {
		words["zone"] = append(words["zone"], z.Kind)
	}
	words["act.zone"] = words["zone"]
	for _, w := range f.Words {
		words["states"] = append(words["states"], w.Word)
	}
	for _, a := range f.Actions {
		words["act.kind"] = append(words["act.kind"], string(a.ID))
		for _, p := range a.Params {
			words["params."+p.Name] = append(words["params."+p.Name], p.Values...)
			if len(p.Values) > 0 {
				words["params."+p.Name] = append(words["params."+p.Name], "")
			}
		}
	}
	return words
}
