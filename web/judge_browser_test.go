package web_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"tabletop/board"
	"tabletop/rules/champions"
)

// openJudge logs a judge in and opens the page.
func openJudge(t *testing.T, ctx context.Context, tb *table) {
	t.Helper()
	run(t, ctx, chromedp.Navigate(tb.url+"/login?next=/judge"), chromedp.SendKeys("#token", "judge-token"))
	submit(t, ctx)
	until(t, ctx, `document.getElementById("connection").dataset.state === "live" && document.querySelectorAll("#table .card").length === 22`)
}

// click clicks once the element is there.
func click(t *testing.T, ctx context.Context, selector string) {
	t.Helper()
	until(t, ctx, fmt.Sprintf(`document.querySelector(%q) !== null`, selector))
	run(t, ctx, chromedp.Click(selector))
}

// TestJudgePage is a judge's work: a finding is seen and its rule read, a card
// is corrected, the board accepted, a decision recorded; on a desk, and in a
// second browser nothing of it shows.
func TestJudgePage(t *testing.T) {
	ctx := browser(t)
	j := emperorTable(t, "en")
	run(t, ctx, look(1600, 900, "light"))
	openJudge(t, ctx, j.table)
	until(t, ctx, `document.getElementById("clear").checkVisibility() && document.getElementById("findings").childElementCount === 0`)
	screenshot(t, ctx, "judge-page-calm")

	// A finding shows up by itself, with what was seen before and then.
	j.mu.Lock()
	for seq := range uint64(40) {
		j.pictures[seq] = newCamera(t).frame.JPEG
	}
	j.mu.Unlock()
	j.turn("c4", 180)
	j.turn("c15", 90)
	const finding = `document.querySelector('#findings [data-severity="illegal"]')`
	until(t, ctx, `document.querySelectorAll("#findings .case").length === 2 && `+finding+`.innerText.includes("Only Personalities can be dishonorable")`)
	until(t, ctx, finding+`.querySelectorAll(".card-picture").length === 2 && `+finding+`.querySelector(".seen").innerText.includes("upside down (180°)")`)
	until(t, ctx, `document.querySelectorAll("#table .flagged").length === 2 && document.getElementById("open-count").textContent === "2"`)
	screenshot(t, ctx, "judge-page-light")
	click(t, ctx, `#findings .case .picture summary`)
	until(t, ctx, `document.querySelector("#findings .case .picture img").naturalWidth === 1280`)
	screenshot(t, ctx, "judge-page-picture")
	// Its rule.
	click(t, ctx, `#findings .case details.rule summary`)
	until(t, ctx, `document.querySelector("#findings .case blockquote").checkVisibility() && document.querySelector("#findings .case .source").innerText.includes("Emperor Edition")`)
	run(t, ctx, look(1600, 900, "dark"))
	screenshot(t, ctx, "judge-page-dark")
	run(t, ctx, look(1600, 900, "light"))

	// A decision.
	click(t, ctx, `#findings .case [data-do="acknowledged"]`)
	until(t, ctx, `document.querySelector("#findings .case .decided")?.innerText === "Decided: acknowledged"`)
	click(t, ctx, `#findings .case [data-do="upheld"]`)
	until(t, ctx, `document.querySelector("#findings .case .decided")?.innerText === "Decided: upheld"`)

	// A correction: it is a Personality, which may lie so. The finding ends.
	click(t, ctx, `#findings .case .copies button`)
	until(t, ctx, `document.getElementById("card-name").innerText === "Forest of Thorns"`)
	click(t, ctx, `#correct-card`)
	run(t, ctx, chromedp.SendKeys("#card-search", "kisada"))
	until(t, ctx, `document.querySelectorAll("#options button").length === 1`)
	screenshot(t, ctx, "judge-page-correcting")
	click(t, ctx, `#options [data-card="hida-kisada"]`)
	until(t, ctx, `document.getElementById("card-name").innerText === "Hida Kisada" && document.querySelector("#card .decided") !== null`)
	until(t, ctx, `document.querySelectorAll("#findings .case").length === 1`)
	click(t, ctx, `#correct-face`)
	until(t, ctx, `document.querySelector('[data-copy="c4"]').classList.contains("face-down")`)
	click(t, ctx, `#correct-undo`)
	until(t, ctx, `document.getElementById("card-name").innerText === "Forest of Thorns"`)

	// A backup makes the table out of step; accepting it as it lies ends that.
	until(t, ctx, `document.querySelectorAll("#findings .case").length === 2`)
	click(t, ctx, `#findings .case [data-do="backed-up"]`)
	until(t, ctx, `document.querySelector("dialog").open && document.querySelectorAll(".points input").length > 20 && document.querySelector(".points :checked") !== null`)
	screenshot(t, ctx, "judge-page-backing-up")
	click(t, ctx, `dialog button[value="yes"]`)
	until(t, ctx, `!document.getElementById("out-of-step").hidden && document.querySelectorAll("#differences > li").length > 0`)
	screenshot(t, ctx, "judge-page-out-of-step")
	click(t, ctx, `#out-of-step .accept`)
	click(t, ctx, `dialog button[value="yes"]`)
	until(t, ctx, `document.getElementById("out-of-step").hidden && document.querySelectorAll("#findings .case").length === 0`)
	until(t, ctx, `document.getElementById("events").innerText.includes("took the table as it lies")`)
	// What is over can still be looked at, from the log.
	click(t, ctx, `#events .settled button.link`)
	until(t, ctx, `document.querySelector("dialog").open && document.querySelectorAll("dialog .card-picture").length === 2 && document.querySelector("dialog .case .rulings") === null`)
	screenshot(t, ctx, "judge-page-review")
	click(t, ctx, `dialog button[value=""]`)
	if got := evaluate[bool](t, ctx, `performance.getEntriesByType("resource").every((r) => r.name.startsWith(location.origin))`); !got {
		t.Error("the page loads from elsewhere")
	}

	// Whoever is not a judge sees none of it.
	run(t, ctx, chromedp.Navigate(j.url+"/login"))
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(`form[action="/logout"] button`)); err != nil {
		t.Fatal(err)
	}
	until(t, ctx, `document.querySelectorAll("#table .card").length === 22 && document.getElementById("to-judge").hidden`)
	j.turn("c15", 180)
	j.turn("c15", 90)
	until(t, ctx, `document.querySelectorAll("#log li").length >= 2`)
	if got := evaluate[string](t, ctx, `document.body.innerText`); len(got) == 0 || evaluate[bool](t, ctx, `document.querySelectorAll(".flagged").length > 0`) {
		t.Errorf("a viewer's board is marked: %s", got)
	}
}

