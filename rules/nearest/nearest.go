// Package nearest guesses which known word somebody meant who misspelt one. It
// refuses to guess where more than a third of the word, and one letter, would
// have to be changed.
package nearest

import "github.com/agnivade/levenshtein"

// Word returns the known word that is nearest to a word by edit distance (V. I.
// Levenshtein, 1966), the first of those equally near; "" if none is near. Case
// counts.
func Word(word string, known []string) string {
	best, least := "", 1+len(word)/3
	for _, k := range known {
		if d := levenshtein.ComputeDistance(word, k); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	return best
}
