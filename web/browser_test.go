package web_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"tabletop/board"
	"tabletop/web"
)

// screenshotsTo is the variable that names a folder for the pictures; without
// it none are written.
const screenshotsTo = "TABLETOP_SCREENSHOTS"

// browser starts headless Chromium with one tab, or skips the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no chromium on this machine: the pages are not tested in a browser (apt-get install chromium)")
	}
	options := append([]chromedp.ExecAllocatorOption{}, chromedp.DefaultExecAllocatorOptions[:]...)
	options = append(options, chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(2*time.Minute))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancelTab := chromedp.NewContext(allocator)
	t.Cleanup(cancelTab)
	if err := chromedp.Do(ctx); err != nil { // starts it
		t.Fatalf("starting %s: %v", path, err)
	}

	// A page must not complain: a broken script, a refused style (CSP) or a
	// file that is not there shows in the console.
	console, listened := chromedp.Console(ctx), make(chan struct{})
	var complaints []string
	go func() {
		defer close(listened)
		for message, err := range console {
			if err != nil {
				return // the tab is closed
			}
			if message.Type == chromedp.ConsoleError || message.Type == chromedp.ConsoleException {
				complaints = append(complaints, message.Text+" "+message.URL)
			}
		}
	}()
	t.Cleanup(func() {
		cancelTab()
		<-listened
		for _, c := range complaints {
			if !strings.Contains(c, "WebSocket connection") && !strings.Contains(c, "401 (Unauthorized)") && !strings.HasSuffix(c, "/debug/frame") && !strings.HasSuffix(c, "/debug/case") { // these are provoked
				t.Errorf("the page complains: %s", c)
			}
		}
	})
	timed, cancelTime := context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancelTime)
	return timed
}

type action = chromedp.Action[chromedp.Void]

func run(t *testing.T, ctx context.Context, actions ...action) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// evaluate returns what a JavaScript expression is worth.
func evaluate[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits for a JavaScript expression to be true.
func until(t *testing.T, ctx context.Context, expression string) {
	t.Helper()
	poll := chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(20*time.Millisecond))
	if err := chromedp.Do(ctx, poll); err != nil {
		t.Fatalf("%s never came true: %v\nthe page says:\n%s", expression, err, evaluate[string](t, ctx, "document.body.innerText"))
	}
}

// prefer emulates what a person asked the system for.
func prefer(feature, value string) action {
	return chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: feature, Value: value}},
		})
		return err
	})
}

// look emulates a screen.
func look(width, height int64, scheme string) action {
	return chromedp.Steps(chromedp.EmulateViewport(width, height), prefer("prefers-color-scheme", scheme))
}

func screenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv(screenshotsTo)
	if dir == "" {
		return
	}
	run(t, ctx, chromedp.Sleep(700*time.Millisecond)) // cards glide
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// submit sends the login form and waits for the page that answers.
func submit(t *testing.T, ctx context.Context) {
	t.Helper()
	if _, err := chromedp.RunResponse(ctx, chromedp.Submit("#token")); err != nil {
		t.Fatal(err)
	}
}

// showLayout is a table as two players have it.
func showLayout() board.Layout {
	area := func(left, top, right, bottom float64) board.Polygon {
		return board.Polygon{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}}
	}
	return board.Layout{
		Size:  board.Size{Width: 1300, Height: 800},
		Seats: []board.Seat{{ID: "south", Name: "Aiko"}, {ID: "north", Name: "Benjamin", UpDeg: 180}},
		Zones: []board.Zone{
			{ID: "north.dynasty-deck", Kind: board.ZoneDynastyDeck, Seat: "north", Outline: area(0.88, 0.02, 0.985, 0.17)},
			{ID: "north.province", Kind: board.ZoneProvince, Seat: "north", Outline: area(0.25, 0.02, 0.86, 0.17)},
			{ID: "north.home", Kind: board.ZoneHome, Seat: "north", Outline: area(0.015, 0.19, 0.985, 0.38)},
			{ID: "battlefield", Kind: board.ZoneBattlefield, Outline: area(0.015, 0.4, 0.985, 0.6)},
			{ID: "south.home", Kind: board.ZoneHome, Seat: "south", Outline: area(0.015, 0.62, 0.985, 0.81)},
			{ID: "south.province", Kind: board.ZoneProvince, Seat: "south", Outline: area(0.14, 0.83, 0.75, 0.98)},
			{ID: "south.dynasty-deck", Kind: board.ZoneDynastyDeck, Seat: "south", Outline: area(0.015, 0.83, 0.12, 0.98)},
		},
	}
}

