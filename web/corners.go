package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"

	"tabletop/board"
)

// CornersQuestion is what somebody is asked to click on a camera's picture.
type CornersQuestion struct {
	JPEG     []byte // the picture
	Width    int    // of the picture, in pixels
	Height   int
	PlayArea board.Size // to begin with, in millimetres
	// Check refuses corners or a size that can't be; its text is shown on the
	// page, and the person may try again.
	Check func(corners board.Quad, playArea board.Size) error
}

// CornersAnswer is what was clicked.
type CornersAnswer struct {
	Corners  board.Quad // top-left, top-right, bottom-right, bottom-left, in pixels
	PlayArea board.Size // in millimetres
}

// longestCorners bounds an answer's body, in bytes.
const longestCorners = 4 << 10

// AskCorners serves one page until somebody has clicked the four corners of the
// play area on it, or the context ends. It closes the listener. The page's
// address, of which tell is told the path, can't be guessed: so nobody else in
// the hall answers.
func AskCorners(ctx context.Context, l net.Listener, q CornersQuestion, tell func(path string)) (CornersAnswer, error) {
	p, err := newPages()
	if err != nil {
		l.Close()
		return CornersAnswer{}, err
	}
	secret := make([]byte, 8)
	rand.Read(secret) // never fails
	path := "/" + hex.EncodeToString(secret) + "/"
	answers := make(chan CornersAnswer, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /static/{name...}", p.asset)
	mux.HandleFunc("GET "+path+"{$}", p.serve("corners.html"))
	mux.HandleFunc("GET "+path+"picture", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/jpeg")
		w.Header().Set("Cache-Control", "no-store")
		w.Write(q.JPEG)
	})
	mux.HandleFunc("GET "+path+"question", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{
			"width": q.Width, "height": q.Height,
			"width_mm": q.PlayArea.Width, "height_mm": q.PlayArea.Height,
		})
	})
	mux.HandleFunc("POST "+path+"answer", func(w http.ResponseWriter, r *http.Request) {
		a, err := q.read(w, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		select {
		case answers <- a:
			w.WriteHeader(http.StatusNoContent)
		default:
			http.Error(w, "the corners were given already", http.StatusConflict)
		}
	})
	server := &http.Server{Handler: secured(mux), ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	tell(path)

	var answer CornersAnswer
	select {
	case answer = <-answers:
	case err := <-ended:
		return CornersAnswer{}, fmt.Errorf("web: the page for the corners: %w", err)
	case <-ctx.Done():
		err = ctx.Err()
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if server.Shutdown(grace) != nil { // lets the last answer out
		server.Close()
	}
	<-ended
	return answer, err
}

// read takes an answer from the page.
func (q CornersQuestion) read(w http.ResponseWriter, r *http.Request) (CornersAnswer, error) {
	if !sameOrigin(r) {
		return CornersAnswer{}, errors.New("answer from this server's own page")
	}
	var body struct {
		Corners  []board.Point `json:"corners"`
		WidthMM  float64       `json:"width_mm"`
		HeightMM float64       `json:"height_mm"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, longestCorners)).Decode(&body); err != nil {
		return CornersAnswer{}, fmt.Errorf("the answer can't be read: %w", err)
	}
	a := CornersAnswer{PlayArea: board.Size{Width: body.WidthMM, Height: body.HeightMM}}
	if len(body.Corners) != len(a.Corners) {
		return CornersAnswer{}, fmt.Errorf("%d corners; four are needed", len(body.Corners))
	}
	copy(a.Corners[:], body.Corners)
	if err := q.Check(a.Corners, a.PlayArea); err != nil {
		return CornersAnswer{}, err
	}
	return a, nil
}
