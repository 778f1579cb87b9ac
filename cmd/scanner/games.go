package main

import (
	"fmt"
	"slices"
	"strings"

	"tabletop/board"
	"tabletop/calibration"
	"tabletop/rules"
	"tabletop/rules/champions"
	"tabletop/rules/l5r"
	"tabletop/rules/packfile"
	"tabletop/rules/tapper"
)

// game is a game in the program itself. Its pack is loaded when it is wanted:
// a pack file takes some milliseconds.
type game struct {
	id   string
	load func() (rules.Pack, error)
}

// builtinGames are the games that need no folder of packs.
func builtinGames() []game {
	ready := func(pack rules.Pack) game {
		return game{pack.ID, func() (rules.Pack, error) { return pack, nil }}
	}
	return []game{
		ready(l5r.EmperorEdition()),
		ready(l5r.SamuraiEdition()),
		{"marvel-champions", champions.Pack},
		{"tapper", tapper.Pack},
	}
}

// builtinIDs are what the setting `game` may name without `packs`.
func builtinIDs() []string {
	var ids []string
	for _, g := range builtinGames() {
		ids = append(ids, g.id)
	}
	return ids
}

// gamePacks loads every game: those in the program and, unless dir is empty,
// those in a folder of packs.
func gamePacks(dir string) (rules.Packs, error) {
	var packs rules.Packs
	for _, g := range builtinGames() {
		pack, err := g.load()
		if err != nil {
			return nil, err
		}
		packs = append(packs, pack)
	}
	added, err := addedPacks(dir)
	return append(packs, added...), err
}

// gamePack loads the one game of that id.
func gamePack(id, dir string) (rules.Pack, error) {
	for _, g := range builtinGames() {
		if g.id == id {
			return g.load()
		}
	}
	added, err := addedPacks(dir)
	if err != nil {
		return rules.Pack{}, err
	}
	if pack, err := added.Find(id); err == nil {
		return pack, nil
	}
	known := strings.Join(append(builtinIDs(), added.IDs()...), ", ")
	if dir == "" {
		return rules.Pack{}, fmt.Errorf("unknown game %q: known are %s; the setting packs names a folder with further ones", id, known)
	}
	return rules.Pack{}, fmt.Errorf("unknown game %q: known are %s", id, known)
}

// startLayout is a table of a game to begin with, before anybody has drawn
// zones. A hand is held, so it has no place on the table.
func startLayout(id, dir string) (board.Layout, error) {
	if slices.Contains(calibration.Games(), id) {
		return calibration.DefaultLayout(id)
	}
	pack, err := gamePack(id, dir)
	if err != nil {
		return board.Layout{}, err
	}
	if len(pack.Zones) == 0 {
		return calibration.DefaultLayout(id)
	}
	var own, shared []board.ZoneKind
	for _, z := range pack.Zones {
		switch {
		case z.Kind == board.ZoneHand:
		case z.Shared:
			shared = append(shared, z.Kind)
		default:
			own = append(own, z.Kind)
		}
	}
	return calibration.TableOf(own, shared)
}

func addedPacks(dir string) (rules.Packs, error) {
	if dir == "" {
		return nil, nil
	}
	packs, err := packfile.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, id := range packs.IDs() {
		if slices.Contains(builtinIDs(), id) {
			return nil, fmt.Errorf("%s holds the game %q, which is in the program already; give it another name", dir, id)
		}
	}
	return packs, nil
}
