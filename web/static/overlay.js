// The stream overlay: a plate for each of two players, and what just happened.
// On air nothing flashes and nothing explains itself: when the connection is
// lost, the last state stays and a small ring in the corner tells the producer.
import { learn, t } from "/static/i18n.js";
import { TableStream } from "/static/stream.js";
import { describe, seatName, wordName } from "/static/words.js";

const $ = (id) => document.getElementById(id);
const earlierLines = 2;
const said = []; // newest first
const words = new Map([["l5r-emperor", ["bowed"]], ["l5r-samurai", ["bowed"]], ["marvel-champions", ["exhausted"]]]);
let always = [];

await learn();
const stream = new TableStream("board");

stream.addEventListener("hello", ({ detail: hello }) => { always = words.get(hello.game) ?? []; });
stream.addEventListener("state", ({ detail: state }) => { $("lost").hidden = state !== "lost"; });
stream.addEventListener("board", ({ detail: { board } }) => plates(board));
stream.addEventListener("change", ({ detail: { event, board } }) => {
  plates(board);
  if (!event.card || event.finding || event.prompt || event.action) return; // rulings are the judge's to announce, whoever is logged in
  said.unshift(describe(event, board.layout));
  said.length = Math.min(said.length, 1 + earlierLines);
  ticker();
});

function plates(board) {
  // The player at the camera's bottom edge stands on the left.
  const seats = [...(board.layout.seats ?? [])].sort((a, b) => a.up_deg - b.up_deg).slice(0, 2);
  ["left", "right"].forEach((side, i) => {
    const plate = $(side);
    plate.hidden = !seats[i];
    if (!seats[i]) return;
    plate.querySelector("h2").textContent = seatName(board.layout, seats[i].id);
    plate.querySelector("ul").replaceChildren(...counts(board, seats[i].id));
  });
}

function counts(board, seat) {
  const own = Object.values(board.copies).filter((c) => (c.controller || c.owner) === seat);
  const tally = new Map(always.map((word) => [word, 0]));
  for (const copy of own) for (const word of copy.state) tally.set(word, (tally.get(word) ?? 0) + 1);
  return [["cards", own.length], ...[...tally].sort(([a], [b]) => a.localeCompare(b))].map(([word, n]) => {
    const item = document.createElement("li");
    item.className = word;
    const number = document.createElement("b");
    number.textContent = String(n);
    const label = document.createElement("span");
    label.textContent = word === "cards" ? t("overlay.cards") : wordName(word);
    item.append(number, label);
    return item;
  });
}

function ticker() {
  $("ticker").hidden = false;
  const [newest, ...earlier] = said;
  const headline = $("headline");
  headline.replaceChildren(part("who", newest.who), " ", part("what", newest.what));
  headline.classList.remove("fresh");
  void headline.offsetWidth; // lets the animation start anew
  headline.classList.add("fresh");
  $("earlier").replaceChildren(...earlier.map(({ who, what }) => {
    const line = document.createElement("li");
    line.textContent = `${who} ${what}`;
    return line;
  }));
}

function part(name, text) {
  const s = document.createElement("span");
  s.className = name;
  s.textContent = text;
  return s;
}

stream.open();
