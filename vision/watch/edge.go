package watch

import (
	"math"

	"gocv.io/x/gocv"

	"tabletop/board"
)

// Where a card would show its edge. Distances are shares of its height.
const (
	edgeIn    = 0.07 // inside an outline: the printed frame, where the border looks like the table
	edgeOut   = 0.02 // outside it
	edgeShare = 0.7  // of a side, for a line along it to be an edge
	edgeStep  = 12   // grey levels across it
	// strayEdges is along how many sides of a place the table itself may show a
	// line by chance.
	strayEdges = 2
)

// pixels are the pixels of a frame, not owned.
type pixels struct {
	data       []uint8 // blue, green, red
	w, h, step int
}

func pixelsOf(frame gocv.Mat) pixels {
	data, err := frame.DataPtrUint8()
	if err != nil {
		return pixels{} // not continuous: nothing can be told from it
	}
	return pixels{data: data, w: frame.Cols(), h: frame.Rows(), step: 3 * frame.Cols()}
}

// grey is the brightness of the pixel at a place, or -1 outside the frame.
func (p pixels) grey(at board.Point) float64 {
	x, y := int(math.Round(at.X)), int(math.Round(at.Y))
	if x < 0 || y < 0 || x >= p.w || y >= p.h {
		return -1
	}
	i := y*p.step + 3*x
	return 0.114*float64(p.data[i]) + 0.587*float64(p.data[i+1]) + 0.299*float64(p.data[i+2])
}

// edges says along how many sides of an outline, or a little inside it, a
// straight edge runs. A card that lies there shows four; a table with a picture
// on it has lines, too, but hardly where a card's would be.
func (w *Watcher) edges(outline board.Quad) (sides int) {
	if w.pixels.data == nil {
		return 4
	}
	_, height := outline.Edges()
	out, in := max(2, int(edgeOut*height)), max(4, int(edgeIn*height))
	for i := range 4 {
		a, b := outline[i], outline[(i+1)%4]
		along := b.Sub(a)
		length := along.Norm()
		if length < 1 {
			continue
		}
		inwards := board.Point{X: -along.Y / length, Y: along.X / length}
		n := max(8, int(length/4))
		var steps [][]float64 // for each place along the side, across it from outside to inside
		for s := range n {
			p := a.Add(along.Scale(0.1 + 0.8*float64(s)/float64(n-1)))
			var row []float64
			for d := -out; d <= in; d++ {
				before, after := w.pixels.grey(p.Add(inwards.Scale(float64(d-2)))), w.pixels.grey(p.Add(inwards.Scale(float64(d+2))))
				if before < 0 || after < 0 {
					row = append(row, 0)
					continue
				}
				row = append(row, after-before)
			}
			steps = append(steps, row)
		}
		if straightest(steps) >= edgeShare {
			sides++
		}
	}
	return sides
}

// straightest is the share of the rows that have a step, all of one sign, along
// the straight line that has most of them.
func straightest(rows [][]float64) float64 {
	const lean = 4 // places by which a line may be off from one end to the other
	var best int
	width := len(rows[0])
	for start := range width {
		for end := max(0, start-lean); end <= min(width-1, start+lean); end++ {
			var up, down int
			for i, row := range rows {
				at := start + (end-start)*i/max(1, len(rows)-1)
				switch v := row[at]; {
				case v >= edgeStep:
					up++
				case v <= -edgeStep:
					down++
				}
			}
			best = max(best, up, down)
		}
	}
	return float64(best) / float64(len(rows))
}
