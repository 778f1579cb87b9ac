// Declared actions: the form that each kind of action wants, and the answer.
import { post } from "/static/api.js";
import { $, h } from "/static/dom.js";
import { t, tOr } from "/static/i18n.js";
import { cardName, placeName, seatName, spaced } from "/static/words.js";

const fewEnough = 4; // values that stand side by side rather than in a list

export class Declaration {
  choosing = null; // "copies" or "targets" while cards are chosen on the table
  #page;
  #draft = this.#empty("");
  #drawn = "";
  #unfolded = false;

  constructor(page) {
    this.#page = page;
    $("declare-form").addEventListener("submit", (e) => { e.preventDefault(); this.#declare(); });
    $("chosen").addEventListener("click", () => this.#choose(null));
  }

  #empty(kind) {
    return { kind, seat: "", copies: [], targets: [], zone: "", amount: 0, params: {} };
  }

  /** Begins with a card. */
  start(id) {
    if (!this.#draft.copies.includes(id)) this.#draft.copies.push(id);
    this.#draft.seat ||= this.#page.board.copies[id]?.controller ?? "";
    this.#draw();
    $("declare-form").querySelector("select")?.focus();
  }

  /** Takes a card that was tapped in or out. */
  toggle(id) {
    const list = this.#draft[this.choosing];
    const at = list.indexOf(id);
    if (at < 0) list.push(id);
    else list.splice(at, 1);
    this.#draw();
  }

  show() {
    const { board, desk } = this.#page;
    for (const what of ["copies", "targets"]) this.#draft[what] = this.#draft[what].filter((id) => board.copies[id]);
    const names = Object.values(board.copies).map((c) => [c.id, c.card?.name, c.pose.face]);
    const key = JSON.stringify([desk, board.layout, names, document.documentElement.lang]);
    if (key !== this.#drawn) {
      this.#drawn = key;
      this.#draw();
    }
    this.#showGame();
  }

  get #kind() {
    return this.#page.desk.actions.find((a) => a.kind === this.#draft.kind);
  }

  #draw() {
    const { desk } = this.#page;
    const form = $("declare-form");
    const focused = form.contains(document.activeElement) ? document.activeElement.id : "";
    this.#page.view.choose([...this.#draft.copies, ...this.#draft.targets]);
    if (desk.read_only || desk.actions.length === 0) {
      form.replaceChildren(h("p", { class: "muted" }, t(desk.read_only ? "judge.read-only" : "judge.declare.none")));
      return;
    }
    const kind = this.#kind;
    const select = h("select", { id: "action-kind", onchange: () => { this.#draft.kind = select.value; this.#draft.params = {}; $("answer").replaceChildren(); this.#draw(); } },
      h("option", { value: "", selected: !kind }, t("judge.declare.any")),
      desk.actions.map((a) => h("option", { value: a.kind, selected: a.kind === this.#draft.kind }, a.title)));
    form.replaceChildren(
      h("div", { class: "field" }, h("label", { for: "action-kind" }, t("judge.declare.kind")), select),
      ...(kind ? this.#fields(kind) : []));
    if (focused) $(focused)?.focus();
  }

  #fields(kind) {
    const missing = this.#missing(kind);
    return [
      kind.seat && this.#seat(kind.seat),
      kind.copies && this.#cards("copies", kind.copies),
      kind.targets && this.#cards("targets", kind.targets),
      kind.zone && this.#zone(kind.zone),
      kind.amount && this.#amount(kind.amount),
      ...(kind.params ?? []).filter((p) => p.need === "must").map((p) => this.#param(p)),
      this.#further((kind.params ?? []).filter((p) => p.need !== "must")),
      h("button", { type: "submit", class: "primary", id: "declare-do", "aria-describedby": "missing" }, t("judge.declare.do")),
      h("p", { id: "missing", class: "muted", role: "status" }, missing.length > 0 ? t("judge.declare.missing", { what: missing.join(", ") }) : ""),
    ].filter(Boolean);
  }

  #missing(kind) {
    const lacks = (need, has, key) => need === "must" && !has && t(key).replace(/\?$/, "");
    return [
      lacks(kind.seat, this.#draft.seat, "judge.declare.seat"),
      lacks(kind.copies, this.#draft.copies.length, "judge.declare.copies"),
      lacks(kind.targets, this.#draft.targets.length, "judge.declare.targets"),
      lacks(kind.zone, this.#draft.zone, "judge.declare.zone"),
      lacks(kind.amount, this.#draft.amount, "judge.declare.amount"),
      ...(kind.params ?? []).map((p) => p.need === "must" && !this.#draft.params[p.name] && this.#paramTitle(p)),
    ].filter(Boolean);
  }

  #label(key, need, attributes = {}) {
    return h("legend", attributes, t(key), need === "may" && h("span", { class: "hint" }, t("judge.declare.optional")));
  }

  #segments(legend, id, values, chosen, need, set) {
    return h("fieldset", { class: "field" }, legend,
      h("div", { class: "segments" }, values.map(([value, text]) => h("button", {
        type: "button", id: `${id}-${value}`, "aria-pressed": String(chosen === value),
        onclick: () => { set(chosen === value && need === "may" ? "" : value); this.#draw(); },
      }, text))));
  }

  #seat(need) {
    const { layout } = this.#page.board;
    return this.#segments(this.#label("judge.declare.seat", need), "seat",
      (layout.seats ?? []).map((s) => [s.id, seatName(layout, s.id)]), this.#draft.seat, need, (v) => { this.#draft.seat = v; });
  }

  #cards(what, need) {
    const { board } = this.#page;
    const list = this.#draft[what];
    const rest = Object.values(board.copies).filter((c) => !list.includes(c.id))
      .sort((a, b) => cardName(a).localeCompare(cardName(b)) || a.id.localeCompare(b.id));
    const byName = h("select", {
      id: `${what}-add`, "aria-label": `${t(`judge.declare.${what}`)} ${t("judge.declare.add")}`,
      onchange: () => { if (byName.value) list.push(byName.value); this.#draw(); },
    },
      h("option", { value: "" }, `${t("judge.declare.add")} …`),
      rest.map((c) => h("option", { value: c.id }, `${cardName(c)} · ${placeName(board.layout, c.zone)}`)));
    return h("fieldset", { class: "field" }, this.#label(`judge.declare.${what}`, need),
      list.length > 0 && h("div", { class: "chips" }, list.map((id) => h("button", {
        type: "button", id: `${what}-${id}`, "aria-label": t("judge.declare.remove", { card: cardName(board.copies[id]) }),
        onclick: () => { this.#draft[what] = list.filter((other) => other !== id); this.#draw(); },
      }, cardName(board.copies[id])))),
      h("div", { class: "pick" },
        h("button", { type: "button", id: `${what}-choose`, "aria-pressed": String(this.choosing === what), onclick: () => this.#choose(this.choosing === what ? null : what) }, t("judge.declare.choose")),
        byName));
  }

  #choose(what) {
    this.choosing = what;
    $("choosing").hidden = what === null;
    this.#draw();
  }

  #zone(need) {
    const { layout } = this.#page.board;
    const select = h("select", { id: "action-zone", onchange: () => { this.#draft.zone = select.value; this.#draw(); } },
      h("option", { value: "" }, t("judge.declare.any")),
      (layout.zones ?? []).map((z) => h("option", { value: z.id, selected: z.id === this.#draft.zone }, placeName(layout, z.id))));
    return h("fieldset", { class: "field" }, this.#label("judge.declare.zone", need), select);
  }

  #amount(need) {
    const set = (v) => { this.#draft.amount = v; this.#draw(); };
    const input = h("input", { id: "action-amount", type: "number", step: 1, inputmode: "numeric", value: this.#draft.amount, "aria-label": t("judge.declare.amount"), onchange: () => set(Math.trunc(Number(input.value)) || 0) });
    return h("fieldset", { class: "field" }, this.#label("judge.declare.amount", need),
      h("div", { class: "stepper" },
        h("button", { type: "button", id: "amount-less", "aria-label": "−1", onclick: () => set(this.#draft.amount - 1) }, "−"), input,
        h("button", { type: "button", id: "amount-more", "aria-label": "+1", onclick: () => set(this.#draft.amount + 1) }, "+")));
  }

  // What is rarely needed stays folded until somebody wants it.
  #further(params) {
    if (params.length === 0) return null;
    const details = h("details", { class: "further", open: this.#unfolded, ontoggle: () => { this.#unfolded = details.open; } },
      h("summary", { id: "action-further" }, t("judge.declare.further")), ...params.map((p) => this.#param(p)));
    return details;
  }

  #paramTitle = (p) => tOr(`param.${p.name}`, spaced(p.name));

  #param(p) {
    const title = this.#paramTitle(p);
    const legend = h("legend", {}, title);
    const values = (p.values ?? []).map((v) => [v, valueName(p.name, v)]);
    const set = (v) => { if (v) this.#draft.params[p.name] = v; else delete this.#draft.params[p.name]; };
    if (values.length > 0 && values.length <= fewEnough) return this.#segments(legend, `param-${p.name}`, values, this.#draft.params[p.name], p.need, set);
    if (values.length > 0) {
      const select = h("select", { id: `param-${p.name}`, "aria-label": title, onchange: () => { set(select.value); this.#draw(); } },
        h("option", { value: "" }, t("judge.declare.any")),
        values.map(([v, text]) => h("option", { value: v, selected: this.#draft.params[p.name] === v }, text)));
      return h("fieldset", { class: "field" }, legend, select);
    }
    const input = h("input", {
      id: `param-${p.name}`, "aria-label": title, autocomplete: "off", list: `param-${p.name}-known`, value: this.#draft.params[p.name] ?? "",
      onchange: () => { set(input.value.trim()); this.#draw(); },
    });
    return h("fieldset", { class: "field" }, legend, input, h("datalist", { id: `param-${p.name}-known` }, this.#known()));
  }

  // What a free word may stand for: seats, copies and earlier actions, each by its
  // id and with its name.
  #known() {
    const { board } = this.#page;
    const option = (id, name) => h("option", { value: id }, name);
    return [
      ...(board.layout.seats ?? []).map((s) => option(s.id, seatName(board.layout, s.id))),
      ...Object.values(board.copies).map((c) => option(c.id, `${cardName(c)} · ${placeName(board.layout, c.zone)}`)),
      ...(board.game?.past ?? []).map((p) => option(p.action, `${tOr(`action.${p.kind}`, spaced(p.kind))} · ${Object.keys(p.copies ?? {}).map((id) => cardName(board.copies[id])).join(", ")}`)),
    ];
  }

  async #declare(ruled = false) {
    const kind = this.#kind;
    if (!kind || this.#missing(kind).length > 0) return;
    const draft = this.#draft;
    const action = { kind: draft.kind };
    for (const what of ["seat", "copies", "targets", "zone", "amount"]) if (kind[what]) action[what] = draft[what];
    if (Object.keys(draft.params).length > 0) action.params = draft.params;
    if (ruled) action.ruled = true;
    this.#choose(null);
    const answer = await this.#page.act(() => post("/api/actions", action));
    if (answer) this.#answered(answer.answer, action);
  }

  #answered({ legal, breaches, effects, prompts }, action) {
    const panel = $("answer");
    panel.dataset.legal = String(legal);
    panel.replaceChildren(
      h("h3", {}, t(legal ? (breaches.length > 0 ? "judge.let-stand.done" : "judge.legal") : "judge.illegal")),
      h("p", { class: "muted" }, tOr(`action.${action.kind}`, spaced(action.kind))),
      ...list("judge.breaches", breaches, (b) => [b.text, h("details", { class: "rule" },
        h("summary", {}, t("judge.rule"), h("code", {}, b.rule)),
        b.citation.quote && h("blockquote", {}, b.citation.quote),
        h("p", { class: "source" }, [b.citation.source, b.citation.passage].filter(Boolean).join(" — ")))]),
      ...list("judge.effects", effects, (e) => [e]),
      prompts?.length > 0 ? h("p", {}, t("judge.owes", { n: prompts.length })) : "",
      legal ? "" : h("div", { class: "rulings" },
        h("button", { type: "button", id: "let-stand", title: t("judge.let-stand.why"), onclick: () => this.#declare(true) }, t("judge.let-stand"))));
    if (legal) {
      this.#draft = { ...this.#empty(this.#draft.kind), seat: this.#draft.seat };
      this.#draw();
    }
    panel.scrollIntoView({ block: "nearest" });
  }

  #showGame() {
    const { game, layout } = this.#page.board;
    const facts = [
      ...Object.entries(game?.honor ?? {}).map(([seat, n]) => [`${t("judge.game.honor")} · ${seatName(layout, seat)}`, String(n)]),
      ...(game?.battle ? [[t("judge.game.battle"), t("judge.game.battle.text", { attacker: seatName(layout, game.battle.attacker), defender: seatName(layout, game.battle.defender) })]] : []),
    ];
    $("game-state").hidden = facts.length === 0;
    $("game-facts").replaceChildren(...facts.map(([key, value]) => h("div", { class: "facts" }, h("div", {}, h("dt", {}, key), h("dd", {}, value)))));
  }
}

function list(key, items, content) {
  return items.length === 0 ? [] : [h("h4", {}, t(key)), h("ul", {}, items.map((i) => h("li", {}, content(i))))];
}

// A parameter's value in words: its own, else those of an area, a state or a type.
const valueName = (name, value) =>
  [`param.${name}.${value}`, `value.${value}`, `zone.${value}`, `word.${value}`, `type.${value}`].reduceRight((text, key) => tOr(key, text), spaced(value));
