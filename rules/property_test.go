package rules_test

import (
	"math"
	"reflect"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/rules/scenario"
)

func itoa(i int) string { return strconv.Itoa(i) }

// drawCopy is any copy as a tracker may report it, sensible or not.
func drawCopy(t *rapid.T, layout board.Layout) board.Copy {
	zones := []board.ZoneID{"", "no.such.zone"}
	for _, z := range layout.Zones {
		zones = append(zones, z.ID)
	}
	cards := []*board.CardRef{nil, card("Hida", "Personality"), card("Copper Mine", "Holding"), card("Farmlands", "Region"), card("Ambush", "Strategy"), {ID: "typeless", Name: "Typeless"}}
	turn := rapid.SampledFrom([]board.Turn{0, 90, 180, 270, board.TurnUnknown}).Draw(t, "turn")
	c := lying(
		board.CopyID(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id")),
		rapid.SampledFrom(cards).Draw(t, "card"),
		rapid.SampledFrom(zones).Draw(t, "zone"),
		turn,
	)
	c.Pose.AngleDeg = float64(rapid.IntRange(0, 359).Draw(t, "angle"))
	c.Pose.AngleModulo = rapid.SampledFrom([]float64{0, 180, 360}).Draw(t, "modulo")
	c.Pose.Centre = board.Point{X: float64(rapid.IntRange(-100, 1700).Draw(t, "x")), Y: float64(rapid.IntRange(-100, 1000).Draw(t, "y"))}
	c.Pose.Face = rapid.SampledFrom([]board.Face{board.FaceUp, board.FaceDown, board.FaceUnknown, ""}).Draw(t, "face")
	c.Pose.Visible = rapid.SampledFrom([]float64{0, 0.4, 1}).Draw(t, "visible")
	c.State = rapid.SampledFrom([]board.State{nil, {"bowed"}, {"nonsense"}}).Draw(t, "state")
	return c
}

func drawChanges(t *rapid.T, layout board.Layout, at time.Time) []board.Change {
	all := []board.ChangeKind{board.ChangePlaced, board.ChangeMoved, board.ChangeTurned, board.ChangeFlipped, board.ChangeNamed, board.ChangeRemoved, "nonsense"}
	var changes []board.Change
	for range rapid.IntRange(0, 4).Draw(t, "acts") {
		c := drawCopy(t, layout)
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom(all), 1, 3).Draw(t, "kinds") {
			before, after := c, c
			ch := board.Change{Kind: kind, At: at, Before: &before, After: &after}
			if rapid.IntRange(0, 9).Draw(t, "lacks") == 0 {
				ch.Before = nil
			}
			if rapid.IntRange(0, 9).Draw(t, "lacks") == 0 {
				ch.After = nil
			}
			changes = append(changes, ch)
		}
	}
	return changes
}

func sameBoard(a, b board.Board) bool {
	return reflect.DeepEqual(a.Copies, b.Copies) && reflect.DeepEqual(a.Findings, b.Findings) &&
		reflect.DeepEqual(a.Prompts, b.Prompts) && reflect.DeepEqual(a.Game, b.Game)
}

func TestAnyChangesFoldToTheBoardAndCiteRules(t *testing.T) {
	pack := l5r.EmperorEdition()
	layouts := []board.Layout{{}, scenario.Table()}
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		e, err := rules.New(pack, rules.Options{Layout: layout, Lang: rapid.SampledFrom(pack.Languages).Draw(t, "lang")})
		if err != nil {
			t.Fatal(err)
		}
		folded, at := board.NewBoard(layout), noon
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			at = at.Add(time.Duration(rapid.IntRange(0, 40).Draw(t, "seconds")) * time.Second)
			for _, ev := range e.Apply(drawChanges(t, layout, at)) {
				switch {
				case ev.Finding != nil:
					checkFinding(t, pack, folded, ev)
				case ev.Card != "":
					checkCardEvent(t, folded, ev)
				}
				folded.Apply(ev)
			}
			if !sameBoard(folded, e.Board()) {
				t.Fatalf("folding the events gives %+v, the engine has %+v", folded, e.Board())
			}
			if rapid.IntRange(0, 5).Draw(t, "restart") == 0 {
				e.Restore(folded)
				if !sameBoard(folded, e.Board()) {
					t.Fatal("restoring changed the board")
				}
				at = at.Add(time.Second)
			}
		}
	})
}

// checkCardEvent holds an event to begin where the one before it ended.
func checkCardEvent(t *rapid.T, folded board.Board, ev board.Event) {
	had, known := folded.Copies[ev.Card]
	if known != (ev.Before != nil) || known && !reflect.DeepEqual(had, *ev.Before) {
		t.Fatalf("%s begins with %+v, the board had %+v", ev.Kind, ev.Before, had)
	}
	if (ev.After == nil) != (ev.Kind == board.EventRemoved) || (ev.Before == nil) != (ev.Kind == board.EventPlaced) {
		t.Fatalf("%s with before %v and after %v", ev.Kind, ev.Before, ev.After)
	}
	if ev.After != nil && !ev.After.State.Equal(board.NewState(ev.After.State...)) {
		t.Fatalf("state %v is no sorted set", ev.After.State)
	}
}

