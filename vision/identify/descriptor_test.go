package identify

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The test stands in the package because the search can't be seen from outside.

// TestSearchIsExact compares the search with one that looks at every card, among
// descriptors of all likenesses.
func TestSearchIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	l := newLayout()
	random := func() *descriptor {
		var d descriptor
		for i := range d {
			d[i] = float32(rng.NormFloat64())
			if i >= headTerms {
				d[i] /= 3 // there is less in high frequencies
			}
		}
		return unit(d)
	}
	base := random()
	near := func() *descriptor {
		d, other := *base, random()
		for i, share := 0, rng.Float32(); i < len(d); i++ {
			d[i] += 2 * share * other[i]
		}
		return unit(d)
	}
	const cards = 3000
	all := newDescriptors(l, cards)
	for i := range cards {
		if i%2 == 0 {
			all.set(i, random())
		} else {
			all.set(i, near())
		}
	}
	for _, keep := range []int{1, 3, 12} {
		t.Run(fmt.Sprintf("keep %d", keep), func(t *testing.T) {
			for range 20 {
				query := near()
				var want []hit
				for i := range cards {
					v := all.at(i)
					straight, turned := bothWays(l, query, &v)
					want = append(want, hit{card: i, score: straight}, hit{card: i, score: turned, turned: true})
				}
				slices.SortFunc(want, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
				got := all.search(query, 0, keep, nil)
				if len(got) != keep {
					t.Fatalf("%d hits, want %d", len(got), keep)
				}
				for i, h := range got {
					if h.card != want[i].card || h.turned != want[i].turned {
						t.Errorf("hit %d is card %d (turned %v, %.4f), want card %d (turned %v, %.4f)",
							i, h.card, h.turned, h.score, want[i].card, want[i].turned, want[i].score)
					}
				}
			}
		})
	}
}

func unit(d descriptor) *descriptor {
	n := norm(d[:])
	for i := range d {
		d[i] /= n
	}
	return &d
}

// bothWays is a card's score as it lies and turned by half a turn: coefficients
// whose indices sum to an odd number change their sign.
func bothWays(l *layout, query, card *descriptor) (straight, turned float32) {
	for i, term := range l.terms {
		p := query[i] * card[i]
		straight += p
		if (term.u+term.v)%2 == 1 {
			p = -p
		}
		turned += p
	}
	return straight, turned
}