// englishWords are those that a page says though nothing English should be on it;
// names of cards and rules are names.
const englishWords = `(() => {
	const page = document.body.cloneNode(true);
	for (const e of page.querySelectorAll("code, .who, .name, #card-name, .copies button, script, noscript, option, title, [hidden]")) e.remove();
	return (page.textContent.match(/\\b(the|and|is|not|card|cards|turned|judge|board|log|rule|open|accept|dismiss|bowed|exhausted|home|came|moved|finding|upright|legal|illegal|by|with|this|nothing)\\b/gi) ?? []).join();
})()`

// On a phone one thing is shown at a time, and everything is in reach.
func TestJudgePageOnAPhone(t *testing.T) {
	ctx := browser(t)
	j := emperorTable(t, "de")
	run(t, ctx, look(390, 844, "light"))
	openJudge(t, ctx, j.table)
	j.turn("c4", 180)
	j.turn("c15", 90)
	until(t, ctx, `document.querySelectorAll("#findings .case .card-picture").length === 4 && document.getElementById("tab-count").innerText === "2"`)
	const fits = `document.documentElement.scrollWidth <= innerWidth && document.querySelector("main").scrollWidth <= innerWidth`
	until(t, ctx, fits)
	screenshot(t, ctx, "judge-phone-open")
	click(t, ctx, `#findings .case .copies button`)
	until(t, ctx, `document.body.dataset.tab === "table" && document.getElementById("card-name").checkVisibility() && document.getElementById("card-name").innerText === "Forest of Thorns"`)
	until(t, ctx, fits)
	screenshot(t, ctx, "judge-phone-card")
	run(t, ctx, look(390, 844, "dark"))
	click(t, ctx, `#correct-card`)
	until(t, ctx, `document.querySelectorAll("#options button").length === 6`)
	screenshot(t, ctx, "judge-phone-correct-dark")
	click(t, ctx, `#tabs [data-tab="log"]`)
	until(t, ctx, `document.getElementById("events").checkVisibility() && !document.getElementById("findings").checkVisibility() && `+fits)
	screenshot(t, ctx, "judge-phone-log-dark")
	click(t, ctx, `#tabs [data-tab="open"]`)
	screenshot(t, ctx, "judge-phone-open-dark")
	// What a finger is to hit is large enough.
	if small := evaluate[string](t, ctx, `[...document.querySelectorAll("button, summary")].filter((b) => b.checkVisibility()).filter((b) => b.getBoundingClientRect().height < 35).map((b) => b.innerText).join()`); small != "" {
		t.Errorf("too small to hit: %s", small)
	}
	// A German table says nothing in English.
	for _, tab := range []string{"open", "table", "declare", "log"} {
		click(t, ctx, fmt.Sprintf(`#tabs [data-tab=%q]`, tab))
		if english := evaluate[string](t, ctx, englishWords); english != "" {
			t.Errorf("on %s it says %s: %s", tab, english, evaluate[string](t, ctx, `document.body.innerText`))
		}
	}
}

