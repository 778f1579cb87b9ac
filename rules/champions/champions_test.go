package champions_test

import (
	"testing"

	"tabletop/rules/champions"
)

func TestPackIsComplete(t *testing.T) {
	if _, err := champions.Pack(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := champions.Pack(); err != nil {
			b.Fatal(err)
		}
	}
}
