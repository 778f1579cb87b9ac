package catalog

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tabletop/board"
)

// misspelt warns of keys of the card list that are kept as attributes but look
// like a known key in other letters: "nmae". What stands under "attributes" is
// never doubted.
func misspelt(file string, list map[board.CardID]listed) []string {
	cards := make(map[[2]string][]string) // by the key and what it may be meant for
	for id, item := range list {
		for key, meant := range item.mistakable {
			pair := [2]string{key, meant}
			cards[pair] = append(cards[pair], string(id))
		}
	}
	var warnings []string
	for _, pair := range slices.SortedFunc(maps.Keys(cards), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		ids := cards[pair]
		slices.Sort(ids)
		warnings = append(warnings, fmt.Sprintf("%s: the key %q of %d card(s) (%s) is not known and was kept as an attribute; if %q is meant, correct it, and if not, write it under attributes",
			file, pair[0], len(ids), strings.Join(firstFew(ids), ", "), pair[1]))
	}
	return warnings
}

// meantKey is the known key that another may be a misspelling of, or "".
func meantKey(key string) string {
	lower := strings.ToLower(key)
	for _, known := range []string{"name", "type", "back", "landscape", "attributes"} {
		if lower == known {
			return known // in capitals
		}
		slips := 1
		if len(known) > 5 {
			slips = 2
		}
		// Words such as "game" and "pack" are attributes in their own right;
		// slips of the pen seldom change the first letter alone.
		word := len(lower) == len(known) && lower[1:] == known[1:]
		if !word && editDistance(lower, known) <= slips {
			return known
		}
	}
	return ""
}

// editDistance is the number of letters to insert, delete, change or swap with
// their neighbour to make b of a (the optimal string alignment distance).
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(s); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(t); j++ {
			change := 1
			if s[i-1] == t[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(t)]
}
