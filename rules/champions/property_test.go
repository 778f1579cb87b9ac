package champions_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/rules"
)

// randomTable is a table with the game's areas, each a strip.
func randomTable() board.Layout {
	kinds := []board.ZoneKind{"home", "deck", "discard", "hand", "dealt", "villain", "main-scheme", "encounter", "encounter-deck", "encounter-discard", "removed", "set-aside"}
	l := board.Layout{Size: board.Size{Width: 2400, Height: 400}, Seats: []board.Seat{{ID: "south", Name: "South"}}}
	for i, kind := range kinds {
		x0, x1 := float64(i)/float64(len(kinds)), float64(i+1)/float64(len(kinds))
		z := board.Zone{ID: board.ZoneID(kind), Kind: kind, Outline: board.Polygon{{X: x0, Y: 0}, {X: x1, Y: 0}, {X: x1, Y: 1}, {X: x0, Y: 1}}}
		if i < 5 {
			z.Seat = "south"
		}
		l.Zones = append(l.Zones, z)
	}
	return l
}

var anyType = rapid.SampledFrom([]string{
	"Hero", "Alter-Ego", "Ally", "Support", "Upgrade", "Event", "Resource", "Villain", "Main Scheme", "Side Scheme",
	"Minion", "Attachment", "Treachery", "Environment", "Obligation", "Verbündeter", "no such type", "",
})

// anyCopy draws how a copy lies, and sometimes that it reads as another card.
func anyCopy(t *rapid.T, l board.Layout, id board.CopyID, was *board.Copy, misread bool) board.Copy {
	c := board.Copy{ID: id, Pose: board.Pose{Visible: 1, Confidence: 1, AngleModulo: 360}}
	if was != nil {
		c = *was
	}
	if was == nil || misread && rapid.IntRange(0, 9).Draw(t, "named") == 0 {
		c.Card = nil
		if kind := anyType.Draw(t, "type"); kind != "" {
			c.Card = &board.CardRef{ID: board.CardID(id) + "-" + board.CardID(kind), Name: "Card " + string(id), Type: kind}
		}
	}
	zone := rapid.SampledFrom(l.Zones).Draw(t, "zone")
	c.Zone = zone.ID
	x := zone.Outline[0].X + (zone.Outline[1].X-zone.Outline[0].X)*rapid.Float64Range(0.3, 0.7).Draw(t, "x")
	c.Pose.Centre = board.Point{X: x * l.Size.Width, Y: rapid.Float64Range(60, 340).Draw(t, "y")}
	c.Pose.Rotation = rapid.SampledFrom([]board.Turn{0, 90, 180, 270, board.TurnUnknown}).Draw(t, "turn")
	c.Pose.AngleDeg = 45
	if c.Pose.Rotation.Known() {
		c.Pose.AngleDeg = float64(c.Pose.Rotation)
	}
	c.Pose.Face = rapid.SampledFrom([]board.Face{board.FaceUp, board.FaceDown, board.FaceUnknown}).Draw(t, "face")
	c.Pose.Corners = board.RectQuad(c.Pose.Centre, board.StandardCard(), c.Pose.AngleDeg)
	return c
}

