package rules

import (
	"slices"
	"time"

	"tabletop/board"
)

// rest is how a copy lay until it was touched.
type rest struct {
	zone  board.ZoneID
	turn  board.Turn
	face  board.Face
	until time.Time
}

func restOf(c board.Copy, until time.Time) rest {
	return rest{c.Zone, c.Pose.Rotation, c.Pose.Face, until}
}

func (r rest) like(c board.Copy) bool {
	return r.zone == c.Zone && r.turn == c.Pose.Rotation && r.face == c.Pose.Face
}

// maxRests bounds what is remembered of one copy.
const maxRests = 24

// opened is how things stood when a finding opened.
type opened struct {
	at    time.Time
	so    rest // how its copy lay
	by    Transition
	rests []rest // and how in the last minute before
}

// rested notes how a copy lay until now.
func (e *Engine) rested(c board.Copy, until time.Time) {
	rs := e.rests[c.ID]
	if n := len(rs); n > 0 && rs[n-1].like(c) {
		rs[n-1].until = until
		return
	}
	if len(rs) == maxRests {
		rs = slices.Clone(rs[1:]) // what a finding keeps of it must not change
	}
	e.rests[c.ID] = append(rs, restOf(c, until))
}

// layLike says whether a copy lay like this at some time since then.
func (e *Engine) layLike(id board.CopyID, c board.Copy, since time.Time) bool {
	if c.Zone == "" {
		if z, ok := e.opts.Layout.ZoneAt(c.Pose.Centre); ok {
			c.Zone = z.ID
		}
	}
	return slices.ContainsFunc(e.rests[id], func(r rest) bool { return r.like(c) && !r.until.Before(since) })
}

// recall puts together how things stood when a finding of an earlier engine
// opened, so that it may still be undone. When that was isn't known any more: long
// enough ago that it is no slip.
func (e *Engine) recall(f board.Finding) {
	now, lies := e.board.Copies[f.Copies[0]]
	if f.Before == nil || !lies {
		return
	}
	before := e.subject(*f.Before)
	e.openedAt[f.ID] = opened{
		so: restOf(now, time.Time{}), rests: []rest{restOf(*f.Before, time.Time{})},
		by: Transition{Before: &before, After: e.subject(now)},
	}
}

// restsSince are how a copy lay since then.
func (e *Engine) restsSince(id board.CopyID, since time.Time) []rest {
	var rs []rest
	for _, r := range e.rests[id] {
		if !r.until.Before(since) {
			rs = append(rs, r)
		}
	}
	return rs
}

// undone says whether a copy lies as it lay before a finding about it opened.
func (e *Engine) undone(f board.FindingID, c board.Copy) bool {
	o := e.openedAt[f]
	return !o.so.like(c) && slices.ContainsFunc(o.rests, func(r rest) bool { return r.like(c) })
}

// restored says whether what a breach changed is as it was before.
func (e *Engine) restored(r Rule, f board.FindingID, now Subject) bool {
	o, ok := e.openedAt[f]
	return ok && r.Restored != nil && r.Restored(o.by, now)
}

// ending says why a finding ends by an act.
func (e *Engine) ending(a act, f board.Finding, now Subject) board.Ending {
	o, ok := e.openedAt[f.ID]
	switch {
	case now.Copy.ID == "":
		return board.EndGone
	case ok && a.at.Sub(o.at) <= Slip && e.undone(f.ID, now.Copy):
		return board.EndTakenBack
	}
	return board.EndMended
}
