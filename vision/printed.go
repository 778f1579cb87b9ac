package vision

import (
	"context"
	"fmt"
	"image"
	"math"
	"runtime"
	"slices"

	"gocv.io/x/gocv"
	"golang.org/x/sync/errgroup"

	"tabletop/board"
	"tabletop/vision/detect"
	"tabletop/vision/localize"
)

const (
	// maxVerified bounds the places of one search that are looked at closely.
	maxVerified = 96

	// fewCards is the number of named cards below which those found by their
	// print are worth a second search: with them the plane is known better.
	fewCards = 4

	// inRegion is by how many pixels a card may reach beyond the region that is
	// searched, for its corners' errors.
	inRegion = 3.0
)

// findPrinted adds the cards that are told by their print alone, and returns
// the plane that the named cards lie on, if any is known.
func (s *Scanner) findPrinted(ctx context.Context, img gocv.Mat, regions []image.Rectangle, seen []sighting) ([]sighting, []localize.Place, *tablePlane, error) {
	plane, known, err := s.plane(img, seen)
	if err != nil {
		return nil, nil, nil, err
	}
	if !known {
		return s.findAtAnySize(ctx, img, regions, seen)
	}
	before := len(namedQuads(seen))
	var places []localize.Place
	if seen, places, err = s.search(ctx, img, regions, plane, seen); err != nil {
		return nil, nil, nil, err
	}
	after := len(namedQuads(seen))
	if s.opts.Plane == nil && before < fewCards && after > before {
		if plane, _, err = s.plane(img, seen); err != nil {
			return nil, nil, nil, err
		}
		if seen, places, err = s.search(ctx, img, regions, plane, seen); err != nil {
			return nil, nil, nil, err
		}
	}
	return seen, places, &plane, nil
}

// plane is what is known of the table's plane: by the options, or by the cards
// named.
func (s *Scanner) plane(img gocv.Mat, seen []sighting) (plane tablePlane, known bool, err error) {
	switch {
	case s.opts.Plane != nil:
		plane, err = flatPlane(*s.opts.Plane)
		return plane, err == nil, err
	case s.opts.PxPerMM > 0:
		plane, err = flatPlane(straightDown(s.opts.PxPerMM))
		return plane, err == nil, err
	}
	plane, known = planeOf(namedQuads(seen), s.opts.CardSize, image.Pt(img.Cols(), img.Rows()))
	return plane, known, nil
}

func straightDown(pxPerMM float64) board.Homography {
	return board.Homography{1 / pxPerMM, 0, 0, 0, 1 / pxPerMM, 0, 0, 0, 1}
}

// findAtAnySize searches with one size of card after the other until one is
// named: no outline was, and so the scale isn't known. Sizes that outlines have
// come first.
func (s *Scanner) findAtAnySize(ctx context.Context, img gocv.Mat, regions []image.Rectangle, seen []sighting) ([]sighting, []localize.Place, *tablePlane, error) {
	for _, height := range s.likelyHeights(img, seen) {
		guess, err := flatPlane(straightDown(height / s.opts.CardSize.Height))
		if err != nil {
			return nil, nil, nil, err
		}
		found, _, err := s.search(ctx, img, regions, guess, seen)
		if err != nil {
			return nil, nil, nil, err
		}
		plane, known, err := s.plane(img, found)
		if err != nil {
			return nil, nil, nil, err
		}
		if known {
			found, places, err := s.search(ctx, img, regions, plane, found)
			return found, places, &plane, err
		}
	}
	return seen, nil, nil, nil
}

// likelyHeights are the heights of cards, in pixels, to try where none is
// known. Features stand a scale that is off by an eighth.
func (s *Scanner) likelyHeights(img gocv.Mat, seen []sighting) []float64 {
	const (
		step              = 1.25
		smallest, tallest = 0.03, 0.13 // of the picture's longer side
	)
	var heights []float64
	if len(seen) > 0 {
		var tall []float64
		for _, v := range seen {
			_, h := upright(v.Corners).Edges()
			tall = append(tall, h)
		}
		slices.Sort(tall)
		heights = append(heights, tall[len(tall)/2])
	}
	longest := float64(max(img.Cols(), img.Rows()))
	for h := smallest * longest; h <= tallest*longest; h *= step {
		heights = append(heights, h)
	}
	return heights
}

// search looks for cards by their print, outside those named already, and adds
// those that recognition confirms.
func (s *Scanner) search(ctx context.Context, img gocv.Mat, regions []image.Rectangle, plane tablePlane, seen []sighting) ([]sighting, []localize.Place, error) {
	var left []localize.Place
	for _, region := range regions {
		places, err := s.finder.Find(ctx, img, &plane, namedQuads(seen), region)
		if err != nil {
			return nil, nil, fmt.Errorf("find cards by their print: %w", err)
		}
		places = slices.DeleteFunc(places, func(p localize.Place) bool { return !within(p.Quad, region, img) })
		left = append(left, places...)
		if seen, err = s.verify(ctx, img, places, seen); err != nil {
			return nil, nil, err
		}
	}
	return seen, left, nil
}

