package rules_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/rules/scenario"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func newEngine(t testing.TB, opts rules.Options) *rules.Engine {
	t.Helper()
	e, err := rules.New(l5r.EmperorEdition(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func card(name, kind string) *board.CardRef {
	return &board.CardRef{ID: board.CardID(strings.ToLower(name)), Name: name, Type: kind}
}

func lying(id board.CopyID, ref *board.CardRef, zone board.ZoneID, turn board.Turn) board.Copy {
	c := board.Copy{ID: id, Card: ref, Zone: zone, Pose: board.Pose{
		Centre: board.Point{X: 100, Y: 100}, AngleModulo: 360, Rotation: turn, Face: board.FaceUp, Visible: 1, Confidence: 0.9,
	}}
	if turn.Known() {
		c.Pose.AngleDeg = float64(turn)
	}
	c.Pose.Corners = board.RectQuad(c.Pose.Centre, board.StandardCard(), c.Pose.AngleDeg)
	return c
}

func placed(c board.Copy) board.Change {
	return board.Change{Kind: board.ChangePlaced, At: noon, After: &c}
}

func kinds(events []board.Event) string {
	var ks []string
	for _, e := range events {
		ks = append(ks, string(e.Kind))
	}
	return strings.Join(ks, " ")
}

func TestOneActOfSeveralChangesFoldsToItsEnd(t *testing.T) {
	e := newEngine(t, rules.Options{Layout: scenario.Table()})
	before := lying("c1", card("Hida", "Personality"), "south.home", 0)
	e.Apply([]board.Change{placed(before)})

	after := lying("c1", card("Hida", "Personality"), "battlefield", 270)
	after.Pose.Centre = board.Point{X: 700, Y: 450}
	after.Pose.Corners = board.RectQuad(after.Pose.Centre, board.StandardCard(), 270)
	after.Pose.Visible = 0.8
	changes := []board.Change{
		{Kind: board.ChangeMoved, At: noon, Before: &before, After: &after},
		{Kind: board.ChangeTurned, At: noon, Before: &before, After: &after},
	}
	events := e.Apply(changes)
	if got, want := kinds(events), "card.moved card.dishonored card.bowed"; got != want {
		t.Fatalf("events %q, want %q", got, want)
	}
	moved, dishonored, bowed := events[0], events[1], events[2]
	if moved.After.Zone != "battlefield" || moved.After.Pose.Rotation != 0 || len(moved.After.State) != 0 {
		t.Errorf("the move shows more than the move: %+v", moved.After)
	}
	if got, want := moved.After.Pose.Corners.Centre(), after.Pose.Centre; got.Distance(want) > 1e-9 {
		t.Errorf("the moved card's corners lie around %v, its centre is %v", got, want)
	}
	if !dishonored.After.State.Equal(board.NewState("dishonorable")) {
		t.Errorf("dishonored: state %v", dishonored.After.State)
	}
	if !bowed.After.State.Equal(board.NewState("bowed", "dishonorable")) {
		t.Errorf("bowed: state %v", bowed.After.State)
	}
	want := after
	want.State = board.NewState("bowed", "dishonorable")
	if !reflect.DeepEqual(*bowed.After, want) {
		t.Errorf("the last event gives %+v, want %+v", *bowed.After, want)
	}
	for i := 1; i < len(events); i++ {
		if !reflect.DeepEqual(events[i].Before, events[i-1].After) {
			t.Errorf("event %d begins with %+v, the one before it ended with %+v", i, events[i].Before, events[i-1].After)
		}
	}
}

func TestChangesOfTwoCopiesInterleaved(t *testing.T) {
	e := newEngine(t, rules.Options{Layout: scenario.Table()})
	a, b := lying("a", card("A", "Personality"), "south.home", 0), lying("b", card("B", "Personality"), "south.home", 0)
	e.Apply([]board.Change{placed(a), placed(b)})
	a2, b2 := a, b
	a2.Pose.Centre.X, b2.Pose.Centre.X = 200, 300
	a2.Pose.Rotation, b2.Pose.Rotation = 90, 180
	events := e.Apply([]board.Change{
		{Kind: board.ChangeMoved, At: noon, Before: &a, After: &a2},
		{Kind: board.ChangeMoved, At: noon, Before: &b, After: &b2},
		{Kind: board.ChangeTurned, At: noon, Before: &a, After: &a2},
		{Kind: board.ChangeTurned, At: noon, Before: &b, After: &b2},
	})
	if got, want := kinds(events), "card.moved card.bowed card.moved card.dishonored"; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestTwoActsOfOneCopyInOneBatch(t *testing.T) {
	e := newEngine(t, rules.Options{})
	a := lying("a", card("A", "Personality"), "", 0)
	bowed, back := lying("a", a.Card, "", 90), a
	events := e.Apply([]board.Change{
		placed(a),
		{Kind: board.ChangeTurned, At: noon, Before: &a, After: &bowed},
		{Kind: board.ChangeTurned, At: noon, Before: &bowed, After: &back},
	})
	if got, want := kinds(events), "card.placed card.bowed card.straightened"; got != want {
		t.Errorf("events %q, want %q", got, want)
	}
}

func TestReportsThatDontFitTheBoard(t *testing.T) {
	a := lying("a", card("A", "Holding"), "", 0)
	a90 := lying("a", card("A", "Holding"), "", 90)
	tests := []struct {
		name    string
		changes []board.Change
		want    string
	}{
		{"a turn of a copy not known places it", []board.Change{{Kind: board.ChangeTurned, Before: &a, After: &a90}}, "card.placed"},
		{"a copy placed twice changes", []board.Change{placed(a), placed(a90)}, "card.placed card.bowed"},
		{"the removal of nothing is nothing", []board.Change{{Kind: board.ChangeRemoved, Before: &a}}, ""},
		{"a change of nothing is nothing", []board.Change{{Kind: board.ChangeMoved}, {Kind: board.ChangeRemoved}}, ""},
		{"an unknown kind is nothing", []board.Change{{Kind: "eaten", After: &a}}, ""},
		{"a removal", []board.Change{placed(a), {Kind: board.ChangeRemoved, Before: &a}}, "card.placed card.removed"},
		{"the same look twice", []board.Change{placed(a), {Kind: board.ChangeTurned, Before: &a, After: &a90}, {Kind: board.ChangeTurned, Before: &a, After: &a90}}, "card.placed card.bowed card.turned"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := kinds(newEngine(t, rules.Options{}).Apply(tt.changes)); got != tt.want {
				t.Errorf("events %q, want %q", got, tt.want)
			}
		})
	}
}

func TestZoneIsFoundWhereTheTrackerGivesNone(t *testing.T) {
	layout := scenario.Table()
	e := newEngine(t, rules.Options{Layout: layout})
	c := lying("c", card("Copper Mine", "Holding"), "", 0)
	c.Pose.Centre = board.Point{X: 10, Y: 1490}
	e.Apply([]board.Change{placed(c)})
	if got := e.Board().Copies["c"].Zone; got != "south.home" {
		t.Errorf("zone %q, want south.home", got)
	}
}

func TestOutsideAllZonesNothingEnters(t *testing.T) {
	layout := scenario.Table()
	layout.Zones = layout.Zones[:1]
	e := newEngine(t, rules.Options{Layout: layout})
	e.Apply([]board.Change{placed(lying("first", card("A", "Holding"), "", 0))})
	p := lying("p", card("Hida", "Personality"), "", 90)
	p.Pose.Centre = board.Point{X: 1500, Y: 20} // north of all zones
	later := board.Change{Kind: board.ChangePlaced, At: noon.Add(time.Minute), After: &p}
	if events := e.Apply([]board.Change{later}); kinds(events) != "card.placed finding.opened" || events[1].Finding.Rule != "in-play.area" || !events[0].After.State.Has("bowed") {
		t.Errorf("events %q, state %v", kinds(events), events[0].After.State)
	}
}

func TestTakingStockOfALaidTable(t *testing.T) {
	restored := newEngine(t, rules.Options{})
	restored.Restore(board.NewBoard(board.Layout{}))
	for name, e := range map[string]*rules.Engine{"new": newEngine(t, rules.Options{}), "restored": restored} {
		e.Apply([]board.Change{placed(lying("a", card("A", "Holding"), "", 0))})
		for id, after := range map[board.CopyID]time.Duration{"soon": rules.FirstLook, "late": rules.FirstLook + time.Millisecond} {
			c := lying(id, card("Hida", "Personality"), "", 90)
			events := e.Apply([]board.Change{{Kind: board.ChangePlaced, At: noon.Add(after), After: &c}})
			if entered := len(events) > 1; entered != (id == "late") {
				t.Errorf("%s engine, %s: %s", name, id, kinds(events))
			}
		}
	}
}

func TestCatalogueKnowsMoreThanTheReference(t *testing.T) {
	e := newEngine(t, rules.Options{Card: func(id board.CardID) (board.Card, bool) {
		return board.Card{ID: id, Name: "Copper Mine", Type: "Holding", Landscape: true}, id == "copper mine"
	}})
	e.Apply([]board.Change{placed(lying("c", &board.CardRef{ID: "copper mine"}, "", 180))})
	for _, f := range e.Board().Findings {
		if !strings.Contains(f.Seen, "Copper Mine (c), Holding,") {
			t.Errorf("seen: %s", f.Seen)
		}
		return
	}
	t.Error("no finding for a Holding upside down")
}

func TestStateIsNeverNull(t *testing.T) {
	e := newEngine(t, rules.Options{})
	for _, ev := range e.Apply([]board.Change{placed(lying("c", nil, "", board.TurnUnknown))}) {
		if ev.After.State == nil {
			t.Error("an empty state is nil: null in JSON, where clients expect a list")
		}
	}
}

func TestBoardIsACloneAndEventsStand(t *testing.T) {
	e := newEngine(t, rules.Options{})
	a := lying("a", card("A", "Holding"), "", 0)
	first := e.Apply([]board.Change{placed(a)})
	delete(e.Board().Copies, "a")
	turned := lying("a", a.Card, "", 90)
	e.Apply([]board.Change{{Kind: board.ChangeTurned, At: noon, Before: &a, After: &turned}})
	if len(e.Board().Copies) != 1 {
		t.Error("a change of the clone changed the board")
	}
	if first[0].After.State.Has("bowed") || first[0].After.Pose.Rotation != 0 {
		t.Error("a later change reached into an earlier event")
	}
}

func TestRestoreGoesOn(t *testing.T) {
	first := newEngine(t, rules.Options{})
	h := lying("h", card("Copper Mine", "Holding"), "", 180)
	first.Apply([]board.Change{placed(h)})
	saved := first.Board()
	if len(saved.Findings) != 1 {
		t.Fatalf("findings: %v", saved.Findings)
	}

	second := newEngine(t, rules.Options{})
	second.Restore(saved)
	if !reflect.DeepEqual(second.Board(), saved) {
		t.Error("the restored board differs")
	}
	upright, other := lying("h", h.Card, "", 0), lying("o", h.Card, "", 270)
	later := noon.Add(time.Hour)
	events := second.Apply([]board.Change{
		{Kind: board.ChangeTurned, At: later, Before: &h, After: &upright},
		{Kind: board.ChangePlaced, At: later, After: &other},
	})
	if got, want := kinds(events), "card.turned finding.ended card.placed finding.opened"; got != want {
		t.Fatalf("events %q, want %q", got, want)
	}
	ended, opened := events[1].Finding.ID, events[3].Finding.ID
	if ended != "f1" || opened == "f1" {
		t.Errorf("finding %s ended, %s opened: an id of the first engine may not come again", ended, opened)
	}
	if _, ok := saved.Findings["f1"]; !ok {
		t.Error("restoring changed the board it was given")
	}
}

func TestNewRefuses(t *testing.T) {
	good := l5r.EmperorEdition
	tests := []struct {
		name string
		pack func() rules.Pack
		lang string
		want string
	}{
		{"a language without texts", good, "fr", `no texts in language "fr": it has en, de`},
		{"a rule that stands twice", func() rules.Pack { p := good(); p.Rules = append(p.Rules, p.Rules[0]); return p }, "", "stands twice"},
		{"a rule that cites nothing", func() rules.Pack { p := good(); p.Rules[0].Citation.Source = ""; return p }, "", "cites no source"},
		{"a rule that judges nothing", func() rules.Pack { p := good(); p.Rules[0].State = nil; return p }, "", "judges neither a state, a change nor an action"},
		{"a change that is never mended", func() rules.Pack {
			p := good()
			i := slices.IndexFunc(p.Rules, func(r rules.Rule) bool { return r.ID == "bow.enter" })
			p.Rules[i].Mended = nil
			return p
		}, "", "when a breach is mended"},
		{"a rule without texts", func() rules.Pack { p := good(); p.Rules[0].ID = "no.such"; return p }, "de", `"no.such.title" not found`},
		{"a pack without meaning", func() rules.Pack { p := good(); p.Meaning = nil; return p }, "", "needs a meaning"},
		{"messages that name what there isn't", func() rules.Pack {
			p := good()
			p.Rules, p.Acts, p.Says, p.FactNames = p.Rules[:1], nil, nil, nil
			p.Messages = fstest.MapFS{"messages/x.en.yaml": {Data: []byte("in-play.area.title: a\nin-play.area.text: \"{{if .Type}}{{.Colour}}{{end}}x\"")}}
			return p
		}, "", "Colour"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := rules.New(tt.pack(), rules.Options{Lang: tt.lang})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestPacksNameTheGamesTheyKnow(t *testing.T) {
	packs := rules.Packs{l5r.EmperorEdition()}
	if p, err := packs.Find("l5r-emperor"); err != nil || p.ID != "l5r-emperor" {
		t.Errorf("found %q, %v", p.ID, err)
	}
	if _, err := packs.Find("chess"); err == nil || !strings.Contains(err.Error(), `unknown game "chess": known are l5r-emperor`) {
		t.Errorf("error %v", err)
	}
}

func TestRulesAreListedInTheChosenLanguage(t *testing.T) {
	for lang, want := range map[string]string{"en": "Only Personalities can be dishonorable", "de": "Nur Persönlichkeiten können entehrt sein"} {
		found := false
		for _, r := range newEngine(t, rules.Options{Lang: lang}).Rules() {
			found = found || r.ID == "honor.personality" && r.Title == want && r.Citation.Passage == "Honorable and dishonorable"
		}
		if !found {
			t.Errorf("%s: no rule honor.personality titled %q", lang, want)
		}
	}
}

// BenchmarkOneChange is the cost of judging the board after one change, among
// few copies and among many: what is on the table beside must not matter. The
// copies lie as on a crowded table, in units of a Personality and two
// attachments. Each operation is two changes, there and back.
func BenchmarkOneChange(b *testing.B) {
	for _, pack := range l5r.Packs() {
		for _, n := range []int{8, 80, 800} {
			for _, act := range []struct {
				name   string
				change func(board.Copy) board.Copy
				kind   board.ChangeKind
			}{
				{"bow", func(c board.Copy) board.Copy { c.Pose.Rotation = 90; return c }, board.ChangeTurned},
				{"breach", func(c board.Copy) board.Copy { c.Pose.Rotation = 180; return c }, board.ChangeTurned},
				{"move", func(c board.Copy) board.Copy { c.Zone = "battlefield"; return c }, board.ChangeMoved},
			} {
				b.Run(pack.ID+"/"+act.name+"/copies="+itoa(n), func(b *testing.B) {
					e, laid := crowded(b, pack, n)
					was := laid[1] // an attachment
					is := act.change(was)
					b.ReportAllocs()
					for b.Loop() {
						e.Apply([]board.Change{{Kind: act.kind, At: noon, Before: &was, After: &is}})
						e.Apply([]board.Change{{Kind: act.kind, At: noon, Before: &is, After: &was}})
					}
				})
			}
		}
	}
}

// crowded is a table of n copies in units of three.
func crowded(b *testing.B, pack rules.Pack, n int) (*rules.Engine, []board.Copy) {
	b.Helper()
	e, err := rules.New(pack, rules.Options{Layout: scenario.Table()})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := e.Declare(board.Action{Kind: "honor.total", Seat: "south", Amount: 10, At: noon}); err != nil {
		b.Fatal(err)
	}
	var laid []board.Copy
	var changes []board.Change
	for i := range n {
		kind := []string{"Personality", "Follower", "Item"}[i%3]
		c := lying(board.CopyID("c"+itoa(i)), card(kind+itoa(i), kind), "south.home", 0)
		c.Pose.Centre = board.Point{X: float64(i/3%20)*120 + float64(i%3)*15, Y: float64(i/60) * 140}
		c.Pose.Corners = board.RectQuad(c.Pose.Centre, board.StandardCard(), 0)
		laid = append(laid, c)
		changes = append(changes, placed(c))
	}
	e.Apply(changes)
	return e, laid
}