// What the table did is told also of a finding that was decided, and what the page
// answers with covers no link.
func TestJudgePageSaysHowAFindingEnded(t *testing.T) {
	ctx := browser(t)
	j := emperorTable(t, "en")
	run(t, ctx, look(390, 844, "light"))
	openJudge(t, ctx, j.table)
	j.turn("c4", 180)
	until(t, ctx, `document.querySelectorAll("#findings .case").length === 1`)
	click(t, ctx, `#findings .rulings button`)
	until(t, ctx, `document.getElementById("said").checkVisibility()`)
	const overlaps = `[document.querySelector("header"), document.getElementById("tabs")].some((bar) => {
		const a = bar.getBoundingClientRect(), b = document.getElementById("said").getBoundingClientRect();
		return a.top < b.bottom && b.top < a.bottom;
	})`
	if evaluate[bool](t, ctx, overlaps) {
		t.Error("what the page says covers its links")
	}
	screenshot(t, ctx, "judge-phone-said")
	j.turn("c4", 0)
	click(t, ctx, `#tabs [data-tab="log"]`)
	until(t, ctx, `/(put right|taken back), acknowledged: /.test(document.querySelector("#events .settled")?.innerText)`)
}

// Everything can be done from the keyboard.
func TestJudgePageByKeyboard(t *testing.T) {
	ctx := browser(t)
	j := emperorTable(t, "en")
	run(t, ctx, look(1600, 900, "light"))
	openJudge(t, ctx, j.table)
	until(t, ctx, `document.querySelectorAll('#table .card[tabindex="0"]').length === 1`)
	evaluate[bool](t, ctx, `(document.querySelector('[data-copy="c1"]').focus(), true)`)
	key := func(name string) {
		t.Helper()
		run(t, ctx, chromedp.KeyEvent(name))
	}
	key("\u0303") // arrow right
	until(t, ctx, `document.activeElement.dataset.copy === "c2"`)
	key("\r")
	until(t, ctx, `document.getElementById("card-name")?.innerText === "Kuni Yori"`)
	j.act("c2", func(c *board.Copy) { c.Pose.AngleDeg = 0 }, board.ChangeTurned)
	until(t, ctx, `document.activeElement.dataset.copy === "c2" && !document.activeElement.classList.contains("is-bowed")`)
}

