package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"pgregory.net/rapid"

	"tabletop/board"
	"tabletop/journal"
	"tabletop/web"
)

func TestHelloSnapshotEvents(t *testing.T) {
	tb := newTable(t, web.HubOptions{})
	tb.publish(change(board.EventPlaced, nil, copyOf("c1", "hida", board.FaceUp, "south.home")))
	c := tb.dial(nil)
	hello := c.hello()
	want := web.Hello{Type: "hello", Protocol: 1, Epoch: hello.Epoch, Role: web.RoleViewer, Table: "Table 7", Game: "l5r-emperor", Head: 1}
	if hello != want || hello.Epoch == "" {
		t.Fatalf("hello %+v, want %+v", hello, want)
	}
	c.subscribe("board", nil)
	snapshot := c.snapshot()
	if snapshot.Seq != 1 || snapshot.Board.Copies["c1"].Card.ID != "hida" || len(snapshot.Board.Layout.Zones) != 4 {
		t.Fatalf("snapshot %+v", snapshot)
	}
	tb.publish(bow("c1")...)
	first, second := c.event(), c.event()
	if first.Seq != 2 || first.Kind != "card.bowed" || first.Card != "c1" || !first.After.State.Has("bowed") || len(first.Before.State) != 0 {
		t.Fatalf("event %+v", first)
	}
	if second.Seq != 3 || second.Kind != "card.straightened" {
		t.Fatalf("event %+v", second)
	}
}

func TestNothingIsNullThatIsAMap(t *testing.T) {
	tb := newTable(t, web.HubOptions{Match: web.Match{Epoch: "e"}}) // not even a layout
	for _, token := range []string{"", "judge-token"} {
		c := tb.dial(cookie(token))
		c.hello()
		c.subscribe("board", nil)
		c.snapshot()
		if !strings.Contains(c.raw.String(), `"seats":[],"zones":[]},"copies":{},"findings":{}`) {
			t.Errorf("token %q: %s", token, c.raw.String())
		}
	}
}

func TestResume(t *testing.T) {
	tb := newTable(t, web.HubOptions{KeepEvents: 3})
	c := tb.dial(nil)
	epoch := c.hello().Epoch
	tb.publish(bow("c1")...)
	tb.publish(bow("c1")...)
	tb.publish(bow("c1")...) // 6 events; 4, 5, 6 are kept
	for _, test := range []struct {
		name     string
		since    web.Position
		snapshot bool
		first    uint64
	}{
		{"all that is kept", web.Position{Epoch: epoch, Seq: 3}, false, 4},
		{"some", web.Position{Epoch: epoch, Seq: 5}, false, 6},
		{"too old", web.Position{Epoch: epoch, Seq: 2}, true, 6},
		{"another epoch", web.Position{Epoch: "other", Seq: 5}, true, 6},
		{"no epoch", web.Position{Seq: 5}, true, 6},
		{"from the future", web.Position{Epoch: epoch, Seq: 7}, true, 6},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, view := range []string{"board", "log"} {
				c := tb.dial(nil)
				c.hello()
				c.subscribe(view, &test.since)
				if test.snapshot {
					if s := c.snapshot(); s.Seq != test.first {
						t.Fatalf("%s: snapshot at %d, want %d", view, s.Seq, test.first)
					}
					continue
				}
				for seq := test.first; seq <= 6; seq++ {
					if e := c.event(); e.Seq != seq {
						t.Fatalf("%s: event %d, want %d", view, e.Seq, seq)
					}
				}
			}
		})
	}
	t.Run("nothing missed", func(t *testing.T) {
		c := tb.dial(nil)
		c.hello()
		c.subscribe("log", &web.Position{Epoch: epoch, Seq: 6})
		tb.publish(bow("c1")...)
		if e := c.event(); e.Seq != 7 {
			t.Fatalf("event %d, want 7", e.Seq)
		}
	})
}