func checkFinding(t *rapid.T, pack rules.Pack, folded board.Board, ev board.Event) {
	f := *ev.Finding
	rule, ok := pack.Rule(f.Rule)
	if !ok || f.Citation != rule.Citation || f.Seen == "" || f.Text == "" {
		t.Fatalf("a finding that stands on nothing: %+v", f)
	}
	if _, open := folded.Findings[f.ID]; open != (ev.Kind == board.EventFindingEnded) {
		t.Fatalf("%s of %s, open before: %t", ev.Kind, f.ID, open)
	}
	for _, id := range f.Copies {
		c, lies := folded.Copies[id]
		if ev.Kind == board.EventFindingOpened && !lies {
			t.Fatalf("a finding about %s, which is not on the table", id)
		}
		if f.Severity == board.SeverityIllegal && ev.Kind == board.EventFindingOpened && c.Card == nil {
			t.Fatalf("illegal, of a card that nobody knows: %+v", f)
		}
	}
}

func TestJudgingTwiceGivesTheSame(t *testing.T) {
	layouts := []board.Layout{{}, scenario.Table()}
	rapid.Check(t, func(t *rapid.T) {
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		e, err := rules.New(l5r.EmperorEdition(), rules.Options{Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 6).Draw(t, "batches") {
			e.Apply(drawChanges(t, layout, noon))
		}
		before := e.Board()
		for _, c := range before.Copies {
			e.Apply([]board.Change{{Kind: board.ChangeTurned, At: noon, Before: &c, After: &c}})
		}
		if !sameBoard(before, e.Board()) {
			t.Fatalf("a second look at the same table gives %+v, the first gave %+v", e.Board(), before)
		}
	})
}

// TestTakeBacksLeaveNothing plays acts on legal copies and takes them back in
// any order, each by what it changed: the place, the turn or the face.
func TestTakeBacksLeaveNothing(t *testing.T) {
	layout := scenario.Table()
	start := []board.Copy{
		lying("p", card("Hida", "Personality"), "south.home", 0),
		lying("pb", card("Doji", "Personality"), "south.home", 90),
		lying("pd", card("Bayushi", "Personality"), "battlefield", 270),
		lying("h", card("Copper Mine", "Holding"), "south.home", 90),
		lying("f", card("Ambush", "Strategy"), "south.fate-discard", 0),
		lying("x", nil, "north.home", 90),
	}
	rapid.Check(t, func(t *rapid.T) {
		e, err := rules.New(l5r.EmperorEdition(), rules.Options{Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		lies, at := map[board.CopyID]board.Copy{}, noon
		var first []board.Change
		for _, c := range start {
			lies[c.ID] = c
			first = append(first, placed(c))
		}
		e.Apply(first)
		if n := len(e.Board().Findings); n != 0 {
			t.Fatalf("%d findings on a legal board", n)
		}
		// A field is taken back to what it was at the start: of several acts on
		// one field, the first tells.
		type field struct {
			id   board.CopyID
			kind board.ChangeKind
		}
		touched := map[field]bool{}
		do := func(id board.CopyID, kind board.ChangeKind, as board.Copy) {
			at = at.Add(2 * time.Second)
			before, after := lies[id], lies[id]
			switch kind {
			case board.ChangeMoved:
				after.Zone = as.Zone
			case board.ChangeTurned:
				after.Pose.Rotation, after.Pose.AngleDeg = as.Pose.Rotation, as.Pose.AngleDeg
			case board.ChangeFlipped:
				after.Pose.Face = as.Pose.Face
			}
			lies[id] = after
			e.Apply([]board.Change{{Kind: kind, At: at, Before: &before, After: &after}})
		}
		kinds := []board.ChangeKind{board.ChangeMoved, board.ChangeTurned, board.ChangeFlipped}
		for range rapid.IntRange(1, 10).Draw(t, "acts") {
			c := drawCopy(t, layout)
			id := start[rapid.IntRange(0, len(start)-1).Draw(t, "which")].ID
			kind := rapid.SampledFrom(kinds).Draw(t, "kind")
			touched[field{id, kind}] = true
			do(id, kind, c)
		}
		var back []field
		for _, c := range start {
			for _, k := range kinds {
				if touched[field{c.ID, k}] {
					back = append(back, field{c.ID, k})
				}
			}
		}
		for _, f := range rapid.Permutation(back).Draw(t, "order") {
			for _, c := range start {
				if c.ID == f.id {
					do(f.id, f.kind, c)
				}
			}
		}
		for _, f := range e.Board().Findings {
			t.Errorf("still open: %s (%s)", f.Rule, f.Seen)
		}
		for _, c := range start {
			if got := e.Board().Copies[c.ID]; got.Pose != c.Pose || got.Zone != c.Zone {
				t.Errorf("%s lies %+v, at the start %+v", c.ID, got, c)
			}
		}
	})
}

func TestAnglesOutOfRangeAreNoTrouble(t *testing.T) {
	for _, angle := range []float64{-720, 1e9, math.NaN(), math.Inf(1)} {
		c := lying("c", card("Hida", "Personality"), "", board.TurnUnknown)
		c.Pose.AngleDeg = angle
		newEngine(t, rules.Options{}).Apply([]board.Change{placed(c)})
	}
}
