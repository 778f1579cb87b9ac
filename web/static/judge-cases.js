// What is open: findings, prompts, and where the table is out of step.
import { get, post } from "/static/api.js";
import { $, h, keyed } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { cardPicture } from "/static/table.js";
import { cardName, clockTime, placeName, seatName } from "/static/words.js";

const pictureAfter = 2000; // ms
const rank = { illegal: 0, suspicious: 1, info: 2 };

export class Cases {
  blind = true;
  open = 0; // how many wait for a judge
  #page;
  #rules = new Map(); // id → rule
  #seen = new Map(); // "findings/f1" → what was seen, or null when that is lost

  constructor(page) {
    this.#page = page;
  }

  async learnRules() {
    const { rules } = await get("/api/rules");
    this.#rules = new Map(rules.map((r) => [r.id, r]));
  }

  show() {
    const { board } = this.#page;
    const findings = Object.values(board.findings ?? {}).sort((a, b) => rank[a.severity] - rank[b.severity] || order(a.id, b.id));
    const prompts = Object.values(board.prompts ?? {}).sort((a, b) => order(a.id, b.id));
    const step = board.game?.out_of_step?.differences ?? [];
    this.open = [...findings, ...prompts].filter((c) => !c.decision).length + (step.length > 0 ? 1 : 0);
    const content = (c) => JSON.stringify([c, this.#rules.has(c.rule), this.#seen.get(c.id) !== undefined, this.#seen.get(c.id)?.picture, document.documentElement.lang, this.#page.desk.read_only,
      (c.copies ?? []).map((id) => cardName(board.copies[id]))]);
    keyed($("findings"), findings, (f) => f.id, content, (f, old) => this.#case(f, "findings", old));
    keyed($("prompts"), prompts, (p) => p.id, content, (p, old) => this.#case(p, "prompts", old));
    this.#count("open-count", findings.length, this.blind && findings.length === 0);
    this.#count("prompts-count", prompts.length);
    $("prompts-title").hidden = prompts.length === 0;
    $("clear").hidden = this.blind || findings.length + prompts.length + step.length > 0;
    $("out-of-step").hidden = step.length === 0;
    $("accept-anyway").hidden = step.length > 0 || this.#page.desk.read_only;
    keyed($("differences"), step, (d) => d.copy, (d) => JSON.stringify([d, board.copies[d.copy]]), (d) => this.#difference(d));
    for (const button of document.querySelectorAll(".accept")) button.hidden = this.#page.desk.read_only;
  }

  #count(id, n, unknown = false) {
    $(id).textContent = unknown ? "?" : String(n);
    $(id).classList.toggle("some", n > 0);
  }

  /** Shows a finding or a prompt that may be over: what was seen, and its rule. */
  async review(c, kind) {
    if (!this.#seen.get(c.id)) await this.#askSeen(c.id, kind);
    this.#page.reveal(h("ul", { class: "cases" }, this.#case(c, kind, null, false)));
  }

  #case(c, kind, old, open = true) {
    const { board } = this.#page;
    const rule = this.#rules.get(c.rule);
    const seen = this.#seenOf(c, kind);
    const item = h("li", { class: `case${kind === "prompts" ? " prompt" : ""}${c.decision ? " settled" : ""}`, "data-severity": c.severity },
      h("div", { class: "head" },
        h("span", { class: "severity" }, t(kind === "prompts" ? "event.prompt.opened" : `severity.${c.severity}`)),
        c.possible && h("span", { class: "tag" }, t("judge.possible")),
        c.seat && h("span", { class: "muted" }, seatName(board.layout, c.seat)),
        seen && h("span", { class: "muted time" }, t("judge.since", { time: clockTime(seen.event.at) }))),
      h("h3", {}, rule?.title ?? c.rule),
      h("p", { class: "text" }, c.text),
      seen !== undefined && this.#seenPart(c, seen),
      seen?.picture && picturePart(seen.picture, old?.querySelector(".picture")?.open),
      this.#copies(c, board),
      this.#rule(c, rule, old?.querySelector("details")?.open),
      c.decision && h("p", { class: "decided" }, t("judge.decided.by", { decision: t(`decision.${c.decision}`) })),
      c.ended && h("p", { class: "decided" }, t(`ended.${c.ended}`)),
      open && !this.#page.desk.read_only && this.#rulings(c, kind));
    item.addEventListener("pointerenter", () => this.#page.view.point(c.copies ?? []));
    item.addEventListener("pointerleave", () => this.#page.view.point([]));
    item.addEventListener("focusin", () => this.#page.view.point(c.copies ?? []));
    item.addEventListener("focusout", () => this.#page.view.point([]));
    return item;
  }

  // What was seen is asked for once; undefined until it is known, null when it
  // is not kept any more.
  #seenOf(c, kind) {
    const seen = this.#seen.get(c.id);
    if (seen !== undefined || this.#seen.has(c.id)) return seen;
    this.#seen.set(c.id, undefined);
    this.#askSeen(c.id, kind).then((seen) => {
      // The picture is kept a moment after the event is told.
      if (seen && !seen.picture) setTimeout(() => this.#askSeen(c.id, kind), pictureAfter);
    });
    return undefined;
  }

  async #askSeen(id, kind) {
    const seen = await get(`/api/${kind}/${encodeURIComponent(id)}/seen`).catch(() => null);
    if (seen || !this.#seen.get(id)) this.#seen.set(id, seen);
    this.show();
    return seen;
  }

  #seenPart(c, seen) {
    const { board } = this.#page;
    // What follows from a declared action was not seen: the cards as they lie say more.
    if (!seen || seen.copies.length === 0 || c.action) {
      const now = (c.copies ?? []).map((id) => board.copies[id]).filter(Boolean);
      if (c.before) {
        return h("div", { class: "seen" }, h("div", { class: "pictures" },
          pictured(c.before, "judge.seen.before", board.layout),
          h("span", { class: "arrow", "aria-hidden": "true" }, "→"),
          pictured(board.copies[c.before.id], "judge.seen.now", board.layout, "judge.seen.gone")),
        h("p", { class: "what" }, c.seen));
      }
      if (now.length === 0 && !c.seen) return null;
      return h("div", { class: "seen" },
        !seen && now.length > 0 && h("p", { class: "what" }, t("judge.seen.lost")),
        now.length > 0 && h("div", { class: "pictures" }, now.slice(0, 4).map((copy) => pictured(copy, "judge.seen.now", board.layout))),
        c.seen && h("p", { class: "what" }, c.seen));
    }
    return h("div", { class: "seen" },
      seen.copies.slice(0, 4).map(({ before, after }) => h("div", { class: "pictures" },
        pictured(before, "judge.seen.before", board.layout, "judge.seen.new"),
        h("span", { class: "arrow", "aria-hidden": "true" }, "→"),
        pictured(after, "judge.seen.after", board.layout, "judge.seen.gone"))),
      c.seen && h("p", { class: "what" }, c.seen));
  }

  #copies(c, board) {
    const copies = (c.copies ?? []).filter((id) => board.copies[id]);
    if (copies.length === 0) return null;
    return h("div", { class: "copies" }, copies.map((id) =>
      h("button", { type: "button", "data-do": `copy-${id}`, onclick: () => { $("dialog").close(); this.#page.pick(id); } }, cardName(board.copies[id]))));
  }

  #rule(c, rule, open) {
    const { source, passage, quote } = rule?.citation ?? c.citation;
    return h("details", { class: "rule", open: open ?? false },
      h("summary", { "data-do": "rule" }, t("judge.rule"), h("code", {}, c.rule)),
      quote && h("blockquote", {}, quote),
      h("p", { class: "source" }, [source, passage].filter(Boolean).join(" — ")));
  }

  #rulings(c, kind) {
    const decide = (decision, more = {}) =>
      this.#page.act(() => post(`/api/${kind}/${encodeURIComponent(c.id)}/decision`, { decision, ...more }), t("judge.decided", { decision: t(`decision.${decision}`) }));
    const button = (decision, key, attributes, onclick) =>
      h("button", { type: "button", "data-do": decision, title: t(`${key}.why`), ...attributes, onclick }, t(key));
    const pressed = (decision) => ({ "aria-pressed": String(c.decision === decision) });
    return h("div", { class: "rulings" },
      button("acknowledged", "judge.acknowledge", { ...pressed("acknowledged"), disabled: Boolean(c.decision) }, () => decide("acknowledged")),
      button("upheld", "judge.uphold", { ...pressed("upheld"), disabled: c.decision === "upheld" }, () => decide("upheld")),
      button("dismissed", "judge.dismiss", {}, async () => {
        const yes = await this.#page.ask({ title: t("judge.dismiss.title"), text: t("judge.dismiss.text"), yes: t("judge.dismiss") });
        if (yes) await decide("dismissed");
      }),
      button("backed-up", "judge.back-up", {}, async () => {
        const chosen = await this.#page.ask({
          title: t("judge.back-up.title"), text: t("judge.back-up.text"), yes: t("judge.back-up.do"),
          body: [this.#page.log.points(this.#seen.get(c.id)?.event)],
        });
        const backTo = Number(chosen?.get("point"));
        if (backTo > 0) await decide("backed-up", { back_to: backTo });
      }));
  }

  #difference(d) {
    const { board } = this.#page;
    const now = board.copies[d.copy];
    return h("li", {},
      h("div", { class: "seen" }, h("div", { class: "pictures" },
        pictured(d.expected, "judge.seen.expected", board.layout, "judge.seen.new"),
        h("span", { class: "arrow", "aria-hidden": "true" }, "≠"),
        pictured(now, "judge.seen.now", board.layout, "judge.seen.gone"))),
      h("p", {}, d.text, d.cause && h("span", { class: "muted" }, ` (${t(`cause.${d.cause}`)})`)),
      now && h("div", { class: "copies" }, h("button", { type: "button", onclick: () => this.#page.pick(d.copy) }, cardName(now))));
  }
}

// The camera's picture of the moment, asked for when somebody wants it.
function picturePart(address, open = false) {
  const details = h("details", { class: "picture", open, ontoggle: () => { if (details.open) image.src = address; } },
    h("summary", { "data-do": "picture" }, t("judge.picture")));
  const image = h("img", { alt: t("judge.picture"), src: open ? address : null });
  details.append(h("a", { href: address, target: "_blank" }, image));
  return details;
}

// "f2" before "f10".
const order = (a, b) => a.length - b.length || a.localeCompare(b);

// A small picture of how a copy lay, with words for it below.
function pictured(copy, key, layout, absent) {
  if (!copy) {
    return h("figure", {}, h("div", { class: "absent" }), h("figcaption", {}, h("b", {}, t(key)), t(absent)));
  }
  return h("figure", {}, cardPicture(copy), h("figcaption", {}, h("b", {}, t(key)), lies(copy, layout)));
}

/** How a copy lies: "upright, Aiko’s home". */
export function lies(copy, layout) {
  const face = copy.pose.face === "up" ? null : t(`face.${copy.pose.face}`);
  return [t(`turn.${copy.pose.rotation}`), face, placeName(layout, copy.zone)].filter(Boolean).join(", ");
}