// TestResumeMissesNothing is the promise of the contract: a client that drops
// off at any moment and comes back with what it has sees every number once, and
// the board it folds is the board a fresh client is shown.
func TestResumeMissesNothing(t *testing.T) {
	tb := newTable(t, web.HubOptions{KeepEvents: 40, QueueBytes: 64 << 10})
	rapid.Check(t, func(r *rapid.T) {
		role := rapid.SampledFrom([]string{"", "judge-token"}).Draw(r, "token")
		view := rapid.SampledFrom([]string{"board", "log"}).Draw(r, "view")
		var position *web.Position
		var b board.Board
		var c *client
		var again bool      // asked again on this connection
		connect := func() { // and subscribe
			again = false
			c = tb.dial(cookie(role))
			hello := c.hello()
			if position != nil && position.Epoch != hello.Epoch {
				r.Fatalf("the epoch changed")
			}
			c.subscribe(view, position)
			if position == nil {
				position = &web.Position{Epoch: hello.Epoch}
			}
		}
		take := func() {
			kind, data, err := c.receive()
			if websocket.IsCloseError(err, web.CloseSlowClient) && view == "log" {
				c.conn.Close() // on a busy machine it may be too slow: then it comes back
				connect()
				return
			}
			if err != nil {
				r.Fatal(err)
			}
			switch kind {
			case "snapshot":
				var s web.Snapshot
				if err := json.Unmarshal(data, &s); err != nil {
					r.Fatal(err)
				}
				if s.Seq < position.Seq {
					r.Fatalf("snapshot at %d, but %d was known", s.Seq, position.Seq)
				}
				position.Seq, b = s.Seq, s.Board
			case "event":
				var e board.Event
				if err := json.Unmarshal(data, &e); err != nil {
					r.Fatal(err)
				}
				if again && e.Seq <= position.Seq {
					return // it was on its way when the client asked again
				}
				if e.Seq != position.Seq+1 {
					r.Fatalf("event %d after %d", e.Seq, position.Seq)
				}
				b.Apply(e)
				position.Seq = e.Seq
			default:
				r.Fatalf("unexpected %s", kind)
			}
		}
		connect()
		take()
		for range rapid.IntRange(1, 6).Draw(r, "rounds") {
			for _, e := range randomEvents(r) {
				tb.publish(e)
			}
			head := headOf(tb, role)
			stopAt := position.Seq
			if head > stopAt {
				stopAt += rapid.Uint64Range(0, head-stopAt).Draw(r, "read")
			}
			for position.Seq < stopAt {
				take()
			}
			switch rapid.IntRange(0, 2).Draw(r, "then") {
			case 0: // as after a heartbeat with a head beyond what it has
				c.subscribe(view, position)
				again = true
			case 1:
				c.conn.Close()
				for _, e := range randomEvents(r) {
					tb.publish(e)
				}
				connect()
			}
		}
		for head := headOf(tb, role); position.Seq < head; {
			take()
		}
		c.conn.Close()
		fresh := tb.dial(cookie(role))
		fresh.hello()
		fresh.subscribe("board", nil)
		want := fresh.snapshot()
		fresh.conn.Close()
		if len(b.Prompts) == 0 {
			b.Prompts = nil // as it comes when there are none
		}
		if want.Seq != position.Seq || !reflect.DeepEqual(want.Board, b) {
			r.Fatalf("at %d the client has\n%+v\nthe server has at %d\n%+v", position.Seq, b, want.Seq, want.Board)
		}
	})
}

func headOf(tb *table, token string) uint64 {
	c := tb.dial(cookie(token))
	defer c.conn.Close()
	return c.hello().Head
}

