package script

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"

	"tabletop/board"
	"tabletop/internal/tablesim/deck"
)

// Parse compiles a script. name is what errors call it. Errors name the line
// and say what would be right.
func Parse(name, text string, d *deck.Deck) (*Game, error) {
	b := newBuilder(d)
	for i, line := range strings.Split(text, "\n") {
		b.line, b.act = i+1, ""
		words := fields(line)
		if len(words) == 0 {
			continue
		}
		b.act = strings.Join(words, " ")
		if err := b.statement(words); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, b.line, err)
		}
	}
	g, err := b.finish()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// fields splits a line into words and drops the comment.
func fields(line string) []string {
	words := strings.Fields(line)
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "#") }); i >= 0 {
		words = words[:i]
	}
	return words
}

// statements are the grammar's first words with how each is written.
var statements = map[string]struct {
	usage string
	run   func(*builder, *args) error
}{
	"table":      {"table WxH seats SEAT,SEAT", (*builder).table},
	"pace":       {"pace N", (*builder).setPace},
	"lay":        {"lay COPY CARD at PLACE [face-down] [bowed] [pile N]", (*builder).lay},
	"place":      {"place COPY CARD at PLACE [face-down] [bowed] [by SEAT]", (*builder).place},
	"move":       {"move COPY to PLACE [by SEAT]", (*builder).move},
	"bow":        {"bow COPY [by SEAT]", (*builder).bow},
	"straighten": {"straighten COPY [by SEAT]", (*builder).straighten},
	"dishonor":   {"dishonor COPY [by SEAT]", (*builder).dishonor},
	"rehonor":    {"rehonor COPY [by SEAT]", (*builder).rehonor},
	"flip":       {"flip COPY [by SEAT]", (*builder).flip},
	"attach":     {"attach COPY to COPY [by SEAT]", (*builder).attach},
	"discard":    {"discard COPY [by SEAT]", (*builder).discard},
	"remove":     {"remove COPY [by SEAT]", (*builder).remove},
	"wrong":      {"wrong bow-counter COPY, or: wrong upside-down COPY, or: wrong slanted COPY", (*builder).wrong},
	"clear":      {"clear", (*builder).clear},
	"hand":       {"hand over COPY DURATION, or: hand over PLACE DURATION [by SEAT]", (*builder).hand},
	"wait":       {"wait DURATION", (*builder).wait},
	"die":        {"die VALUE on COPY, or: die VALUE at PLACE", (*builder).addDie},
	"token":      {"token LABEL on COPY, or: token LABEL at PLACE", (*builder).addToken},
	"expect":     {"expect EVENT COPY [RULE]", (*builder).expect},
	"repeat":     {"repeat", (*builder).repeat},
}

// early are the statements that do not begin the game.
var early = []string{"table", "pace", "lay", "die", "token", "expect"}

func (b *builder) statement(words []string) error {
	s, ok := statements[words[0]]
	if !ok {
		return fmt.Errorf("there is no statement %q%s", words[0], suggest(words[0], slices.Sorted(maps.Keys(statements))))
	}
	if b.done {
		return errors.New("nothing may follow repeat")
	}
	if !slices.Contains(early, words[0]) {
		b.begin()
	}
	return s.run(b, &args{words: words[1:], usage: s.usage})
}

// args takes a statement's words one by one.
type args struct {
	words []string
	usage string
}

func (a *args) wrong(format string, v ...any) error {
	return fmt.Errorf("%s; write: %s", fmt.Sprintf(format, v...), a.usage)
}

func (a *args) next(what string) (string, error) {
	if len(a.words) == 0 {
		return "", a.wrong("%s is missing", what)
	}
	w := a.words[0]
	a.words = a.words[1:]
	return w, nil
}

// take says whether the next word is this one, and takes it.
func (a *args) take(word string) bool {
	if len(a.words) > 0 && a.words[0] == word {
		a.words = a.words[1:]
		return true
	}
	return false
}

func (a *args) keyword(word string) error {
	if !a.take(word) {
		return a.wrong("%q is missing", word)
	}
	return nil
}

func (a *args) number(what string, lo, hi int) (int, error) {
	w, err := a.next(what)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(w)
	if err != nil || n < lo || n > hi {
		return 0, a.wrong("%s is a number from %d to %d, not %q", what, lo, hi, w)
	}
	return n, nil
}

func (a *args) duration() (time.Duration, error) {
	w, err := a.next("a duration")
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(w)
	if err != nil || d <= 0 || d > time.Hour {
		return 0, a.wrong("%q is no duration such as 500ms or 2s", w)
	}
	return d, nil
}

func (a *args) end() error {
	if len(a.words) > 0 {
		return a.wrong("what does %q mean here?", strings.Join(a.words, " "))
	}
	return nil
}

var (
	labelForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	pairForm  = regexp.MustCompile(`^(-?[0-9.]+),(-?[0-9.]+)$`)
	sizeForm  = regexp.MustCompile(`^([0-9]+)x([0-9]+)$`)
)

// newLabel takes the name of a copy that is not on the table yet.
func (b *builder) newLabel(a *args) (string, error) {
	w, err := a.next("the copy's name")
	if err != nil {
		return "", err
	}
	if !labelForm.MatchString(w) {
		return "", a.wrong("%q is no name for a copy: begin with a letter, go on with letters, digits, - or _", w)
	}
	if c := b.find(w); c != nil {
		return "", fmt.Errorf("%s lies on the table already, since line %d", w, c.line)
	}
	return w, nil
}

