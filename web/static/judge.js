// The judge's page: what is open, the table, declared actions, corrections, the
// log. What it asks for comes back over the stream, as for everybody else; the
// page itself changes nothing that it shows.
import { get, post } from "/static/api.js";
import { $, h } from "/static/dom.js";
import { learn, t } from "/static/i18n.js";
import { Cases } from "/static/judge-cases.js";
import { CardPanel } from "/static/judge-card.js";
import { Declaration } from "/static/judge-declare.js";
import { EventLog } from "/static/judge-log.js";
import { TableStream } from "/static/stream.js";
import { TableView } from "/static/table.js";

const sayFor = 6000; // ms

/** What the parts of the page share. */
const page = {
  board: { copies: {}, findings: {}, layout: { seats: [], zones: [] } },
  desk: { actions: [], decisions: [], read_only: true },
  view: new TableView($("table"), { pickable: true }),
  said: 0,

  /** Does what a judge asked for; tells how it went; says whether it worked. */
  async act(doIt, done = "") {
    try {
      const answer = await doIt();
      if (done) this.say(done);
      return answer ?? true;
    } catch (err) {
      this.say(t("judge.failed", { problem: err.message }), true);
      return null;
    }
  },

  say(text, wrong = false) {
    clearTimeout(this.said);
    $("said").textContent = text;
    $("said").classList.toggle("wrong", wrong);
    $("said").hidden = false;
    this.said = setTimeout(() => { $("said").hidden = true; }, sayFor);
  },

  /** Asks in a dialog; resolves to the form's data, or null. */
  ask({ title, text, body = [], yes, danger = false }) {
    const form = $("dialog-form");
    form.replaceChildren(
      h("h2", { id: "dialog-title" }, title), h("p", {}, text), ...body,
      h("div", { class: "buttons" },
        h("button", { value: "" }, t("judge.cancel")),
        h("button", { value: "yes", class: danger ? "danger" : "primary" }, yes)));
    const dialog = $("dialog");
    dialog.returnValue = "";
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes" ? new FormData(form) : null), { once: true });
    });
  },

  /** Shows something in a dialog. */
  reveal(...body) {
    $("dialog-form").replaceChildren(...body, h("div", { class: "buttons" }, h("button", { value: "" }, t("judge.close"))));
    $("dialog").showModal();
  },

  review: (c, kind) => cases.review(c, kind),

  /** Shows a card, where there is only one thing at a time too. */
  pick(id) {
    card.show(id);
    if (!$("card").checkVisibility()) openTab("table");
    $("card").scrollIntoView({ block: "nearest" });
  },

  declareWith(id) {
    declaration.start(id);
    openTab("declare");
  },

  openTab,
};

const card = new CardPanel(page);
const cases = new Cases(page);
const declaration = new Declaration(page);
const log = new EventLog(page);
page.log = log;

let connection = "connecting";
let problem = "";

await learn();

const stream = new TableStream("board");
stream.addEventListener("hello", async ({ detail: hello }) => {
  if (hello.role !== "judge" && hello.role !== "operator") {
    location.assign("/login?next=/judge"); // the token was changed, or taken away
    return;
  }
  $("table-name").textContent = hello.table || t("page.title");
  document.title = `${t("judge.title")} · ${hello.table || t("page.title")}`;
  $("game").textContent = hello.game;
  $("role").textContent = t(`role.${hello.role}`);
  showTrust();
  try {
    page.desk = await get("/api/desk");
  } catch (err) {
    page.say(t("judge.failed", { problem: err.message }), true);
    return;
  }
  $("game").textContent = page.desk.game_name || hello.game;
  $("read-only").hidden = !page.desk.read_only;
  document.body.classList.toggle("read-only", page.desk.read_only);
  await cases.learnRules();
  refresh();
});
stream.addEventListener("state", ({ detail: state }) => { connection = state; showTrust(); });
stream.addEventListener("problem", ({ detail: { text } }) => { problem = text; showTrust(); });
stream.addEventListener("board", ({ detail: { board } }) => {
  page.board = board;
  page.view.show(board);
  log.load();
  refresh();
});
stream.addEventListener("change", ({ detail: { event, board } }) => {
  page.board = board;
  page.view.change(event, board);
  log.add(event);
  refresh();
});

function refresh() {
  cases.show();
  card.show();
  declaration.show();
  const open = cases.open;
  $("tab-count").textContent = open;
  $("tab-count").hidden = open === 0;
  $("tab-count").classList.toggle("some", open > 0);
}

// Says whether what is shown is the present.
function showTrust() {
  const live = connection === "live";
  $("connection").dataset.state = live && problem ? "problem" : connection;
  $("connection-text").textContent = live ? problem || t("connection.live") : t(`connection.${connection}`);
  const blind = !live || problem !== "";
  document.body.classList.toggle("stale", blind);
  $("blind").hidden = !blind;
  $("blind").textContent = t("board.blind", { problem: live ? problem : t("connection.none") });
  cases.blind = blind;
  refresh();
}

$("table").addEventListener("click", ({ target }) => {
  const id = target.closest(".card")?.dataset.copy;
  if (declaration.choosing) {
    if (id) declaration.toggle(id);
    return;
  }
  card.show(id ?? null);
});

for (const button of document.querySelectorAll(".accept")) {
  button.addEventListener("click", async () => {
    const yes = await page.ask({ title: t("judge.accept.title"), text: t("judge.accept.text"), yes: t("judge.accept") });
    if (yes) await page.act(() => post("/api/accept"), t("judge.accept.done"));
  });
}

function openTab(name) {
  document.body.dataset.tab = name;
  for (const button of document.querySelectorAll("#tabs button")) button.setAttribute("aria-pressed", String(button.dataset.tab === name));
}
for (const button of document.querySelectorAll("#tabs button")) button.addEventListener("click", () => openTab(button.dataset.tab));

showTrust();
stream.open();