// randomEvents draws a few changes of a few copies, consistent only in that
// each has what the contract wants.
func randomEvents(r *rapid.T) []board.Event {
	draw := rapid.Custom(func(r *rapid.T) board.Event {
		id := rapid.SampledFrom([]string{"c1", "c2", "c3"}).Draw(r, "id")
		pose := func(name string) *board.Copy {
			face := rapid.SampledFrom([]board.Face{board.FaceUp, board.FaceDown}).Draw(r, name+" face")
			zone := rapid.SampledFrom([]board.ZoneID{"south.home", "south.hand"}).Draw(r, name+" zone")
			return copyOf(id, "hida", face, zone)
		}
		switch rapid.IntRange(0, 7).Draw(r, "kind") {
		case 0:
			return change(board.EventPlaced, nil, pose("after"))
		case 1:
			return change(board.EventRemoved, pose("before"), nil)
		case 2:
			return board.Event{Kind: board.EventFindingOpened, Finding: &board.Finding{ID: "f1", Rule: "bow.turn", Copies: []board.CopyID{"c1"}}}
		case 3:
			decision := rapid.SampledFrom(board.Decisions()).Draw(r, "decision")
			return board.Event{Kind: board.EventFindingDecided, Finding: &board.Finding{ID: "f1", Rule: "bow.turn", Copies: []board.CopyID{"c1"}, Decision: decision}}
		case 4:
			kind := rapid.SampledFrom([]board.EventKind{board.EventPromptOpened, board.EventPromptEnded}).Draw(r, "prompt")
			return board.Event{Kind: kind, Prompt: &board.Prompt{ID: "p1", Rule: "honor.destroyed"}}
		case 5:
			honor := rapid.IntRange(0, 9).Draw(r, "honor")
			return board.Event{Kind: board.EventActionDeclared, Action: &board.Action{ID: "a1"}, Answer: &board.Answer{Legal: true}, Game: &board.Game{Honor: map[board.SeatID]int{"south": honor}}}
		}
		return change("card.bowed", pose("before"), pose("after"))
	})
	return rapid.SliceOfN(draw, 0, 20).Draw(r, "events")
}

func TestHeartbeat(t *testing.T) {
	tb := newTable(t, web.HubOptions{})
	c := tb.dial(nil)
	c.hello()
	tb.clock.Advance(10 * time.Second)
	if got := c.heartbeat(); got.Head != 0 {
		t.Fatalf("head %d, want 0", got.Head)
	}
	tb.publish(change(board.EventPlaced, nil, copyOf("c1", "hida", board.FaceUp, "south.home")))
	tb.clock.Advance(10 * time.Second)
	if got := c.heartbeat(); got.Head != 1 {
		t.Fatalf("head %d, want 1, though nothing is subscribed", got.Head)
	}
}

// A problem reaches everyone at once, whatever their delay and whether they
// subscribed, and whoever comes later with the hello.
func TestProblem(t *testing.T) {
	const dark = "No picture from the camera for 12 s"
	tb := newTable(t, web.HubOptions{Delays: map[web.Role]time.Duration{web.RoleViewer: time.Minute}})
	viewer, judge := tb.dial(nil), tb.dial(cookie("judge-token"))
	for _, c := range []*client{viewer, judge} {
		if hello := c.hello(); hello.Problem != "" || strings.Contains(c.raw.String(), "problem") {
			t.Fatalf("a problem though all is well: %s", c.raw.String())
		}
	}
	tb.hub.SetProblem(dark)
	tb.hub.SetProblem(dark)
	tb.hub.SetProblem(" No picture\nfrom the camera  for 12 s ")
	late := tb.dial(nil)
	if hello := late.hello(); hello.Problem != dark {
		t.Fatalf("hello %+v, want the problem %q", hello, dark)
	}
	// Read before the next one is said: of heartbeats only the newest waits.
	for _, c := range []*client{viewer, judge} {
		if got := c.heartbeat(); got.Problem != dark {
			t.Fatalf("%+v, want the problem %q", got, dark)
		}
	}
	tb.hub.SetProblem("")
	for _, c := range []*client{viewer, judge, late} {
		if got := c.heartbeat(); got.Problem != "" {
			t.Fatalf("%+v, want the end of the problem, and each text once", got)
		}
	}
	tb.hub.SetProblem(strings.Repeat("ö", 1000))
	if got := judge.heartbeat().Problem; got != strings.Repeat("ö", 159)+"…" {
		t.Fatalf("a long text came as %q", got)
	}
	judge.send(`{"type":"auth","token":"judge-token"}`)
	if hello := judge.hello(); !strings.HasPrefix(hello.Problem, "öö") {
		t.Fatalf("hello %+v without the problem", hello)
	}
	tb.clock.Advance(10 * time.Second)
	if got := judge.heartbeat(); !strings.HasPrefix(got.Problem, "öö") {
		t.Fatalf("heartbeat %+v without the problem", got)
	}
}

