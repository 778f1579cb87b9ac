package vision

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"

	"gocv.io/x/gocv"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"tabletop/board"
)

// Annotate draws observations in pixels into an 8-bit BGR picture: each outline
// (green named, blue face down, amber unknown), a thick line along the printed
// top where it is known, and a label with name, confidence and turn. Lines have
// a dark edge and labels a dark ground, so that they show on any table.
//
// The size of lines and letters follows the picture's size.
func Annotate(img *gocv.Mat, obs []board.Observation) error {
	if img.Empty() || img.Type() != gocv.MatTypeCV8UC3 {
		return fmt.Errorf("annotate: the picture is empty or not 8-bit BGR (type %v); convert it first", img.Type())
	}
	unit := max(float64(max(img.Cols(), img.Rows()))/1000, 0.8)
	for _, o := range obs {
		if err := drawOutline(img, o, unit); err != nil {
			return fmt.Errorf("annotate: %w", err)
		}
	}
	face, err := labelFace(13 * unit)
	if err != nil {
		return fmt.Errorf("annotate: %w", err)
	}
	defer face.Close()
	for _, o := range obs {
		if err := drawLabel(img, face, o, unit); err != nil {
			return fmt.Errorf("annotate: %w", err)
		}
	}
	return nil
}

func drawOutline(img *gocv.Mat, o board.Observation, unit float64) error {
	thin := max(int(math.Round(2*unit)), 1)
	thick := max(int(math.Round(5*unit)), thin+2)
	edge := max(int(math.Round(1.5*unit)), 1)
	line := func(i, width int, c color.RGBA) error {
		return gocv.Line(img, pixel(o.Corners[i]), pixel(o.Corners[(i+1)%4]), c, width)
	}
	topKnown := o.AngleModulo != 180
	for _, dark := range []bool{true, false} {
		for i := range o.Corners {
			width, c := thin, colourOf(o)
			if i == 0 && topKnown {
				width = thick
			}
			if dark {
				width, c = width+2*edge, color.RGBA{A: 255}
			}
			if err := line(i, width, c); err != nil {
				return err
			}
		}
	}
	return nil
}

func pixel(p board.Point) image.Point {
	return image.Pt(int(math.Round(p.X)), int(math.Round(p.Y)))
}

// colourOf is the colour of an outline: green, blue or amber, which differ in
// lightness as well as in hue.
func colourOf(o board.Observation) color.RGBA {
	switch {
	case o.Card != nil:
		return color.RGBA{40, 220, 90, 255}
	case o.Face == board.FaceDown:
		return color.RGBA{90, 170, 255, 255}
	}
	return color.RGBA{255, 176, 0, 255}
}

// labelText is what stands in a label, one string a line.
func labelText(o board.Observation) []string {
	var name string
	switch {
	case o.Card != nil:
		name = o.Card.Name
	case o.Face == board.FaceDown && o.Back != "":
		name = "back " + string(o.Back)
	case o.Face == board.FaceDown:
		name = "face down"
	case len(o.Alternatives) > 0:
		name = o.Alternatives[0].Card.Name + "?"
	default:
		name = "?"
	}
	angle := board.NormalizeDeg(math.Round(o.AngleDeg)) // never "360°"
	turn := fmt.Sprintf("%.0f°", angle)
	switch {
	case o.AngleModulo == 180:
		turn = fmt.Sprintf("%.0f° or %.0f°", angle, board.NormalizeDeg(angle+180))
	case o.Rotation.Known():
		turn = fmt.Sprintf("%d°", int(o.Rotation))
	}
	return []string{name, fmt.Sprintf("%.0f %%  %s", 100*o.Confidence, turn)}
}

func labelFace(size float64) (font.Face, error) {
	f, err := opentype.Parse(gobold.TTF)
	if err != nil {
		return nil, err
	}
	return opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
}

// drawLabel writes the label onto a dark ground around the card's centre, kept
// within the picture.
func drawLabel(img *gocv.Mat, face font.Face, o board.Observation, unit float64) error {
	lines := labelText(o)
	metrics := face.Metrics()
	pad := int(math.Ceil(3 * unit))
	height := metrics.Height.Ceil()
	width := 0
	for _, l := range lines {
		width = max(width, font.MeasureString(face, l).Ceil())
	}
	box := image.Rect(0, 0, width+2*pad, height*len(lines)+2*pad)
	centre := pixel(o.Corners.Centre())
	at := centre.Sub(image.Pt(box.Dx()/2, box.Dy()/2))
	at.X = max(min(at.X, img.Cols()-box.Dx()), 0)
	at.Y = max(min(at.Y, img.Rows()-box.Dy()), 0)

	label := image.NewRGBA(box)
	draw.Draw(label, box, image.NewUniform(color.RGBA{0, 0, 0, 190}), image.Point{}, draw.Src)
	pen := font.Drawer{Dst: label, Src: image.NewUniform(colourOf(o)), Face: face}
	for i, l := range lines {
		pen.Dot = fixed.P(pad, pad+i*height+metrics.Ascent.Ceil())
		if i == 0 {
			pen.Src = image.White
		} else {
			pen.Src = image.NewUniform(colourOf(o))
		}
		pen.DrawString(l)
	}
	return blend(img, label, at)
}

// blend lays a picture with premultiplied transparency onto a BGR one.
func blend(img *gocv.Mat, label *image.RGBA, at image.Point) error {
	visible := label.Bounds().Add(at).Intersect(image.Rect(0, 0, img.Cols(), img.Rows()))
	if visible.Empty() {
		return nil
	}
	part := img.Region(visible)
	defer part.Close()
	for y := range visible.Dy() {
		row := part.Row(y)
		bgr, err := row.DataPtrUint8()
		if err != nil {
			row.Close()
			return err
		}
		for x := range visible.Dx() {
			c := label.RGBAAt(visible.Min.X-at.X+x, visible.Min.Y-at.Y+y)
			for k, v := range [3]uint8{c.B, c.G, c.R} {
				bgr[3*x+k] = uint8(int(v) + int(bgr[3*x+k])*(255-int(c.A))/255)
			}
		}
		row.Close()
	}
	return nil
}
