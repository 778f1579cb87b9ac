package detect

import (
	"math"
	"slices"

	"tabletop/board"
)

// preferLarger is the share of the most votes at which a larger size wins: less
// where the corners' shape does not tell a card's edge from its frame.
const (
	preferLarger      = 0.92
	preferLargerSmall = 0.75
)

// sizeVote is how much an outline's score counts for the common size: where
// corners are large enough to show their shape, that of rounded ones much more.
func sizeVote(c *candidate) float64 {
	return max(0.3, min(1.2, 0.45+c.shape*roundness(&c.support.corner)))
}

// sizeBin is the width of a bin of the logarithm of the size.
const sizeBin = 0.01

// commonSize is the size on the plane that the most places agree on; a larger
// one is preferred when nearly as many places have it, for a card's outer edge
// and its printed frame are seen equally often.
func commonSize(places []candidate) float64 {
	// Places that overlap share their vote.
	var heads []board.Quad
	var votes []map[int]float64
	var shape, outlines float64
	for _, p := range places {
		at := slices.IndexFunc(heads, func(q board.Quad) bool { return covers(q, p.quad) > 0.5 })
		if at < 0 {
			at = len(heads)
			heads = append(heads, p.quad)
			votes = append(votes, map[int]float64{})
		}
		for _, c := range p.outlines {
			shape += c.shape
			outlines++
			b := int(math.Round(math.Log(c.fit.size) / sizeBin))
			votes[at][b] = max(votes[at][b], c.score*sizeVote(&c))
		}
	}
	total := map[int]float64{}
	reach := int(math.Ceil(sizeSigma / sizeBin))
	for _, v := range votes {
		spread := map[int]float64{}
		for b, sc := range v {
			for d := -reach; d <= reach; d++ {
				k := sc * math.Exp(-0.5*square(float64(d)*sizeBin/sizeSigma))
				spread[b+d] = max(spread[b+d], k)
			}
		}
		for b, sc := range spread {
			total[b] += sc
		}
	}
	bins := make([]int, 0, len(total))
	most, top := 0.0, 0
	for b, t := range total {
		bins = append(bins, b)
		if t > most || t == most && b > top {
			most, top = t, b
		}
	}
	slices.Sort(bins)
	prefer := preferLargerSmall + (preferLarger-preferLargerSmall)*shape/max(1, outlines)
	lone, holder := loneCard(places, math.Exp(float64(top)*sizeBin))
	for i := len(bins) - 1; i >= 0; i-- {
		b := bins[i]
		if total[b] >= prefer*most || lone && total[b] >= preferHolder*most && math.Abs(float64(b)*sizeBin-math.Log(holder)) < sizeSigma {
			// Climb to the top of this peak.
			for total[b-1] > total[b] {
				b--
			}
			return math.Exp(float64(b) * sizeBin)
		}
	}
	return 1
}

// preferHolder is the share of the votes at which a much larger outline wins
// that holds all there is of the best size: a pip or a picture is often a more
// perfect figure than the card it is printed on. A block of cards laid side by
// side holds several too; only from pipsRatio on, which no block reaches that
// could pass for one card, may there be more than one.
const (
	preferHolder = 0.6
	holderRatio  = 1.6
	pipsRatio    = 3.3
)

// loneCard says whether all outlines of a size lie in one that is much larger,
// and returns the size of that.
func loneCard(places []candidate, size float64) (lone bool, holder float64) {
	var best candidate
	for _, p := range places {
		for _, c := range p.outlines {
			if math.Abs(math.Log(c.fit.size/size)) < sizeSigma && c.score > best.score {
				best = c
			}
		}
	}
	var around candidate
	for _, p := range places {
		for _, c := range p.outlines {
			if c.fit.size > holderRatio*size && c.score > around.score && covers(c.quad, best.quad) > 0.95 {
				around = c
			}
		}
	}
	if around.score == 0 {
		return false, 0
	}
	for _, p := range places {
		for _, c := range p.outlines {
			if math.Abs(math.Log(c.fit.size/size)) > sizeSigma || c.score < 0.5*best.score || covers(c.quad, best.quad) > 0.2 {
				continue
			}
			if covers(around.quad, c.quad) < 0.95 || around.fit.size < pipsRatio*size {
				return false, 0
			}
		}
	}
	return true, around.fit.size
}