func TestProblemOfAStoppedHub(t *testing.T) {
	tb := newTable(t, web.HubOptions{})
	tb.stop()
	tb.hub.SetProblem("nobody listens") // must return
}

func TestRoles(t *testing.T) {
	tb := newTable(t, web.HubOptions{Delays: map[web.Role]time.Duration{web.RoleViewer: 30 * time.Second}})
	for token, want := range map[string]web.Role{
		"": web.RoleViewer, "nonsense": web.RoleViewer,
		"overlay-token": web.RoleOverlay, "judge-token": web.RoleJudge, "operator-token": web.RoleOperator,
	} {
		t.Run("token "+token, func(t *testing.T) {
			byCookie := tb.dial(cookie(token))
			if got := byCookie.hello(); got.Role != want || (got.DelayMS == 30_000) != (want == web.RoleViewer) {
				t.Errorf("by cookie: %+v, want role %s", got, want)
			}
			byMessage := tb.dial(nil)
			byMessage.hello()
			byMessage.send(fmt.Sprintf(`{"type":"auth","token":%q}`, token))
			if got := byMessage.hello(); got.Role != want {
				t.Errorf("by message: %+v, want role %s", got, want)
			}
			bySubscribe := tb.dial(nil)
			bySubscribe.hello()
			bySubscribe.send(fmt.Sprintf(`{"type":"subscribe","view":"board","token":%q}`, token))
			if want != web.RoleViewer { // a hello comes when the role changes
				if got := bySubscribe.hello(); got.Role != want {
					t.Errorf("by subscribe: %+v, want role %s", got, want)
				}
			}
			bySubscribe.snapshot()
		})
	}
	t.Run("not in the URL", func(t *testing.T) {
		conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(tb.url, "http")+"/ws?token=judge-token", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if got := (&client{t: t, conn: conn}).hello(); got.Role != web.RoleViewer {
			t.Fatalf("role %s", got.Role)
		}
	})
	t.Run("a numbering is its role's own", func(t *testing.T) {
		c := tb.dial(nil)
		viewer := c.hello()
		c.send(`{"type":"auth","token":"judge-token"}`)
		if judge := c.hello(); judge.Epoch == viewer.Epoch {
			t.Fatal("viewer and judge share an epoch, but not the numbers")
		}
	})
}

func TestGuessingTokens(t *testing.T) {
	tb := newTable(t, web.HubOptions{})
	c := tb.dial(nil)
	for range 6 {
		c.hello()
		c.send(`{"type":"auth","token":"guess"}`)
	}
	c.expectClose(web.CloseMalformed)
}

