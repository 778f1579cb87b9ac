package detect

// sharpen places the sides of a chosen card anew on each finer level down to
// the finest, so that the corners are as exact as the picture allows. A side
// that shows no clear edge there, or would move by more than the coarser level
// leaves open, stays.
func (s *search) sharpen(c candidate) (candidate, error) {
	if c.covered {
		return c, nil // half of its sides don't show
	}
	for level := c.level - 1; level >= 0; level-- {
		m, err := s.d.edgesOf(level)
		if err != nil {
			return c, err
		}
		q := c.quad.Map(s.intoLevel(level))
		sides := m.measureSides(q, sharpenReach)
		for i := range sides.side {
			if sides.side[i].hit < sharpenMinHit*c.support.side[i].hit {
				sides.side[i].line.ok = false
			}
		}
		moved, ok := sides.moved(q)
		if !ok || !sameQuad(moved, q, 2*sharpenReach) {
			break
		}
		c.quad = moved.Map(s.fromLevel(level))
	}
	return c, nil
}

const (
	// sharpenReach is how far from its place a side is looked for, pixels of the
	// finer level: one of the coarser.
	sharpenReach = 2
	// sharpenMinHit is the share of a side's edge that must show again.
	sharpenMinHit = 0.7
)