// TestRandomActs holds of any sequence of acts and declarations: nothing
// panics, the events give the board, each finding and breach cites a rule of the
// pack and has its texts, and a board judged twice is judged the same.
func TestRandomActs(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing here runs at the same time as anything else")
	}
	pack, layout := load(t), randomTable()
	rapid.Check(t, func(t *rapid.T) {
		engine, err := rules.New(pack, rules.Options{Layout: layout, Lang: rapid.SampledFrom(pack.Languages).Draw(t, "lang")})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		folded := board.NewBoard(layout)
		lies := map[board.CopyID]board.Copy{}
		for range rapid.IntRange(1, 25).Draw(t, "acts") {
			now = now.Add(time.Duration(rapid.IntRange(100, 20000).Draw(t, "ms")) * time.Millisecond)
			var events []board.Event
			id := board.CopyID(fmt.Sprintf("c%d", rapid.IntRange(1, 6).Draw(t, "copy")))
			before, known := lies[id]
			switch {
			case known && rapid.IntRange(0, 3).Draw(t, "what") == 0:
				events = declareAny(t, pack, engine, slices.Sorted(maps.Keys(lies)), now)
			case known && rapid.IntRange(0, 9).Draw(t, "gone") == 0:
				delete(lies, id)
				events = engine.Apply([]board.Change{{Kind: board.ChangeRemoved, At: now, Before: &before}})
			case known:
				after := anyCopy(t, layout, id, &before, true)
				lies[id] = after
				var changes []board.Change
				for _, kind := range []board.ChangeKind{board.ChangeMoved, board.ChangeTurned, board.ChangeFlipped, board.ChangeNamed} {
					changes = append(changes, board.Change{Kind: kind, At: now, Before: &before, After: &after})
				}
				events = engine.Apply(changes)
			default:
				after := anyCopy(t, layout, id, nil, true)
				lies[id] = after
				events = engine.Apply([]board.Change{{Kind: board.ChangePlaced, At: now, After: &after}})
			}
			for _, e := range events {
				folded.Apply(e)
				holds(t, pack, e)
			}
		}
		b := engine.Board()
		if !reflect.DeepEqual(b.Copies, folded.Copies) || !reflect.DeepEqual(b.Findings, folded.Findings) || !reflect.DeepEqual(b.Prompts, folded.Prompts) {
			t.Fatal("the events don't give the board")
		}
		once, err := engine.Explain(b)
		if err != nil {
			t.Fatal(err)
		}
		if twice, _ := engine.Explain(b); !reflect.DeepEqual(once, twice) {
			t.Fatal("the same board is judged in two ways")
		}
	})
}

// TestTakingEverythingBackLeavesNoFinding bumps a laid table about and puts each
// card back as it lay, in any order.
func TestTakingEverythingBackLeavesNoFinding(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing here runs at the same time as anything else")
	}
	pack, layout := load(t), randomTable()
	start := map[board.CopyID]board.Copy{}
	for i, c := range []struct {
		kind string
		zone int
		turn board.Turn
	}{{"Hero", 0, 90}, {"Ally", 0, 0}, {"Villain", 5, 0}, {"Event", 3, 0}, {"Side Scheme", 7, 0}, {"Minion", 9, 0}} {
		id := board.CopyID(fmt.Sprintf("c%d", i))
		zone := layout.Zones[c.zone]
		centre := board.Point{X: (zone.Outline[0].X + 0.02 + 0.05*float64(i%2)) * layout.Size.Width, Y: 60 + 200*float64(i%2)}
		start[id] = board.Copy{
			ID: id, Zone: zone.ID, Card: &board.CardRef{ID: board.CardID(id), Name: c.kind, Type: c.kind},
			Pose: board.Pose{
				Centre: centre, Rotation: c.turn, AngleDeg: float64(c.turn), AngleModulo: 360, Face: board.FaceUp,
				Visible: 1, Confidence: 1, Corners: board.RectQuad(centre, board.StandardCard(), float64(c.turn)),
			},
		}
	}
	ids := slices.Sorted(maps.Keys(start))
	rapid.Check(t, func(t *rapid.T) {
		engine, err := rules.New(pack, rules.Options{Layout: layout})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		lies := maps.Clone(start)
		for _, id := range ids {
			c := start[id]
			engine.Apply([]board.Change{{Kind: board.ChangePlaced, At: now, After: &c}})
		}
		now = now.Add(time.Minute)
		put := func(id board.CopyID, after board.Copy) {
			now = now.Add(time.Duration(rapid.IntRange(10, 2000).Draw(t, "ms")) * time.Millisecond)
			before := lies[id]
			lies[id] = after
			var changes []board.Change
			for _, kind := range []board.ChangeKind{board.ChangeMoved, board.ChangeTurned, board.ChangeFlipped, board.ChangeNamed} {
				changes = append(changes, board.Change{Kind: kind, At: now, Before: &before, After: &after})
			}
			engine.Apply(changes)
		}
		for range rapid.IntRange(1, 10).Draw(t, "acts") {
			id := rapid.SampledFrom(ids).Draw(t, "copy")
			was := lies[id]
			put(id, anyCopy(t, layout, id, &was, false))
		}
		for _, id := range rapid.Permutation(ids).Draw(t, "order") {
			put(id, start[id])
		}
		for _, f := range engine.Board().Findings {
			t.Fatalf("%s: %s", f.Rule, f.Text)
		}
	})
}