// within says whether an outline lies in a region. The picture's edge may cut up
// to half of a card, a region's may not.
func within(q board.Quad, r image.Rectangle, img gocv.Mat) bool {
	if c := q.Centre(); c.X < 0 || c.Y < 0 || c.X > float64(img.Cols()) || c.Y > float64(img.Rows()) {
		return false
	}
	cut := float64(img.Cols() + img.Rows())
	left, top, right, bottom := inRegion, inRegion, inRegion, inRegion
	if r.Min.X <= 0 {
		left = cut
	}
	if r.Min.Y <= 0 {
		top = cut
	}
	if r.Max.X >= img.Cols() {
		right = cut
	}
	if r.Max.Y >= img.Rows() {
		bottom = cut
	}
	for _, p := range q {
		if p.X < float64(r.Min.X)-left || p.Y < float64(r.Min.Y)-top ||
			p.X > float64(r.Max.X)+right || p.Y > float64(r.Max.Y)+bottom {
			return false
		}
	}
	return true
}

// verify looks closely at places, best first, and adds those that are named to
// what is seen. A place that a named card takes needs no look; so that few are
// wasted, each round looks at places that lie clear of each other.
func (s *Scanner) verify(ctx context.Context, img gocv.Mat, places []localize.Place, seen []sighting) ([]sighting, error) {
	taken := namedQuads(seen)
	for looked := 0; looked < maxVerified; {
		var round []board.Quad
		places = slices.DeleteFunc(places, func(p localize.Place) bool {
			same := func(q board.Quad) bool { return q.Overlap(p.Quad) >= sameOutline }
			if slices.ContainsFunc(taken, same) {
				return true
			}
			if looked+len(round) < maxVerified && p.Quad.IsConvex() && !slices.ContainsFunc(round, same) {
				round = append(round, p.Quad)
				return true
			}
			return false
		})
		if len(round) == 0 {
			break
		}
		looked += len(round)
		results := make([]sighting, len(round))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i, q := range round {
			group.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				res, err := s.index.Identify(img, q)
				if err != nil {
					return fmt.Errorf("identify card: %w", err)
				}
				results[i] = observe(detect.Detection{Quad: q}, res)
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for _, v := range results {
			same := func(q board.Quad) bool { return q.Overlap(v.Corners) >= sameOutline }
			if !v.named || slices.ContainsFunc(taken, same) {
				continue
			}
			v.Visible = inView(v.Corners, taken, img)
			seen = append(seen, v)
			taken = append(taken, v.Corners)
		}
	}
	return seen, nil
}

func namedQuads(seen []sighting) []board.Quad {
	var named []board.Quad
	for _, v := range seen {
		if v.named {
			named = append(named, v.Corners)
		}
	}
	return named
}

// inView is the share of a card that lies in the picture and clear of the
// others, which were found first and so lie on top.
func inView(q board.Quad, others []board.Quad, img gocv.Mat) float64 {
	w, h := float64(img.Cols()), float64(img.Rows())
	frame := board.Polygon{{X: 0, Y: 0}, {X: w, Y: 0}, {X: w, Y: h}, {X: 0, Y: h}}
	free := board.Polygon(q[:]).Clip(frame).Area()
	for _, o := range others {
		free -= board.Polygon(q[:]).Clip(board.Polygon(o[:])).Area()
	}
	return min(max(free/q.Area(), 0), 1)
}

const (
	// ofTheSize is by how much an outline's edges may differ from those of the
	// cards, as a share, for a card that isn't known: sleeves stand out, and the
	// plane and the outline are not exact.
	ofTheSize = 0.15

	// covered is the share of an outline without a name that named cards may
	// hide. What lies across them is a line of their print or of a mat.
	covered = 0.3
)

// implausible says that an outline without a name is no card, by what is known
// of those with one.
func implausible(v sighting, named []board.Quad, plane *tablePlane, size board.Size) bool {
	if v.named {
		return false
	}
	var hidden float64
	for _, q := range named {
		hidden += board.Polygon(v.Corners[:]).Clip(board.Polygon(q[:])).Area()
	}
	if hidden > covered*v.Corners.Area() {
		return true
	}
	if plane == nil {
		return false
	}
	w, h := upright(v.Corners).Map(plane.Table).Edges()
	return math.Abs(w/size.Width-1) > ofTheSize || math.Abs(h/size.Height-1) > ofTheSize
}
