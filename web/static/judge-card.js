// The card that was picked on the table: what is known of it, and corrections.
import { get, post } from "/static/api.js";
import { $, h } from "/static/dom.js";
import { t } from "/static/i18n.js";
import { lies } from "/static/judge-cases.js";
import { cardPicture } from "/static/table.js";
import { cardName, seatName, typeName, wordName } from "/static/words.js";

const searchAfter = 150; // ms without a key

export class CardPanel {
  #page;
  #id = null;
  #drawn = "";
  #searching = false;

  constructor(page) {
    this.#page = page;
  }

  /** Shows a copy (null: none); without an argument the one that is picked, as it is now. */
  show(id = this.#id) {
    const { board, view } = this.#page;
    if (id !== this.#id) this.#searching = false;
    this.#id = id in board.copies ? id : null;
    const copy = board.copies[this.#id];
    const key = JSON.stringify([copy, board.layout.seats, document.documentElement.lang, this.#page.desk.read_only]);
    if (key === this.#drawn) return;
    this.#drawn = key;
    view.point(copy ? [copy.id] : []);
    if (!copy || !this.#searching) this.#draw(copy);
  }

  #draw(copy) {
    const body = $("card-body");
    body.classList.toggle("none", !copy);
    body.classList.remove("searching");
    if (!copy) {
      body.replaceChildren(h("p", {}, h("strong", {}, t("judge.card.none"))), h("p", {}, t("judge.card.how")));
      return;
    }
    const { layout } = this.#page.board;
    const fact = (key, value) => value && h("div", {}, h("dt", {}, t(key)), h("dd", {}, value));
    const line = [copy.card?.type && typeName(copy.card.type), ...copy.state.map(wordName)].filter(Boolean).join(" · ");
    body.replaceChildren(
      h("div", { class: "card-head" }, cardPicture(copy),
        h("div", { class: "grow" },
          h("h3", { id: "card-name" }, cardName(copy)),
          line && h("p", {}, line),
          h("dl", { class: "facts" },
            fact("judge.card.place", lies(copy, layout)),
            fact("judge.card.owner", copy.owner && seatName(layout, copy.owner)),
            fact("judge.card.controller", copy.controller && seatName(layout, copy.controller)),
            fact("judge.card.sure", copy.pose.confidence > 0 && `${Math.round(copy.pose.confidence * 100)} %`),
            fact("judge.card.copy", copy.id)),
          copy.corrected && h("p", { class: "decided" }, t("judge.card.corrected")))),
      ...(this.#page.desk.read_only ? [] : [this.#tools(copy, layout), h("div", { class: "search", id: "search", hidden: true })]));
  }

  #tools(copy, layout) {
    const other = copy.pose.face === "down" ? "up" : "down";
    return h("div", { class: "tools", role: "group", "aria-label": t("judge.correct") },
      h("button", { type: "button", id: "correct-card", onclick: () => this.#search(copy) }, t("judge.correct.is")),
      h("button", { type: "button", id: "correct-face", onclick: () => this.#correct(copy, { face: other }) }, t(`judge.correct.${other}`)),
      this.#seatChoice(copy, layout, "owner"),
      this.#seatChoice(copy, layout, "controller"),
      copy.corrected && h("button", { type: "button", id: "correct-undo", onclick: () => this.#undo(copy) }, t("judge.correct.undo")),
      this.#page.desk.actions.length > 0 && h("button", { type: "button", onclick: () => this.#page.declareWith(copy.id) }, t("judge.card.declare")));
  }

  #seatChoice(copy, layout, what) {
    if ((layout.seats ?? []).length === 0) return null;
    const select = h("select", { id: `correct-${what}`, onchange: () => this.#correct(copy, { [what]: select.value }) },
      !copy[what] && h("option", { value: "", selected: true, disabled: true }, t("judge.declare.any")),
      layout.seats.map((s) => h("option", { value: s.id, selected: copy[what] === s.id }, seatName(layout, s.id))));
    return h("label", {}, t(`judge.correct.${what}`), select);
  }

  // A correction takes the place of the one before: what that said is said again.
  async #correct(copy, change) {
    const { card, ...rest } = copy.corrected ?? {};
    const correction = { ...rest, ...(card ? { card: card.id } : {}), ...change };
    const name = change.name ?? cardName(copy);
    delete correction.name;
    this.#searching = false;
    if (!(await this.#page.act(() => post(`/api/copies/${encodeURIComponent(copy.id)}/correction`, correction), t("judge.correct.done", { card: name })))) {
      this.#drawn = ""; // what was chosen is not so
      this.show();
    }
  }

  async #undo(copy) {
    await this.#page.act(() => post(`/api/copies/${encodeURIComponent(copy.id)}/correction`, {}), t("judge.correct.undone", { card: cardName(copy) }));
  }

  // Searches the catalogue, and says which card it is.
  #search(copy) {
    const panel = $("search");
    const stop = () => { panel.hidden = true; this.#searching = false; $("card-body").classList.remove("searching"); $("correct-card").focus(); };
    this.#searching = true;
    $("card-body").classList.add("searching");
    let asked = 0;
    let timer = 0;
    const found = h("p", { class: "muted", role: "status", id: "found" });
    const options = h("div", { class: "options", id: "options" });
    const look = async () => {
      const mine = ++asked;
      const answer = await this.#page.act(() => get(`/api/cards?q=${encodeURIComponent(input.value)}`));
      if (!answer || mine !== asked) return;
      found.textContent = answer.catalogue === 0 ? t("judge.correct.no-catalogue")
        : answer.of === 0 ? t("judge.correct.found-none") : t("judge.correct.found", { n: answer.cards.length, of: answer.of });
      options.replaceChildren(...answer.cards.map((card) =>
        h("button", { type: "button", "data-card": card.id, onclick: () => this.#correct(copy, { card: card.id, name: card.name }) },
          h("span", {}, card.name), card.type && h("span", { class: "muted" }, typeName(card.type)))));
    };
    const input = h("input", {
      type: "search", id: "card-search", autocomplete: "off", "aria-label": t("judge.correct.search"), placeholder: t("judge.correct.part"),
      oninput: () => { clearTimeout(timer); timer = setTimeout(look, searchAfter); },
      onkeydown: (e) => {
        if (e.key === "ArrowDown") { e.preventDefault(); options.querySelector("button")?.focus(); }
        if (e.key === "Escape") stop();
      },
    });
    options.addEventListener("keydown", (e) => {
      if (e.key === "ArrowDown") { e.preventDefault(); (document.activeElement.nextElementSibling ?? document.activeElement).focus(); }
      if (e.key === "ArrowUp") { e.preventDefault(); (document.activeElement.previousElementSibling ?? input).focus(); }
    });
    panel.replaceChildren(h("div", { class: "search-line" }, input, h("button", { type: "button", onclick: stop }, t("judge.cancel"))), found, options);
    panel.hidden = false;
    input.focus();
    look();
  }
}
