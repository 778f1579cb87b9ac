package localize

import (
	"cmp"
	"math"
	"slices"

	"tabletop/board"
)

const (
	// minVotes is how many features have to agree. Three do so by chance too,
	// but dark art has few.
	minVotes = 3

	// inlier is how far from where it should be an agreeing feature may lie,
	// in millimetres, and inlierTurn how far its direction may be off, in
	// radians: a wrong plane and coarse pixels move both.
	inlier     = 4.0
	inlierTurn = 0.6

	// apart is how far the places that two features vote for, each by its own
	// direction, may lie apart, in millimetres.
	apart = 20.0

	// shortest is the distance of two features from which on they tell a turn,
	// in millimetres.
	shortest = 6.0

	// samePlace is the distance of two centres, in millimetres, within which
	// two hypotheses of one card are the same.
	samePlace = 15.0
)

// pose is where a card lies and how it is turned, in radians.
type pose struct {
	at    board.Point
	angle float64
}

func (p pose) apply(q board.Point) board.Point {
	sin, cos := math.Sincos(p.angle)
	return board.Point{X: p.at.X + cos*q.X - sin*q.Y, Y: p.at.Y + sin*q.X + cos*q.Y}
}

// ballot is a pair and the pose that it votes for on its own, which the
// feature's direction makes rough.
type ballot struct {
	seen, ref board.Point
	vote      pose
}

// vote returns the poses of one card that enough pairs agree on, best first. Two
// pairs make a pose; all pairs near it are asked.
func (f *Finder) vote(seen, ref []feature, pairs []pair) []Place {
	ballots := make([]ballot, len(pairs))
	for i, p := range pairs {
		s, r := seen[p.seen], ref[p.ref]
		v := pose{angle: s.angle - r.angle}
		v.at = s.at.Sub(v.apply(r.at))
		ballots[i] = ballot{s.at, r.at, v}
	}
	slices.SortFunc(ballots, func(a, b ballot) int { return cmp.Compare(a.vote.at.X, b.vote.at.X) })

	type proposal struct {
		pose  pose
		votes int
	}
	var proposals []proposal
	for i := range ballots {
		// Ballots to either side of i, within reach.
		from, to := i, i
		for from > 0 && ballots[i].vote.at.X-ballots[from-1].vote.at.X <= apart {
			from--
		}
		for to < len(ballots) && ballots[to].vote.at.X-ballots[i].vote.at.X <= apart {
			to++
		}
		if to-from < minVotes {
			continue
		}
		var best proposal
		for j := i + 1; j < to; j++ {
			p, ok := together(&ballots[i], &ballots[j])
			if !ok {
				continue
			}
			if n := count(p, ballots[from:to]); n > best.votes {
				best = proposal{p, n}
			}
		}
		if best.votes >= minVotes {
			proposals = append(proposals, best)
		}
	}
	slices.SortStableFunc(proposals, func(a, b proposal) int { return cmp.Compare(b.votes, a.votes) })
	var kept []pose
	var out []Place
	for _, p := range proposals {
		if slices.ContainsFunc(kept, func(k pose) bool {
			return k.at.Distance(p.pose.at) < samePlace && turn(k.angle, p.pose.angle) < inlierTurn
		}) {
			continue
		}
		kept = append(kept, p.pose)
		fitted := settle(p.pose, ballots)
		out = append(out, Place{Quad: board.RectQuad(board.Point{}, f.size, 0).Map(fitted.apply), Votes: p.votes})
	}
	return out
}

// turn is the angle between two directions, in radians.
func turn(a, b float64) float64 { return math.Abs(math.Remainder(a-b, 2*math.Pi)) }

// together is the pose that two ballots make, given that they could be of one
// card.
func together(a, b *ballot) (pose, bool) {
	if turn(a.vote.angle, b.vote.angle) > inlierTurn || a.vote.at.Distance(b.vote.at) > apart {
		return pose{}, false
	}
	seen, ref := b.seen.Sub(a.seen), b.ref.Sub(a.ref)
	if ref.Norm() < shortest || math.Abs(seen.Norm()-ref.Norm()) > inlier {
		return pose{}, false
	}
	p := pose{angle: math.Atan2(seen.Y, seen.X) - math.Atan2(ref.Y, ref.X)}
	if turn(p.angle, a.vote.angle) > inlierTurn {
		return pose{}, false
	}
	p.at = a.seen.Add(b.seen).Scale(0.5).Sub(p.apply(a.ref.Add(b.ref).Scale(0.5)))
	return p, true
}

// agrees says whether a ballot is as the pose has it. sin and cos are those of
// the pose's angle.
func (b *ballot) agrees(p pose, sin, cos float64) bool {
	x := p.at.X + cos*b.ref.X - sin*b.ref.Y - b.seen.X
	y := p.at.Y + sin*b.ref.X + cos*b.ref.Y - b.seen.Y
	return x*x+y*y < inlier*inlier && turn(b.vote.angle, p.angle) < inlierTurn
}

func count(p pose, ballots []ballot) int {
	sin, cos := math.Sincos(p.angle)
	n := 0
	for i := range ballots {
		if ballots[i].agrees(p, sin, cos) {
			n++
		}
	}
	return n
}

// settle fits the pose to all ballots that agree with it, by least squares
// (Umeyama, PAMI 1991, with the scale given).
func settle(p pose, ballots []ballot) pose {
	sin, cos := math.Sincos(p.angle)
	var in []*ballot
	var ref, seen board.Point
	for i := range ballots {
		if b := &ballots[i]; b.agrees(p, sin, cos) {
			in = append(in, b)
			ref, seen = ref.Add(b.ref), seen.Add(b.seen)
		}
	}
	n := 1 / float64(len(in))
	ref, seen = ref.Scale(n), seen.Scale(n)
	var re, im float64
	for _, b := range in {
		u, v := b.ref.Sub(ref), b.seen.Sub(seen)
		re += u.Dot(v)
		im += u.Cross(v)
	}
	fitted := pose{angle: math.Atan2(im, re)}
	fitted.at = seen.Sub(fitted.apply(ref))
	return fitted
}
