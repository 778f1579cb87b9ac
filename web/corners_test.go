package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"tabletop/board"
	"tabletop/web"
)

// cornersPage is a running question.
type cornersPage struct {
	url    string
	answer chan web.CornersAnswer
	failed chan error
	cancel context.CancelFunc
}

func askCorners(t *testing.T) cornersPage {
	t.Helper()
	const width, height = 1280, 720
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.SetGray(x, y, color.Gray{Y: uint8(60 + x/16 + y/16)})
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, picture, nil); err != nil {
		t.Fatal(err)
	}
	l, err := web.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := cornersPage{answer: make(chan web.CornersAnswer, 1), failed: make(chan error, 1), cancel: cancel}
	paths := make(chan string, 1)
	question := web.CornersQuestion{
		JPEG: file.Bytes(), Width: width, Height: height, PlayArea: board.Size{Width: 900, Height: 600},
		Check: func(corners board.Quad, playArea board.Size) error {
			if !corners.IsConvex() || playArea.Width < 100 {
				return errors.New("these can't be the corners")
			}
			return nil
		},
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a, err := web.AskCorners(ctx, l, question, func(path string) { paths <- path })
		if err != nil {
			p.failed <- err
			return
		}
		p.answer <- a
	}()
	t.Cleanup(func() { cancel(); <-ended })
	p.url = "http://" + l.Addr().String() + <-paths
	return p
}

func (p cornersPage) post(t *testing.T, body string, header http.Header) (int, string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, p.url+"answer", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, values := range header {
		r.Header[key] = values
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, strings.TrimSpace(string(text))
}

func TestCornersAreAskedUntilTheyFit(t *testing.T) {
	p := askCorners(t)
	good := `{"corners":[[10,20],[1200,30],[1210,700],[5,690]],"width_mm":610,"height_mm":350}`
	for name, c := range map[string]struct {
		body, want string
		header     http.Header
	}{
		"not json":       {"corners", "can't be read", nil},
		"three corners":  {`{"corners":[[1,2],[3,4],[5,6]],"width_mm":900,"height_mm":600}`, "3 corners; four are needed", nil},
		"crossed":        {`{"corners":[[10,20],[1210,700],[1200,30],[5,690]],"width_mm":900,"height_mm":600}`, "can't be the corners", nil},
		"another origin": {good, "own page", http.Header{"Origin": {"http://evil.example"}}},
		"endless":        {`{"corners":[` + strings.Repeat(" ", 5000), "can't be read", nil},
	} {
		if status, text := p.post(t, c.body, c.header); status != http.StatusBadRequest || !strings.Contains(text, c.want) {
			t.Errorf("%s: status %d %q, want 400 and %q", name, status, text, c.want)
		}
	}
	if status, text := p.post(t, good, nil); status != http.StatusNoContent {
		t.Fatalf("status %d %q", status, text)
	}
	want := web.CornersAnswer{Corners: board.Quad{{X: 10, Y: 20}, {X: 1200, Y: 30}, {X: 1210, Y: 700}, {X: 5, Y: 690}}, PlayArea: board.Size{Width: 610, Height: 350}}
	if got := <-p.answer; got != want {
		t.Fatalf("answer %+v, want %+v", got, want)
	}
}

func TestCornersPageHasNoOtherAddress(t *testing.T) {
	p := askCorners(t)
	root := p.url[:strings.LastIndex(strings.TrimSuffix(p.url, "/"), "/")+1]
	for _, path := range []string{"", "question", "picture", "0000000000000000/"} {
		answer, err := http.Get(root + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNotFound {
			t.Errorf("/%s answers %d", path, answer.StatusCode)
		}
	}
}

func TestCornersEndWithTheContext(t *testing.T) {
	p := askCorners(t)
	p.cancel()
	if err := <-p.failed; !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
}

func TestCornersPage(t *testing.T) {
	ctx := browser(t)
	p := askCorners(t)
	run(t, ctx, look(1280, 900, "light"), chromedp.Navigate(p.url))
	until(t, ctx, `document.querySelectorAll("#grid .inner").length > 5 && document.querySelector("#picture").complete`)
	screenshot(t, ctx, "corners-light")
	place := func(i int) []float64 {
		return evaluate[[]float64](t, ctx, `(() => { const b = document.querySelectorAll(".handle")[`+string(rune('0'+i))+`].getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`)
	}
	from := place(0)
	run(t, ctx,
		chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, from[0], from[1], chromedp.ButtonLeft),
		chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, from[0]-40, from[1]+25, chromedp.ButtonLeft))
	until(t, ctx, `!document.querySelector("#loupe").hidden`)
	screenshot(t, ctx, "corners-loupe")
	run(t, ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, from[0]-40, from[1]+25, chromedp.ButtonLeft))
	to := place(0)
	if dx, dy := to[0]-from[0], to[1]-from[1]; dx < -41 || dx > -39 || dy < 24 || dy > 26 {
		t.Fatalf("the handle went by %.1f, %.1f, want -40, 25", dx, dy)
	}
	run(t, ctx, chromedp.Focus(".handle:nth-of-type(3)"), chromedp.KeyEvent(kb.ArrowRight))
	run(t, ctx, look(390, 844, "dark"))
	screenshot(t, ctx, "corners-phone")
	run(t, ctx, chromedp.Click("#form .primary"))
	until(t, ctx, `document.querySelector("#said").dataset.state === "good"`)
	got := <-p.answer
	if third := got.Corners[2]; third.X < 0.88*1280+0.5 || third.X > 0.88*1280+1.5 {
		said, _ := json.Marshal(got)
		t.Fatalf("the third corner lies at x %.1f, want %.1f: %s", third.X, 0.88*1280+1, said)
	}
}
