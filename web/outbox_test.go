package web

import (
	"slices"
	"testing"
)

// This is in the package because from outside nobody can keep a queue from being
// sent.
func TestOutboxOfHeartbeats(t *testing.T) {
	o := newOutbox(10)
	push := func(kind outKind, text string, fits bool) {
		t.Helper()
		if o.push(kind, []byte(text)) != fits {
			t.Fatalf("%s: fits is not %v", text, fits)
		}
	}
	push(outHeartbeat, "beat 1", true)
	push(outControl, "hey", true)
	push(outStream, "too long", false)
	push(outHeartbeat, "beat 2, however full it is", true)
	push(outControl, "no", false)
	var sent []string
	for w, ok := o.take(); ok; w, ok = o.take() {
		sent = append(sent, string(w.message))
	}
	// Were the second heartbeat in the place of the first, what the hello says
	// about a problem would be the last word, though it is older.
	if want := []string{"hey", "beat 2, however full it is"}; !slices.Equal(sent, want) || o.bytes != 0 {
		t.Fatalf("sent %q, %d bytes left; want %q and 0", sent, o.bytes, want)
	}
}