// onTable takes the name of a copy that lies on the table.
func (b *builder) onTable(a *args) (*piece, error) {
	w, err := a.next("the copy's name")
	if err != nil {
		return nil, err
	}
	c := b.find(w)
	if c == nil {
		var names []string
		for _, c := range b.pieces {
			names = append(names, c.label)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("no copy %q lies on the table%s", w, suggest(w, names))
	}
	return c, nil
}

func (b *builder) card(a *args) (board.Card, error) {
	w, err := a.next("the card")
	if err != nil {
		return board.Card{}, err
	}
	card, ok := b.deck.Card(board.CardID(w))
	if !ok {
		var ids []string
		for _, c := range b.deck.Cards() {
			ids = append(ids, string(c.ID))
		}
		return board.Card{}, fmt.Errorf("there is no card %q in the deck%s", w, suggest(w, ids))
	}
	return card, nil
}

// by takes "by SEAT" where it stands, wherever that is.
func (b *builder) by(a *args) (*board.Seat, error) {
	i := slices.Index(a.words, "by")
	if i < 0 {
		return nil, nil
	}
	if i+1 >= len(a.words) {
		return nil, a.wrong("a seat is missing after by")
	}
	seat, ok := b.layout.Seat(board.SeatID(a.words[i+1]))
	if !ok {
		return nil, fmt.Errorf("nobody sits at %q; the seats are %s", a.words[i+1], b.seatNames())
	}
	a.words = slices.Delete(slices.Clone(a.words), i, i+2)
	return &seat, nil
}

func (b *builder) seatNames() string {
	var names []string
	for _, s := range b.layout.Seats {
		names = append(names, string(s.ID))
	}
	return strings.Join(names, ", ")
}

// place is where something is put.
type place struct {
	at   board.Point
	zone board.Zone
	pile bool // cards lie on top of each other here
}

// placeOf takes a PLACE; acting is whose left slots are counted from in a shared
// zone, or nil for the first seat.
func (b *builder) placeOf(a *args, acting *board.Seat) (place, error) {
	w, err := a.next("a place")
	if err != nil {
		return place{}, err
	}
	if m := pairForm.FindStringSubmatch(w); m != nil {
		x, errX := strconv.ParseFloat(m[1], 64)
		y, errY := strconv.ParseFloat(m[2], 64)
		if errX != nil || errY != nil || x < 0 || y < 0 || x > b.layout.Size.Width || y > b.layout.Size.Height {
			return place{}, fmt.Errorf("%s is not on the table, which is %gx%g mm", w, b.layout.Size.Width, b.layout.Size.Height)
		}
		p := board.Point{X: x, Y: y}
		zone, _ := b.layout.ZoneAt(p)
		return place{at: p, zone: zone}, nil
	}
	zone, ok := b.layout.Zone(board.ZoneID(w))
	if !ok {
		var ids []string
		for _, z := range b.layout.Zones {
			ids = append(ids, string(z.ID))
		}
		return place{}, fmt.Errorf("there is no zone %q%s", w, suggest(w, ids))
	}
	seat := b.layout.Seats[0]
	if acting != nil {
		seat = *acting
	}
	if own, ok := b.layout.Seat(zone.Seat); ok {
		seat = own
	}
	all := slots(b.layout, zone, seat.UpDeg)
	if zone.Seat == "" {
		for i := range all { // on the player's own side of the middle
			all[i] = all[i].Add(towards(seat).Scale(sharedMM))
		}
	}
	p := place{zone: zone, pile: len(all) == 1}
	if len(a.words) > 0 && strings.Trim(a.words[0], "0123456789") == "" {
		n, err := a.number("the slot", 1, len(all))
		if err != nil {
			return place{}, fmt.Errorf("%s has %d slots: %w", zone.ID, len(all), err)
		}
		p.at = all[n-1]
		return p, nil
	}
	p.at = all[0]
	if !p.pile {
		free := slices.IndexFunc(all, func(s board.Point) bool { return b.occupant(s) == nil })
		if free < 0 {
			return place{}, fmt.Errorf("all %d slots of %s are taken", len(all), zone.ID)
		}
		p.at = all[free]
	}
	return p, nil
}

// sharedMM is how far towards their player cards lie in a shared zone.
const sharedMM = 8

// occupant is a copy that would be in the way of one put at p.
func (b *builder) occupant(p board.Point) *piece {
	for _, c := range b.pieces {
		if c.item.Centre.Distance(p) < 60 {
			return c
		}
	}
	return nil
}

// suggest is " (did you mean …?)" for the known word that is nearest, if any is
// near.
func suggest(word string, known []string) string {
	best, distance := "", max(len(word)/2, 2)+1
	for _, k := range known {
		d := levenshtein.ComputeDistance(word, k)
		if strings.HasPrefix(k, word) || (len(k) > 3 && strings.Contains(word, k)) {
			d = min(d, 1)
		}
		if d < distance {
			best, distance = k, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf(" (did you mean %s?)", best)
	case len(known) > 0 && len(known) <= 25:
		return "; there is " + strings.Join(known, ", ")
	}
	return ""
}
