package tracker_test

import (
	"testing"
	"time"

	"tabletop/board"
	"tabletop/tracker"
)

func lying(card board.CardID, at board.Point, angle float64) board.Observation {
	return board.Observation{
		Corners: board.RectQuad(at, board.StandardCard(), angle), AngleDeg: angle, AngleModulo: 360,
		Rotation: board.NearestTurn(angle), Face: board.FaceUp, Confidence: 0.99, Visible: 1,
		Card: &board.CardRef{ID: card, Name: string(card)},
	}
}

func feed(t *tracker.Tracker, from time.Time, frames int, cards ...board.Observation) []board.Change {
	var changes []board.Change
	for i := range frames {
		changes = append(changes, t.Observe(board.View{Frame: uint64(i), At: from.Add(time.Duration(i) * 100 * time.Millisecond), Cards: cards})...)
	}
	return changes
}

func TestRestoreGoesOnWithTheSameCopies(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	layout := board.Layout{Size: board.Size{Width: 900, Height: 600}, Seats: []board.Seat{{ID: "south"}, {ID: "north", UpDeg: 180}}}
	a, b, c := lying("mine", board.Point{X: 200, Y: 400}, 0), lying("scout", board.Point{X: 500, Y: 450}, 90), lying("hill", board.Point{X: 700, Y: 450}, 0)
	before := tracker.New(tracker.Options{Layout: layout})
	feed(before, start, 10, a, b, c)

	after := tracker.New(tracker.Options{Layout: layout})
	if err := after.Restore(before.Copies(), nil); err != nil {
		t.Fatal(err)
	}
	straightened := lying("scout", board.Point{X: 501, Y: 450}, 0)
	added := lying("lake", board.Point{X: 300, Y: 450}, 0)
	changes := feed(after, start.Add(time.Hour), 60, a, straightened, added)

	got := map[board.CopyID][]board.ChangeKind{}
	for _, ch := range changes {
		id := board.CopyID("")
		if ch.After != nil {
			id = ch.After.ID
		} else {
			id = ch.Before.ID
		}
		got[id] = append(got[id], ch.Kind)
	}
	want := map[board.CopyID]board.ChangeKind{}
	for _, copy := range before.Copies() {
		switch copy.Card.ID {
		case "scout":
			want[copy.ID] = board.ChangeTurned
		case "hill":
			want[copy.ID] = board.ChangeRemoved
		}
	}
	want["c4"] = board.ChangePlaced
	if len(got) != len(want) {
		t.Fatalf("changes %v, want %v", got, want)
	}
	for id, kind := range want {
		if len(got[id]) != 1 || got[id][0] != kind {
			t.Errorf("%s: %v, want %s", id, got[id], kind)
		}
	}
}

// An id that was given is not given again, though its copy has left the table.
func TestRestoreGivesNoIDTwice(t *testing.T) {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	layout := board.Layout{Size: board.Size{Width: 900, Height: 600}, Seats: []board.Seat{{ID: "south"}, {ID: "north", UpDeg: 180}}}
	a, b := lying("mine", board.Point{X: 200, Y: 400}, 0), lying("scout", board.Point{X: 500, Y: 450}, 0)
	for name, c := range map[string]struct {
		given []board.CopyID
		want  board.CopyID
	}{
		"the highest has left":       {[]board.CopyID{"c1", "c10", "c2"}, "c11"},
		"only what lies there":       {[]board.CopyID{"c1"}, "c2"},
		"nothing is known of before": {nil, "c2"},
	} {
		t.Run(name, func(t *testing.T) {
			before := tracker.New(tracker.Options{Layout: layout})
			feed(before, start, 10, a)
			after := tracker.New(tracker.Options{Layout: layout})
			if err := after.Restore(before.Copies(), c.given); err != nil {
				t.Fatal(err)
			}
			var placed []board.CopyID
			for _, ch := range feed(after, start.Add(time.Hour), 20, a, b) {
				if ch.Kind == board.ChangePlaced {
					placed = append(placed, ch.After.ID)
				}
			}
			if len(placed) != 1 || placed[0] != c.want {
				t.Errorf("placed %v, want %s", placed, c.want)
			}
		})
	}
}

func TestRestoreRefusesForeignIDs(t *testing.T) {
	for _, id := range []board.CopyID{"", "7", "c0", "c01", "card"} {
		if tracker.New(tracker.Options{}).Restore([]board.Copy{{ID: id}}, nil) == nil {
			t.Errorf("%q was taken", id)
		}
		if tracker.New(tracker.Options{}).Restore(nil, []board.CopyID{id}) == nil {
			t.Errorf("%q was taken as an id that was given", id)
		}
	}
}