func TestMalformedMessages(t *testing.T) {
	tb := newTable(t, web.HubOptions{})
	for _, test := range []struct{ name, send, code string }{
		{"no JSON", `subscribe`, web.CodeMalformed},
		{"empty", ``, web.CodeMalformed},
		{"an array", `[]`, web.CodeMalformed},
		{"null", `null`, web.CodeMalformed},
		{"no type", `{"view":"board"}`, web.CodeMalformed},
		{"unknown type", `{"type":"unplug"}`, web.CodeUnknownType},
		{"unknown view", `{"type":"subscribe","view":"hands"}`, web.CodeUnknownView},
		{"no view", `{"type":"subscribe"}`, web.CodeUnknownView},
		{"negative since", `{"type":"subscribe","view":"log","since":{"epoch":"x","seq":-1}}`, web.CodeMalformed},
		{"token of another type", `{"type":"auth","token":7}`, web.CodeMalformed},
		{"not UTF-8", "{\"type\":\"\xff\"}", web.CodeMalformed},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := tb.dial(nil)
			c.hello()
			c.send(test.send)
			if got := expect[web.Error](c, "error"); got.Code != test.code || got.Message == "" {
				t.Fatalf("error %+v, want code %s", got, test.code)
			}
			// Once is forgiven …
			c.subscribe("board", nil)
			c.snapshot()
			// … twice is not.
			c.send(test.send)
			expect[web.Error](c, "error")
			c.expectClose(web.CloseMalformed)
		})
	}
	t.Run("binary", func(t *testing.T) {
		c := tb.dial(nil)
		c.hello()
		if err := c.conn.WriteMessage(websocket.BinaryMessage, []byte(`{"type":"subscribe","view":"board"}`)); err != nil {
			t.Fatal(err)
		}
		expect[web.Error](c, "error")
	})
	t.Run("too large", func(t *testing.T) {
		c := tb.dial(nil)
		c.hello()
		c.send(`{"type":"auth","token":"` + strings.Repeat("x", 100<<10) + `"}`)
		c.expectClose(websocket.CloseMessageTooBig)
	})
	t.Run("unknown fields are no error", func(t *testing.T) {
		c := tb.dial(nil)
		c.hello()
		c.send(`{"type":"subscribe","view":"board","colour":"red"}`)
		c.snapshot()
	})
}

func TestHandshake(t *testing.T) {
	tb := newTable(t, web.HubOptions{})
	url := "ws" + strings.TrimPrefix(tb.url, "http")
	for _, test := range []struct {
		name, path, origin string
		protocols          []string
		cookie             string
		role               web.Role // "": refused
	}{
		{name: "a program", path: "/ws", role: web.RoleViewer},
		{name: "only the host", path: "", role: web.RoleViewer},
		{name: "this server's page", path: "/ws", origin: tb.url, cookie: "judge-token", role: web.RoleJudge},
		{name: "another site's page", path: "/ws", origin: "http://evil.example"},
		{name: "a file in OBS", path: "/ws", origin: "null", role: web.RoleViewer},
		{name: "no origin gets no cookie's role", path: "/ws", origin: "null", cookie: "judge-token", role: web.RoleViewer},
		{name: "other subprotocols", path: "/ws", protocols: []string{"tabletop.v9.json"}},
		{name: "ours among others", path: "/ws", protocols: []string{"tabletop.v9.json", web.Subprotocol}, role: web.RoleViewer},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{}
			if test.origin != "" {
				header.Set("Origin", test.origin)
			}
			if test.cookie != "" {
				header.Set("Cookie", web.CookieName+"="+test.cookie)
			}
			conn, _, err := (&websocket.Dialer{Subprotocols: test.protocols}).Dial(url+test.path, header)
			if test.role == "" {
				if err == nil {
					conn.Close()
					t.Fatal("it was let in")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if got := (&client{t: t, conn: conn}).hello(); got.Role != test.role {
				t.Fatalf("role %s, want %s", got.Role, test.role)
			}
		})
	}
}

func TestTooManyClients(t *testing.T) {
	tb := newTable(t, web.HubOptions{MaxClients: 1})
	first := tb.dial(nil)
	first.hello()
	tb.dial(nil).expectClose(websocket.CloseTryAgainLater)
	first.subscribe("board", nil)
	first.snapshot()
}

