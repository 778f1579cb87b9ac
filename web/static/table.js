// Draws a board as a table seen from above, in SVG, one unit a millimetre.
//
// A card's body lies as the card lies, a band at its printed top; its words stay
// upright for whoever looks at the screen. What a state is called stands on the
// card in words and shows in its outline, never in colour alone.
import { fitLabel, roomInside, textWidth } from "/static/label.js";
import { cardLine, cardName, capital, placeName, seatName, typeName, wordName, zoneName } from "/static/words.js";

const svg = "http://www.w3.org/2000/svg";
const standard = { width: 63, height: 88 }; // mm, when a card's corners don't tell
const fallbackTable = { width: 1200, height: 800 };
const bandHeight = 8; // mm
const margin = 34; // mm around the play area: the seats' names
const highlightFor = 2600; // ms that the newest change stands out
const compactBelow = 0.5; // pixels to a millimetre: fewer, and names can't be read
const zoneNames = { weight: 600, pad: 2, largest: 8, smallest: 6.5, lines: 2 }; // mm
const compactZoneNames = { weight: 600, pad: 5, largest: 22, smallest: 18, lines: 1 };

function element(name, attributes = {}, ...children) {
  const e = document.createElementNS(svg, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

export class TableView {
  #root;
  #under = element("g", { class: "under" });
  #cards = element("g", { class: "cards" });
  #shown = new Map(); // copy id → CardView
  #layout = null;
  #newest = null; // the card of the last event
  #board = null;
  #compact = false; // so small that a card has room for its initials only
  #zoneLabels = [];
  #pickable;

  /** With pickable, cards can be reached and clicked from the keyboard: one of them by Tab, from there the nearest that way by an arrow key. */
  constructor(root, { pickable = false } = {}) {
    this.#root = root;
    this.#pickable = pickable;
    definePatterns();
    root.append(this.#under, this.#cards);
    new ResizeObserver(() => this.#resized()).observe(root);
    if (!pickable) return;
    root.addEventListener("keydown", (e) => this.#key(e));
    root.addEventListener("focusin", ({ target }) => this.#rove(target.closest(".card")?.dataset.copy));
  }

  #key(event) {
    const id = event.target.closest(".card")?.dataset.copy;
    const from = this.#board?.copies[id]?.pose.centre;
    if (!from) return;
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      event.target.closest(".card").dispatchEvent(new MouseEvent("click", { bubbles: true }));
    } else if (way) {
      event.preventDefault();
      const next = nearest(Object.values(this.#board.copies).filter((c) => c.id !== id), from, way);
      if (next) this.#shown.get(next.id)?.group.focus();
    }
  }

  // One card is where Tab comes to.
  #rove(id) {
    if (!this.#pickable) return;
    if (!this.#shown.has(id)) id = [...this.#shown.keys()].find((k) => this.#shown.get(k).group.tabIndex === 0) ?? this.#shown.keys().next().value;
    for (const [key, card] of this.#shown) card.group.setAttribute("tabindex", key === id ? "0" : "-1");
  }

  #resized() {
    const { width, height } = this.#root.viewBox.baseVal;
    const box = this.#root.getBoundingClientRect();
    if (!this.#board || box.width === 0) return;
    const compact = Math.min(box.width / width, box.height / height) < compactBelow;
    if (compact === this.#compact) return;
    this.#compact = compact;
    this.#root.classList.toggle("compact", compact);
    this.#layout = null; // the names of zones are set anew
    this.show(this.#board);
  }

  /** Shows a board; cards that stay glide to where they lie now. */
  show(board) {
    const first = this.#board === null;
    this.#board = board;
    this.#drawLayout(board.layout);
    if (first) this.#resized(); // there was no scale before
    for (const [id, card] of this.#shown) {
      if (!(id in board.copies)) this.#drop(id, card);
    }
    for (const copy of Object.values(board.copies)) this.#put(copy);
    this.#order();
    this.#rove();
    this.#hideCoveredNames();
    this.flag(board.findings);
  }

  /** Shows one event. */
  change(event, board) {
    this.#board = board;
    if (event.card) {
      const copy = board.copies[event.card];
      if (copy) {
        this.#put(copy);
        this.#order();
        const card = this.#shown.get(event.card);
        if (card !== this.#newest) this.#newest?.calm();
        this.#newest = card;
        card.highlight();
      } else if (this.#shown.has(event.card)) {
        this.#drop(event.card, this.#shown.get(event.card));
      }
      this.#rove();
      this.#hideCoveredNames();
    }
    this.flag(board.findings);
  }

  /** Marks the copies that findings are about, by the worst of them. */
  flag(findings) {
    const worst = new Map();
    const rank = ["info", "suspicious", "illegal"];
    for (const f of Object.values(findings ?? {})) {
      for (const id of f.copies ?? []) {
        if (rank.indexOf(f.severity) >= rank.indexOf(worst.get(id))) worst.set(id, f.severity);
      }
    }
    for (const [id, card] of this.#shown) card.flag(worst.get(id));
  }

  /** Makes copies stand out, for whoever points at their finding. */
  point(ids) {
    for (const [id, card] of this.#shown) card.pointed(ids.includes(id));
  }

  /** Marks the copies that are chosen for something. */
  choose(ids) {
    for (const [id, card] of this.#shown) card.group.classList.toggle("chosen", ids.includes(id));
  }

  #put(copy) {
    let card = this.#shown.get(copy.id);
    if (!card) {
      card = new CardView();
      this.#shown.set(copy.id, card);
      this.#cards.append(card.group);
    }
    card.show(copy, this.#compact);
    if (!this.#pickable) return;
    card.group.setAttribute("role", "button");
    card.group.setAttribute("aria-label", `${cardLine(copy)}, ${placeName(this.#board.layout, copy.zone)}`);
  }

  // Half a word beside a card is worse than none: where it is small, the name of
  // a zone shows while nothing lies on it.
  #hideCoveredNames() {
    for (const { text, x, y, width, height } of this.#zoneLabels) {
      text.classList.toggle("covered", this.#compact && Object.values(this.#board.copies).some(({ pose }) => {
        const [xs, ys] = [0, 1].map((i) => pose.corners.map((p) => p[i]));
        return Math.max(...xs) > x && Math.min(...xs) < x + width && Math.max(...ys) > y && Math.min(...ys) < y + height;
      }));
    }
  }

  #drop(id, card) {
    this.#shown.delete(id);
    card.leave();
  }

  // Who is covered lies below who covers it; moving an element in the document
  // would cut its glide short, so only those out of place are moved.
  #order() {
    const wanted = [...this.#shown.values()].sort((a, b) => a.visible - b.visible || a.top - b.top);
    const now = [...this.#cards.children].filter((e) => !e.classList.contains("leaving"));
    if (wanted.every((card, i) => card.group === now[i])) return;
    const focused = document.activeElement;
    for (const card of wanted) this.#cards.append(card.group);
    if (this.#cards.contains(focused)) focused.focus();
  }

  #drawLayout(layout) {
    const same = JSON.stringify(layout);
    if (same === this.#layout) return;
    this.#layout = same;
    const size = layout.size_mm?.width > 0 && layout.size_mm?.height > 0 ? layout.size_mm : fallbackTable;
    this.#root.setAttribute("viewBox", `${-margin} ${-margin} ${size.width + 2 * margin} ${size.height + 2 * margin}`);
    this.#zoneLabels = [];
    this.#under.replaceChildren(element("rect", { class: "surface", x: 0, y: 0, width: size.width, height: size.height, rx: 18 }));
    for (const zone of layout.zones ?? []) {
      const points = zone.outline.map(([x, y]) => [x * size.width, y * size.height]);
      this.#under.append(element("polygon", { class: `zone ${zone.kind}`, "data-zone": zone.id, points: points.map((p) => p.join(",")).join(" ") },
        element("title", {}, placeName(layout, zone.id))));
      this.#zoneLabels.push(zoneLabel(zone, points, layout, this.#compact ? compactZoneNames : zoneNames));
    }
    this.#under.append(...this.#zoneLabels.map((l) => l.text));
    for (const seat of layout.seats ?? []) this.#under.append(seatLabel(seat, layout, size));
  }
}

// The name of a zone stands at the edge towards its player, where cards cover it
// least, and never leaves the zone.
function zoneLabel(zone, points, layout, type) {
  const across = Math.max(...points.map((p) => p[0])) - Math.min(...points.map((p) => p[0]));
  const { lines, size } = fitLabel(capital(zoneName(zone.kind)), type.weight, across - 4 * type.pad, type.largest, type.smallest, type.lines);
  const width = Math.max(...lines.map((l) => textWidth(l, type.weight))) * size + 2 * type.pad;
  const height = (lines.length + 0.06) * size; // no air above and below: cards begin a few mm from the edge
  const seat = layout.seats?.find((s) => s.id === zone.seat);
  const { x, y } = roomInside(points, width, height, Boolean(seat) && Math.cos((seat.up_deg * Math.PI) / 180) > 0.5);
  const text = element("text", { class: "zone-name", "font-size": size },
    ...lines.map((line, i) => element("tspan", { x: x + type.pad, y: y + size * (i + 0.8) }, line)));
  return { text, x, y, width, height };
}

// A seat's name stands at the edge its player sits at.
function seatLabel(seat, layout, size) {
  const a = (seat.up_deg * Math.PI) / 180;
  const towards = [-Math.sin(a), Math.cos(a)]; // from the middle to the player
  const reach = Math.min(
    Math.abs(towards[0]) > 1e-6 ? size.width / 2 / Math.abs(towards[0]) : Infinity,
    Math.abs(towards[1]) > 1e-6 ? size.height / 2 / Math.abs(towards[1]) : Infinity,
  ) + margin / 2;
  const x = size.width / 2 + towards[0] * reach;
  const y = size.height / 2 + towards[1] * reach;
  const sideways = Math.abs(towards[0]) > Math.abs(towards[1]);
  return element("text", {
    class: "seat", x, y, transform: sideways ? `rotate(${towards[0] < 0 ? -90 : 90} ${x} ${y})` : "",
  }, seatName(layout, seat.id));
}

class CardView {
  group = element("g", { class: "card entering" });
  visible = 1;
  top = 0;
  #angle = null;
  #drawn = "";
  #highlight = 0;
  #badge = null;

  show(copy, compact) {
    const { pose } = copy;
    const [x, y] = pose.centre;
    this.visible = pose.visible;
    this.top = y;
    // The shorter way round: 350° to 10° is 20°, not 340° back.
    this.#angle = this.#angle === null ? pose.angle_deg : this.#angle + shortest(pose.angle_deg - this.#angle);
    this.#draw(copy, compact);
    this.group.style.transform = `translate(${x}px, ${y}px)`;
    this.group.querySelector(".body").style.transform = `rotate(${this.#angle}deg)`;
    if (this.group.classList.contains("entering")) {
      // The first place is taken at once; then it fades in.
      requestAnimationFrame(() => requestAnimationFrame(() => this.group.classList.remove("entering")));
    }
  }

  leave() {
    this.group.classList.add("leaving");
    setTimeout(() => this.group.remove(), 450);
  }

  highlight() {
    clearTimeout(this.#highlight);
    this.group.classList.add("newest");
    this.#highlight = setTimeout(() => this.calm(), highlightFor);
  }

  calm() {
    clearTimeout(this.#highlight);
    this.group.classList.remove("newest");
  }

  pointed(yes) {
    this.group.classList.toggle("pointed", yes);
  }

  flag(severity) {
    this.group.classList.toggle("flagged", Boolean(severity));
    if (severity) this.group.dataset.severity = severity;
    else delete this.group.dataset.severity;
    this.#badge.style.display = severity ? "" : "none";
  }

  // Draws the card anew when something other than its place changed.
  #draw(copy, compact) {
    const { width, height } = sizeOf(copy.pose);
    const turns = quarter(copy.pose.angle_deg);
    const room = roomFor(width, height, turns);
    const key = JSON.stringify([copy.card, copy.state, copy.pose.face, copy.back, Math.round(width / 4), turns, compact]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    const face = copy.pose.face;
    const angle = this.group.querySelector(".body")?.style.transform;

    const body = element("g", { class: "body" });
    if (angle) body.style.transform = angle;
    body.append(
      element("rect", { class: "halo", x: -width / 2 - 5, y: -height / 2 - 5, width: width + 10, height: height + 10, rx: 9 }),
      element("rect", { class: "paper", x: -width / 2, y: -height / 2, width, height, rx: 4.5 }),
    );
    if (face === "down") {
      body.append(
        element("rect", { class: "back", x: -width / 2 + 3.5, y: -height / 2 + 3.5, width: width - 7, height: height - 7, rx: 3, fill: "url(#back)" }),
        element("path", { class: "back-mark", d: "M0 -15 L11 0 L0 15 L-11 0 Z" }),
      );
    } else {
      body.append(element("path", { class: "band", d: bandPath(width, height) }));
      if (copy.state.length > 0) {
        body.append(element("rect", { class: "hatch", x: -width / 2, y: -height / 2, width, height, rx: 4.5, fill: "url(#hatch)" }));
      }
    }
    body.append(element("rect", { class: "edge", x: -width / 2, y: -height / 2, width, height, rx: 4.5 }));

    this.#badge = element("g", { class: "badge" },
      element("circle", { cx: room.outer.width / 2 - 5, cy: -room.outer.height / 2 + 5, r: 10 }),
      element("text", { x: room.outer.width / 2 - 5, y: -room.outer.height / 2 + 5 }, "!"));
    this.#badge.style.display = "none";

    this.group.replaceChildren(body, compact ? initials(copy, room) : words(copy, room), this.#badge, element("title", {}, cardLine(copy)));
    this.group.setAttribute("class", [
      "card", `face-${face}`, ...copy.state.map((w) => `is-${w}`),
      ...["entering", "newest", "pointed", "flagged", "chosen"].filter((c) => this.group.classList.contains(c)),
    ].join(" "));
    this.group.dataset.copy = copy.id;
    this.group.dataset.type = copy.card?.type ?? "";
    this.group.style.setProperty("--hue", String(hue(copy.card?.type ?? "")));
  }
}

// The words on a card: name, type, states, one below the other in its middle.
function words(copy, room) {
  const group = element("g", { class: "words", transform: `translate(${room.x} ${room.y})` });
  if (copy.pose.face === "down") return group;
  const states = copy.state.map((word) => pill(word, room.width));
  const statesHeight = states.reduce((sum, s) => sum + s.height + 2, 0);
  const type = copy.card?.type ? typeName(copy.card.type) : "";
  const typeSize = type ? Math.min(8.6, room.width / textWidth(type, 500)) : 0;
  const typeHeight = type ? typeSize + 2 : 0;
  const name = fit(copy.card ? cardName(copy) : "?", room.width, room.height - statesHeight - typeHeight - 4);
  const total = name.height + typeHeight + statesHeight;
  let y = -total / 2;
  for (const line of name.lines) {
    group.append(element("text", { class: "name", y: y + name.size * 0.8, "font-size": name.size }, line));
    y += name.size * 1.08;
  }
  if (type) {
    group.append(element("text", { class: "type", y: y + typeSize * 0.86, "font-size": typeSize }, type));
    y += typeHeight;
  }
  for (const state of states) {
    state.group.setAttribute("transform", `translate(0 ${y + 2 + state.height / 2})`);
    group.append(state.group);
    y += state.height + 2;
  }
  return group;
}

// What there is room for on a small screen: the first letters of the name's
// words, and of each state.
function initials(copy, room) {
  const group = element("g", { class: "words", transform: `translate(${room.x} ${room.y})` });
  if (copy.pose.face === "down") return group;
  const stateSize = copy.state.length > 0 ? 22 : 0;
  const short = copy.card ? cardName(copy).split(/[\s-]+/).filter((w) => /^\p{Lu}/u.test(w)).map((w) => [...w][0]).slice(0, 3).join("") : "?";
  const text = short || [...cardName(copy)][0];
  const size = Math.min(34, (room.width + 2) / textWidth(text, 700), room.height - stateSize - 4);
  const top = -(size + stateSize) / 2;
  group.append(element("text", { class: "name", y: top + size * 0.84, "font-size": size }, text));
  const width = Math.min(24, room.width / copy.state.length);
  copy.state.forEach((word, i) => {
    group.append(element("g", { class: `pill pill-${word}`, transform: `translate(${(i - (copy.state.length - 1) / 2) * (width + 2)} ${top + size + stateSize / 2})` },
      element("rect", { x: -width / 2, y: -stateSize / 2, width, height: stateSize, rx: 4 }),
      element("text", { y: stateSize * 0.34, "font-size": stateSize - 2 }, [...wordName(word)][0].toUpperCase())));
  });
  return group;
}

function pill(word, roomWidth) {
  const text = wordName(word).toUpperCase();
  const wide = textWidth(text, 800);
  const size = Math.min(9.6, roomWidth / wide);
  const width = wide * size + Math.min(8, roomWidth + 5 - wide * size); // never wider than the card
  const height = size + 5;
  const group = element("g", { class: `pill pill-${word}` },
    element("rect", { x: -width / 2, y: -height / 2, width, height, rx: 3 }),
    element("text", { y: size * 0.36, "font-size": size }, text));
  return { group, height };
}

/** Breaks a name into lines at the largest size that fits. */
function fit(text, width, height) {
  const words = text.split(/\s+/);
  for (let size = 19; size >= 6; size -= 0.5) {
    const lines = [];
    for (const word of words) {
      const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
      if (lines.length > 0 && textWidth(longer, 700) * size <= width) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    const fits = lines.every((l) => textWidth(l, 700) * size <= width) && lines.length * size * 1.08 <= height;
    if (fits) return { lines, size, height: lines.length * size * 1.08 };
  }
  const size = 6;
  let short = text;
  while (short.length > 1 && textWidth(`${short}…`, 700) * size > width) short = short.slice(0, -1);
  return { lines: [short === text ? text : `${short}…`], size, height: size * 1.08 };
}

// The room for words on a card of that size after so many quarter turns: what
// the band at its printed top leaves, and where that room's middle is.
function roomFor(width, height, turns) {
  const lying = turns % 2 === 1;
  const outer = { width: lying ? height : width, height: lying ? width : height };
  const [x, y] = [[0, bandHeight / 2], [-bandHeight / 2, 0], [0, -bandHeight / 2], [bandHeight / 2, 0]][turns];
  return { outer, x, y, width: outer.width - 6 - (lying ? bandHeight : 0), height: outer.height - 5 - (lying ? 0 : bandHeight) };
}

function bandPath(width, height) {
  const l = -width / 2, t = -height / 2, r = 4.5, h = bandHeight;
  return `M${l} ${t + h} V${t + r} Q${l} ${t} ${l + r} ${t} H${-l - r} Q${-l} ${t} ${-l} ${t + r} V${t + h} Z`;
}

function sizeOf(pose) {
  const [a, b, c, d] = pose.corners ?? [];
  const length = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1]);
  const width = d ? (length(a, b) + length(d, c)) / 2 : 0;
  const height = d ? (length(a, d) + length(b, c)) / 2 : 0;
  return width > 5 && height > 5 ? { width, height } : standard;
}

const quarter = (deg) => ((Math.round(deg / 90) % 4) + 4) % 4;
const shortest = (deg) => ((((deg + 180) % 360) + 360) % 360) - 180;

// A hue for each type of card: those that meet often lie far apart. Another
// type gets one by its letters, the same one every time.
const hues = {
  personality: 212, holding: 96, stronghold: 320, item: 28, follower: 168, spell: 262, event: 44, region: 140, strategy: 0,
  hero: 212, ally: 168, upgrade: 28, support: 96, villain: 320, minion: 0, "main-scheme": 262, "side-scheme": 44, treachery: 290,
};
function hue(type) {
  const key = type.toLowerCase().replaceAll(" ", "-");
  if (key in hues) return hues[key];
  let sum = 0;
  for (const c of key) sum = (sum * 31 + c.codePointAt(0)) % 360;
  return sum;
}

// The patterns of backs and states, once a page, where nothing hides them.
function definePatterns() {
  if (document.getElementById("patterns")) return;
  document.body.append(element("svg", { id: "patterns", width: 0, height: 0, "aria-hidden": "true" }, element("defs", {},
    element("pattern", { id: "back", width: 9, height: 9, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      element("rect", { class: "back-ground", width: 9, height: 9 }),
      element("path", { class: "back-lines", d: "M0 0 H9 M0 0 V9" })),
    element("pattern", { id: "hatch", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(-45)" },
      element("rect", { class: "hatch-line", width: 2.2, height: 8 })))));
}

/** A small picture of a copy as it lies, 108 mm wide and high. */
export function cardPicture(copy) {
  definePatterns();
  const picture = element("svg", { class: "card-picture", viewBox: "-54 -54 108 108", role: "img", "aria-label": cardLine(copy) });
  const card = new CardView();
  card.show({ ...copy, pose: { ...copy.pose, centre: [0, 0] } }, false);
  card.group.classList.remove("entering");
  picture.append(card.group);
  return picture;
}

// The copy that lies nearest that way: sideways counts double, and what lies
// more sideways than that way not at all.
function nearest(copies, from, [dx, dy]) {
  let best = null;
  for (const copy of copies) {
    const [x, y] = [copy.pose.centre[0] - from[0], copy.pose.centre[1] - from[1]];
    const along = x * dx + y * dy;
    const across = Math.abs(x * dy - y * dx);
    if (along <= 0 || across > along * 1.5) continue;
    if (!best || along + 2 * across < best.cost) best = { copy, cost: along + 2 * across };
  }
  return best?.copy;
}
