package web_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"tabletop/board"
	"tabletop/web"
)

// BenchmarkEventToClients is the way of one event from Publish to the last of
// the clients, over real websockets, with 40 cards on the table.
func BenchmarkEventToClients(b *testing.B) {
	for _, n := range []int{1, 20, 200} {
		b.Run(fmt.Sprintf("clients=%d", n), func(b *testing.B) {
			start := board.NewBoard(showLayout())
			for i := range 40 {
				c := lie(fmt.Sprint("c", i), "Hida O-Ushi", "personality", "south", "south.home", float64(30*i), 400, 0)
				start.Copies[c.ID] = c
			}
			hub, err := web.NewHub(web.HubOptions{Match: web.Match{Epoch: "e", Board: start}})
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- hub.Run(ctx) }()
			server, err := web.New(web.Options{Hub: hub})
			if err != nil {
				b.Fatal(err)
			}
			front := httptest.NewServer(server.Handler())
			defer func() { cancel(); <-ended; front.Close() }()

			received := make(chan error)
			for range n {
				conn, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(front.URL, "http")+"/ws", nil)
				if err != nil {
					b.Fatal(err)
				}
				defer conn.Close()
				if err := conn.WriteMessage(websocket.TextMessage, []byte(`{"type":"subscribe","view":"log"}`)); err != nil {
					b.Fatal(err)
				}
				for range 2 { // hello, snapshot
					if _, _, err := conn.ReadMessage(); err != nil {
						b.Fatal(err)
					}
				}
				go func() {
					for {
						_, data, err := conn.ReadMessage()
						if err != nil {
							return
						}
						if !strings.HasPrefix(string(data), `{"type":"event"`) {
							continue // a heartbeat
						}
						received <- nil
					}
				}()
			}
			events := bow("c1")
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := hub.Publish(events[i%2 : i%2+1]); err != nil {
					b.Fatal(err)
				}
				for range n {
					<-received
				}
			}
		})
	}
}