// lie makes a copy that lies at a place in millimetres, turned to angle.
func lie(id, name, kind string, seat board.SeatID, zone board.ZoneID, x, y, angle float64, state ...string) board.Copy {
	c := board.Copy{
		ID: board.CopyID(id), Owner: seat, Controller: seat, Zone: zone, State: board.NewState(state...),
		Pose: board.Pose{Centre: board.Point{X: x, Y: y}, AngleDeg: angle, Rotation: board.NearestTurn(angle), Face: board.FaceUp,
			Visible: 1, Confidence: 0.95, Corners: board.RectQuad(board.Point{X: x, Y: y}, board.StandardCard(), angle)},
	}
	if name != "" {
		c.Card = &board.CardRef{ID: board.CardID(strings.ToLower(strings.ReplaceAll(name, " ", "-"))), Name: name, Type: kind}
	} else {
		c.Pose.Face = board.FaceDown
	}
	return c
}

// showBoard is a game in its middle.
func showBoard() board.Board {
	b := board.NewBoard(showLayout())
	for _, c := range []board.Copy{
		lie("c1", "Hida O-Ushi", "personality", "south", "south.home", 330, 572, 1),
		lie("c2", "Kuni Yori", "personality", "south", "south.home", 450, 574, 89, "bowed"),
		lie("c3", "Moto Tsume", "personality", "south", "south.home", 575, 572, 181, "dishonorable"),
		lie("c4", "Forest of Thorns", "holding", "south", "south.home", 700, 570, 178),
		lie("c5", "Small Farm", "holding", "south", "south.home", 810, 572, 92, "bowed"),
		lie("c6", "The War Fortress of the Crab", "stronghold", "south", "south.home", 100, 572, 0),
		lie("c7", "", "", "south", "south.province", 260, 722, 0),
		lie("c8", "", "", "south", "south.province", 450, 724, 2),
		lie("c9", "Iron Mine", "holding", "south", "south.province", 640, 722, 359),
		lie("c10", "", "", "south", "south.province", 870, 720, 1),
		lie("c11", "Kakita Toshimoko", "personality", "north", "battlefield", 470, 400, 180),
		lie("c12", "Daidoji Uji", "personality", "north", "battlefield", 600, 402, 268, "bowed", "dishonorable"),
		lie("c13", "Hiruma Kage", "personality", "south", "battlefield", 760, 404, 3),
		lie("c14", "Ancestral Sword of the Crane", "item", "north", "north.home", 520, 226, 179),
		lie("c15", "Silver Mine", "holding", "north", "north.home", 650, 228, 272, "bowed"),
		lie("c16", "The Esteemed House of the Crane", "stronghold", "north", "north.home", 1180, 226, 180),
		lie("c17", "", "", "north", "north.province", 420, 76, 180),
		lie("c18", "", "", "north", "north.province", 610, 76, 178),
		lie("c19", "", "", "north", "north.province", 800, 76, 181),
		lie("c20", "Doji Hoturi", "personality", "north", "north.province", 1000, 78, 180),
		lie("c21", "", "", "south", "south.dynasty-deck", 88, 722, 0),
		lie("c22", "", "", "north", "north.dynasty-deck", 1212, 76, 180),
	} {
		b.Copies[c.ID] = c
	}
	b.Findings["f1"] = board.Finding{
		ID: "f1", Rule: "honor.personality", Severity: board.SeverityIllegal, Copies: []board.CopyID{"c4"}, Seat: "south", Lang: "en",
		Seen: "Forest of Thorns lies at 180°.", Text: "Only Personalities can be dishonorable; a Holding turned upside down is misplaced.",
		Citation: board.Citation{Source: "L5R Emperor Edition, Comprehensive Rules", Passage: "Dishonorable"},
	}
	b.Findings["f2"] = board.Finding{
		ID: "f2", Rule: "bow.counter", Severity: board.SeveritySuspicious, Copies: []board.CopyID{"c15"}, Seat: "north", Lang: "en",
		Seen: "Silver Mine was turned to the left.", Text: "A card is bowed by a quarter turn clockwise.",
		Citation: board.Citation{Source: "L5R Emperor Edition, Comprehensive Rules", Passage: "Bowed and unbowed"},
	}
	return b
}

func showTable(t *testing.T) *table {
	return newTable(t, web.HubOptions{Match: web.Match{Epoch: "show", Table: "Table 7", Game: "l5r-emperor", Board: showBoard()}})
}

