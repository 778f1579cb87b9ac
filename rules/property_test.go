package rules_test

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
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

// drawAction is any action that a client may declare, sensible or not.
func drawAction(t *rapid.T, pack rules.Pack, layout board.Layout, at time.Time) board.Action {
	kind := rapid.SampledFrom(pack.Acts).Draw(t, "kind of action")
	copies := rapid.SliceOfN(rapid.SampledFrom([]board.CopyID{"a", "b", "c", "zzz"}), 0, 2)
	a := board.Action{Kind: kind.Kind, At: at, Params: map[string]string{}, Ruled: rapid.IntRange(0, 4).Draw(t, "ruled") == 0}
	if kind.Seat != "" {
		a.Seat = rapid.SampledFrom([]board.SeatID{"", "south", "north", "west"}).Draw(t, "seat")
	}
	if kind.Copies != "" {
		a.Copies = copies.Draw(t, "copies")
	}
	if kind.Targets != "" {
		a.Targets = copies.Draw(t, "targets")
	}
	if kind.Zone != "" && len(layout.Zones) > 0 && rapid.Bool().Draw(t, "has zone") {
		a.Zone = rapid.SampledFrom(layout.Zones).Draw(t, "zone").ID
	}
	if kind.Amount != "" {
		a.Amount = rapid.IntRange(-3, 5).Draw(t, "amount")
	}
	for _, p := range kind.Params {
		values := append([]string{"south", "north", "a", "a1", "target:discard effect:out", "::"}, p.Values...)
		if rapid.Bool().Draw(t, "has "+p.Name) {
			a.Params[p.Name] = rapid.SampledFrom(values).Draw(t, p.Name)
		}
	}
	return a
}

// drawCorrection is anything that a person may say of a copy.
func drawCorrection(t *rapid.T) board.Correction {
	seat := rapid.SampledFrom([]board.SeatID{"south", "north"}).Draw(t, "corrected seat")
	return rapid.SampledFrom([]board.Correction{
		{}, {Card: card("Hida", "Personality")}, {Card: card("Copper Mine", "Holding"), Face: board.FaceDown},
		{Face: board.FaceUp}, {Owner: &seat}, {Controller: &seat},
	}).Draw(t, "correction")
}

// drawStep lets something happen: at the table, by a declaration, or by a judge.
func drawStep(t *rapid.T, e *rules.Engine, pack rules.Pack, layout board.Layout, at time.Time, first board.Board) []board.Event {
	var events []board.Event
	switch rapid.IntRange(0, 9).Draw(t, "step") {
	case 0, 1, 2:
		events, _ = e.Declare(drawAction(t, pack, layout, at)) // an error changes nothing, which the fold shows
	case 3:
		events, _ = e.Correct(rapid.SampledFrom([]board.CopyID{"a", "b", "zzz"}).Draw(t, "copy"), drawCorrection(t), at)
	case 4:
		events = e.Accept(at)
	case 5:
		ruling := rules.Ruling{Board: &first, BackTo: 1, Decision: rapid.SampledFrom(append(board.Decisions(), "nonsense")).Draw(t, "decision")}
		b := e.Board()
		for _, id := range slices.Sorted(maps.Keys(b.Findings)) {
			ruling.Finding = id
		}
		for _, id := range slices.Sorted(maps.Keys(b.Prompts)) {
			ruling.Prompt = id
		}
		events, _ = e.Decide(ruling, at)
	default:
		events = e.Apply(drawChanges(t, layout, at))
	}
	return events
}

// TestAnythingFoldsToTheBoardAndCitesRules lets anything happen and holds that
// the events alone give the board, that nothing is said that cites no rule, and
// that a restart changes nothing.
func TestAnythingFoldsToTheBoardAndCitesRules(t *testing.T) {
	layouts := []board.Layout{{}, scenario.Table()}
	rapid.Check(t, func(t *rapid.T) {
		pack := rapid.SampledFrom(l5r.Packs()).Draw(t, "pack")
		layout := rapid.SampledFrom(layouts).Draw(t, "layout")
		opts := rules.Options{Layout: layout, Lang: rapid.SampledFrom(pack.Languages).Draw(t, "lang")}
		e, err := rules.New(pack, opts)
		if err != nil {
			t.Fatal(err)
		}
		folded, first, at := board.NewBoard(layout), board.NewBoard(layout), noon
		for i := range rapid.IntRange(1, 16).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "ms")) * time.Millisecond)
			for _, ev := range drawStep(t, e, pack, layout, at, first) {
				checkEvent(t, pack, folded, ev)
				folded.Apply(ev)
			}
			if !sameBoard(folded, e.Board()) {
				t.Fatalf("folding the events gives\n%s\nthe engine has\n%s", asJSON(folded), asJSON(e.Board()))
			}
			if i == 2 {
				first = folded.Clone()
			}
			if rapid.IntRange(0, 5).Draw(t, "restart") == 0 {
				if e, err = rules.New(pack, opts); err != nil {
					t.Fatal(err)
				}
				e.Restore(readBack(t, folded))
				if !sameBoard(folded, e.Board()) {
					t.Fatal("restoring changed the board")
				}
			}
		}
		if _, err := e.Explain(folded); err != nil {
			t.Fatal(err)
		}
	})
}

