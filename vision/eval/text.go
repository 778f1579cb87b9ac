package eval

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// shownFaults is how many faults the text lists; JSON has them all.
const shownFaults = 20

// WriteText writes the report as tables for people.
func (r Report) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%d images, %d labelled cards\n", r.Images, r.All.Cards)
	fmt.Fprintf(b, "time per image: median %s ms, 95 %% within %s ms\n\n", number(r.Time.Median, 1), number(r.Time.P95, 1))

	if r.Unverified > 0 {
		fmt.Fprintf(b, "UNVERIFIED: the labels of %d of these images were written by the scanner, and nobody has looked at\n"+
			"them. For those the figures only compare two versions of it. Correct the labels and take out \"unverified\".\n\n", r.Unverified)
	}
	read := [][]string{{"", "cards", "found", "false", "recall %", "precision %", "turn %", "unsure", "wrong", "face %", "wrong", "id %", "unsure", "wrong ids"}}
	exact := [][]string{{"", "corner px", "95 %", "own", "95 %", "% of height", "95 %", "angle deg", "95 %"}}
	for _, g := range r.blocks() {
		read = append(read, []string{g.Name, count(g.Cards), count(g.Recall.N), falseCards(g.Precision),
			percent(g.Recall), percent(g.Precision),
			percent(g.Turn.Share()), count(g.Turn.Unsure), count(g.Turn.Wrong),
			percent(g.Face.Share()), count(g.Face.Wrong),
			percent(g.ID.Share()), count(g.ID.Unsure), count(g.WrongIDs)})
		exact = append(exact, []string{g.Name, number(g.CornerPX.Median, 2), number(g.CornerPX.P95, 2),
			number(g.OwnCornerPX.Median, 2), number(g.OwnCornerPX.P95, 2),
			number(g.CornerPercent.Median, 2), number(g.CornerPercent.P95, 2), number(g.Angle.Median, 2), number(g.Angle.P95, 2)})
	}
	fmt.Fprintln(b, "What was found and read")
	writeTable(b, read)
	fmt.Fprintf(b, "  recall: labelled cards found; precision: answers that are cards; unsure: no answer given;\n")
	fmt.Fprintf(b, "  wrong ids: a name given that is not so (worst fault). Less than %.0f %% in view is not counted.\n\n", 100*MinVisible)
	fmt.Fprintln(b, "How exact (median, and what 95 % stay within)")
	writeTable(b, exact)
	fmt.Fprintln(b, "  corner: from the card's corners or its sleeve's, whichever is nearer; own: from the card's")

	r.writeReliability(b)

	if len(r.FalseCards) > 0 {
		fmt.Fprintln(b, "\nWhat was taken for a card")
		list := [][]string{{"", "false cards", "named", "surest"}}
		for _, f := range r.FalseCards {
			list = append(list, []string{cmp.Or(f.Kind, "labels don't tell"), count(f.Count), count(f.Named), number(f.Most, 3)})
		}
		writeTable(b, list)
	}
	if len(r.Faults) > 0 {
		fmt.Fprintf(b, "\nFaults, worst first (%d)\n", len(r.Faults))
		list := [][]string{{"fault", "image", "where", "is", "answer", "sure"}}
		for _, f := range r.Faults[:min(len(r.Faults), shownFaults)] {
			sure := ""
			if f.Got != "" {
				sure = number(f.Confidence, 2)
			}
			kind := string(f.Kind)
			if f.Unverified {
				kind += " (unverified)"
			}
			list = append(list, []string{kind, f.Source + "/" + f.Image, fmt.Sprintf("%.0f,%.0f", f.At.X, f.At.Y), f.Want, f.Got, sure})
		}
		writeTable(b, list)
		if more := len(r.Faults) - shownFaults; more > 0 {
			fmt.Fprintf(b, "  and %d more (all are in the JSON)\n", more)
		}
	}
	return b.Flush()
}

