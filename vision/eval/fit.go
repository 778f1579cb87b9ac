package eval

import (
	"cmp"
	"math"
	"slices"
)

// Sample is one answer as a curve is fitted to it.
type Sample struct {
	Evidence string  // what its confidence rests on
	Score    float64 // what it came with, [0,1]
	Right    bool    // nothing it said was wrong
	Source   string
}

// Logistic turns a score into the share of answers that are right:
// 1/(1+exp(-(Bias+Slope·logit(score)))). It rises with the score, for Slope is
// never below 0. Bias 0 and Slope 1 change nothing.
type Logistic struct{ Bias, Slope float64 }

// Fit is the curve of one kind of evidence.
type Fit struct {
	Evidence string
	Logistic
	// SureFrom is the least score from which on answers may be called sure (see
	// sureFrom), or Never.
	SureFrom float64
	// Right of the answers it was fitted to, and the mean of -log2 of what the
	// curve said of what came true, in bits: less is better.
	Right Share
	Loss  float64
}

// Never is a score that no answer has.
const Never = 2

// At is the share of answers of a score that are expected to be right.
func (l Logistic) At(score float64) float64 {
	return 1 / (1 + math.Exp(-l.Bias-l.Slope*Logit(score)))
}

// Logit is log(p/(1-p)), with p held 1e-6 away from 0 and 1: no score says more.
func Logit(p float64) float64 {
	p = max(1e-6, min(1-1e-6, p))
	return math.Log(p / (1 - p))
}

// Curves fits a logistic curve to the samples of each kind of evidence, by name
// (J. Platt, Probabilistic outputs, 1999, with his targets: among n right
// answers one more is taken to be half wrong, so that no curve claims more than
// its samples can show).
func Curves(samples []Sample) []Fit {
	byKind := map[string][]Sample{}
	for _, s := range samples {
		byKind[s.Evidence] = append(byKind[s.Evidence], s)
	}
	var fits []Fit
	for kind, of := range byKind {
		f := Fit{Evidence: kind, Logistic: platt(of), Right: Share{Of: len(of)}}
		f.SureFrom = sureFrom(of, f.Logistic)
		for _, s := range of {
			p := f.At(s.Score)
			if s.Right {
				f.Right.N++
			} else {
				p = 1 - p
			}
			f.Loss -= math.Log2(max(p, 1e-12)) / float64(len(of))
		}
		fits = append(fits, f)
	}
	slices.SortFunc(fits, func(a, b Fit) int { return cmp.Compare(a.Evidence, b.Evidence) })
	return fits
}

// sureFrom is the least score of a sample from which on at most half of
// SureLimit are expected to be wrong: half, for other pictures will be harder.
// That is shown in one of two ways. By counting: of n answers with it or a better
// score and k wrong ones, (k+1/2)/(n+1) are expected to be wrong (Jeffreys), which
// takes a thousand answers. Or, for fewer, by a curve that says so of every one of
// them, where none was wrong.
func sureFrom(samples []Sample, l Logistic) float64 {
	sorted := slices.SortedFunc(slices.Values(samples), func(a, b Sample) int { return cmp.Compare(b.Score, a.Score) })
	from, wrong := float64(Never), 0.0
	for i, s := range sorted {
		if !s.Right {
			wrong++
		}
		if i+1 < len(sorted) && sorted[i+1].Score == s.Score {
			continue
		}
		counted := (wrong+0.5)/float64(i+2) <= SureLimit/2
		if counted || wrong == 0 && 1-l.At(s.Score) <= SureLimit/2 {
			from = s.Score
		}
	}
	return from
}

// platt minimises the cross-entropy by Newton's method, damped where it would
// overshoot. With scores that are all the same, or that fall where answers get
// better, only the bias is fitted.
func platt(samples []Sample) Logistic {
	var right, wrong float64
	for _, s := range samples {
		if s.Right {
			right++
		} else {
			wrong++
		}
	}
	high, low := (right+1)/(right+2), 1/(wrong+2)
	target := func(s Sample) float64 {
		if s.Right {
			return high
		}
		return low
	}
	// A slight pull of the slope towards 1, the score as it is, decides where
	// the samples do not: all of one score, or all right.
	const pull = 0.1
	loss := func(l Logistic) float64 {
		sum := pull / 2 * (l.Slope - 1) * (l.Slope - 1)
		for _, s := range samples {
			p, t := l.At(s.Score), target(s)
			sum -= t*math.Log(max(p, 1e-300)) + (1-t)*math.Log(max(1-p, 1e-300))
		}
		return sum
	}
	minimise := func(l Logistic, fixed bool) Logistic {
		now := loss(l)
		for range 100 {
			ga, gb := 0.0, pull*(l.Slope-1)
			haa, hab, hbb := 1e-9, 0.0, pull
			for _, s := range samples {
				x, p := Logit(s.Score), l.At(s.Score)
				d, w := p-target(s), p*(1-p)
				ga, gb = ga+d, gb+d*x
				haa, hab, hbb = haa+w, hab+w*x, hbb+w*x*x
			}
			da, db := 0.0, 0.0
			if fixed {
				da = -ga / haa
			} else if det := haa*hbb - hab*hab; det > 0 {
				da, db = -(hbb*ga-hab*gb)/det, -(haa*gb-hab*ga)/det
			}
			step, next := 1.0, l
			for ; step > 1e-6; step /= 2 {
				next = Logistic{l.Bias + step*da, l.Slope + step*db}
				if then := loss(next); then < now {
					now = then
					break
				}
			}
			if step <= 1e-6 || math.Hypot(da, db) < 1e-7 {
				return l
			}
			l = next
		}
		return l
	}
	best := minimise(Logistic{0, 1}, false)
	if best.Slope < 0 {
		best = minimise(Logistic{0, 0}, true)
	}
	return best
}