// readBack is the board as a journal or a client has it, through JSON.
func readBack(t *rapid.T, b board.Board) board.Board {
	var back board.Board
	if err := json.Unmarshal([]byte(asJSON(b)), &back); err != nil {
		t.Fatal(err)
	}
	return b
}

func asJSON(b board.Board) string {
	data, err := json.Marshal(b)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func checkEvent(t *rapid.T, pack rules.Pack, folded board.Board, ev board.Event) {
	cites := func(id board.RuleID, c board.Citation, text string) {
		if rule, ok := pack.Rule(id); !ok || c != rule.Citation || strings.TrimSpace(text) == "" || strings.Contains(text, "<no value>") {
			t.Fatalf("%s stands on nothing: %s %+v %q", ev.Kind, id, c, text)
		}
	}
	switch {
	case ev.Finding != nil:
		checkFinding(t, pack, folded, ev)
	case ev.Card != "":
		checkCardEvent(t, folded, ev)
	case ev.Prompt != nil:
		cites(ev.Prompt.Rule, ev.Prompt.Citation, ev.Prompt.Text)
		if _, open := folded.Prompts[ev.Prompt.ID]; open == (ev.Kind == board.EventPromptOpened) {
			t.Fatalf("%s of %s, open before: %t", ev.Kind, ev.Prompt.ID, open)
		}
	case ev.Answer != nil:
		for _, b := range ev.Answer.Breaches {
			cites(b.Rule, b.Citation, b.Text)
		}
		if ev.Answer.Legal != (len(ev.Answer.Breaches) == 0 || ev.Action.Ruled) || (ev.Game != nil) != ev.Answer.Legal {
			t.Fatalf("an answer that doesn't agree with itself: %+v", ev.Answer)
		}
	}
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
	if ev.Kind == board.EventCorrected && (ev.Before == nil || ev.After == nil) {
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
	if _, open := folded.Findings[f.ID]; open == (ev.Kind == board.EventFindingOpened) {
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
		e, err := rules.New(rapid.SampledFrom(l5r.Packs()).Draw(t, "pack"), rules.Options{Layout: layout})
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

// beside moves a copy to the right, by millimetres.
func beside(c board.Copy, by float64) board.Copy {
	c.Pose.Centre.X += by
	c.Pose.Corners = board.RectQuad(c.Pose.Centre, board.StandardCard(), c.Pose.AngleDeg)
	return c
}

// TestTakeBacksLeaveNothing plays acts on legal copies and takes them back in
// any order, each by what it changed: the place, the turn or the face.
func TestTakeBacksLeaveNothing(t *testing.T) {
	layout := scenario.Table()
	start := []board.Copy{
		beside(lying("p", card("Hida", "Personality"), "south.home", 0), 200),
		beside(lying("pb", card("Doji", "Personality"), "south.home", 90), 400),
		lying("pd", card("Bayushi", "Personality"), "battlefield", 270),
		beside(lying("h", card("Copper Mine", "Holding"), "south.home", 90), 600),
		beside(lying("f", card("Ambush", "Strategy"), "south.fate-discard", 0), 300),
		beside(lying("x", nil, "north.home", 90), 500),
		beside(lying("fo", card("Spearmen", "Follower"), "battlefield", 0), 20),
		beside(lying("i", card("Sword", "Item"), "battlefield", 90), 40),
		beside(lying("r", card("Farmlands", "Region"), "north.province", 0), 900),
		beside(lying("n", card("Moto", "Personality"), "north.home", 180), 700),
	}
	for i := range start {
		start[i].Owner, start[i].Controller = "south", "south"
		if strings.HasPrefix(string(start[i].Zone), "north") {
			start[i].Owner, start[i].Controller = "north", "north"
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		e, err := rules.New(rapid.SampledFrom(l5r.Packs()).Draw(t, "pack"), rules.Options{Layout: layout})
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
		end := e.Board()
		for _, f := range end.Findings {
			t.Errorf("still open: %s (%s)", f.Rule, f.Seen)
		}
		for _, p := range end.Prompts {
			t.Errorf("still owed: %s (%s)", p.Rule, p.Text)
		}
		if end.Game != nil && (end.Game.OutOfStep != nil || len(end.Game.Dismissed) > 0 || len(end.Game.Marks) > 0) {
			t.Errorf("still known of the game: %+v", *end.Game)
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

// TestLongMatchIsForgotten plays a match of copies that come and go for hours
// and holds that the engine remembers of it what lies on the table.
func TestLongMatchIsForgotten(t *testing.T) {
	layout := scenario.Table()
	for _, pack := range l5r.Packs() {
		e, err := rules.New(pack, rules.Options{Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		at, most := noon, 0
		for i := range 2000 {
			c := lying(board.CopyID("c"+itoa(i)), card("Hida", "Personality"), "south.home", board.Turn(i%4*90))
			out := c
			out.Zone = "south.dynasty-discard"
			for _, change := range []board.Change{
				{Kind: board.ChangePlaced, After: &c},
				{Kind: board.ChangeMoved, Before: &c, After: &out},
				{Kind: board.ChangeRemoved, Before: &out},
			} {
				at = at.Add(3 * time.Second)
				change.At = at
				e.Apply([]board.Change{change})
			}
			most = max(most, e.Held())
			for id := range e.Board().Prompts {
				if _, err := e.Decide(rules.Ruling{Prompt: id, Decision: board.DecisionDismissed}, at); err != nil {
					t.Fatal(err)
				}
			}
		}
		if most > 400 {
			t.Errorf("%s: up to %d things are remembered of copies that are gone", pack.ID, most)
		}
		if g := e.Board().Game; g != nil && (len(g.Marks) > 0 || len(g.Dismissed) > 0) {
			t.Errorf("%s: still known of the game: %+v", pack.ID, *g)
		}
	}
}

// TestLegalPlayIsLeftAlone plays any legal acts, as a camera sees them, and holds
// that nothing is found: the rules invent nothing.
func TestLegalPlayIsLeftAlone(t *testing.T) {
	layout := scenario.Table()
	rapid.Check(t, func(t *rapid.T) {
		e, err := rules.New(rapid.SampledFrom(l5r.Packs()).Draw(t, "pack"), rules.Options{Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		lies := map[board.CopyID]board.Copy{}
		var ids []board.CopyID
		var first []board.Change
		for i, kind := range []string{"Personality", "Personality", "Holding", "Personality", "Personality", "Holding", "Strategy"} {
			seat := []board.SeatID{"south", "north"}[i/3%2]
			c := beside(lying(board.CopyID("c"+itoa(i)), card(kind+itoa(i), kind), board.ZoneID(seat)+".home", 0), float64(150*i))
			if kind == "Strategy" {
				c.Zone = board.ZoneID(seat) + ".hand"
			}
			c.Owner, c.Controller = seat, seat
			lies[c.ID] = c
			ids = append(ids, c.ID)
			first = append(first, placed(c))
		}
		e.Apply(first)
		at := noon.Add(time.Minute)
		for range rapid.IntRange(1, 30).Draw(t, "acts") {
			at = at.Add(time.Duration(rapid.IntRange(200, 90_000).Draw(t, "ms")) * time.Millisecond)
			before := lies[rapid.SampledFrom(ids).Draw(t, "which")]
			after := legalAct(t, before, layout)
			lies[after.ID] = after
			var changes []board.Change
			for _, kind := range []board.ChangeKind{board.ChangeMoved, board.ChangeTurned} {
				changes = append(changes, board.Change{Kind: kind, At: at, Before: &before, After: &after})
			}
			for _, ev := range append(e.Apply(changes), e.Tick(at.Add(5*time.Second))...) {
				if ev.Finding != nil || ev.Kind == board.EventOutOfStep {
					t.Fatalf("%s: %+v", ev.Kind, ev.Finding)
				}
			}
		}
	})
}

// legalAct is the copy after a legal act with it.
func legalAct(t *rapid.T, c board.Copy, layout board.Layout) board.Copy {
	turn := func(to board.Turn) {
		c.Pose.Rotation, c.Pose.AngleDeg = to, float64(to)
		if c.Controller == "north" {
			c.Pose.AngleDeg = board.NormalizeDeg(float64(to) + 180)
		}
	}
	own := func(kind string) board.ZoneID { return board.ZoneID(c.Owner) + "." + board.ZoneID(kind) }
	zone, _ := layout.Zone(c.Zone)
	bowed, dishonorable := c.Pose.Rotation%180 == 90, c.Pose.Rotation >= 180
	straight := board.Turn(0)
	if dishonorable {
		straight = 180
	}
	switch {
	case c.Card.Type == "Strategy": // played out of the hand, and discarded
		c.Zone = rapid.SampledFrom([]board.ZoneID{own("hand"), "battlefield", own("fate-discard")}).Draw(t, "to")
	case zone.Kind == board.ZoneDynastyDiscard: // it comes back to the hand, or into play
		c.Zone = rapid.SampledFrom([]board.ZoneID{own("hand"), own("home")}).Draw(t, "to")
	case zone.Kind == board.ZoneHand:
		c.Zone = own("home")
	case rapid.IntRange(0, 4).Draw(t, "leaves") == 0:
		turn(straight) // unbowed, and in the honor that it had
		c.Zone = own("dynasty-discard")
	case c.Card.Type == "Holding":
		turn(rapid.SampledFrom([]board.Turn{0, 90}).Draw(t, "turn"))
	case rapid.Bool().Draw(t, "turns"):
		turn(rapid.SampledFrom([]board.Turn{0, 90, 180, 270}).Draw(t, "turn"))
	case zone.Kind == board.ZoneHome && !bowed:
		c.Zone = "battlefield"
	default:
		c.Zone = own("home")
	}
	return c
}
