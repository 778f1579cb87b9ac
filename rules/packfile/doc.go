// Package packfile reads games that are written as data: a folder with a pack
// file, texts and scenarios, and not a line of Go.
//
//	tapper/
//	  pack.yaml                    what cards, turns and areas mean, and the rules
//	  messages/tapper.en.yaml      the texts, a file for each language
//	  messages/tapper.de.yaml
//	  scenarios/*.txt              what each rule does, to be read and run
//
// A pack file conforms to pack.schema.json ([Schema]). Its conditions are
// expressions of github.com/expr-lang/expr over typed fields; docs/packs.md
// lists them. Whatever is wrong with a folder is told with file and line, all of
// it at once.
//
// Of a card whose type isn't known, a condition is asked for every type that
// the game has, and a breach is claimed only if each of them would commit it, at
// the least severity. So a rule that speaks of allies alone, or of all cards but
// allies, says nothing of a card that nobody knows, and no pack need think of it.
//
// The package refuses conditions that could fail, reach out of the program or
// take long: no patterns, no ranges, no lists within lists, no calls but a few
// that end. It refuses files with anchors, tags, unknown keys or a text missing
// in one of the languages, and never falls back to another one.
package packfile