// act changes one copy of the board and publishes it.
func (tb *table) act(b board.Board, kind board.EventKind, id board.CopyID, change func(*board.Copy)) {
	tb.t.Helper()
	before := b.Copies[id]
	after := before
	change(&after)
	after.Pose.Rotation = board.NearestTurn(after.Pose.AngleDeg)
	after.Pose.Corners = board.RectQuad(after.Pose.Centre, board.StandardCard(), after.Pose.AngleDeg)
	b.Copies[id] = after
	tb.publish(board.Event{Kind: kind, Card: id, Before: &before, After: &after})
}

func TestBoardPage(t *testing.T) {
	ctx := browser(t)
	tb := showTable(t)
	b := showBoard()
	run(t, ctx, look(1920, 1080, "light"), chromedp.Navigate(tb.url+"/"))
	until(t, ctx, `document.querySelectorAll("#table .card:not(.leaving)").length === 22`)
	until(t, ctx, `document.getElementById("connection").dataset.state === "live"`)

	for expression, want := range map[string]any{
		`document.getElementById("table-name").textContent`:                                         "Table 7",
		`document.querySelectorAll("#table .card.face-down").length`:                                float64(8),
		`document.querySelector('[data-copy="c1"] .words').textContent.includes("Hida")`:            true,
		`document.querySelector('[data-copy="c2"] .words').textContent.includes("BOWED")`:           true,
		`document.querySelector('[data-copy="c12"] .words').textContent`:                            "Daidoji UjipersonalityBOWEDDISHONORABLE",
		`document.querySelector('[data-copy="c7"] .words').textContent`:                             "",
		`document.getElementById("findings-panel").hidden`:                                          true,
		`document.querySelectorAll("#table .flagged").length`:                                       float64(0),
		`getComputedStyle(document.querySelector('[data-copy="c3"] .edge')).strokeDasharray`:        "7px, 3.5px",
		`document.querySelectorAll("#table .seat").length`:                                          float64(2),
		`document.querySelector('[data-copy="c2"] .body').style.transform`:                          "rotate(89deg)",
		`document.querySelector('[data-copy="c1"]').style.transform`:                                "translate(330px, 572px)",
		`document.documentElement.scrollWidth <= innerWidth`:                                        true,
		`document.querySelectorAll("script:not([src])").length`:                                     float64(0),
		`performance.getEntriesByType("resource").every((r) => r.name.startsWith(location.origin))`: true,
	} {
		if got := evaluate[any](t, ctx, expression); got != want {
			t.Errorf("%s is %v, want %v", expression, got, want)
		}
	}

	// Things happen on the table, and on the page.
	tb.act(b, "card.straightened", "c2", func(c *board.Copy) { c.Pose.AngleDeg, c.State = 1, board.NewState() })
	tb.act(b, board.EventMoved, "c13", func(c *board.Copy) { c.Pose.Centre.X = 820 })
	tb.act(b, board.EventFlipped, "c8", func(c *board.Copy) {
		c.Pose.Face, c.Card = board.FaceUp, &board.CardRef{ID: "hida-kisada", Name: "Hida Kisada", Type: "personality"}
	})
	gone := b.Copies["c4"]
	tb.publish(board.Event{Kind: board.EventRemoved, Card: "c4", Before: &gone})
	tb.act(b, "card.bowed", "c1", func(c *board.Copy) { c.Pose.AngleDeg, c.State = 90, board.NewState("bowed") })
	until(t, ctx, `document.getElementById("newest").textContent === "Hida O-Ushi bowed"`)
	until(t, ctx, `document.querySelector('[data-copy="c1"] .body').style.transform === "rotate(90deg)"`)
	until(t, ctx, `document.querySelector('[data-copy="c1"]').classList.contains("is-bowed") && !document.querySelector('[data-copy="c2"]').classList.contains("is-bowed")`)
	until(t, ctx, `document.querySelector('[data-copy="c13"]').style.transform === "translate(820px, 404px)"`)
	until(t, ctx, `document.querySelector('[data-copy="c8"] .words').textContent.includes("Kisada")`)
	until(t, ctx, `document.querySelectorAll('[data-copy="c4"]').length === 0`)
	until(t, ctx, `document.querySelectorAll("#log li").length === 5`)
	screenshot(t, ctx, "board-light")
	run(t, ctx, look(1920, 1080, "dark"))
	screenshot(t, ctx, "board-dark")

	// The button overrides the system, and is remembered.
	ground := `getComputedStyle(document.body).backgroundColor`
	light := evaluate[string](t, ctx, ground)
	run(t, ctx, chromedp.Click("#theme"))
	dark := evaluate[string](t, ctx, ground)
	run(t, ctx, chromedp.Reload())
	kept := evaluate[string](t, ctx, ground)
	if light == dark || kept != dark {
		t.Errorf("ground %s, after the button %s, after a reload %s", light, dark, kept)
	}
}

