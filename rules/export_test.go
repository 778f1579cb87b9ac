package rules

// Held counts what an engine remembers beside its board, for a test that it
// doesn't grow without end.
func (e *Engine) Held() int {
	n := len(e.open) + len(e.pending) + len(e.inPlay) + len(e.rests) + len(e.openedAt) + len(e.left) + len(e.seen) + len(e.news) + len(e.nearby) + len(e.near) + len(e.played) + len(e.waiting)
	for _, rs := range e.rests {
		n += len(rs)
	}
	return n
}
