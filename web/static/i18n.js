// What the pages say, in the language of the table.
import de from "/static/text.de.js";
import en from "/static/text.en.js";

const texts = { en, de };
let learned = {};
let language = "en";

/** Learns from the server which language the table has, and what its game calls its own things: {"action.attack": "Attack"}. Says the game's name. */
export async function learn() {
  try {
    const { game_name, lang, words } = await (await fetch("/api/words")).json();
    learned = words;
    speak(lang);
    return game_name;
  } catch {
    return ""; // what was learned before stands; the stream tells that the server is gone
  }
}

// Chooses the language, and says the page's own elements in it: data-t is the key
// of an element's text, data-t-label that of its name.
function speak(lang) {
  language = lang.slice(0, 2) in texts ? lang.slice(0, 2) : "en";
  document.documentElement.lang = language;
  for (const e of document.querySelectorAll("[data-t]")) e.textContent = t(e.dataset.t);
  for (const e of document.querySelectorAll("[data-t-label]")) e.setAttribute("aria-label", t(e.dataset.tLabel));
  for (const e of document.querySelectorAll("[data-t-placeholder]")) e.placeholder = t(e.dataset.tPlaceholder);
}

/** The text of a key, {names} filled in. */
export function t(key, values = {}) {
  return (tOr(key, key)).replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** The text of a key, or what is given where there is none: words that a game adds. */
export const tOr = (key, otherwise) => learned[key] ?? texts[language][key] ?? otherwise;