func TestDelay(t *testing.T) {
	tb := newTable(t, web.HubOptions{Delays: map[web.Role]time.Duration{web.RoleViewer: 30 * time.Second}})
	judge, viewer, overlay := tb.dial(cookie("judge-token")), tb.dial(nil), tb.dial(cookie("overlay-token"))
	for _, c := range []*client{judge, viewer, overlay} {
		c.hello()
		c.subscribe("log", nil)
		c.snapshot()
	}
	tb.publish(change(board.EventPlaced, nil, copyOf("c1", "hida", board.FaceUp, "south.home")))
	tb.clock.Advance(5 * time.Second)
	tb.publish(bow("c1")...)
	for _, c := range []*client{judge, overlay} {
		for seq := range uint64(3) {
			if e := c.event(); e.Seq != seq+1 {
				t.Fatalf("event %d, want %d", e.Seq, seq+1)
			}
		}
	}

	tb.clock.Advance(24 * time.Second) // 29 s after the first
	tb.settle()
	if got := viewer.heartbeat(); got.Head != 0 { // after 10 s (the later ones are fed in its place)
		t.Fatalf("the head of a delayed viewer is %d before its time", got.Head)
	}
	late := tb.dial(nil)
	if hello := late.hello(); hello.Head != 0 || hello.DelayMS != 30_000 {
		t.Fatalf("hello %+v tells of what is not visible yet", hello)
	}
	late.subscribe("board", nil)
	if s := late.snapshot(); s.Seq != 0 || len(s.Board.Copies) != 0 {
		t.Fatalf("snapshot %+v shows what is not visible yet", s)
	}

	tb.clock.Advance(time.Second)
	tb.settle()
	late.conn.Close()
	if e := viewer.event(); e.Seq != 1 || e.Kind != board.EventPlaced {
		t.Fatalf("after 30 s came %+v", e)
	}
	if head := headOf(tb, ""); head != 1 {
		t.Fatalf("head %d, want 1: the bow is only 25 s old", head)
	}
	tb.clock.Advance(5 * time.Second)
	tb.settle()
	if head := headOf(tb, ""); head != 3 {
		t.Fatalf("head %d, want 3", head)
	}
}

func TestSlowClients(t *testing.T) {
	tb := newTable(t, web.HubOptions{QueueBytes: 32 << 10})
	good := tb.dial(nil)
	slowBoard, slowLog := tb.dialSmall(), tb.dialSmall()
	for c, view := range map[*client]string{good: "log", slowBoard: "board", slowLog: "log"} {
		c.hello()
		c.subscribe(view, nil)
		c.snapshot()
	}
	// The slow ones read nothing while far more comes than all buffers hold
	// of its connection hold; the good one gets everything.
	const rounds, size = 300, 10
	received := make(chan error, 1)
	go func() {
		for seq := uint64(1); seq <= rounds*size; seq++ {
			kind, data, err := good.receive()
			var e board.Event
			if err == nil {
				err = json.Unmarshal(data, &e)
			}
			if err != nil || e.Seq != seq {
				received <- fmt.Errorf("%s %d, want event %d: %v", kind, e.Seq, seq, err)
				return
			}
			good.raw.Reset()
			if seq%size == 0 {
				received <- nil
			}
		}
	}()
	var round []board.Event
	for range size / 2 {
		round = append(round, bow("c1")...)
	}
	for range rounds {
		tb.publish(round...)
		if err := <-received; err != nil {
			t.Fatal(err)
		}
	}

	slowLog.expectClose(web.CloseSlowClient)
	var snapshots, last uint64
	for last < rounds*size {
		kind, data, err := slowBoard.receive()
		if err != nil {
			t.Fatalf("the slow board client after %d: %v", last, err)
		}
		var m struct{ Seq uint64 }
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatal(err)
		}
		switch {
		case kind == "snapshot" && m.Seq > last:
			snapshots++
		case kind == "event" && m.Seq == last+1:
		default:
			t.Fatalf("%s %d after %d", kind, m.Seq, last)
		}
		last = m.Seq
	}
	if snapshots == 0 {
		t.Fatal("the slow board client read its whole backlog; nothing was tested")
	}
}

