// Small helpers to build a page.
export const $ = (id) => document.getElementById(id);

/** An element with attributes ("class", "data-copy"), listeners ("onclick") and children; those that are null or false are left out. */
export function h(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else e.setAttribute(key, value === true ? "" : value);
  }
  e.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

/** Puts the children of a list in place, keeping those whose key and content stayed: a list that is redrawn does not take the focus away. */
export function keyed(list, items, keyOf, contentOf, build) {
  const old = new Map([...list.children].map((e) => [e.dataset.key, e]));
  const wanted = items.map((item) => {
    const key = keyOf(item);
    const content = contentOf(item);
    const there = old.get(key);
    if (there && there.dataset.content === content) return there;
    const made = build(item, there);
    made.dataset.key = key;
    made.dataset.content = content;
    return made;
  });
  if (wanted.length === list.children.length && wanted.every((e, i) => e === list.children[i])) return;
  const focus = document.activeElement;
  const at = list.contains(focus) ? [focus.closest("[data-key]")?.dataset.key, focus.dataset.do] : null;
  list.replaceChildren(...wanted);
  if (!at) return;
  const same = wanted.find((e) => e.dataset.key === at[0]);
  (same?.querySelector(`[data-do="${at[1]}"]`) ?? same?.querySelector("button") ?? list.closest("section"))?.focus();
}
