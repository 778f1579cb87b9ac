// The live board.
import { learn, t } from "/static/i18n.js";
import { TableStream } from "/static/stream.js";
import { TableView } from "/static/table.js";
import { capital, cardLine, clockTime, describe, placeName, seatName } from "/static/words.js";

const $ = (id) => document.getElementById(id);
const longestLog = 60;
const view = new TableView($("table"));
const gameName = await learn();
const stream = new TableStream("board");
let judge = false;
let connection = "connecting";
let problem = ""; // what the program says keeps it from seeing the table
let shown = null; // the board
let picked = {}; // the copy or the zone that was tapped

stream.addEventListener("hello", ({ detail: hello }) => {
  judge = hello.role === "judge" || hello.role === "operator";
  $("table-name").textContent = hello.table || "Tabletop";
  document.title = hello.table ? `${hello.table} · Tabletop` : "Tabletop";
  $("game").textContent = gameName || hello.game;
  $("delay").hidden = hello.delay_ms === 0;
  $("delay").textContent = t("delay", { seconds: Math.round(hello.delay_ms / 1000) });
  $("findings-panel").hidden = !judge;
  $("to-judge").hidden = !judge;
  $("to-debug").hidden = !judge;
  $("to-login").textContent = t(hello.role === "viewer" ? "nav.login" : "nav.logout");
  sayOnlyTable();
});

stream.addEventListener("state", ({ detail: state }) => {
  connection = state;
  showTrust();
});

stream.addEventListener("problem", ({ detail: { text } }) => {
  problem = text;
  showTrust();
});

// Says whether what is shown is the present. "Live" would be wrong of a program
// that sees nothing, and so would "Nothing to rule on".
function showTrust() {
  const live = connection === "live";
  $("connection").dataset.state = live && problem ? "problem" : connection;
  $("connection-text").textContent = live ? problem || t("connection.live") : t(`connection.${connection}`);
  document.body.classList.toggle("stale", blind());
  showFindings();
}

const blind = () => connection !== "live" || problem !== "";

stream.addEventListener("board", ({ detail: { board } }) => {
  shown = board;
  view.show(board);
  showFindings();
  showPicked();
  const cards = Object.keys(board.copies).length;
  if (cards > 0 && $("log").childElementCount === 0) {
    $("newest").replaceChildren(span("muted", t(cards === 1 ? "board.cards.one" : "board.cards.many", { n: cards })));
  }
});

stream.addEventListener("change", ({ detail: { event, board } }) => {
  shown = board;
  view.change(event, board);
  showFindings();
  showPicked();
  const { who, what } = describe(event, board.layout);
  $("newest").replaceChildren(span("who", who), " ", span("what", what));
  const entry = document.createElement("li");
  if (event.finding) entry.classList.add("finding");
  const time = document.createElement("time");
  time.dateTime = event.at;
  time.textContent = clockTime(event.at);
  const line = document.createElement("p");
  line.append(span("who", who), " ", span("what", what));
  entry.append(time, line);
  $("log").prepend(entry);
  $("log-empty").hidden = true;
  while ($("log").childElementCount > longestLog) $("log").lastElementChild.remove();
});

function showFindings() {
  if (!judge) return;
  const board = shown ?? { findings: {} };
  const rank = { illegal: 0, suspicious: 1, info: 2 };
  const list = Object.values(board.findings).sort((a, b) => rank[a.severity] - rank[b.severity] || a.id.localeCompare(b.id));
  const unknown = blind();
  $("blind").hidden = !unknown;
  $("blind").textContent = t("board.blind", { problem: connection === "live" ? problem : t("connection.none") })
    + (list.length > 0 ? ` ${t("board.blind-before")}` : "");
  $("findings-count").textContent = unknown && list.length === 0 ? "?" : String(list.length);
  $("findings-count").classList.toggle("some", list.length > 0);
  if (list.length === 0 && unknown) {
    $("findings").replaceChildren();
    return;
  }
  if (list.length === 0) {
    const none = document.createElement("li");
    none.className = "none muted";
    none.textContent = t("board.none");
    $("findings").replaceChildren(none);
    return;
  }
  $("findings").replaceChildren(...list.map((f) => findingItem(f, board.layout)));
}

function findingItem(finding, layout) {
  const item = document.createElement("li");
  item.dataset.severity = finding.severity;
  item.tabIndex = 0;
  const head = document.createElement("p");
  head.append(span("severity", t(`severity.${finding.severity}`)), finding.seat ? span("muted", seatName(layout, finding.seat)) : "");
  const text = document.createElement("p");
  text.textContent = finding.text;
  const seen = document.createElement("p");
  seen.className = "muted";
  seen.textContent = finding.seen;
  const source = document.createElement("p");
  source.className = "source";
  source.textContent = [finding.citation.source, finding.citation.passage].filter(Boolean).join(" — ");
  if (finding.citation.quote) source.title = finding.citation.quote;
  item.append(head, text, seen, source);
  const point = (ids) => () => view.point(ids);
  item.addEventListener("pointerenter", point(finding.copies ?? []));
  item.addEventListener("focus", point(finding.copies ?? []));
  item.addEventListener("pointerleave", point([]));
  item.addEventListener("blur", point([]));
  return item;
}

function span(name, text) {
  const s = document.createElement("span");
  s.className = name;
  s.textContent = text;
  return s;
}

// A tap tells what a card or a place is: on a phone there is no room for names.
$("table").addEventListener("click", ({ target }) => {
  picked = { copy: target.closest(".card")?.dataset.copy, zone: target.closest(".zone")?.dataset.zone };
  view.point(picked.copy ? [picked.copy] : []);
  showPicked();
});

function showPicked() {
  const copy = shown?.copies[picked.copy];
  if (copy) $("picked").replaceChildren(span("who", cardLine(copy)), span("muted", ` ${placeName(shown.layout, copy.zone)}`));
  else if (picked.zone) $("picked").replaceChildren(span("who", capital(placeName(shown.layout, picked.zone))));
  else $("picked").replaceChildren(span("muted", t("board.tap")));
}

// For a projector: the table and the newest line, nothing else.
$("only-table").addEventListener("click", () => {
  const on = document.body.classList.toggle("only-table");
  $("only-table").setAttribute("aria-pressed", String(on));
  sayOnlyTable();
});

function sayOnlyTable() {
  $("only-table").textContent = t(document.body.classList.contains("only-table") ? "board.all" : "board.only");
}

stream.open();