func TestBoardPageOfAJudge(t *testing.T) {
	ctx := browser(t)
	tb := showTable(t)
	run(t, ctx, look(1920, 1080, "light"), chromedp.Navigate(tb.url+"/login"),
		chromedp.SendKeys("#token", "wrong"))
	submit(t, ctx)
	run(t, ctx, chromedp.WaitVisible("#problem"))
	screenshot(t, ctx, "login")
	run(t, ctx, chromedp.SendKeys("#token", "judge-token"))
	submit(t, ctx)
	until(t, ctx, `document.querySelectorAll("#findings li[data-severity]").length === 2`)
	until(t, ctx, `document.querySelectorAll("#table .flagged").length === 2`)
	until(t, ctx, `document.querySelector("#findings li").textContent.includes("Only Personalities")`)
	until(t, ctx, `!document.getElementById("to-debug").hidden`)
	at := evaluate[[2]float64](t, ctx, `(() => { const r = document.querySelector("#findings li").getBoundingClientRect(); return [r.x + 9, r.y + 9]; })()`)
	run(t, ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
	until(t, ctx, `document.querySelector('[data-copy="c4"]').classList.contains("pointed")`)
	screenshot(t, ctx, "judge-light")
	run(t, ctx, look(1920, 1080, "dark"))
	screenshot(t, ctx, "judge-dark")
	finding := showBoard().Findings["f1"]
	tb.publish(board.Event{Kind: board.EventFindingEnded, Finding: &finding})
	until(t, ctx, `document.querySelectorAll("#findings li[data-severity]").length === 1 && document.querySelectorAll("#table .flagged").length === 1`)
}

// The page comes back by itself after the server was gone, with what happened
// meanwhile, and without being loaded again.
func TestBoardPageReconnects(t *testing.T) {
	ctx := browser(t)
	first := showTable(t)
	gate := newGate(first.url)
	front := httptest.NewServer(gate)
	defer front.Close()
	run(t, ctx, chromedp.Navigate(front.URL+"/"))
	until(t, ctx, `document.querySelectorAll("#table .card").length === 22`)
	evaluate[bool](t, ctx, `window.notReloaded = true`)

	first.stop()
	until(t, ctx, `document.getElementById("connection").dataset.state !== "live" && document.body.classList.contains("stale")`)
	second := newTable(t, web.HubOptions{Match: web.Match{Epoch: "after", Table: "Table 8", Game: "l5r-emperor", Board: showBoard()}})
	b := showBoard()
	second.act(b, "card.bowed", "c1", func(c *board.Copy) { c.Pose.AngleDeg, c.State = 90, board.NewState("bowed") })
	gate.lead(second.url)
	until(t, ctx, `document.getElementById("connection").dataset.state === "live" && window.notReloaded`)
	until(t, ctx, `document.getElementById("table-name").textContent === "Table 8"`)
	until(t, ctx, `document.querySelector('[data-copy="c1"]').classList.contains("is-bowed")`)
}

const noPicture = "No picture from the camera for 12 s"

// A program that sees nothing must not be taken for one that finds nothing.
func TestPagesOfABlindProgram(t *testing.T) {
	ctx := browser(t)
	empty := showBoard()
	clear(empty.Findings)
	tb := newTable(t, web.HubOptions{Match: web.Match{Epoch: "show", Table: "Table 7", Game: "l5r-emperor", Board: empty}})
	text := func(id string) string {
		return fmt.Sprintf(`document.getElementById(%q).innerText.trim()`, id)
	}
	run(t, ctx, look(1920, 1080, "light"), chromedp.Navigate(tb.url+"/login"), chromedp.SendKeys("#token", "judge-token"))
	submit(t, ctx)
	until(t, ctx, text("connection")+` === "Live" && `+text("findings")+` === "Nothing to rule on"`)

	tb.hub.SetProblem(noPicture)
	until(t, ctx, text("connection")+` === "`+noPicture+`" && document.getElementById("connection").dataset.state === "problem"`)
	until(t, ctx, text("blind")+` === "Nothing can be ruled on now: `+noPicture+`."`)
	until(t, ctx, text("findings")+` === "" && `+text("findings-count")+` === "?" && document.body.classList.contains("stale")`)
	screenshot(t, ctx, "blind-light")
	run(t, ctx, look(390, 844, "dark"))
	until(t, ctx, `document.documentElement.scrollWidth <= innerWidth`)
	screenshot(t, ctx, "blind-phone")
	run(t, ctx, chromedp.Reload()) // who comes now is told by the hello
	until(t, ctx, text("connection")+` === "`+noPicture+`" && `+text("blind")+`.includes("`+noPicture+`")`)

	finding := showBoard().Findings["f1"]
	tb.publish(board.Event{Kind: board.EventFindingOpened, Finding: &finding})
	until(t, ctx, text("blind")+`.endsWith("What follows is from before.") && document.querySelectorAll("#findings li[data-severity]").length === 1`)
	tb.publish(board.Event{Kind: board.EventFindingEnded, Finding: &finding})
	tb.hub.SetProblem("")
	until(t, ctx, text("connection")+` === "Live" && `+text("findings")+` === "Nothing to rule on" && !document.body.classList.contains("stale")`)
	until(t, ctx, `document.getElementById("blind").hidden && document.getElementById("findings-count").textContent === "0"`)

	run(t, ctx, look(1600, 900, "dark"), chromedp.Navigate(tb.url+"/debug"))
	until(t, ctx, `document.getElementById("problem").hidden`)
	tb.hub.SetProblem(noPicture)
	until(t, ctx, text("problem")+` === "`+noPicture+`"`)
	screenshot(t, ctx, "blind-debug")
	tb.hub.SetProblem("")
	until(t, ctx, `document.getElementById("problem").hidden`)

	// Nothing of it goes on air. The event shows that the heartbeat before it was read.
	run(t, ctx, look(1920, 1080, "dark"), chromedp.Navigate(tb.url+"/overlay"))
	until(t, ctx, `document.querySelector("#left h2").textContent === "Aiko"`)
	tb.hub.SetProblem(noPicture)
	tb.act(empty, "card.bowed", "c1", func(c *board.Copy) { c.Pose.AngleDeg, c.State = 90, board.NewState("bowed") })
	until(t, ctx, text("headline")+` === "Hida O-Ushi bowed"`)
	until(t, ctx, `!document.documentElement.outerHTML.includes("camera") && document.getElementById("lost").hidden`)

	// Nor may an old board be trusted when there is nobody who says so.
	run(t, ctx, chromedp.Navigate(tb.url+"/"))
	until(t, ctx, `document.getElementById("connection").dataset.state === "problem"`)
	tb.stop()
	until(t, ctx, `document.getElementById("connection").dataset.state !== "problem" && `+text("blind")+` === "Nothing can be ruled on now: not connected to the scanner."`)
}

// On a phone the whole table is in sight, findings come first, and a tap tells
// what a card is.
func TestBoardPageOnAPhone(t *testing.T) {
	ctx := browser(t)
	tb := showTable(t)
	run(t, ctx, look(390, 844, "light"), chromedp.Navigate(tb.url+"/login"), chromedp.SendKeys("#token", "judge-token"))
	submit(t, ctx)
	until(t, ctx, `document.querySelectorAll("#findings li[data-severity]").length === 2 && document.querySelectorAll("#table.compact .card").length === 22`)
	for expression, want := range map[string]any{
		`document.documentElement.scrollWidth <= innerWidth && document.getElementById("stage").scrollWidth <= innerWidth`:                                         true,
		`(() => { const r = document.querySelector("#table .surface").getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth && r.width > 300; })()`: true,
		`document.getElementById("findings-panel").getBoundingClientRect().bottom <= document.getElementById("table").getBoundingClientRect().top`:                 true,
		`document.getElementById("log").getBoundingClientRect().top >= document.getElementById("table").getBoundingClientRect().bottom`:                            true,
		`document.querySelector('[data-copy="c2"] .words').textContent`:                                                                                            "KYB",
		`document.querySelector('[data-copy="c12"] .words').textContent`:                                                                                           "DUBD",
		// No word is cut by a card.
		`[...document.querySelectorAll(".zone-name:not(.covered)")].every((n) => { const a = n.getBoundingClientRect(); return [...document.querySelectorAll(".card .paper")].every((p) => { const b = p.getBoundingClientRect(); return a.right <= b.left + 1 || b.right <= a.left + 1 || a.bottom <= b.top + 1 || b.bottom <= a.top + 1; }); })`: true,
	} {
		if got := evaluate[any](t, ctx, expression); got != want {
			t.Errorf("%s is %v, want %v", expression, got, want)
		}
	}
	screenshot(t, ctx, "judge-phone")
	tap := func(selector string) {
		run(t, ctx, chromedp.ScrollIntoView("#table"))
		at := evaluate[[2]float64](t, ctx, fmt.Sprintf(`(() => { const r = document.querySelector(%q).getBoundingClientRect(); return [r.x + r.width / 2, r.y + 2 * r.height / 3]; })()`, selector))
		run(t, ctx, chromedp.MouseClickXY(at[0], at[1]))
	}
	tap(`[data-copy="c12"] .paper`)
	until(t, ctx, `document.getElementById("picked").innerText === "Daidoji Uji · personality · bowed · dishonorable the battlefield"`)
	until(t, ctx, `document.querySelector('[data-copy="c12"]').classList.contains("pointed")`)
	screenshot(t, ctx, "judge-phone-tapped")
	gone := showBoard().Copies["c12"]
	tb.publish(board.Event{Kind: board.EventRemoved, Card: "c12", Before: &gone})
	until(t, ctx, `document.getElementById("picked").innerText === "Tap a card to read it"`)
	run(t, ctx, look(1920, 1080, "light"))
	until(t, ctx, `document.querySelector('[data-copy="c2"] .words').textContent.includes("BOWED")`)
}

// crowdedLayout has narrow zones with long names, some with outlines that begin
// at their bottom right: those of the player across.
func crowdedLayout() board.Layout {
	layout := board.Layout{Size: board.Size{Width: 900, Height: 600}, Seats: []board.Seat{{ID: "south", Name: "Aiko"}, {ID: "north", Name: "Benjamin", UpDeg: 180}}}
	layout.Zones = []board.Zone{{ID: "battlefield", Kind: board.ZoneBattlefield, Outline: board.Polygon{{X: 0.01, Y: 0.41}, {X: 0.99, Y: 0.41}, {X: 0.99, Y: 0.59}, {X: 0.01, Y: 0.59}}}}
	add := func(kind board.ZoneKind, left, top, right, bottom float64) {
		south := board.Polygon{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}}
		var north board.Polygon
		for _, p := range south {
			north = append(north, board.Point{X: 1 - p.X, Y: 1 - p.Y})
		}
		id := fmt.Sprintf("%s%d", kind, len(layout.Zones))
		layout.Zones = append(layout.Zones,
			board.Zone{ID: board.ZoneID("south." + id), Kind: kind, Seat: "south", Outline: south},
			board.Zone{ID: board.ZoneID("north." + id), Kind: kind, Seat: "north", Outline: north})
	}
	add(board.ZoneHome, 0.01, 0.775, 0.99, 0.995)
	add(board.ZoneDynastyDiscard, 0.01, 0.6, 0.12, 0.77)
	add(board.ZoneDynastyDeck, 0.125, 0.6, 0.235, 0.77)
	for _, left := range []float64{0.245, 0.375, 0.505, 0.635} {
		add(board.ZoneProvince, left, 0.6, left+0.125, 0.77)
	}
	add(board.ZoneFateDeck, 0.765, 0.6, 0.875, 0.77)
	add(board.ZoneFateDiscard, 0.88, 0.6, 0.935, 0.77)
	add("a-kind-of-zone-with-a-very-long-name", 0.94, 0.6, 0.99, 0.77)
	return layout
}