// championsTable is a game of Marvel Champions.
func championsTable(t *testing.T, lang string) *judged {
	t.Helper()
	pack, err := champions.Pack()
	if err != nil {
		t.Fatal(err)
	}
	area := func(left, top, right, bottom float64) board.Polygon {
		return board.Polygon{{X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}, {X: left, Y: bottom}}
	}
	layout := board.Layout{
		Size:  board.Size{Width: 900, Height: 600},
		Seats: []board.Seat{{ID: "south", Name: "Aiko"}},
		Zones: []board.Zone{
			{ID: "encounter-deck", Kind: "encounter-deck", Outline: area(0.02, 0.03, 0.2, 0.33)},
			{ID: "villain", Kind: "villain", Outline: area(0.22, 0.03, 0.4, 0.33)},
			{ID: "main-scheme", Kind: "main-scheme", Outline: area(0.42, 0.03, 0.62, 0.33)},
			{ID: "encounter", Kind: "encounter", Outline: area(0.64, 0.03, 0.98, 0.33)},
			{ID: "south.home", Kind: "home", Seat: "south", Outline: area(0.02, 0.36, 0.98, 0.68)},
			{ID: "south.discard", Kind: "discard", Seat: "south", Outline: area(0.02, 0.7, 0.2, 0.98)},
			{ID: "south.deck", Kind: "deck", Seat: "south", Outline: area(0.22, 0.7, 0.4, 0.98)},
		},
	}
	at := func(id, name, kind string, zone board.ZoneID, x, y float64) board.Copy {
		return lie(id, name, kind, "south", zone, x, y, 0)
	}
	return newJudged(t, pack, lang, layout,
		at("c1", "Spinnenfrau", "Hero", "south.home", 150, 312), at("c2", "Schwarze Katze", "Ally", "south.home", 300, 312),
		at("c3", "Tante May", "Support", "south.home", 420, 312), at("c4", "Netzschießer", "Upgrade", "south.home", 540, 312),
		at("c5", "Nashorn", "Villain", "villain", 280, 108), at("c6", "Der Einbruch", "Main Scheme", "main-scheme", 470, 108),
		at("c7", "Handlanger", "Minion", "encounter", 660, 108), at("c8", "Rückenwind", "Event", "south.discard", 100, 500))
}

// An action is declared on a phone: cards are chosen on the table, and the
// answer names what is wrong with it. A German game says nothing in English.
func TestJudgePageDeclares(t *testing.T) {
	ctx := browser(t)
	j := championsTable(t, "de")
	run(t, ctx, look(390, 844, "light"), chromedp.Navigate(j.url+"/login?next=/judge"), chromedp.SendKeys("#token", "judge-token"))
	submit(t, ctx)
	until(t, ctx, `document.querySelectorAll("#table .card").length === 8`)
	j.turn("c2", 90)
	j.turn("c4", 180)
	until(t, ctx, `document.querySelectorAll("#findings .case .card-picture").length === 2`)
	screenshot(t, ctx, "judge-phone-champions")
	click(t, ctx, `#tabs [data-tab="declare"]`)
	run(t, ctx, chromedp.SetValue("#action-kind", "target"))
	evaluate[bool](t, ctx, `document.getElementById("action-kind").dispatchEvent(new Event("change"))`)
	until(t, ctx, `document.getElementById("missing").innerText !== ""`)
	click(t, ctx, `#targets-choose`)
	tap := func(copy string) {
		t.Helper()
		at := evaluate[[2]float64](t, ctx, fmt.Sprintf(`(() => { const r = document.querySelector('#table [data-copy=%q] .paper').getBoundingClientRect(); return [r.x + r.width / 2, r.y + 2 * r.height / 3]; })()`, copy))
		run(t, ctx, chromedp.MouseClickXY(at[0], at[1]))
	}
	tap("c7")
	tap("c8")
	until(t, ctx, `document.querySelectorAll("#declare-form .chips button").length === 2 && document.querySelectorAll("#table .chosen").length === 2`)
	screenshot(t, ctx, "judge-phone-choosing")
	tap("c7")
	until(t, ctx, `document.querySelectorAll("#declare-form .chips button").length === 1`)
	click(t, ctx, `#chosen`)
	click(t, ctx, `#declare-do`)
	until(t, ctx, `document.getElementById("answer").dataset.legal === "false" && document.querySelectorAll("#answer li").length > 0`)
	screenshot(t, ctx, "judge-phone-illegal")
	click(t, ctx, `#let-stand`)
	until(t, ctx, `document.getElementById("answer").dataset.legal === "true"`)
	for _, tab := range []string{"open", "table", "declare", "log"} {
		click(t, ctx, fmt.Sprintf(`#tabs [data-tab=%q]`, tab))
		if english := evaluate[string](t, ctx, englishWords); english != "" {
			t.Errorf("on %s it says %s: %s", tab, english, evaluate[string](t, ctx, `document.body.innerText`))
		}
	}
	// Nor does the login, nor do the pages that everybody sees.
	run(t, ctx, chromedp.Navigate(j.url+"/login"), chromedp.SendKeys("#token", "wrong"))
	submit(t, ctx)
	until(t, ctx, `document.documentElement.lang === "de" && document.getElementById("problem").innerText.includes("Niemand kennt")`)
	if english := evaluate[string](t, ctx, englishWords); english != "" {
		t.Errorf("the login says %s: %s", english, evaluate[string](t, ctx, `document.body.innerText`))
	}
	for _, page := range []string{"/", "/overlay"} {
		run(t, ctx, look(1600, 900, "light"), chromedp.Navigate(j.url+page))
		until(t, ctx, `document.documentElement.lang === "de"`)
		j.turn("c3", 90)
		until(t, ctx, `document.body.innerText.includes("erschöpft")`)
		j.turn("c3", 0)
		if english := evaluate[string](t, ctx, englishWords); english != "" {
			t.Errorf("%s says %s: %s", page, english, evaluate[string](t, ctx, `document.body.innerText`))
		}
	}
}

