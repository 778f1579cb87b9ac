package identify

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/catalog"
)

// A benchmark stands in the package because a catalogue of 20,000 pictures
// would take longer to draw than to search: it adds planes of noise directly.

// noisePlanes are three smooth planes on the grid, all with the same frame.
func noisePlanes(rng *rand.Rand) planes {
	plane := func(level, amplitude float32) []float32 {
		const coarseW, coarseH = 9, 12
		var knots [coarseH][coarseW]float32
		for j := range knots {
			for i := range knots[j] {
				knots[j][i] = level + amplitude*(2*rng.Float32()-1)
			}
		}
		p := make([]float32, gridW*gridH)
		for j := range gridH {
			for i := range gridW {
				u, v := float32(i)/gridW*(coarseW-1), float32(j)/gridH*(coarseH-1)
				iu, iv := int(u), int(v)
				a, b := u-float32(iu), v-float32(iv)
				p[j*gridW+i] = (1-b)*((1-a)*knots[iv][iu]+a*knots[iv][iu+1]) + b*((1-a)*knots[iv+1][iu]+a*knots[iv+1][iu+1])
			}
		}
		return p
	}
	p := planes{plane(128, 90), plane(0, 30), plane(0, 30)}
	for j := range gridH {
		for i := range gridW {
			if min(i, j, gridW-1-i, gridH-1-j) < 3 {
				p.y[j*gridW+i] = 20
			}
		}
	}
	return p
}

func BenchmarkIdentify(b *testing.B) {
	for _, size := range []int{120, 20000} {
		b.Run(fmt.Sprintf("of %d", size), func(b *testing.B) {
			const want = 3
			var wanted planes
			rng := rand.New(rand.NewPCG(1, 1))
			first := image.NewRGBA(image.Rect(0, 0, 2*gridW, 2*gridH))
			for i := range first.Pix {
				first.Pix[i] = uint8(40 + rng.IntN(60) + 100*(i/64%2))
			}
			cat, err := catalog.New([]catalog.Entry{{Card: board.Card{ID: "first"}, Face: first}}, nil)
			if err != nil {
				b.Fatal(err)
			}
			ix, err := NewIndex(cat, Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer ix.Close()
			ix.allocate(size)
			ix.put(0, first)
			for i := 1; i < size; i++ {
				p := noisePlanes(rng)
				if i == want {
					wanted = p
				}
				ix.putPlanes(i, false, p)
				ix.cards = append(ix.cards, board.Card{ID: board.CardID(fmt.Sprint(i))})
			}

			// A card 110 pixels tall, turned by 20°, on a grey ground.
			frame := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(90, 100, 95, 0), 240, 240, gocv.MatTypeCV8UC3)
			defer frame.Close()
			quad := board.RectQuad(board.Point{X: 120, Y: 120}, board.Size{Width: 80, Height: 110}, 20)
			toGrid, err := board.HomographyFromQuads(quad, board.Quad{{X: 0, Y: 0}, {X: gridW, Y: 0}, {X: gridW, Y: gridH}, {X: 0, Y: gridH}})
			if err != nil {
				b.Fatal(err)
			}
			for y := range 240 {
				for x := range 240 {
					p := board.Point{X: float64(x), Y: float64(y)}
					if !quad.Contains(p) {
						continue
					}
					g := toGrid.Apply(p)
					i := min(int(g.Y), gridH-1)*gridW + min(int(g.X), gridW-1)
					c := color.YCbCrModel.Convert(color.YCbCr{
						Y: uint8(wanted.y[i]), Cb: uint8(128 + wanted.cb[i]), Cr: uint8(128 + wanted.cr[i]),
					}).(color.YCbCr)
					r, g8, b8, _ := c.RGBA()
					frame.SetUCharAt(y, 3*x, uint8(b8>>8))
					frame.SetUCharAt(y, 3*x+1, uint8(g8>>8))
					frame.SetUCharAt(y, 3*x+2, uint8(r>>8))
				}
			}
			b.ReportAllocs()
			for b.Loop() {
				res, err := ix.Identify(frame, quad)
				if err != nil {
					b.Fatal(err)
				}
				if res.Card == nil || res.Card.ID != board.CardID(fmt.Sprint(want)) {
					b.Fatalf("got %v (likeness %.3f), want card %d", res.Card, res.Likeness, want)
				}
			}
		})
	}
}