// insideItsZone says of every name on the board whether it lies in its zone.
const insideItsZone = `[...document.querySelectorAll(".zone")].map((zone, i) => {
	const z = zone.getBoundingClientRect(), n = document.querySelectorAll(".zone-name")[i].getBoundingClientRect();
	const air = n.height / 6; // what a line is higher than its letters, above and below
	return n.left >= z.left && n.right <= z.right && n.top >= z.top - air && n.bottom <= z.bottom + air ? "" : zone.dataset.zone;
}).join("")`

func TestNamesOfZones(t *testing.T) {
	ctx := browser(t)
	b := board.NewBoard(crowdedLayout())
	for i, zone := range b.Layout.Zones {
		lower, upper := zone.Outline[0], zone.Outline[2]
		x, y := (lower.X+upper.X)/2*b.Layout.Size.Width, (lower.Y+upper.Y)/2*b.Layout.Size.Height
		c := lie(fmt.Sprintf("c%d", i), "Hida O-Ushi", "personality", "south", zone.ID, x, y, 0)
		b.Copies[c.ID] = c
	}
	tb := newTable(t, web.HubOptions{Match: web.Match{Epoch: "e", Table: "Table 7", Game: "l5r-emperor", Board: b}})
	run(t, ctx, look(1920, 1080, "light"), chromedp.Navigate(tb.url+"/"))
	until(t, ctx, fmt.Sprintf(`document.querySelectorAll("#table .card:not(.entering)").length === %d`, len(b.Copies)))
	screenshot(t, ctx, "zone-names")
	if outside := evaluate[string](t, ctx, insideItsZone); outside != "" {
		t.Errorf("names run out of %s", outside)
	}
	// The player's side of a row, where the cards leave most of the name in sight.
	for _, test := range []struct{ zone, edge string }{{"south.dynasty-deck5", "bottom"}, {"north.dynasty-deck5", "top"}} {
		far := evaluate[float64](t, ctx, fmt.Sprintf(`(() => {
			const zones = [...document.querySelectorAll(".zone")], i = zones.findIndex((z) => z.dataset.zone === %q);
			return Math.abs(zones[i].getBoundingClientRect().%[2]s - document.querySelectorAll(".zone-name")[i].getBoundingClientRect().%[2]s);
		})()`, test.zone, test.edge))
		if far > 6 {
			t.Errorf("the name of %s is %.0f pixels from its %s edge", test.zone, far, test.edge)
		}
	}
	run(t, ctx, look(390, 844, "light"))
	until(t, ctx, `document.querySelectorAll("#table.compact").length === 1`)
	screenshot(t, ctx, "zone-names-phone")
	if outside := evaluate[string](t, ctx, insideItsZone); outside != "" {
		t.Errorf("on a phone names run out of %s", outside)
	}
}

