package eval

import (
	"bufio"
	"fmt"
	"io"
	"math"
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

	groups := append([]Group{{"all", r.All}}, r.ByVisible...)
	if len(r.BySource) > 1 {
		groups = append(groups, r.BySource...)
	}
	read := [][]string{{"", "cards", "found", "false", "recall %", "precision %", "turn %", "unsure", "wrong", "face %", "wrong", "id %", "unsure", "wrong ids"}}
	exact := [][]string{{"", "corner px", "95 %", "% of height", "95 %", "angle deg", "95 %"}}
	for _, g := range groups {
		read = append(read, []string{g.Name, count(g.Cards), count(g.Recall.N), falseCards(g.Precision),
			percent(g.Recall), percent(g.Precision),
			percent(g.Turn.Share()), count(g.Turn.Unsure), count(g.Turn.Wrong),
			percent(g.Face.Share()), count(g.Face.Wrong),
			percent(g.ID.Share()), count(g.ID.Unsure), count(g.WrongIDs)})
		exact = append(exact, []string{g.Name, number(g.CornerPX.Median, 2), number(g.CornerPX.P95, 2),
			number(g.CornerPercent.Median, 2), number(g.CornerPercent.P95, 2), number(g.Angle.Median, 2), number(g.Angle.P95, 2)})
	}
	fmt.Fprintln(b, "What was found and read")
	writeTable(b, read)
	fmt.Fprintf(b, "  recall: labelled cards found; precision: answers that are cards; unsure: no answer given;\n")
	fmt.Fprintf(b, "  wrong ids: a name given that is not so (worst fault). Less than %.0f %% in view is not counted.\n\n", 100*MinVisible)
	fmt.Fprintln(b, "How exact (median, and what 95 % stay within)")
	writeTable(b, exact)

	fmt.Fprintln(b, "\nHow far confidence can be trusted")
	trust := [][]string{{"confidence", "answers", "said %", "right %"}}
	for _, bin := range r.Reliability {
		if bin.Right.Of > 0 {
			trust = append(trust, []string{fmt.Sprintf("%.1f-%.1f", bin.From, bin.To), count(bin.Right.Of),
				number(100*bin.Confidence, 1), percent(bin.Right)})
		}
	}
	writeTable(b, trust)
	fmt.Fprintf(b, "  expected calibration error: %s %%\n", number(100*r.Calibration, 1))

	if len(r.Faults) > 0 {
		fmt.Fprintf(b, "\nFaults, worst first (%d)\n", len(r.Faults))
		list := [][]string{{"fault", "image", "where", "is", "answer", "sure"}}
		for _, f := range r.Faults[:min(len(r.Faults), shownFaults)] {
			sure := ""
			if f.Got != "" {
				sure = number(f.Confidence, 2)
			}
			list = append(list, []string{string(f.Kind), f.Source + "/" + f.Image, fmt.Sprintf("%.0f,%.0f", f.At.X, f.At.Y), f.Want, f.Got, sure})
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
