package eval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gocv.io/x/gocv"

	"tabletop/board"
	"tabletop/vision/eval"
)

var caseTime = time.Date(2026, 11, 30, 12, 15, 1, 250e6, time.UTC)

func caseFolder(t *testing.T) eval.Folder {
	return eval.Folder{Dir: filepath.Join(t.TempDir(), "cases"), MaxCases: 3, MaxBytes: 1 << 20}
}

// What was saved comes back through Load as the truth of that very picture.
func TestSavedCaseIsACase(t *testing.T) {
	folder := caseFolder(t)
	img := gocv.NewMatWithSizeFromScalar(gocv.NewScalar(10, 120, 240, 0), 60, 90, gocv.MatTypeCV8UC3)
	defer img.Close()
	named := answer("hida-o-ushi", 30, 30, 90, 0.97)
	named.Visible = 0.8
	down := answer("", 60, 30, 10, 0.7)
	down.Face, down.Back, down.AngleModulo, down.Rotation = board.FaceDown, "blue", 180, board.TurnUnknown
	unknown := answer("", 45, 20, 0, 0.6)
	unknown.Face, unknown.AngleModulo, unknown.Rotation = board.FaceUnknown, 180, board.TurnUnknown
	seen := []board.Observation{named, down, unknown}

	saved, err := folder.Save(img, caseTime, 77, seen)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(saved.Image) != "case-20261130-121501.250-77.png" || saved.Cards != 3 {
		t.Errorf("saved %+v", saved)
	}
	r, err := eval.Run(context.Background(), &answers{list: [][]board.Observation{seen}}, eval.Load(folder.Dir))
	if err != nil {
		t.Fatal(err)
	}
	if a := r.All; r.Images != 1 || r.Unverified != 1 || a.Cards != 3 || a.Recall.N != 3 || a.ID.Right != 1 || a.Turn.Right != 1 || a.Face.Right != 2 || len(r.Faults) != 0 {
		t.Errorf("scored %+v", r)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "UNVERIFIED") {
		t.Errorf("the report does not say that nobody looked at the labels (%v):\n%s", err, text.String())
	}
	for c, err := range eval.Load(folder.Dir) {
		if err != nil {
			t.Fatal(err)
		}
		back, err := c.Image()
		if err != nil {
			t.Fatal(err)
		}
		defer back.Close()
		if got := back.GetVecbAt(7, 7); got[0] != 10 || got[1] != 120 || got[2] != 240 {
			t.Errorf("a pixel came back as %v", got)
		}
	}
}

func TestFolderIsBounded(t *testing.T) {
	folder := caseFolder(t)
	img, _ := blank()
	defer img.Close()
	for frame := range uint64(3) {
		if _, err := folder.Save(img, caseTime, frame, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := folder.Save(img, caseTime, 4, nil); !errors.Is(err, eval.ErrFull) || !strings.Contains(err.Error(), "move those that are done") {
		t.Errorf("a fourth case of three: %v", err)
	}
	folder.MaxCases = 10
	if _, err := folder.Save(img, caseTime, 2, nil); err == nil || !strings.Contains(err.Error(), "a case already") {
		t.Errorf("the same frame again: %v", err)
	}
	folder.MaxBytes = 100
	if _, err := folder.Save(img, caseTime, 5, nil); !errors.Is(err, eval.ErrFull) {
		t.Errorf("more bytes than may be: %v", err)
	}
}

// A disk without room leaves nothing behind and says so. /dev/full is such a
// disk: every write to it fails as it would on one.
func TestDiskIsFull(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full on this system")
	}
	img, _ := blank()
	defer img.Close()
	for _, file := range []string{"case-20261130-121501.250-1.png", "case-20261130-121501.250-1.json"} {
		folder := caseFolder(t)
		if err := os.Mkdir(folder.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("/dev/full", filepath.Join(folder.Dir, file+".part")); err != nil {
			t.Fatal(err)
		}
		_, err := folder.Save(img, caseTime, 1, nil)
		if err == nil || !strings.Contains(err.Error(), "the disk is full") || !strings.Contains(err.Error(), folder.Dir) {
			t.Errorf("%s: %v", file, err)
		}
		left, err := os.ReadDir(folder.Dir)
		if err != nil || len(left) != 0 {
			t.Errorf("%s: %v is left behind (%v)", file, left, err)
		}
	}
}

func TestFolderThatCanNotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	img, _ := blank()
	defer img.Close()
	_, err := eval.Folder{Dir: file, MaxCases: 1, MaxBytes: 1 << 20}.Save(img, caseTime, 1, nil)
	if err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("a file in place of the folder: %v", err)
	}
}