func TestReducedMotion(t *testing.T) {
	ctx := browser(t)
	tb := showTable(t)
	run(t, ctx, prefer("prefers-reduced-motion", "reduce"), chromedp.Navigate(tb.url+"/"))
	until(t, ctx, `document.querySelectorAll("#table .card").length === 22`)
	if duration := evaluate[string](t, ctx, `getComputedStyle(document.querySelector(".card")).transitionDuration`); duration != "0s" {
		t.Errorf("cards glide for %s though no motion is wanted", duration)
	}
}

func TestOverlayPage(t *testing.T) {
	ctx := browser(t)
	tb := showTable(t)
	b := showBoard()
	run(t, ctx, look(1920, 1080, "dark"), chromedp.Navigate(tb.url+"/overlay"))
	until(t, ctx, `document.querySelector("#left h2").textContent === "Aiko" && document.querySelector("#right h2").textContent === "Benjamin"`)
	until(t, ctx, `document.querySelector("#left li.bowed b").textContent === "2"`)
	tb.act(b, board.EventMoved, "c13", func(c *board.Copy) { c.Zone, c.Pose.Centre.Y = "south.home", 572 })
	tb.act(b, "card.rehonored", "c3", func(c *board.Copy) { c.Pose.AngleDeg, c.State = 0, board.NewState() })
	tb.act(b, "card.bowed", "c1", func(c *board.Copy) { c.Pose.AngleDeg, c.State = 90, board.NewState("bowed") })
	until(t, ctx, `document.getElementById("headline").textContent === "Hida O-Ushi bowed"`)
	until(t, ctx, `document.querySelector("#left li.bowed b").textContent === "3"`)
	until(t, ctx, `getComputedStyle(document.body).backgroundColor === "rgba(0, 0, 0, 0)"`)
	until(t, ctx, `document.documentElement.scrollWidth === 1920 && document.documentElement.scrollHeight === 1080`)
	screenshot(t, ctx, "overlay")
}

