// Text that has to fit: how wide it is, how it is made shorter, and where in an
// outline there is room for it.

const ruler = document.createElement("canvas").getContext("2d");
const widths = new Map();

/** How wide a text is, in heights of its type. */
export function textWidth(text, weight) {
  const key = `${weight}${text}`;
  if (!widths.has(key)) {
    if (widths.size > 5000) widths.clear();
    ruler.font = `${weight} 100px ${getComputedStyle(document.body).fontFamily}`;
    widths.set(key, ruler.measureText(text).width / 100);
  }
  return widths.get(key);
}

/** The lines, and their size, of a label that may be so wide: smaller first, then in two lines, then cut short. */
export function fitLabel(text, weight, width, largest, smallest, mostLines = 2) {
  const size = (lines) => Math.min(largest, width / Math.max(...lines.map((l) => textWidth(l, weight))));
  const words = text.split(" ");
  const breaks = [[text]];
  for (let i = 1; i < words.length && mostLines > 1; i++) breaks.push([words.slice(0, i).join(" "), words.slice(i).join(" ")]);
  if (size([text]) >= smallest) return { lines: [text], size: size([text]) };
  const best = breaks.reduce((a, b) => (size(b) > size(a) ? b : a));
  if (size(best) >= smallest) return { lines: best, size: size(best) };
  let short = text;
  while (short.length > 1 && textWidth(`${short}…`, weight) * smallest > width) short = short.slice(0, -1).trimEnd();
  return { lines: [`${short}…`], size: smallest };
}

/**
 * The top-left corner of a box of that size that lies inside an outline, as near
 * as it can to the top-left (or, atBottom, the bottom-left) of what is seen of
 * it, whichever corner the outline begins with. When there is no room, that of
 * the box at the corner itself.
 */
export function roomInside(outline, width, height, atBottom = false) {
  const xs = outline.map((p) => p[0]);
  const ys = outline.map((p) => p[1]);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  const freeX = Math.max(0, Math.max(...xs) - left - width);
  const freeY = Math.max(0, Math.max(...ys) - top - height);
  const place = (dx, dy) => ({ x: left + dx, y: top + (atBottom ? freeY - dy : dy) });
  let best = null;
  for (const dy of offsets(freeY, height)) {
    for (const dx of offsets(freeX, height)) {
      if (best && dx + dy >= best.cost) break;
      const at = place(dx, dy);
      if (holds(outline, at.x, at.y, width, height)) best = { cost: dx + dy, at };
    }
  }
  return best?.at ?? place(0, 0);
}

// How far from the corner to look: in small steps near it, where most outlines
// have room, and in large ones over all the rest.
function offsets(free, unit) {
  const small = Array.from({ length: 19 }, (_, i) => (i * unit) / 6).filter((d) => d <= free);
  const large = Array.from({ length: 25 }, (_, i) => (i * free) / 24).filter((d) => d > small.at(-1));
  return [...small, ...large];
}

function holds(outline, x, y, width, height) {
  const [dx, dy] = [width / 1000, height / 1000]; // a box may touch the outline
  return [[x + dx, y + dy], [x + width - dx, y + dy], [x + dx, y + height - dy], [x + width - dx, y + height - dy]]
    .every((p) => contains(outline, p));
}

// The even-odd rule.
function contains(outline, [x, y]) {
  let inside = false;
  outline.forEach(([ax, ay], i) => {
    const [bx, by] = outline[(i + 1) % outline.length];
    if ((ay > y) !== (by > y) && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
  });
  return inside;
}
