package web_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"tabletop/web"
)

// keeper is a camera that keeps frames.
type keeper struct {
	*camera
	mu    sync.Mutex
	asked []uint64
	fails error
}

func (k *keeper) SaveCase(_ context.Context, frame uint64) (web.SavedCase, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.asked = append(k.asked, frame)
	if k.fails != nil {
		return web.SavedCase{}, k.fails
	}
	return web.SavedCase{Image: "/home/pi/cases/case-20261130-121501.250-4711.png", Labels: "/home/pi/cases/case-20261130-121501.250-4711.json", Cards: 2}, nil
}

func (k *keeper) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fails = err
}

func (k *keeper) saved() []uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.asked
}

func TestWhoMaySaveCases(t *testing.T) {
	cam := &keeper{camera: newCamera(t)}
	secret := serve(t, web.Options{Debug: cam, Tokens: testTokens})
	open := serve(t, web.Options{Debug: cam})
	blind := serve(t, web.Options{})
	deaf := serve(t, web.Options{Debug: cam.camera})
	host := strings.TrimPrefix(open, "http://")
	for _, c := range []struct {
		name, front, token string
		header             http.Header
		host, body         string
		status             int
		says               string
	}{
		{name: "operator", front: secret, token: "operator-token", status: 201, says: "4711.json"},
		{name: "judge", front: secret, token: "judge-token", status: 403, says: "Only operators"},
		{name: "viewer", front: secret, status: 403, says: "Only operators"},
		{name: "a page of another site", front: secret, token: "operator-token", header: http.Header{"Origin": {"https://evil.example"}}, status: 403, says: "own debug page"},
		{name: "another site, told by the browser", front: secret, token: "operator-token", header: http.Header{"Sec-Fetch-Site": {"cross-site"}}, status: 403, says: "own debug page"},
		{name: "a page without an origin", front: open, header: http.Header{"Origin": {"null"}}, status: 403, says: "own debug page"},
		{name: "no tokens, this machine", front: open, header: http.Header{"Origin": {open}}, status: 201, says: "4711.json"},
		{name: "no tokens, under another name", front: open, host: "rebound.example" + host[strings.Index(host, ":"):], status: 403, says: "Only operators"},
		{name: "no camera", front: blind, status: 404, says: "not saved in this run"},
		{name: "a camera that keeps nothing", front: deaf, status: 404, says: "not saved in this run"},
		{name: "no frame named", front: open, body: `{}`, status: 400, says: "which frame"},
		{name: "no JSON", front: open, body: `frame=1`, status: 400, says: "which frame"},
		{name: "a frame that is none", front: open, body: `{"frame":-1}`, status: 400, says: "which frame"},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := len(cam.saved())
			body := c.body
			if body == "" {
				body = `{"frame":7}`
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.front+"/debug/case", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for name, values := range c.header {
				r.Header[name] = values
			}
			if c.host != "" {
				r.Host = c.host
			}
			if c.token != "" {
				r.AddCookie(&http.Cookie{Name: web.CookieName, Value: c.token})
			}
			response, text := send(t, r)
			if response.StatusCode != c.status || !strings.Contains(text, c.says) {
				t.Errorf("status %d, %q; want %d and %q", response.StatusCode, text, c.status, c.says)
			}
			if saved := len(cam.saved()) > before; saved != (c.status == 201) {
				t.Errorf("saved: %v", saved)
			}
		})
	}
}

func TestCaseThatCanNotBeSaved(t *testing.T) {
	cam := &keeper{camera: newCamera(t)}
	front := serve(t, web.Options{Debug: cam})
	for _, c := range []struct {
		err    error
		status int
	}{{web.ErrFrameGone, http.StatusConflict}, {web.ErrNoFrame, http.StatusConflict}, {errors.New("the disk is full; make room"), http.StatusInternalServerError}} {
		cam.fail(c.err)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front+"/debug/case", strings.NewReader(`{"frame":7}`))
		if err != nil {
			t.Fatal(err)
		}
		if response, text := send(t, r); response.StatusCode != c.status || !strings.Contains(text, c.err.Error()) || !strings.Contains(text, "Nothing was saved") {
			t.Errorf("%v: status %d, %q", c.err, response.StatusCode, text)
		}
	}
}

// The key saves the frame that is shown, also one that was paused at, and the
// page says what was saved and where, or why not.
func TestDebugPageSavesCases(t *testing.T) {
	ctx := browser(t)
	cam := &keeper{camera: newCamera(t)}
	front := serve(t, web.Options{Debug: cam})
	press := func(key string, modifiers ...chromedp.Modifier) action {
		return chromedp.KeyEvent(key, chromedp.KeyModifiers(modifiers...))
	}
	run(t, ctx, look(1600, 900, "dark"), chromedp.Navigate(front+"/debug"))
	until(t, ctx, `document.querySelectorAll("#layers .quad").length === 2 && !document.getElementById("save").disabled`)
	run(t, ctx, chromedp.Click("#pause"))
	until(t, ctx, `document.getElementById("pause").textContent === "Go on"`)
	const shown = `Number(document.getElementById("frame-text").textContent.match(/Frame (\d+)/)[1])`
	frame := evaluate[uint64](t, ctx, shown)
	run(t, ctx, press("s"))
	until(t, ctx, `document.getElementById("saved").dataset.state === "done"`)
	until(t, ctx, `["Saved /home/pi/cases/case-20261130-121501.250-4711.png with 2 cards", "not verified", "4711.json"].every((part) => document.getElementById("saved").textContent.includes(part))`)
	if got := cam.saved(); len(got) != 1 || got[0] < frame {
		t.Errorf("saved %v, and frame %d was shown", got, frame)
	}
	screenshot(t, ctx, "debug-saved")

	run(t, ctx, press("s", chromedp.ModifierCtrl)) // the browser's own
	cam.fail(errors.New("the case can't be saved: the disk is full; make room, or set another folder for cases than /home/pi/cases"))
	run(t, ctx, chromedp.Click("#save"))
	until(t, ctx, `document.getElementById("saved").dataset.state === "failed" && document.getElementById("saved").textContent.includes("the disk is full")`)
	if got := cam.saved(); len(got) != 2 {
		t.Errorf("asked for %v; Ctrl+S is not ours", got)
	}
	for _, width := range []int64{1600, 390} {
		run(t, ctx, look(width, 900, "light"))
		until(t, ctx, `document.documentElement.scrollWidth <= innerWidth && document.getElementById("save").getBoundingClientRect().right <= innerWidth`)
		if width == 390 {
			run(t, ctx, chromedp.Evaluate[chromedp.Void](`document.getElementById("save").scrollIntoView()`))
		}
		screenshot(t, ctx, map[int64]string{1600: "debug-not-saved", 390: "debug-not-saved-phone"}[width])
	}
}