// camera is a source of debug frames: a gradient with two cards on it.
type camera struct {
	mu    sync.Mutex
	frame web.DebugFrame
	err   error
}

func (c *camera) DebugFrame(context.Context) (web.DebugFrame, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return web.DebugFrame{}, c.err
	}
	c.frame.Frame++
	c.frame.At = time.Now()
	return c.frame, nil
}

func newCamera(t *testing.T) *camera {
	t.Helper()
	const width, height = 1280, 720
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	quads := []board.Quad{
		board.RectQuad(board.Point{X: 400, Y: 360}, board.Size{Width: 126, Height: 176}, 4),
		board.RectQuad(board.Point{X: 800, Y: 380}, board.Size{Width: 126, Height: 176}, 93),
	}
	for y := range height {
		for x := range width {
			shade := uint8(40 + 30*math.Sin(float64(x)/90)*math.Cos(float64(y)/70))
			picture.Set(x, y, color.RGBA{shade, shade + 20, shade, 255})
			for _, q := range quads {
				if q.Contains(board.Point{X: float64(x), Y: float64(y)}) {
					picture.Set(x, y, color.RGBA{225, 215, 190, 255})
				}
			}
		}
	}
	var data bytes.Buffer
	if err := jpeg.Encode(&data, picture, nil); err != nil {
		t.Fatal(err)
	}
	return &camera{frame: web.DebugFrame{
		Width: width, Height: height, JPEG: data.Bytes(),
		PlayArea: board.Polygon{{X: 60, Y: 40}, {X: 1220, Y: 40}, {X: 1240, Y: 690}, {X: 40, Y: 690}},
		Zones: []web.DebugZone{{ID: "south.home", Kind: board.ZoneHome, Outline: board.Polygon{{X: 80, Y: 240}, {X: 1200, Y: 240}, {X: 1210, Y: 520}, {X: 70, Y: 520}}},
			{ID: "north.province1", Kind: board.ZoneProvince, Outline: board.Polygon{{X: 300, Y: 220}, {X: 100, Y: 220}, {X: 110, Y: 60}, {X: 300, Y: 70}}}},
		Obscured: []board.Polygon{{{X: 980, Y: 500}, {X: 1180, Y: 520}, {X: 1160, Y: 700}, {X: 1000, Y: 700}}},
		Cards: []web.DebugCard{
			{Copy: "c1", Observation: board.Observation{Corners: quads[0], Rotation: 0, Face: board.FaceUp, Confidence: 0.97, Card: &board.CardRef{ID: "hida-o-ushi", Name: "Hida O-Ushi"}}},
			{Observation: board.Observation{Corners: quads[1], Rotation: board.TurnUnknown, Face: board.FaceUp, Confidence: 0.41}},
		},
		TimingsMS: map[string]float64{"detect": 12.3, "identify": 4.5},
		Notes:     []string{"The camera moved: calibrate again."},
	}}
}