// declareAny declares some action with some of the copies. One that the kind
// doesn't take is refused, which is fine too.
func declareAny(t *rapid.T, pack rules.Pack, engine *rules.Engine, ids []board.CopyID, now time.Time) []board.Event {
	kind := rapid.SampledFrom(pack.Acts).Draw(t, "kind")
	a := board.Action{Kind: kind.Kind, Seat: "south", At: now, Params: map[string]string{}}
	if kind.Copies != "" {
		a.Copies = []board.CopyID{rapid.SampledFrom(ids).Draw(t, "with")}
	}
	if kind.Targets != "" {
		a.Targets = []board.CopyID{rapid.SampledFrom(ids).Draw(t, "target")}
	}
	for _, p := range kind.Params {
		if rapid.Bool().Draw(t, p.Name) {
			a.Params[p.Name] = rapid.SampledFrom(p.Values).Draw(t, p.Name+"=")
		}
	}
	events, err := engine.Declare(a)
	if err != nil {
		t.Fatalf("%s with what it takes is refused: %v", kind.Kind, err)
	}
	return events
}

func holds(t *rapid.T, pack rules.Pack, e board.Event) {
	cited := func(id board.RuleID, texts ...string) {
		if _, ok := pack.Rule(id); !ok {
			t.Fatalf("%s cites rule %s, which the pack doesn't have", e.Kind, id)
		}
		if slices.Contains(texts, "") {
			t.Fatalf("%s of rule %s lacks a text", e.Kind, id)
		}
	}
	if e.Finding != nil {
		cited(e.Finding.Rule, e.Finding.Seen, e.Finding.Text, e.Finding.Citation.Passage)
	}
	if e.Prompt != nil {
		cited(e.Prompt.Rule, e.Prompt.Text)
	}
	if e.Answer != nil {
		for _, b := range e.Answer.Breaches {
			cited(b.Rule, b.Text)
		}
	}
}

// BenchmarkOneChange is a change of one card among eighty.
func BenchmarkOneChange(b *testing.B) {
	pack, layout := load(b), randomTable()
	engine, err := rules.New(pack, rules.Options{Layout: layout})
	if err != nil {
		b.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(i int, turn board.Turn) board.Copy {
		c := board.Copy{ID: board.CopyID(fmt.Sprintf("c%d", i)), Card: &board.CardRef{ID: "x", Name: "X", Type: "Ally"}, Zone: "home"}
		c.Pose = board.Pose{Rotation: turn, AngleDeg: float64(turn), AngleModulo: 360, Face: board.FaceUp, Visible: 1, Confidence: 1}
		c.Pose.Centre = board.Point{X: 20 + float64(i%20)*100, Y: 50 + float64(i/20)*100}
		c.Pose.Corners = board.RectQuad(c.Pose.Centre, board.StandardCard(), c.Pose.AngleDeg)
		return c
	}
	for i := range 80 {
		c := at(i, 0)
		engine.Apply([]board.Change{{Kind: board.ChangePlaced, At: now, After: &c}})
	}
	turn := board.Turn(0)
	for b.Loop() {
		before := at(40, turn)
		turn = 90 - turn
		after := at(40, turn)
		now = now.Add(time.Minute)
		engine.Apply([]board.Change{{Kind: board.ChangeTurned, At: now, Before: &before, After: &after}})
	}
}
