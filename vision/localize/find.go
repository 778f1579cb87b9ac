package localize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math"
	"runtime"
	"slices"

	"gocv.io/x/gocv"
	"golang.org/x/sync/errgroup"

	"tabletop/board"
)

const (
	// maxCorners bounds the corners that are looked at: the strongest. Cloth
	// with a coarse weave and wood show more.
	maxCorners = 8000

	// cellMM is the edge of the cells within which corners compete, and
	// perCell how many of each are kept, so that neither a lamp nor a busy mat
	// takes all.
	cellMM  = 22
	perCell = 6

	// maxPlaneEdge bounds the picture of the plane, in its pixels: of a table
	// seen at a slant only what lies around the region's middle is searched.
	maxPlaneEdge = 4096
)

// Plane is the table as the camera sees it.
type Plane interface {
	// Table is where a pixel lies, in millimetres, and Pixel its inverse.
	Table(pixel board.Point) board.Point
	Pixel(table board.Point) board.Point
	// Flat is the map from pixels to the table but for the lens.
	Flat() board.Homography
}

// Find returns where in the region of an 8-bit BGR frame cards may lie, most
// votes first. What the explained outlines hold is not looked at. The frame is
// only read.
func (f *Finder) Find(ctx context.Context, frame gocv.Mat, plane Plane, explained []board.Quad, region image.Rectangle) ([]Place, error) {
	if frame.Empty() {
		return nil, errors.New("localize: the frame is empty; read the picture again")
	}
	if frame.Type() != gocv.MatTypeCV8UC3 {
		return nil, fmt.Errorf("localize: the frame is of type %v; convert it to 8-bit BGR first", frame.Type())
	}
	region = region.Intersect(image.Rect(0, 0, frame.Cols(), frame.Rows()))
	if region.Empty() {
		return nil, nil
	}
	toPlane, size := planePicture(plane.Flat(), region)
	toFrame, err := toPlane.Inverse()
	if err != nil {
		return nil, fmt.Errorf("localize: the table plane can't be used, calibrate again: %w", err)
	}
	if size.X < patchSize || size.Y < patchSize {
		return nil, nil
	}
	if err := f.rectify(frame, region, toFrame, size); err != nil {
		return nil, fmt.Errorf("localize: bring the frame to the plane: %w", err)
	}
	known := make([]board.Quad, len(explained))
	for i, q := range explained {
		known[i] = q.Map(toPlane.Apply)
	}
	features, codes, err := f.describe(f.plane, spread(f.orb.Detect(f.plane), known))
	if err != nil {
		return nil, fmt.Errorf("localize: features: %w", err)
	}
	for i := range features {
		features[i].at = plane.Table(toFrame.Apply(features[i].at))
	}
	places, err := f.places(ctx, features, codes)
	if err != nil {
		return nil, err
	}
	for i := range places {
		places[i].Quad = places[i].Quad.Map(plane.Pixel)
	}
	return places, nil
}

// planePicture is the map from the frame to a picture of the plane that holds
// the region, with room for the codes of the corners at its edge, and the
// picture's size.
func planePicture(plane board.Homography, region image.Rectangle) (board.Homography, image.Point) {
	scaled := board.Homography{pxPerMM, 0, 0, 0, pxPerMM, 0, 0, 0, 1}.Mul(plane)
	x0, y0, x1, y1 := float64(region.Min.X), float64(region.Min.Y), float64(region.Max.X-1), float64(region.Max.Y-1)
	middle := scaled.Apply(board.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2})
	lo, hi := middle, middle
	side := func(p board.Point) float64 { return scaled[6]*p.X + scaled[7]*p.Y + scaled[8] }
	here := side(board.Point{X: (x0 + x1) / 2, Y: (y0 + y1) / 2})
	for _, p := range []board.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}} {
		q := scaled.Apply(p)
		if side(p)*here <= 0 { // beyond the horizon
			const far = maxPlaneEdge
			lo.X, lo.Y, hi.X, hi.Y = middle.X-far, middle.Y-far, middle.X+far, middle.Y+far
			break
		}
		lo.X, lo.Y, hi.X, hi.Y = min(lo.X, q.X), min(lo.Y, q.Y), max(hi.X, q.X), max(hi.Y, q.Y)
	}
	const pad, half = patchSize/2 + 2, maxPlaneEdge / 2
	lo.X, lo.Y = max(lo.X-pad, middle.X-half), max(lo.Y-pad, middle.Y-half)
	hi.X, hi.Y = min(hi.X+pad, middle.X+half), min(hi.Y+pad, middle.Y+half)
	moved := board.Homography{1, 0, -lo.X, 0, 1, -lo.Y, 0, 0, 1}.Mul(scaled)
	return moved, image.Pt(int(math.Ceil(hi.X-lo.X)), int(math.Ceil(hi.Y-lo.Y)))
}

