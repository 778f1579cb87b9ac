package localize

import (
	"image"
	"math"

	"gocv.io/x/gocv"
)

// quarters is a card's turn against the side it sticks out from: 0, its top lies
// outermost; 1, its left side; 2, its bottom; 3, its right side.
const quarters = 4

const (
	// columnMM is the distance of the samples along a row.
	columnMM = 3.0

	// Rows are kept as the waves of a cosine transform, those of 16 mm and
	// longer, so that a shift of a millimetre or two doesn't matter.
	shortWaves, longWaves = 8, 11

	// roughWaves are those of the rough rows, each the mean of two rows roughStep
	// millimetres apart.
	roughWaves = 4
	roughStep  = 2
	roughLen   = 3 * roughWaves

	// blurMM is the width of the box that pictures are blurred with before rows
	// are taken.
	blurMM = 3.0

	// chromaGain lifts the colour differences, which vary less than luma does.
	chromaGain = 1.6
)

// rowTable are the rows of a reference in one turn, from its outer edge inwards
// at every millimetre.
type rowTable struct {
	rows  []float32 // three channels of waves for each millimetre
	rough []float32 // roughLen for each millimetre, the row there and roughStep outwards

	// roughDC and roughPower are sums over the rough rows two steps apart, down to
	// the outer edge: of the first waves, and of all squared.
	roughDC    [][3]float32
	roughPower []float32
}

// waves is how many are kept of a row of so many samples.
func waves(turn int) int {
	if turn%2 == 0 {
		return shortWaves
	}
	return longWaves
}

// extent is the width along the side and the depth of a turned card.
func (f *Finder) extent(turn int) (width, depth float64) {
	if turn%2 == 0 {
		return f.size.Width, f.size.Height
	}
	return f.size.Height, f.size.Width
}

func columns(width float64) int { return int(width / columnMM) }

// inReference is where, from the reference's middle, what lies at u along the
// side and d inwards from the outer edge is printed.
func (f *Finder) inReference(turn int, u, d float64) (x, y float64) {
	switch turn {
	case 0:
		return u, -f.size.Height/2 + d
	case 1:
		return -f.size.Width/2 + d, -u
	case 2:
		return -u, f.size.Height/2 - d
	default:
		return f.size.Width/2 - d, u
	}
}

// rowTables makes the tables of a catalogue's picture.
func (f *Finder) rowTables(picture image.Image) ([quarters]rowTable, error) {
	var out [quarters]rowTable
	img, err := gocv.ImageToMatRGB(picture)
	if err != nil {
		return out, err
	}
	defer img.Close()
	if img.Cols() > img.Rows() {
		if err := gocv.Rotate(img, &img, gocv.Rotate90Clockwise); err != nil {
			return out, err
		}
	}
	const scale = 2 // pixels per millimetre
	w, h := int(math.Round(f.size.Width*scale)), int(math.Round(f.size.Height*scale))
	if err := gocv.Resize(img, &img, image.Pt(w, h), 0, 0, gocv.InterpolationArea); err != nil {
		return out, err
	}
	const blur = int(blurMM*scale) | 1
	if err := gocv.Blur(img, &img, image.Pt(blur, blur)); err != nil {
		return out, err
	}
	px, err := newPixels(img)
	if err != nil {
		return out, err
	}
	for turn := range out {
		width, depth := f.extent(turn)
		basis := cosineBasis(columns(width), waves(turn))
		row := make([][3]float32, columns(width))
		t := &out[turn]
		for d := 0; d <= int(depth); d++ {
			for i := range row {
				u := (float64(i) - float64(len(row)-1)/2) * columnMM
				x, y := f.inReference(turn, u, float64(d))
				row[i] = px.at((x+f.size.Width/2)*scale-0.5, (y+f.size.Height/2)*scale-0.5)
			}
			t.rows = appendWaves(t.rows, row, basis)
		}
		t.roughen(waves(turn))
	}
	return out, nil
}

// roughen fills in the rough rows.
func (t *rowTable) roughen(waves int) {
	n := len(t.rows) / (3 * waves)
	for d := range n {
		var rough [roughLen]float32
		outer := max(d-roughStep, 0)
		roughRow(t.rows[d*3*waves:], t.rows[outer*3*waves:], waves, &rough)
		t.rough = append(t.rough, rough[:]...)
		var dc [3]float32
		var power float32
		if d >= 2*roughStep {
			dc, power = t.roughDC[d-2*roughStep], t.roughPower[d-2*roughStep]
		}
		for c := range 3 {
			dc[c] += rough[c*roughWaves]
		}
		for _, v := range rough {
			power += v * v
		}
		t.roughDC, t.roughPower = append(t.roughDC, dc), append(t.roughPower, power)
	}
}

// roughRow is the mean of two rows, but for the short waves.
func roughRow(a, b []float32, waves int, out *[roughLen]float32) {
	for c := range 3 {
		for k := range roughWaves {
			out[c*roughWaves+k] = (a[c*waves+k] + b[c*waves+k]) / 2
		}
	}
}

// cosineBasis is the first waves of the orthonormal DCT-II of n samples.
func cosineBasis(n, waves int) [][]float32 {
	b := make([][]float32, waves)
	for k := range b {
		norm := math.Sqrt(2 / float64(n))
		if k == 0 {
			norm = math.Sqrt(1 / float64(n))
		}
		b[k] = make([]float32, n)
		for i := range b[k] {
			b[k][i] = float32(norm * math.Cos(math.Pi*(float64(i)+0.5)*float64(k)/float64(n)))
		}
	}
	return b
}

func appendWaves(out []float32, row [][3]float32, basis [][]float32) []float32 {
	for c := range 3 {
		for _, b := range basis {
			var s float32
			for i, w := range b {
				s += w * row[i][c]
			}
			out = append(out, s)
		}
	}
	return out
}

// pixels gives an 8-bit BGR picture's pixels as luma and colour differences.
type pixels struct {
	data       []uint8
	cols, rows int
}

// newPixels lends the picture's own pixels: they are good as long as it is.
func newPixels(img gocv.Mat) (pixels, error) {
	data, err := img.DataPtrUint8()
	if err != nil {
		return pixels{}, err
	}
	return pixels{data, img.Cols(), img.Rows()}, nil
}

// at is the nearest pixel, its colour differences (ITU-T T.871) lifted.
func (p *pixels) at(x, y float64) [3]float32 {
	ix := min(max(int(x+0.5), 0), p.cols-1)
	iy := min(max(int(y+0.5), 0), p.rows-1)
	i := 3 * (iy*p.cols + ix)
	b, g, r := float32(p.data[i]), float32(p.data[i+1]), float32(p.data[i+2])
	return [3]float32{0.299*r + 0.587*g + 0.114*b,
		chromaGain * (-0.168736*r - 0.331264*g + 0.5*b),
		chromaGain * (0.5*r - 0.418688*g - 0.081312*b)}
}

func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2 float32
	i := 0
	for ; i+3 <= len(a); i += 3 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
	}
	return s0 + s1 + s2
}

func dotRough(a, b *[roughLen]float32) float32 {
	return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] +
		(a[4]*b[4] + a[5]*b[5] + a[6]*b[6] + a[7]*b[7]) +
		(a[8]*b[8] + a[9]*b[9] + a[10]*b[10] + a[11]*b[11])
}
