package script_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tabletop/board"
	"tabletop/internal/tablesim"
	"tabletop/internal/tablesim/deck"
	"tabletop/internal/tablesim/script"
	"tabletop/rules"
	"tabletop/rules/l5r"
	"tabletop/tracker"
)

var theDeck = sync.OnceValue(deck.New)

func parse(t *testing.T, text string) *script.Game {
	t.Helper()
	g, err := script.Parse("test.game", text, theDeck())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func tell(expected []script.Expected) []string {
	var out []string
	for _, e := range expected {
		s := string(e.Kind) + " " + e.Copy
		if e.Rule != "" {
			s += " " + string(e.Rule)
		}
		out = append(out, s)
	}
	return out
}

func TestExpected(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"bow and straighten", "place mine silver-mine at south.home 2\nbow mine\nstraighten mine",
			[]string{"card.placed mine", "card.bowed mine", "card.straightened mine"}},
		{"dishonored, bowed, rehonored, straightened", "lay y minasato-yurie at south.home 2\ndishonor y\nbow y\nrehonor y\nstraighten y",
			[]string{"card.placed y", "card.dishonored y", "card.bowed y", "card.rehonored y", "card.straightened y"}},
		{"bowed, then dishonored", "lay y minasato-yurie at south.home 2\nbow y\ndishonor y\nstraighten y",
			[]string{"card.placed y", "card.bowed y", "card.dishonored y", "card.straightened y"}},
		{"turned up for the first time", "lay y minasato-yurie at south.province1 face-down\nflip y\nflip y\nflip y",
			[]string{"card.placed y", "card.flipped y", "card.named y", "card.flipped y", "card.flipped y"}},
		{"a Holding upside down", "lay m silver-mine at south.home 2\nwrong upside-down m\nstraighten m",
			[]string{"card.placed m", "card.turned m", "finding.opened m honor.personality", "card.turned m", "finding.ended m honor.personality"}},
		{"a bowed Holding upside down is still bowed", "lay m silver-mine at south.home 2 bowed\nwrong upside-down m\nstraighten m",
			[]string{"card.placed m", "card.turned m", "finding.opened m honor.personality", "card.straightened m", "finding.ended m honor.personality"}},
		{"bowed the wrong way", "lay m silver-mine at south.home 2\nwrong bow-counter m\nbow m",
			[]string{"card.placed m", "card.turned m", "finding.opened m bow.counter", "card.bowed m", "finding.ended m bow.counter"}},
		{"from one mistake to the other", "lay m silver-mine at south.home 2\nwrong bow-counter m\nwrong upside-down m",
			[]string{"card.placed m", "card.turned m", "finding.opened m bow.counter", "card.turned m", "finding.ended m bow.counter", "finding.opened m honor.personality"}},
		{"taken away with a finding open", "lay m silver-mine at south.home 2\nwrong bow-counter m\nremove m",
			[]string{"card.placed m", "card.turned m", "finding.opened m bow.counter", "card.removed m", "finding.ended m bow.counter"}},
		{"entering play bowed", "lay m silver-mine at south.home 2\nplace y minasato-yurie at south.home 4 bowed\nstraighten y\nplace h rice-terraces at south.home 6 bowed",
			[]string{"card.placed m", "card.placed y", "finding.opened y bow.enter", "card.straightened y", "finding.ended y bow.enter", "card.placed h"}},
		{"discarded bowed", "lay m silver-mine at south.home 2 bowed\ndiscard m",
			[]string{"card.placed m", "card.moved m", "card.turned m"}},
		{"attached and moved as a unit", "lay y minasato-yurie at south.home 2\nplace f reed-spearmen at south.home 4\nattach f to y\nmove y to battlefield 3",
			[]string{"card.placed y", "card.placed f", "card.moved f", "card.moved y", "card.moved f"}},
		{"attached to a bowed Personality", "lay y minasato-yurie at south.home 2 bowed\nplace f reed-spearmen at south.home 4\nattach f to y",
			[]string{"card.placed y", "card.placed f", "card.moved f", "card.bowed f"}},
		{"a hand and time change nothing", "place m silver-mine at south.home 2\nhand over m 2s\nwait 3s\nhand over 100,100 1s by north",
			[]string{"card.placed m"}},
		{"what the script says itself", "place m silver-mine at south.home 2\nexpect finding.opened m other.rule\nbow m",
			[]string{"card.placed m", "finding.opened m other.rule", "card.bowed m"}},
		{"cleared", "lay m silver-mine at south.home 2\nlay n silver-mine at north.home 2\nbow n\nclear",
			[]string{"card.placed m", "card.placed n", "card.bowed n", "card.removed m", "card.removed n"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := tell(parse(t, c.text).Expected()); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	const lay = "lay m silver-mine at south.home 2\nlay y minasato-yurie at south.home 4\n"
	for _, c := range []struct{ name, text, want string }{
		{"unknown statement", "bwo m", `test.game:1: there is no statement "bwo" (did you mean bow?)`},
		{"unknown card", "lay m silver-mien at south.home", `there is no card "silver-mien" in the deck (did you mean silver-mine?)`},
		{"unknown zone", "lay m silver-mine at south.hom", "did you mean south.home?"},
		{"unknown copy", lay + "bow n", `test.game:3: no copy "n" lies on the table`},
		{"no such slot", "lay m silver-mine at south.home 12", "south.home has 9 slots"},
		{"taken slot", lay + "place n silver-mine at south.home 2", "m lies at that place already, since line 1"},
		{"name in use", lay + "place m silver-mine at south.home 7", "m lies on the table already, since line 1"},
		{"no name", "lay 7 silver-mine at south.home", "is no name for a copy"},
		{"off the table", "lay m silver-mine at 900,700", "is not on the table, which is 900x600 mm"},
		{"bowed twice", lay + "bow m\nbow m", "test.game:4: m is bowed already: it lies at 90°"},
		{"not bowed", lay + "straighten m", "m is not bowed: it lies at 0°"},
		{"a Holding dishonored", lay + "dishonor m", "to show the mistake write: wrong upside-down m"},
		{"no mistake", lay + "wrong upside-down y", "it means dishonorable"},
		{"no wrong act", lay + "wrong sideways m", "write: wrong bow-counter COPY"},
		{"nobody there", lay + "bow m by west", `nobody sits at "west"; the seats are south, north`},
		{"words left over", lay + "bow m twice", `what does "twice" mean here?; write: bow COPY [by SEAT]`},
		{"keyword left out", lay + "move m south.home 7", `"to" is missing; write: move COPY to PLACE`},
		{"no duration", lay + "wait 5", "is no duration such as 500ms or 2s"},
		{"lay after an act", lay + "bow m\nlay n silver-mine at south.home 7", "belongs before the first act"},
		{"table after a card", lay + "table 900x600", "the table comes before what lies on it"},
		{"table too small", "table 300x200", "its zones need 700x560"},
		{"seat that there isn't", "table 900x600 seats south,west", `there is no seat "west"`},
		{"after repeat", lay + "bow m\nrepeat\nbow y", "nothing may follow repeat"},
		{"no acts", lay, "the script has no acts"},
		{"face-down discard", "lay m silver-mine at south.home 2 face-down\ndiscard m", "flip it before it is discarded"},
		{"unit taken apart", lay + "place f reed-spearmen at south.home 6\nattach f to y\nremove y", "f is attached to y; remove or move that first"},
		{"moved nowhere", lay + "move m to south.home 2", "lies there already"},
		{"a seat left out", lay + "bow m by", "a seat is missing after by"},
		{"copy left out", lay + "bow", "the copy's name is missing; write: bow COPY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := script.Parse("test.game", c.text, theDeck())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}

// noisy is the game's view with what a camera adds to it.
func noisy(g *script.Game, at time.Duration, rng *rand.Rand) board.View {
	v := g.View(at)
	v.At = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(at)
	n := func(s float64) float64 { return (2*rng.Float64() - 1) * s }
	kept := v.Cards[:0]
	for _, o := range v.Cards {
		if rng.IntN(50) == 0 {
			continue // missed
		}
		by := board.Point{X: n(1), Y: n(1)}
		turn := n(1.5)
		width, height := o.Corners.Edges()
		o.Corners = board.RectQuad(o.Corners.Centre().Add(by), board.Size{Width: width, Height: height}, o.Corners.AngleDeg()+turn)
		o.AngleDeg = board.NormalizeDeg(o.AngleDeg + turn)
		o.Confidence = 0.9
		if rng.IntN(50) == 0 {
			o.Card = nil // not recognised
		}
		kept = append(kept, o)
	}
	v.Cards = kept
	return v
}

// play runs a game's views through the scanner's tracker and rules.
func play(t *testing.T, g *script.Game, fps int, seed uint64) []board.Event {
	t.Helper()
	return playWith(t, g, fps, seed, func(*board.View) {})
}

// playWith does so with a fault put into each view.
func playWith(t *testing.T, g *script.Game, fps int, seed uint64, fault func(*board.View)) []board.Event {
	t.Helper()
	engine, err := rules.New(l5r.EmperorEdition(), rules.Options{Layout: g.Layout, Card: theDeck().Card})
	if err != nil {
		t.Fatal(err)
	}
	tr := tracker.New(tracker.Options{Layout: g.Layout})
	rng := rand.New(rand.NewPCG(seed, 1))
	var events []board.Event
	for at := time.Duration(0); at < g.Length+time.Second; at += time.Second / time.Duration(fps) {
		if g.Repeats && at >= g.Length {
			break
		}
		v := noisy(g, at, rng)
		fault(&v)
		events = append(events, engine.Apply(tr.Observe(v))...)
	}
	return events
}

func TestDemoGameIsToldAsItIsPlayed(t *testing.T) {
	g, err := script.DemoGame(theDeck())
	if err != nil {
		t.Fatal(err)
	}
	if g.Acts != 30 || !g.Repeats {
		t.Errorf("%d acts, repeats: %t", g.Acts, g.Repeats)
	}
	for _, fps := range []int{8, 15, 30} {
		t.Run(fmt.Sprint(fps, " fps"), func(t *testing.T) {
			if err := script.Compare(g.Expected(), play(t, g, fps, uint64(fps))); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestGamesAreToldAsTheyArePlayed(t *testing.T) {
	for _, c := range []struct {
		name, text string
		found      board.RuleID // that is found rightly, and no act of the script says so
	}{
		{name: "a unit", text: `
			lay y minasato-yurie at south.home 2
			place f reed-spearmen at south.home 4
			place i sealed-edict at south.home 6
			attach f to y
			attach i to y
			hand over y 2s
			move y to battlefield 5
			hand over y 1s by north
			move f to south.home 8`},
		{name: "face down with a back that is the same both ways", text: `
			place s one-clean-cut at battlefield 3 face-down by south
			flip s
			bow s
			flip s
			flip s`},
		{name: "two copies of one card", text: `
			lay a silver-mine at south.home 2
			lay b silver-mine at south.home 8
			bow a
			move b to south.home 4
			bow b
			straighten a
			remove a
			move b to south.home 7`},
		{name: "a pile, dice and tokens", text: `
			lay deck silver-mine at south.dynasty-deck face-down pile 30
			place m silver-mine at south.home 3
			die 3 on m
			token gold at south.home 5
			bow m
			move m to south.home 7
			discard m
			hand over deck 2s`},
		{name: "given to the other player", text: `
			lay y minasato-yurie at south.home 2
			move y to north.home 3
			dishonor y
			bow y
			straighten y
			move y to battlefield 3 by north`, found: "control.change"},
		{name: "a stack", text: `
			place a silver-mine at south.home 2
			place b rice-terraces at south.home 4
			place c sake-brewery at south.home 6
			discard a
			discard b
			discard c
			hand over south.dynasty-discard 1s
			move c to south.home 3
			move b to south.home 5
			move a to south.home 7
			clear`},
		{name: "at twice the pace", text: `
			pace 2
			lay y minasato-yurie at south.home 2
			bow y
			straighten y
			move y to battlefield 2
			remove y`},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := parse(t, c.text)
			for seed := range uint64(3) {
				events := slices.DeleteFunc(play(t, g, 20, seed), func(e board.Event) bool {
					return e.Finding != nil && e.Finding.Rule == c.found
				})
				if err := script.Compare(g.Expected(), events); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestSceneIsContinuous(t *testing.T) {
	g, err := script.DemoGame(theDeck())
	if err != nil {
		t.Fatal(err)
	}
	const step = 10 * time.Millisecond
	before := g.Scene(0)
	if len(before.Items) != 6 || len(before.Hands) != 0 {
		t.Fatalf("at the beginning: %d cards, %d hands", len(before.Items), len(before.Hands))
	}
	hands := false
	for at := step; at < g.Length; at += step {
		s := g.Scene(at)
		for _, it := range s.Items {
			i := slices.IndexFunc(before.Items, func(b tablesim.Item) bool { return b.ID == it.ID })
			if i < 0 {
				if !it.InHand || it.Centre.Y > 0 && it.Centre.Y < 600 {
					t.Fatalf("at %v %s appears on the table", at, it.ID)
				}
				continue
			}
			if d := it.Centre.Distance(before.Items[i].Centre); d > 25 {
				t.Fatalf("at %v %s jumps %v mm", at, it.ID, d)
			}
			if it.Face != before.Items[i].Face && it.Lift == 0 {
				t.Fatalf("at %v %s changes its face on the table", at, it.ID)
			}
		}
		for _, it := range before.Items {
			if slices.ContainsFunc(s.Items, func(b tablesim.Item) bool { return b.ID == it.ID }) {
				continue
			}
			if !it.InHand || it.Centre.Y > 0 && it.Centre.Y < 600 {
				t.Fatalf("at %v %s vanishes from the table", at, it.ID)
			}
		}
		if len(s.Hands) > 1 {
			t.Fatalf("at %v there are %d hands", at, len(s.Hands))
		}
		hands = hands || len(s.Hands) > 0
		before = s
	}
	if !hands {
		t.Error("no hand does anything")
	}
	if len(before.Items) != 0 {
		t.Errorf("%d cards are left at the end", len(before.Items))
	}
	again := g.Scene(g.Length)
	if len(again.Items) != 6 {
		t.Errorf("the game begins again with %d cards", len(again.Items))
	}
}

func TestMovingThingsAreSmeared(t *testing.T) {
	g := parse(t, "lay m silver-mine at south.home 2\nbow m\nmove m to south.home 8")
	moved, spun := false, false
	for at := time.Duration(0); at < g.Length; at += 20 * time.Millisecond {
		for _, it := range g.Scene(at).Items {
			moved = moved || it.Travel.Norm() > 3
			spun = spun || it.Spin > 1
		}
	}
	if !moved || !spun {
		t.Errorf("travel %t, spin %t", moved, spun)
	}
}

func TestCompare(t *testing.T) {
	g := parse(t, "lay m silver-mine at south.home 2\nlay n silver-mine at south.home 5\nbow m\nbow n")
	want := g.Expected()
	at := func(id board.CopyID, e script.Expected) *board.Copy {
		return &board.Copy{ID: id, Card: &board.CardRef{ID: e.Card}, Pose: board.Pose{Centre: e.Centre}}
	}
	event := func(kind board.EventKind, id board.CopyID, e script.Expected) board.Event {
		return board.Event{Kind: kind, Card: id, After: at(id, e)}
	}
	right := []board.Event{
		event("card.placed", "c9", want[1]), event("card.placed", "c4", want[0]), // laid together: any order
		event("card.bowed", "c4", want[2]), event("card.bowed", "c9", want[3]),
	}
	other := event("card.placed", "c9", want[1])
	other.After.Card.ID = "rice-terraces"
	for _, c := range []struct {
		name   string
		events []board.Event
		want   string
	}{
		{"right", right, ""},
		{"decided findings don't count", append(slices.Clone(right), board.Event{Kind: board.EventFindingDecided}), ""},
		{"too few", right[:3], "nothing more came, want card.bowed n (line 4: bow n)"},
		{"too many", append(slices.Clone(right), right[3]), "event 5, card.bowed c9 (n), is one too many"},
		{"wrong order", []board.Event{right[0], right[1], right[3], right[2]}, "event 3 is card.bowed c9 (n), want card.bowed m"},
		{"other copy", []board.Event{right[0], right[1], event("card.bowed", "c5", want[2])}, "card.bowed c5 (not in the script so far)"},
		{"other card", []board.Event{other}, "event 1 is card.placed c9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := script.Compare(want, c.events)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestLayoutZonesDoNotOverlap(t *testing.T) {
	l, err := script.Layout(script.DefaultSize(), "south", "north")
	if err != nil {
		t.Fatal(err)
	}
	for x := 2.5; x < 900; x += 5 {
		for y := 2.5; y < 600; y += 5 {
			in := 0
			for _, z := range l.Zones {
				if z.Outline.Contains(board.Point{X: x / 900, Y: y / 600}) {
					in++
				}
			}
			if in > 1 {
				t.Fatalf("%v,%v lies in %d zones", x, y, in)
			}
		}
	}
}

// The faults that a scanner's eyes have, each far more often than it may: the
// game is told all the same.
func TestDemoGameWithFaultyEyes(t *testing.T) {
	g, err := script.DemoGame(theDeck())
	if err != nil {
		t.Fatal(err)
	}
	cards := theDeck().Cards()
	often := func(share float64, f func(*board.Observation, *rand.Rand)) func(*board.View, *rand.Rand) {
		return func(v *board.View, rng *rand.Rand) {
			for i := range v.Cards {
				if rng.Float64() < share {
					f(&v.Cards[i], rng)
				}
			}
		}
	}
	grow := func(by float64) func(*board.View, *rand.Rand) {
		return func(v *board.View, _ *rand.Rand) {
			for _, p := range v.Obscured {
				side := p[1].Sub(p[0]).Scale(by / p[1].Sub(p[0]).Norm())
				p[0], p[1], p[2], p[3] = p[0].Sub(side), p[1].Add(side), p[2].Add(side), p[3].Sub(side)
			}
		}
	}
	faults := map[string]func(*board.View, *rand.Rand){
		"one card in twelve missed": func(v *board.View, rng *rand.Rand) {
			v.Cards = slices.DeleteFunc(v.Cards, func(board.Observation) bool { return rng.IntN(12) == 0 })
		},
		"one in twenty misread": often(0.05, func(o *board.Observation, rng *rand.Rand) {
			if o.Card != nil {
				o.Card = cards[rng.IntN(len(cards))].Ref()
			}
		}),
		"one in five not named": often(0.2, func(o *board.Observation, _ *rand.Rand) { o.Card = nil }),
		"one in forty upside down": often(0.025, func(o *board.Observation, _ *rand.Rand) {
			o.AngleDeg, o.Corners = board.NormalizeDeg(o.AngleDeg+180), o.Corners.Turned(2)
		}),
		"a false card in every third frame": func(v *board.View, rng *rand.Rand) {
			if rng.IntN(3) == 0 {
				a := rng.Float64() * 360
				q := board.RectQuad(board.Point{X: rng.Float64() * 900, Y: rng.Float64() * 600}, board.StandardCard(), a)
				v.Cards = append(v.Cards, board.Observation{Corners: q, AngleDeg: a, Face: board.FaceUp, Confidence: 0.6})
			}
		},
		"hands seen too wide":   grow(25),
		"hands seen too narrow": grow(-12),
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(2) {
				rng := rand.New(rand.NewPCG(seed, 2))
				events := playWith(t, g, 15, seed, func(v *board.View) { fault(v, rng) })
				if err := script.Compare(g.Expected(), events); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		})
	}
}
