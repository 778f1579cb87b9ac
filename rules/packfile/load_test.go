package packfile_test

import (
	"os"
	"testing"

	"tabletop/rules/packfile"
)

func TestLoadTapper(t *testing.T) {
	if _, err := packfile.Load(os.DirFS("../tapper"), "rules/tapper"); err != nil {
		t.Fatal(err)
	}
}
