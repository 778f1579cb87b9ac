package tracker

import (
	"cmp"
	"math"
	"slices"

	"tabletop/board"
	"tabletop/orientation"
)

// associate binds sightings to tracks in place and nearby, and begins a
// newcomer for each that is left.
func (t *Tracker) associate(s []sighting, veils []veil) {
	t.bindInPlace(s)
	t.bindMisreads(s, veils)
	t.bindNearby(s)
	for i := range s {
		if s[i].bound || t.impossible(s, i) {
			continue
		}
		t.serials++
		k := &track{serial: t.serials, doubt: true}
		t.bind(k, &s[i])
		t.tracks = append(t.tracks, k)
	}
}

func (t *Tracker) bind(k *track, s *sighting) {
	s.bound = true
	if k.centre.Distance(s.centre) > flipMM {
		k.doubt = true // it went too far in one frame to be sure of it
	}
	if t.o.SettleFrames == 0 && t.now-k.seenAt > t.o.Settle {
		k.rest = rest{} // it may have been anywhere in between
	}
	k.see(*s, t.o.SettleFrames > 0, t.now)
}

// named says whether a sighting and a track may be the same by name: they are
// not when both have one and the names differ. A sighting of a back has none.
func sameName(k *track, s *sighting) bool {
	if s.Card == nil || s.Face == board.FaceDown {
		return true
	}
	name := k.name()
	return name == nil || name.ID == s.Card.ID
}

// sameSide says whether both faces may be one. A known back that differs is
// another side of another card.
func sameSide(k *track, s *sighting) bool {
	is := k.face.Is()
	if s.Face == board.FaceUnknown || is == board.FaceUnknown {
		return true
	}
	return is == s.Face && !(is == board.FaceDown && s.Back != "" && k.last.Back != "" && s.Back != k.last.Back)
}

// bindInPlace pairs tracks with the sightings that lie where they are, nearest
// first. A grid finds them, so a still table costs time in proportion to its
// cards and no more.
func (t *Tracker) bindInPlace(s []sighting) {
	t.grid.fill(s)
	type pair struct {
		cost float64
		k    *track
		s    int
	}
	var pairs []pair
	for _, k := range t.tracks {
		try := func(place board.Point, away bool) {
			t.grid.near(place, func(i int) {
				o := &s[i]
				d := o.centre.Distance(place)
				if d > placeMM || !sameName(k, o) || !sameSide(k, o) {
					return
				}
				certain := o.Card != nil && k.name() != nil
				if away && k.copy.Card != nil && !certain {
					return // home again only if it says so
				}
				cost := d + orientation.Diff(o.AngleDeg, k.angle, math.Min(o.AngleModulo, k.modulo))/20
				if certain {
					cost -= placeMM
				}
				if k.newcomer() || k.stacked {
					cost += placeMM // rather the card that is known to lie on top
				}
				pairs = append(pairs, pair{cost, k, i})
			})
		}
		try(k.centre, false)
		if k.home().Distance(k.centre) > placeMM {
			try(k.home(), true)
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.k.serial, b.k.serial), cmp.Compare(a.s, b.s))
	})
	for _, p := range pairs {
		if !p.k.seen && !s[p.s].bound {
			t.bind(p.k, &s[p.s])
		}
	}
}

// bindMisreads pairs a track that nothing came near with the sighting in its
// very place that gives it another name, unless a card of that name has just
// left its own place: then the two may have been exchanged.
func (t *Tracker) bindMisreads(s []sighting, veils []veil) {
	for i := range s {
		o := &s[i]
		if o.bound || o.Card == nil {
			continue
		}
		for _, k := range t.tracks {
			if k.seen || k.doubt || k.veiled || o.veiled > 0 || !sameSide(k, o) || k.centre.Distance(o.centre) > misreadMM ||
				orientation.Diff(o.AngleDeg, k.angle, math.Min(o.AngleModulo, k.modulo)) > misreadDeg {
				continue
			}
			if !t.missing(o.Card.ID, veils) {
				t.bind(k, o)
				break
			}
		}
	}
}

// missing says whether a reported copy of the card is neither seen nor covered.
func (t *Tracker) missing(id board.CardID, veils []veil) bool {
	return slices.ContainsFunc(t.tracks, func(k *track) bool {
		return !k.newcomer() && !k.seen && !k.stacked && k.copy.Card != nil && k.copy.Card.ID == id &&
			veiled(veils, k.homeQuad()) == 0
	})
}