func TestDebugPage(t *testing.T) {
	ctx := browser(t)
	cam := newCamera(t)
	front := serve(t, web.Options{Debug: cam}) // no tokens: only for this machine, which the browser is on
	run(t, ctx, look(1600, 900, "dark"), chromedp.Navigate(front+"/debug"))
	until(t, ctx, `document.querySelectorAll("#layers .quad").length === 2 && document.getElementById("picture").naturalWidth === 1280`)
	until(t, ctx, `document.getElementById("frame").dataset.state === "live" && document.getElementById("notes").textContent.includes("moved")`)
	until(t, ctx, `document.getElementById("layers").textContent.includes("Hida O-Ushi") && document.getElementById("layers").textContent.includes("41 %")`)
	screenshot(t, ctx, "debug")
	until(t, ctx, `document.getElementById("cards").innerText.includes("41 % · turn ?") && document.getElementById("cards").innerText.includes("97 % · 0°")`)
	// North's zone begins at its bottom right corner; what counts is what is seen.
	const places = `[...document.querySelectorAll("#layers .zone")].map((zone, i) => {
		const z = zone.getBoundingClientRect(), n = document.querySelectorAll("#layers .zone-name")[i].getBoundingClientRect();
		return [n.left - z.left, n.top - z.top, z.right - n.right, z.bottom - n.bottom];
	})`
	for _, width := range []int64{1600, 390} {
		run(t, ctx, look(width, 900, "dark"))
		until(t, ctx, fmt.Sprintf(`document.documentElement.scrollWidth <= %d && [...document.querySelectorAll("header nav > *")].every((e) => e.getBoundingClientRect().right <= %[1]d)`, width))
		until(t, ctx, places+`.every(([left, top, right, bottom]) => left >= 0 && left < 30 && top >= -1 && top < 30 && right >= 0 && bottom >= 0)`)
		if width == 390 {
			screenshot(t, ctx, "debug-phone")
		}
	}
	run(t, ctx, look(1600, 900, "dark"))
	for _, layer := range []string{"cards", "names", "confidence", "zones", "obscured"} {
		run(t, ctx, chromedp.Click(fmt.Sprintf(`[data-layer=%q]`, layer)))
		until(t, ctx, fmt.Sprintf(`getComputedStyle(document.querySelector(".layer-%s")).display === "none"`, layer))
	}
	run(t, ctx, chromedp.Click(`[data-layer="picture"]`))
	until(t, ctx, `getComputedStyle(document.getElementById("picture")).visibility === "hidden"`)
}