// What the rules owe the table after a declared action is listed until it is
// done or decided.
func TestJudgePageOfPrompts(t *testing.T) {
	ctx := browser(t)
	j := emperorTable(t, "en")
	run(t, ctx, look(1600, 900, "light"))
	openJudge(t, ctx, j.table)
	choose := func(selector, value string) {
		t.Helper()
		until(t, ctx, fmt.Sprintf(`document.querySelector(%q) !== null`, selector))
		run(t, ctx, chromedp.SetValue(selector, value))
		evaluate[bool](t, ctx, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new Event("change"))`, selector))
	}
	choose("#action-kind", "destroy")
	choose("#targets-add", "c3")
	click(t, ctx, `#declare-do`)
	until(t, ctx, `document.getElementById("answer").dataset.legal === "true"`)
	until(t, ctx, `document.querySelectorAll("#prompts .case").length > 0 && document.querySelector("#prompts .case").innerText.includes("Moto Tsume")`)
	screenshot(t, ctx, "judge-page-owed")
	run(t, ctx, look(1600, 900, "dark"))
	choose("#action-kind", "assign")
	choose("#copies-add", "c2") // is bowed
	click(t, ctx, `#seat-south`)
	click(t, ctx, `#declare-do`)
	until(t, ctx, `document.getElementById("answer").dataset.legal === "false" && document.getElementById("answer").innerText.includes("Kuni Yori")`)
	screenshot(t, ctx, "judge-page-illegal-dark")
	click(t, ctx, `#prompts .case [data-do="dismissed"]`)
	click(t, ctx, `dialog button[value="yes"]`)
	until(t, ctx, `document.querySelectorAll("#prompts .case").length === 1 && document.getElementById("events").innerText.includes("dismissed: ")`)
	run(t, ctx, look(1100, 800, "light"))
	until(t, ctx, `document.documentElement.scrollWidth <= innerWidth`)
	screenshot(t, ctx, "judge-page-small")
	run(t, ctx, look(820, 1180, "dark"))
	click(t, ctx, `#tabs [data-tab="declare"]`)
	until(t, ctx, `document.documentElement.scrollWidth <= innerWidth`)
	screenshot(t, ctx, "judge-page-tablet")
}