// writeTable aligns the first column left and columns of numbers right.
func writeTable(w io.Writer, rows [][]string) {
	width := make([]int, len(rows[0]))
	right := make([]bool, len(rows[0]))
	for c := range width {
		right[c] = c > 0
		for i, row := range rows {
			width[c] = max(width[c], utf8.RuneCountInString(row[c]))
			if i > 0 && strings.IndexFunc(row[c], func(r rune) bool { return r >= 'a' && r <= 'z' }) >= 0 {
				right[c] = false
			}
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for c, cell := range row {
			pad := strings.Repeat(" ", width[c]-utf8.RuneCountInString(cell))
			if right[c] {
				line.WriteString("  " + pad + cell)
			} else {
				line.WriteString("  " + cell + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

func count(n int) string { return fmt.Sprint(n) }

func falseCards(precision Share) string {
	if precision.Of == 0 {
		return "-"
	}
	return count(precision.Of - precision.N)
}

// percent is cut, not rounded: 100.0 means all of them.
func percent(s Share) string {
	if s.Of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(s.N*1000/s.Of)/10)
}

func number(v float64, digits int) string {
	if math.IsNaN(v) {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, v)
}

// blocks are the rows of the tables: all, then each level, then each source,
// where there is more than one, with its parts by visible share.
func (r Report) blocks() []Group {
	rows := []Group{{Name: "all", Figures: r.All}}
	add := func(parts []Group) {
		for _, g := range parts {
			if g.Cards > 0 {
				g.Name = "  " + g.Name
				rows = append(rows, g)
			}
		}
	}
	add(r.ByVisible)
	// Where each level is a source of its own, one of the two says it all.
	same := slices.EqualFunc(r.ByLevel, r.BySource, func(a, b Group) bool { return a.Cards == b.Cards && a.Precision == b.Precision })
	if len(r.ByLevel) > 1 && !same {
		for _, g := range r.ByLevel {
			g.Name = "level " + g.Name
			rows = append(rows, g)
			add(g.ByVisible)
		}
	}
	if len(r.BySource) > 1 {
		for _, g := range r.BySource {
			rows = append(rows, g)
			add(g.ByVisible)
		}
	}
	return rows
}

func (r Report) writeReliability(w io.Writer) {
	curve := [][]string{{"question", "confidence", "answers", "said %", "right %", "wrong", "in 1,000", "95 %"}}
	sure := [][]string{{"", "answers", "wrong", "in 1,000", "95 %", "at most 1 in 1,000"}}
	for _, q := range r.Reliability {
		for i, bin := range q.Bins {
			name := ""
			if i == 0 {
				name = string(q.Question)
			}
			wrong := Share{bin.Right.Of - bin.Right.N, bin.Right.Of}
			curve = append(curve, []string{name, fmt.Sprintf("%g-%g", bin.From, bin.To), count(bin.Right.Of),
				number(100*bin.Confidence, 2), percent(bin.Right), count(wrong.N), perMille(wrong), bin.Wrong.perMille()})
		}
		if q.Sure.Wrong.Of > 0 {
			sure = append(sure, []string{string(q.Question), count(q.Sure.Wrong.Of), count(q.Sure.Wrong.N), perMille(q.Sure.Wrong), q.Sure.Interval.perMille(), q.Sure.Verdict()})
		}
	}
	if len(r.BySource) > 1 {
		for _, g := range r.BySource {
			if s := (Sure{g.SureWrong, Wilson(g.SureWrong)}); s.Wrong.Of > 0 {
				sure = append(sure, []string{"all, " + g.Name, count(s.Wrong.Of), count(s.Wrong.N), perMille(s.Wrong), s.Interval.perMille(), s.Verdict()})
			}
		}
	}
	if len(curve) > 1 {
		fmt.Fprintln(w, "\nHow far confidence can be trusted")
		writeTable(w, curve)
	}
	for _, q := range r.Reliability {
		if q.Question == QuestionAll && len(q.Bins) > 0 {
			fmt.Fprintf(w, "  expected calibration error of all: %s %%\n", number(100*q.Calibration, 2))
		}
	}
	if len(sure) > 1 {
		fmt.Fprintf(w, "\nAnswers of a confidence of %g and more\n", SureFrom)
		writeTable(w, sure)
	}
}

func perMille(s Share) string { return number(1000*s.Value(), 1) }

func (i Interval) perMille() string { return fmt.Sprintf("%.1f-%.1f", 1000*i.Low, 1000*i.High) }