// A log client that comes back after long gets all of it, though it is many
// times what may be queued; a board client gets a snapshot instead.
func TestLongWayBack(t *testing.T) {
	tb := newTable(t, web.HubOptions{QueueBytes: 8 << 10})
	c := tb.dial(nil)
	epoch := c.hello().Epoch
	const pairs = 200
	for range pairs {
		tb.publish(bow("c1")...)
	}
	logClient, boardClient := tb.dial(nil), tb.dial(nil)
	since := &web.Position{Epoch: epoch, Seq: 0}
	logClient.hello()
	logClient.subscribe("log", since)
	for seq := uint64(1); seq <= 2*pairs; seq++ {
		if e := logClient.event(); e.Seq != seq {
			t.Fatalf("event %d, want %d", e.Seq, seq)
		}
	}
	tb.publish(bow("c1")...)
	if e := logClient.event(); e.Seq != 2*pairs+1 {
		t.Fatalf("event %d after catching up", e.Seq)
	}
	boardClient.hello()
	boardClient.subscribe("board", since)
	if s := boardClient.snapshot(); s.Seq != 2*pairs+2 {
		t.Fatalf("snapshot at %d", s.Seq)
	}
}

func TestAnotherMatch(t *testing.T) {
	tb := newTable(t, web.HubOptions{Delays: map[web.Role]time.Duration{web.RoleViewer: 30 * time.Second}})
	tb.publish(change(board.EventPlaced, nil, copyOf("c1", "hida", board.FaceUp, "south.home")))
	judge, viewer, idle := tb.dial(cookie("judge-token")), tb.dial(nil), tb.dial(cookie("judge-token"))
	first := judge.hello()
	judge.subscribe("board", nil)
	judge.snapshot()
	old := viewer.hello()
	viewer.subscribe("board", nil)
	viewer.snapshot()
	idle.hello()
	if err := tb.hub.Begin(web.Match{Epoch: "second", Table: "Table 7", Game: "l5r-samurai", Board: board.NewBoard(testLayout())}); err != nil {
		t.Fatal(err)
	}
	if hello := judge.hello(); hello.Epoch == first.Epoch || hello.Game != "l5r-samurai" || hello.Head != 0 {
		t.Fatalf("hello of the second match: %+v", hello)
	}
	if s := judge.snapshot(); s.Seq != 0 || len(s.Board.Copies) != 0 {
		t.Fatalf("snapshot of the second match: %+v", s)
	}
	if hello := idle.hello(); hello.Game != "l5r-samurai" {
		t.Fatalf("a client that subscribed to nothing: %+v", hello)
	}
	tb.clock.Advance(30 * time.Second)
	for {
		kind, _, err := viewer.receive()
		if err != nil {
			t.Fatal(err)
		}
		if kind == "snapshot" {
			break
		}
	}
	if hello := tb.dial(nil).hello(); hello.Epoch == old.Epoch || hello.Head != 0 {
		t.Fatalf("after its delay a viewer sees %+v", hello)
	}
	if err := tb.hub.Begin(web.Match{}); err == nil {
		t.Fatal("a match without an epoch began")
	}
}

func TestShutdown(t *testing.T) {
	tb := newTable(t, web.HubOptions{})
	c := tb.dial(nil)
	c.hello()
	c.subscribe("log", nil)
	c.snapshot()
	tb.stop()
	c.expectClose(websocket.CloseGoingAway)
	if err := tb.hub.Publish(nil); !errors.Is(err, web.ErrStopped) {
		t.Fatalf("publishing to a stopped hub: %v", err)
	}
	tb.dial(nil).expectClose(websocket.CloseTryAgainLater)
}

