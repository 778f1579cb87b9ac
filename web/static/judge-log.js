// The log: what happened, the newest first, and the points to back up to.
import { get } from "/static/api.js";
import { $, h } from "/static/dom.js";
import { describe, clockTime } from "/static/words.js";
import { t } from "/static/i18n.js";

const pageSize = 100;

export class EventLog {
  #page;
  #events = []; // the oldest first, by number, without gaps
  #loads = 0;

  constructor(page) {
    this.#page = page;
    $("older").addEventListener("click", () => this.#older());
  }

  /** Reads the newest events anew. */
  async load() {
    const mine = ++this.#loads;
    const answer = await this.#page.act(() => get(`/api/events?limit=${pageSize}`));
    if (!answer || mine !== this.#loads) return;
    const last = answer.events.at(-1)?.seq ?? 0;
    this.#events = [...answer.events, ...this.#events.filter((e) => e.seq > last)];
    this.#draw();
  }

  add(event) {
    const last = this.#events.at(-1)?.seq;
    if (last !== undefined && event.seq <= last) return;
    this.#events.push(event);
    $("events").prepend(this.#line(event));
    $("no-events").hidden = true;
  }

  async #older() {
    const first = this.#events[0]?.seq ?? 0;
    const answer = await this.#page.act(() => get(`/api/events?limit=${pageSize}&before=${first}`));
    if (!answer) return;
    this.#events = [...answer.events.filter((e) => e.seq < first), ...this.#events];
    this.#draw(answer.events.length < pageSize);
  }

  #draw(all = this.#events.length < pageSize) {
    $("events").replaceChildren(...this.#events.toReversed().map((e) => this.#line(e)));
    $("no-events").hidden = this.#events.length > 0;
    $("older").hidden = all || this.#events[0]?.seq === 1;
  }

  #line(event) {
    const { who, what } = describe(event, this.#page.board.layout);
    const kind = event.kind === "finding.opened" ? "finding" : (event.kind.endsWith(".ended") ? "settled" : (event.kind.startsWith("card.") ? "" : "for-judges"));
    const about = event.finding ?? event.prompt;
    const review = () => this.#page.review(about, event.finding ? "findings" : "prompts");
    return h("li", { class: kind, "data-seq": event.seq },
      h("time", { datetime: event.at }, clockTime(event.at)),
      h("p", {}, about ? h("button", { type: "button", class: "who link", onclick: review }, who) : h("span", { class: "who" }, who),
        " ", h("span", { class: "what", title: what }, what)));
  }

  /** The points that the game may be backed up to, as radio buttons: what happened on the table or was declared. The last one before an event is chosen. */
  points(before) {
    const points = this.#events.filter((e) => !e.finding && !e.prompt).toReversed();
    const chosen = points.find((e) => !before || e.at < before.at) ?? points[0];
    const list = h("div", { class: "points", role: "radiogroup", "aria-label": t("judge.back-up.title"), tabindex: "-1" }, points.map((e) => {
      const { who, what } = describe(e, this.#page.board.layout);
      return h("label", {},
        h("input", { type: "radio", name: "point", value: e.seq, checked: e === chosen }),
        h("time", {}, clockTime(e.at)), h("span", {}, h("span", { class: "who" }, who), " ", what));
    }));
    requestAnimationFrame(() => list.querySelector(":checked")?.scrollIntoView({ block: "center" }));
    return list;
  }
}
