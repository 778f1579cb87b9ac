package detect

import (
	"encoding/json"
	"fmt"
	"image"
	"math"
	"os"
	"testing"

	"gocv.io/x/gocv"

	"tabletop/board"
)

func desc(s *search, c candidate, h *board.Homography) string {
	out := fmt.Sprintf("q %.2f lvl %d rnd %.2f", c.quality, c.level, roundness(&c.support.corner))
	for i := range c.support.side {
		d := c.support.side[i]
		out += fmt.Sprintf(" [%.2f p%+.1f m%.1f]", d.hit, d.polar, d.mag)
	}
	f := fitCard(c.quad, h, s.card)
	own, _ := bestOwnFit(c.quad, s.centre, s.longest, s.card)
	return out + fmt.Sprintf(" thr %.1f res %.4f (sig %.4f) own %.4f size %.2f", [4]float64{c.support.corner[0].through, c.support.corner[1].through, c.support.corner[2].through, c.support.corner[3].through}, f.residual, s.fitSigma(c.quad), own.residual, f.size)
}

func TestZZ(t *testing.T) {
	name := os.Getenv("ZZ")
	if name == "" {
		t.Skip()
	}
	dir := "/work/shared/photos/tm/"
	file := dir + name + ".jpg"
	if name[0] == '0' {
		file = "/work/shared/photos/cardspotter_auto/" + name + ".png"
	}
	img := gocv.IMRead(file, gocv.IMReadColor)
	defer img.Close()
	data, _ := os.ReadFile(dir + name + ".json")
	var l struct {
		Cards []struct {
			Corners board.Quad
			Name    string
		}
	}
	json.Unmarshal(data, &l)
	if name[0] == '0' {
		data, _ = os.ReadFile("/work/shared/photos/cardspotter_auto/labels.json")
		var set struct {
			Frames []struct {
				Image string
				Cards []struct {
					Corners board.Quad
					Name    string
				}
			}
		}
		json.Unmarshal(data, &set)
		for _, f := range set.Frames {
			if f.Image == name+".png" {
				l.Cards = f.Cards
			}
		}
	}
	d, _ := New(Options{})
	defer d.Close()
	if err := d.prepare(img); err != nil {
		t.Fatal(err)
	}
	s := d.newSearch(img, image.Rect(0, 0, img.Cols(), img.Rows()))
	places, _ := s.places()
	s.choose(places)
	v := s.firstView(places)
	fmt.Printf("first view f %.0f of %.0f tilt %.1f (%.3f %.3f)\n", v.f, s.longest, v.tiltDeg(), v.nx, v.ny)
	var truth [][]weighted
	for _, c := range l.Cards {
		truth = append(truth, []weighted{{c.Corners.Map(s.toLevel), 1}})
	}
	tv := estimateView(truth, s.centre, s.longest, s.card)
	var cards []weighted
	th0 := tv.rectifier()
	for _, g := range truth {
		f := fitCard(g[0].quad, &th0, s.card)
		cards = append(cards, weighted{g[0].quad.Turned(f.turn), 1})
	}
	tv, ts := refineCards(tv, fitCard(cards[0].quad, &th0, s.card).size, cards, s.longest, s.card)
	fmt.Println("size", ts, "centre", tv.centre)
	fmt.Printf("true view f %.0f of %.0f tilt %.1f (%.3f %.3f)\n", tv.f, s.longest, tv.tiltDeg(), tv.nx, tv.ny)
	h := v.rectifier()
	th := tv.rectifier()
	for _, c := range l.Cards[:min(len(l.Cards), 8)] {
		fmt.Println("==", c.Name)
		q0 := c.Corners.Map(s.toLevel)

		for _, lvl := range []int{s.levelFor(q0)} {
			d.prepareLevel(lvl)
			m := &d.levels[lvl].edges
			q := q0.Map(s.intoLevel(lvl))
			sup := m.measure(q, 2, s.card)
			if q2, ok := sup.moved(q); ok {
				q = q2
			}
			sup = m.measure(q, 1, s.card)
			cc := candidate{quad: q.Map(s.fromLevel(lvl)), level: lvl, support: sup, quality: sup.quality()}
			fmt.Println("  label", desc(s, cc, &th))
		}
		for _, p := range separate(places) {
			if covers(p.quad, q0) < 0.5 {
				continue
			}
			fmt.Println("   place", desc(s, p, &h), fmt.Sprintf("IoU %.3f", p.quad.Overlap(q0)))
			o, _ := s.nested(p, &h, filter{aspect: knownAspect})
			bi, bd := -1, math.Inf(1)
			for i := range o {
				e := 1 - o[i].quad.Overlap(q0)
				if e < bd {
					bi, bd = i, e
				}
			}
			for i := range o {
				if i < 2 || i == bi {
					fmt.Println("      ", i, desc(s, o[i], &h), fmt.Sprintf("IoU %.3f", o[i].quad.Overlap(q0)))
				}
			}
		}
	}
}