// bindNearby pairs what is left by an optimal assignment over distance, angle,
// face and overlap, within a hand's reach.
func (t *Tracker) bindNearby(s []sighting) {
	var ks []*track
	for _, k := range t.tracks {
		if !k.seen {
			ks = append(ks, k)
		}
	}
	var os []*sighting
	for i := range s {
		if !s[i].bound {
			os = append(os, &s[i])
		}
	}
	costs := make([]float64, len(ks)*len(os))
	for i, k := range ks {
		for j, o := range os {
			costs[i*len(os)+j] = nearbyCost(k, o)
		}
	}
	for i, j := range assign(len(ks), len(os), func(r, c int) float64 { return costs[r*len(os)+c] }) {
		if j >= 0 {
			t.bind(ks[i], os[j])
		}
	}
}

// nearbyCost is about 1 for a reach of distance, for a turn right round, for
// no overlap and for each doubt about name and face.
func nearbyCost(k *track, o *sighting) float64 {
	d, reach := k.distance(o.centre), float64(reachMM)
	if k.unseen > 1 {
		reach = flipMM // lost sight of: elsewhere it must show who it is
	}
	if d > reach || !sameName(k, o) {
		return infeasible
	}
	cost := 2*d/reachMM + orientation.Diff(o.AngleDeg, k.angle, math.Min(o.AngleModulo, k.modulo))/180
	if !sameSide(k, o) {
		overlap := math.Max(k.outl.Overlap(o.Corners), k.homeQuad().Overlap(o.Corners))
		if d > flipMM || k.face.Is() == o.Face || k.stacked {
			return infeasible // another card, or a back that is another back
		}
		cost += 2 - overlap
	}
	if o.Card == nil || k.name() == nil {
		cost++
	}
	if k.newcomer() {
		cost += 0.5
	}
	return cost
}

// impossible says whether a sighting claims room that another one has: two
// cards that both can be seen whole do not overlap by half.
func (t *Tracker) impossible(s []sighting, i int) bool {
	const whole = 0.8
	o := &s[i]
	if o.Visible < whole {
		return false
	}
	for j := range s {
		p := &s[j]
		if j != i && p.bound && p.Visible >= whole && p.centre.Distance(o.centre) < halfDiagonal(o.Corners) &&
			p.Corners.Overlap(o.Corners) > 0.5 {
			return true
		}
	}
	return false
}

// reunite gives newcomers that show the card of a copy which has left its place
// to that copy: nearest first where several do, by an optimal assignment. A
// copy that has long lain under another card stays there.
func (t *Tracker) reunite(veils []veil) {
	newcomers, lost := map[board.CardID][]*track{}, map[board.CardID][]*track{}
	var ids []board.CardID
	for _, k := range t.tracks {
		name := k.name()
		if name == nil && t.atRest(k, 1) {
			name = k.settledName()
		}
		switch {
		case name == nil:
		case k.newcomer() && k.seen && k.face.Is() != board.FaceDown:
			if len(newcomers[name.ID]) == 0 {
				ids = append(ids, name.ID)
			}
			newcomers[name.ID] = append(newcomers[name.ID], k)
		case !k.newcomer() && !k.seen && !(k.stacked && t.now-k.stackedSince > t.o.Carry):
			lost[name.ID] = append(lost[name.ID], k)
		}
	}
	for _, id := range ids {
		ks, ns := lost[id], newcomers[id]
		for i, j := range assign(len(ks), len(ns), func(r, c int) float64 { return ks[r].distance(ns[c].centre) }) {
			if j >= 0 {
				t.merge(ks[i], ns[j])
				ks[i].lookHome(veils)
			}
		}
	}
}

// merge makes a newcomer's sightings those of a reported copy.
func (t *Tracker) merge(k, n *track) {
	k.takeOver(n)
	t.tracks = slices.DeleteFunc(t.tracks, func(x *track) bool { return x == n })
}

// grid finds sightings by place.
type grid struct {
	head map[[2]int]int
	next []int
}

// cell is at least twice placeMM wide, so that four cells hold all that is near.
const cell = 2 * placeMM

func (g *grid) fill(s []sighting) {
	if g.head == nil {
		g.head = map[[2]int]int{}
	}
	clear(g.head)
	g.next = g.next[:0]
	for i := range s {
		c := [2]int{int(math.Floor(s[i].centre.X / cell)), int(math.Floor(s[i].centre.Y / cell))}
		g.next = append(g.next, g.head[c]-1)
		g.head[c] = i + 1 // 0 is an empty cell
	}
}

// near calls f with each sighting in the four cells around a place: all within
// placeMM of it and some others.
func (g *grid) near(p board.Point, f func(i int)) {
	x, y := int(math.Floor(p.X/cell-0.5)), int(math.Floor(p.Y/cell-0.5))
	for dx := range 2 {
		for dy := range 2 {
			for i := g.head[[2]int{x + dx, y + dy}] - 1; i >= 0; i = g.next[i] {
				f(i)
			}
		}
	}
}