// A match out of the journal plays over a hub as it was seen live; and a hub
// that is started again from the journal goes on with the same numbers.
func TestReplayAndRestart(t *testing.T) {
	clock := newClock()
	j, err := journal.Open(t.Context(), filepath.Join(t.TempDir(), "j.db"), clock)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	m, err := j.Begin(t.Context(), journal.MatchInfo{Game: "l5r-emperor", Table: "Table 7", Layout: testLayout()})
	if err != nil {
		t.Fatal(err)
	}
	match := web.Match{Epoch: m.Info().Epoch, Table: "Table 7", Game: "l5r-emperor", Board: board.NewBoard(testLayout())}
	live := newTable(t, web.HubOptions{Match: match})
	watch := func(tb *table, token string) *client {
		c := tb.dial(cookie(token))
		c.hello()
		c.subscribe("log", nil)
		c.snapshot()
		c.raw.Reset()
		return c
	}
	liveViewer, liveJudge := watch(live, ""), watch(live, "judge-token")
	written, err := m.Append(t.Context(), append([]board.Event{
		change(board.EventPlaced, nil, copyOf("c9", "secret", board.FaceDown, "south.home")),
		change(board.EventNamed, copyOf("c9", "", board.FaceDown, "south.home"), copyOf("c9", "secret", board.FaceDown, "south.home")),
	}, bow("c1")...))
	if err != nil {
		t.Fatal(err)
	}
	live.publish(written...)
	for range 3 {
		liveViewer.event()
	}
	for range 4 {
		liveJudge.event()
	}

	again := newTable(t, web.HubOptions{Match: web.Match{Epoch: "replay", Board: match.Board}})
	viewer, judge := watch(again, ""), watch(again, "judge-token")
	err = j.Replay(t.Context(), m.Info().ID, journal.ReplayOptions{}, func(e board.Event) error {
		return again.hub.Publish([]board.Event{e})
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		viewer.event()
	}
	for range 4 {
		judge.event()
	}
	if viewer.raw.String() != liveViewer.raw.String() || judge.raw.String() != liveJudge.raw.String() {
		t.Fatal("the replay is not what was seen live")
	}

	restarted := newTable(t, web.HubOptions{Match: match, History: j.Events(context.Background(), m.Info().ID, 0)})
	c := restarted.dial(nil)
	hello := c.hello()
	c.subscribe("log", &web.Position{Epoch: hello.Epoch, Seq: 1})
	if e := c.event(); e.Seq != 2 || e.Kind != "card.bowed" {
		t.Fatalf("after a restart %+v", e)
	}
	if want := live.dial(nil).hello(); hello != want {
		t.Fatalf("hello after a restart %+v, want %+v", hello, want)
	}
}

// What happened shortly before a restart is still held back from a delayed role.
func TestRestartKeepsTheDelay(t *testing.T) {
	clock := newClock()
	history := func(yield func(board.Event, error) bool) {
		old, young := bow("c1")[0], bow("c1")[1]
		old.At, young.At = clock.Now().Add(-time.Minute), clock.Now().Add(-time.Second)
		_ = yield(old, nil) && yield(young, nil)
	}
	tb := newTable(t, web.HubOptions{History: history, Delays: map[web.Role]time.Duration{web.RoleViewer: 30 * time.Second}})
	if head := headOf(tb, ""); head != 1 {
		t.Fatalf("the viewer's head is %d, want 1", head)
	}
	if head := headOf(tb, "judge-token"); head != 2 {
		t.Fatalf("the judge's head is %d, want 2", head)
	}
	tb.clock.Advance(29 * time.Second)
	tb.settle()
	if head := headOf(tb, ""); head != 2 {
		t.Fatalf("the viewer's head is %d after the delay, want 2", head)
	}
}

func TestHubOptions(t *testing.T) {
	for name, o := range map[string]web.HubOptions{
		"no epoch":       {},
		"negative delay": {Match: web.Match{Epoch: "e"}, Delays: map[web.Role]time.Duration{web.RoleViewer: -1}},
		"unknown role":   {Match: web.Match{Epoch: "e"}, Delays: map[web.Role]time.Duration{"boss": 1}},
		"broken history": {Match: web.Match{Epoch: "e"}, History: func(yield func(board.Event, error) bool) {
			yield(board.Event{}, errors.New("broken"))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := web.NewHub(o); err == nil {
				t.Fatal("it was accepted")
			}
		})
	}
}
