package detect

import (
	"math"
	"slices"

	"tabletop/board"
)

// choose decides which candidates are the cards: on one plane, of one size, of
// a card's proportions, and not parts of one another.
func (s *search) choose(cands []candidate) []candidate {
	cands = slices.DeleteFunc(slices.Clone(cands), func(c candidate) bool {
		f, _ := bestOwnFit(c.quad, s.centre, s.longest, s.card)
		return f.residual > 4*fitSigma
	})
	if len(cands) == 0 {
		return nil
	}
	quads := make([]weighted, len(cands))
	for i, c := range cands {
		quads[i] = weighted{c.quad, c.quality}
	}
	v := estimateView(quads, s.centre, s.longest, s.card)
	h := v.rectifier()
	for i := range cands {
		cands[i].fit = fitCard(cands[i].quad, &h, s.card)
		cands[i].score = cands[i].quality * math.Exp(-0.5*square(cands[i].fit.residual/fitSigma))
	}
	size := commonSize(cands)
	var out []candidate
	for i := range cands {
		c := &cands[i]
		c.score *= math.Exp(-0.5 * square(math.Log(c.fit.size/size)/sizeSigma))
	}
	slices.SortStableFunc(cands, func(a, b candidate) int {
		if a.score > b.score {
			return -1
		}
		return 1
	})
	for _, c := range cands {
		if c.score < 0.4 {
			break
		}
		if !slices.ContainsFunc(out, func(o candidate) bool { return covers(o.quad, c.quad) > 0.2 }) {
			out = append(out, c)
		}
	}
	return out
}

const sizeSigma = 0.02

// covers is the share of the smaller quad that the other covers.
func covers(a, b board.Quad) float64 {
	inter := board.Polygon(a[:]).Clip(b[:]).Area()
	return inter / min(a.Area(), b.Area())
}

// commonSize is the size on the plane that the most places agree on; a larger
// one is preferred when nearly as many places have it, for a card's outer edge
// and its printed frame are seen equally often.
func commonSize(cands []candidate) float64 {
	type place struct{ members []int }
	var places []place
	for i := range cands {
		found := false
		for p := range places {
			if covers(cands[places[p].members[0]].quad, cands[i].quad) > 0.5 {
				places[p].members = append(places[p].members, i)
				found = true
				break
			}
		}
		if !found {
			places = append(places, place{[]int{i}})
		}
	}
	votes := func(size float64) float64 {
		var v float64
		for _, p := range places {
			best := 0.0
			for _, i := range p.members {
				if math.Abs(math.Log(cands[i].fit.size/size)) < 1.25*sizeSigma {
					best = max(best, cands[i].score)
				}
			}
			v += best
		}
		return v
	}
	sizes := make([]float64, 0, len(cands))
	for i := range cands {
		sizes = append(sizes, cands[i].fit.size)
	}
	slices.Sort(sizes)
	all := make([]float64, len(sizes))
	most := 0.0
	for i, sz := range sizes {
		all[i] = votes(sz)
		most = max(most, all[i])
	}
	for i := len(sizes) - 1; i >= 0; i-- {
		if all[i] >= 0.8*most {
			// Settle on the middle of the peak.
			best := i
			for j := i; j >= 0 && sizes[i]/sizes[j] < 1+2*sizeSigma; j-- {
				if all[j] > all[best] {
					best = j
				}
			}
			return sizes[best]
		}
	}
	return sizes[0]
}