// rectify reads the region's grey picture on the plane.
func (f *Finder) rectify(frame gocv.Mat, region image.Rectangle, toFrame board.Homography, size image.Point) error {
	part := frame.Region(region)
	defer part.Close()
	if err := gocv.CvtColor(part, &f.grey, gocv.ColorBGRToGray); err != nil {
		return err
	}
	toPart := board.Homography{1, 0, -float64(region.Min.X), 0, 1, -float64(region.Min.Y), 0, 0, 1}.Mul(toFrame)
	m := gocv.NewMatWithSize(3, 3, gocv.MatTypeCV64F)
	defer m.Close()
	for i, v := range toPart {
		m.SetDoubleAt(i/3, i%3, v)
	}
	return gocv.WarpPerspectiveWithParams(f.grey, &f.plane, m, size,
		gocv.InterpolationLinear|gocv.WarpInverseMap, gocv.BorderReplicate, color.RGBA{})
}

// spread keeps the strongest corners of each cell, outside the known outlines.
func spread(corners []gocv.KeyPoint, known []board.Quad) []gocv.KeyPoint {
	const cell = cellMM * pxPerMM
	strongestFirst(corners)
	taken := make(map[image.Point]int)
	kept := corners[:0]
	for _, c := range corners {
		at := image.Pt(int(c.X/cell), int(c.Y/cell))
		if taken[at] == perCell {
			continue
		}
		p := board.Point{X: c.X, Y: c.Y}
		if slices.ContainsFunc(known, func(q board.Quad) bool { return q.Contains(p) }) {
			continue
		}
		taken[at]++
		kept = append(kept, c)
	}
	return kept
}

// pair is a feature of the frame and one of a reference that look alike.
type pair struct {
	seen, ref int
	distance  int
}

// cardsPerFeature is how many cards a feature of the frame may be of. Cards of
// one kind share frames and emblems.
const cardsPerFeature = 2

// places matches the features of a frame and lets them vote.
func (f *Finder) places(ctx context.Context, seen []feature, codes []code) ([]Place, error) {
	pairs, err := f.match(ctx, codes)
	if err != nil {
		return nil, err
	}
	found := make([][]Place, len(f.refs))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for ref := range f.refs {
		if len(pairs[ref]) < minVotes {
			continue
		}
		group.Go(func() error {
			found[ref] = f.vote(seen, f.refs[ref].features, pairs[ref])
			for i := range found[ref] {
				found[ref][i].Card = ref
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	places := slices.Concat(found...)
	slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(b.Votes, a.Votes) })
	return places, nil
}

// match returns for each reference the features that look like one of its.
func (f *Finder) match(ctx context.Context, codes []code) ([][]pair, error) {
	best := make([][cardsPerFeature]candidate, len(codes))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	const chunk = 64
	for from := 0; from < len(codes); from += chunk {
		group.Go(func() error {
			for i := from; i < min(from+chunk, len(codes)); i++ {
				best[i] = f.closest(&codes[i])
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	pairs := make([][]pair, len(f.refs))
	for i := range best {
		for _, c := range best[i] {
			if c.distance <= maxCode {
				pairs[c.card] = append(pairs[c.card], pair{i, c.feature, c.distance})
			}
		}
	}
	return pairs, nil
}

// candidate is a reference's feature that may be the one seen.
type candidate struct{ card, feature, distance int }

// closest returns the most alike features of the most alike cards, the best
// first; those further away than maxCode stand for none.
func (f *Finder) closest(c *code) [cardsPerFeature]candidate {
	var best [cardsPerFeature]candidate
	for i := range best {
		best[i].distance = maxCode + 1
	}
	for card := range f.refs {
		own := candidate{card: card, distance: best[cardsPerFeature-1].distance}
		for k, d := range f.refs[card].codes {
			if n := c.distance(&d); n < own.distance {
				own.distance, own.feature = n, k
			}
		}
		for i := range best {
			if own.distance < best[i].distance {
				own, best[i] = best[i], own
			}
		}
	}
	return best
}
