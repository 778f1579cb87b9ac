package identify_test

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// BenchmarkDeck names cards of the simulated deck, 100 pixels tall, and outlines
// that show no card of it: ground, or a card of which the outline is off by a
// third. Those cost more, since every size and every likely card is tried.
func BenchmarkDeck(b *testing.B) {
	d := simDeck()
	ix := fullIndex(b)
	type question struct {
		frame   gocv.Mat
		outline board.Quad
	}
	var cards, others []question
	rng := rand.New(rand.NewPCG(31, 1))
	for i, c := range d.Cards() {
		if i%4 != 0 {
			continue
		}
		frame, corners, outline := randomShot(rng, 100).take(b, rng, d.Face(c.ID), nil)
		cards = append(cards, question{frame, outline})
		shift := corners[2].Sub(corners[0]).Scale(0.33)
		others = append(others, question{frame, outline.Map(func(p board.Point) board.Point { return p.Add(shift) })})
	}
	for _, kind := range []struct {
		name      string
		questions []question
	}{{"cards", cards}, {"others", others}} {
		b.Run(kind.name, func(b *testing.B) {
			named, n := 0, 0
			before := cpuTime(b)
			for b.Loop() {
				q := kind.questions[n%len(kind.questions)]
				res, err := ix.Identify(q.frame, q.outline)
				if err != nil {
					b.Fatal(err)
				}
				if res.Face != board.FaceUnknown {
					named++
				}
				n++
			}
			b.ReportMetric((cpuTime(b)-before).Seconds()*1000/float64(n), "cpu-ms")
			b.ReportMetric(float64(named)/float64(n), "named")
		})
	}
}

// cpuTime is what the process has used of the processors: on a busy machine the
// only time that says something.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
