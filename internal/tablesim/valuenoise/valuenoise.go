// Package valuenoise is the noise that the simulated table and its cards are
// painted with. It depends on nothing but its arguments, so that a seed gives
// the same picture every time.
package valuenoise

// Smooth is smooth value noise in [-1,1] with unit-sized cells.
func Smooth(seed uint32, x, y float64) float64 {
	ix, iy := floor32(x), floor32(y)
	fx, fy := x-float64(ix), y-float64(iy)
	fx, fy = fx*fx*(3-2*fx), fy*fy*(3-2*fy)
	a, b := White(seed, ix, iy), White(seed, ix+1, iy)
	c, d := White(seed, ix, iy+1), White(seed, ix+1, iy+1)
	return a + (b-a)*fx + (c-a)*fy + (a-b-c+d)*fx*fy
}

func floor32(v float64) int32 {
	i := int32(v)
	if float64(i) > v {
		i--
	}
	return i
}

// White is white noise in [-1,1) on whole numbers.
func White(seed uint32, x, y int32) float64 {
	h := seed ^ uint32(x)*0x9e3779b1 ^ uint32(y)*0x85ebca77
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>12) * 0x297a2d39
	h ^= h >> 15
	return float64(h)/(1<<31) - 1
}

// Fractal is fractal noise in about [-1,1].
func Fractal(seed uint32, x, y float64, octaves int) float64 {
	sum, amp := 0.0, 0.5
	for range octaves {
		sum += amp * Smooth(seed, x, y)
		x, y, amp, seed = x*2.03+17.1, y*2.03-9.7, amp/2, seed*747796405+1
	}
	return sum
}
