package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// clubFolder is a folder of packs as a club would have it: the example under
// another name.
func clubFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{
		"pack.yaml":               "pack.yaml",
		"messages/tapper.en.yaml": "messages/club-game.en.yaml",
		"messages/tapper.de.yaml": "messages/club-game.de.yaml",
	} {
		data, err := os.ReadFile(filepath.Join("../../rules/tapper", from))
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "club", to)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(data), "game: tapper", "game: club-game", 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestBuiltinGamesAreCalledByTheirID(t *testing.T) {
	for _, g := range builtinGames() {
		if pack, err := g.load(); err != nil || pack.ID != g.id {
			t.Errorf("%s: the pack's id is %q, %v", g.id, pack.ID, err)
		}
	}
}

func TestGamesFromAFolder(t *testing.T) {
	dir := clubFolder(t)
	packs, err := gamePacks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range append(builtinIDs(), "club-game") {
		if _, err := packs.Find(id); err != nil {
			t.Error(err)
		}
		if pack, err := gamePack(id, dir); err != nil || pack.ID != id {
			t.Errorf("%s: %v", id, err)
		}
	}
	if _, err := LoadConfig("", configFlags(t, "--game=club-game", "--packs="+dir, "--lang=de")); err != nil {
		t.Error(err)
	}
}

func TestGamesRefused(t *testing.T) {
	dir := clubFolder(t)
	broken := clubFolder(t)
	if err := os.WriteFile(filepath.Join(broken, "club", "pack.yaml"), []byte("game: club-game\nturn: 90\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"a game of no folder", []string{"--game=club-game"}, "the setting packs names a folder with further ones"},
		{"a game that the folder lacks", []string{"--game=chess", "--packs=" + dir}, "known are l5r-emperor"},
		{"no folder", []string{"--packs=" + dir + "/no"}, "there is no folder"},
		{"a folder of no packs", []string{"--packs=" + filepath.Join(dir, "club")}, "holds no pack"},
		{"a broken pack", []string{"--game=club-game", "--packs=" + broken}, `pack.yaml:2: there is no key "turn" here; did you mean "turns"?`},
		{"a game that is there already", []string{"--packs=../../rules"}, "is in the program already"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := LoadConfig("", configFlags(t, tt.args...)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestANewGameWorksAsItStands writes a game to begin with, as a club would, and
// runs its scenarios.
func TestANewGameWorksAsItStands(t *testing.T) {
	packs := filepath.Join(t.TempDir(), "packs")
	scanner := func(args ...string) (int, string) {
		var out bytes.Buffer
		status := Main(t.Context(), args, &out, &out)
		return status, out.String()
	}
	if status, said := scanner("rules", "new", "my-game", "--packs", packs); status != exitOK || !strings.Contains(said, "scanner rules test") {
		t.Fatalf("status %d: %s", status, said)
	}
	if status, said := scanner("rules", "test", filepath.Join(packs, "my-game", "scenarios"), "--packs", packs); status != exitOK || !strings.Contains(said, "all as expected") {
		t.Errorf("status %d: %s", status, said)
	}
	for _, args := range [][]string{{"my-game"}, {"tapper"}, {"My Game"}, {}, {"a", "b"}} {
		if status, said := scanner(append([]string{"rules", "new", "--packs", packs}, args...)...); status == exitOK {
			t.Errorf("a new game %v: %s", args, said)
		}
	}
}

func TestEveryGameHasATableToBeginWith(t *testing.T) {
	dir := clubFolder(t)
	for _, id := range append(builtinIDs(), "club-game") {
		layout, err := startLayout(id, dir)
		if err != nil || len(layout.Zones) == 0 || len(layout.Seats) != 2 {
			t.Errorf("%s: %d zones, %v", id, len(layout.Zones), err)
		}
	}
	if _, err := startLayout("chess", ""); err == nil {
		t.Error("chess has a table")
	}
}
