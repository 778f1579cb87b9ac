// The camera's picture with what was read from it. Picture and layers come in
// one answer, so that they always belong together.
import { fitLabel, roomInside, textWidth } from "/static/label.js";
import { TableStream } from "/static/stream.js";

const $ = (id) => document.getElementById(id);
const svg = "http://www.w3.org/2000/svg";
const between = 250; // ms between two pictures
const afterError = 2000;
let paused = false;
let shownUrl = "";
let last = 0; // number of the frame shown

for (const box of document.querySelectorAll("[data-layer]")) {
  const set = () => $("stage").classList.toggle(`hide-${box.dataset.layer}`, !box.checked);
  box.addEventListener("change", set);
  set();
}
$("pause").addEventListener("click", () => {
  paused = !paused;
  $("pause").setAttribute("aria-pressed", String(paused));
  $("pause").textContent = paused ? "Go on" : "Pause";
  if (!paused) poll();
});

// Saves the frame that is shown, not the newest: the one in which something is
// seen to be wrong.
let saving = false;
async function save() {
  if (saving || last === 0) return;
  saving = true;
  $("save").disabled = true;
  told("", `Saving frame ${last} …`);
  try {
    const answer = await fetch("/debug/case", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ frame: last }) });
    if (!answer.ok) throw new Error(await answer.text());
    const saved = await answer.json();
    told("done", `Saved ${saved.image} with ${saved.cards === 1 ? "1 card" : `${saved.cards} cards`} as seen, not verified yet. Correct them in ${saved.labels}.`);
  } catch (error) {
    told("failed", error.message.trim() || "Nothing was saved: no answer");
  }
  saving = false;
  $("save").disabled = false;
}

function told(state, text) {
  $("saved").dataset.state = state;
  $("saved").textContent = text;
}

$("save").addEventListener("click", save);
document.addEventListener("keydown", (event) => {
  if (event.key !== "s" && event.key !== "S") return;
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return; // Ctrl+S is the browser's
  event.preventDefault();
  save();
});

async function poll() {
  if (paused) return;
  let wait = between;
  try {
    const answer = await fetch("/debug/frame", { cache: "no-store" });
    if (!answer.ok) throw new Error(await answer.text());
    await show(await answer.json());
  } catch (error) {
    $("frame").dataset.state = "lost";
    $("frame-text").textContent = error.message.trim() || "No answer";
    wait = afterError;
  }
  setTimeout(poll, wait);
}

async function show(frame) {
  const age = (Date.now() - Date.parse(frame.at)) / 1000;
  $("frame").dataset.state = age < 3 ? "live" : "lost";
  $("frame-text").textContent = `Frame ${frame.frame} · ${frame.width} × ${frame.height}${age < 3 ? "" : ` · ${Math.round(age)} s old`}`;
  if (frame.frame === last) return;
  const bytes = Uint8Array.from(atob(frame.jpeg), (c) => c.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], { type: "image/jpeg" }));
  const picture = $("picture");
  picture.src = url;
  await picture.decode();
  URL.revokeObjectURL(shownUrl);
  shownUrl = url;
  last = frame.frame;
  $("save").disabled = saving;
  draw(frame);
  rows("timings", Object.entries(frame.timings_ms ?? {}).map(([what, ms]) => [what, `${ms.toFixed(1)} ms`]));
  rows("cards", (frame.cards ?? []).map((c) => [title(c), `${percent(c.confidence)} · ${c.rotation == null ? "turn ?" : `${c.rotation}°`}`]));
  $("notes").replaceChildren(...(frame.notes ?? []).map((note) => {
    const item = document.createElement("li");
    item.textContent = note;
    return item;
  }));
}

const percent = (share) => `${Math.round(share * 100)} %`;
const title = (card) => card.card?.name ?? (card.face === "down" ? "face down" : "unknown");

function rows(id, list) {
  $(id).replaceChildren(...list.map((cells) => {
    const row = document.createElement("tr");
    for (const text of cells) row.insertCell().textContent = text;
    return row;
  }));
}

function draw(frame) {
  const unit = frame.width / 1920; // of a line, so that it looks the same at any size
  const letter = Math.max(unit, frame.width / $("stage").clientWidth / 2); // of type, so that it can be read on a phone
  const layers = $("layers");
  layers.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height}`);
  const groups = Object.fromEntries(["zones", "obscured", "cards", "names", "confidence"].map((name) => [name, make("g", { class: `layer-${name}` })]));
  if (frame.play_area?.length) groups.zones.append(make("polygon", { class: "area", points: points(frame.play_area), "stroke-width": 2 * unit }));
  for (const zone of frame.zones ?? []) {
    groups.zones.append(make("polygon", { class: "zone", points: points(zone.outline), "stroke-width": 2 * unit }));
    groups.zones.append(zoneName(zone, 18 * letter));
  }
  for (const place of frame.obscured ?? []) {
    groups.obscured.append(make("polygon", { class: "obscured", points: points(place), "stroke-width": 2 * unit }));
  }
  for (const card of frame.cards ?? []) {
    const [tl, tr, br, bl] = card.corners;
    const kind = card.face === "down" ? "down" : (card.card ? "" : "unsure");
    groups.cards.append(
      make("polygon", { class: "under", points: points(card.corners), "stroke-width": 7 * unit }),
      make("polygon", { class: `quad ${kind}`, points: points(card.corners), "stroke-width": 3.5 * unit }),
      make("line", { class: "top", x1: tl[0], y1: tl[1], x2: tr[0], y2: tr[1], "stroke-width": 6 * unit }),
    );
    const x = (tl[0] + tr[0] + br[0] + bl[0]) / 4;
    const y = (tl[1] + tr[1] + br[1] + bl[1]) / 4;
    groups.names.append(label("", x, y, 20 * letter, title(card)));
    groups.confidence.append(label("", x, y + 22 * letter, 17 * letter, percent(card.confidence)));
  }
  layers.replaceChildren(...Object.values(groups));
}

function zoneName(zone, size) {
  const xs = zone.outline.map((p) => p[0]);
  const pad = size / 3;
  const fitted = fitLabel(zone.id, 500, Math.max(...xs) - Math.min(...xs) - 3 * pad, size, size * 0.7, 1);
  const [text] = fitted.lines;
  const room = roomInside(zone.outline, textWidth(text, 500) * fitted.size + 2 * pad, fitted.size + pad);
  return label("zone-name", room.x + pad, room.y + pad / 2 + fitted.size * 0.8, fitted.size, text);
}

const points = (outline) => outline.map((p) => p.join(",")).join(" ");

function make(name, attributes) {
  const e = document.createElementNS(svg, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

function label(name, x, y, size, text) {
  const e = make("text", { class: name, x, y, "font-size": size, "stroke-width": size / 5 });
  e.textContent = text;
  return e;
}

const stream = new TableStream(null);
stream.addEventListener("problem", ({ detail: { text } }) => {
  $("problem").hidden = text === "";
  $("problem-text").textContent = text;
});
stream.open();
poll();
