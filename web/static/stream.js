// The client's side of the websocket contract: connects, keeps what it has,
// comes back with it, and never needs the page to be loaded again.

const heartbeatLimit = 25_000; // ms of silence after which a connection is taken for dead: two heartbeats and some
const firstWait = 500; // ms before the first try to reconnect
const longestWait = 10_000;

/**
 * Fires these events, with the named detail:
 *   hello     the server's hello
 *   board     {board} the whole board; everything shown before is void
 *   change    {event, board} one event, already folded into the board
 *   state     "connecting" | "live" | "lost"
 *   problem   {text} what keeps the program from seeing the table; "" when all is well
 *
 * Without a view only hello, state and problem come.
 */
export class TableStream extends EventTarget {
  #view;
  #url;
  #socket = null;
  #position = null; // {epoch, seq} of what is in #board
  #board = null;
  #epoch = "";
  #wait = firstWait;
  #silence = 0;
  #state = "";
  #problem = "";

  constructor(view = "board") {
    super();
    this.#view = view;
    this.#url = new URL("/ws", location.href);
    this.#url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  }

  open() {
    this.#say("state", (this.#state = "connecting"));
    const socket = new WebSocket(this.#url, "tabletop.v1.json");
    this.#socket = socket;
    this.#listen();
    socket.onmessage = (message) => {
      if (socket !== this.#socket) return;
      this.#listen();
      this.#handle(JSON.parse(message.data));
    };
    socket.onclose = () => this.#lost(socket);
    // A tab that slept, or a phone that found its network again, tries at once.
    addEventListener("online", () => this.#hurry(socket), { once: true });
  }

  #listen() {
    clearTimeout(this.#silence);
    const socket = this.#socket;
    this.#silence = setTimeout(() => { socket.close(); this.#lost(socket); }, heartbeatLimit);
  }

  #lost(socket) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    clearTimeout(this.#silence);
    this.#say("state", (this.#state = "lost"));
    // Some chance in it, so that a hall of clients does not come back at one moment.
    const wait = this.#wait * (0.75 + Math.random() / 2);
    this.#wait = Math.min(this.#wait * 2, longestWait);
    setTimeout(() => this.open(), wait);
  }

  #hurry(socket) {
    if (socket === this.#socket && this.#state === "connecting") socket.close();
  }

  #subscribe() {
    if (!this.#view) return;
    const message = { type: "subscribe", view: this.#view };
    if (this.#position) message.since = this.#position;
    this.#socket.send(JSON.stringify(message));
  }

  #handle(message) {
    switch (message.type) {
      case "hello": {
        const again = this.#epoch !== "" && this.#state === "live";
        this.#epoch = message.epoch;
        this.#wait = firstWait;
        this.#say("hello", message);
        this.#heed(message);
        // Within a connection a hello means another match, or another role; its
        // numbering starts anew, and subscribing is right in both cases.
        if (again) this.#position = null;
        this.#subscribe();
        this.#say("state", (this.#state = "live"));
        break;
      }
      case "snapshot":
        this.#board = message.board;
        this.#position = { epoch: this.#epoch, seq: message.seq };
        this.#say("board", { board: this.#board });
        break;
      case "event":
        this.#event(message);
        break;
      case "heartbeat":
        this.#heed(message);
        if (this.#position && message.head > this.#position.seq) this.#subscribe();
        break;
      case "error":
        console.warn("the server did not understand:", message.code, message.message);
        break;
    }
  }

  #heed({ problem = "" }) {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#say("problem", { text: problem });
  }

  #event(event) {
    if (!this.#position || event.seq <= this.#position.seq) return; // it is here already
    if (event.seq > this.#position.seq + 1) {
      this.#subscribe(); // something is missing: ask for it
      return;
    }
    this.#position = { epoch: this.#epoch, seq: event.seq };
    fold(this.#board, event);
    this.#say("change", { event, board: this.#board });
  }

  #say(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

// A decision by which a finding or a prompt is over.
const closes = ({ decision }) => decision === "dismissed" || decision === "backed-up";

/** Folds an event into a board, as the server does. */
export function fold(board, event) {
  if (event.game) board.game = event.game;
  if (event.finding) {
    if (event.kind === "finding.ended" || closes(event.finding)) delete board.findings[event.finding.id];
    else board.findings[event.finding.id] = event.finding;
  } else if (event.prompt) {
    board.prompts ??= {};
    if (event.kind === "prompt.ended" || closes(event.prompt)) delete board.prompts[event.prompt.id];
    else board.prompts[event.prompt.id] = event.prompt;
  } else if (event.card) {
    if (event.after === null) delete board.copies[event.card];
    else board.copies[event.card] = event.after;
  }
}
