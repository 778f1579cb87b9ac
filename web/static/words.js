// Words for people: names of cards, places and what happened.
import { t, tOr } from "/static/i18n.js";

/** A card's name, or what can be said in its place. */
export function cardName(copy) {
  if (copy?.card) return copy.card.name || copy.card.id;
  return t(copy?.pose?.face === "down" ? "card.down" : "card.unknown");
}

/** What can be said of a card in one line. */
export function cardLine(copy) {
  return [cardName(copy), copy.card?.type && typeName(copy.card.type), ...copy.state.map(wordName)].filter(Boolean).join(" · ");
}

/** "south.home" as "Aiko’s home", "battlefield" as "the battlefield". */
export function placeName(layout, id) {
  const zone = layout?.zones?.find((z) => z.id === id);
  if (!zone) return id ? spaced(id) : t("place.table");
  return zone.seat ? t("place.seat", { seat: seatName(layout, zone.seat), zone: zoneName(zone.kind) }) : t("place.zone", { zone: zoneName(zone.kind) });
}

export function seatName(layout, id) {
  const seat = layout?.seats?.find((s) => s.id === id);
  return seat?.name || capital(id);
}

export const zoneName = (kind) => tOr(`zone.${kind}`, spaced(kind));
export const wordName = (word) => tOr(`word.${word}`, spaced(word));
export const typeName = (type) => tOr(`type.${type.toLowerCase().replaceAll(/[ _]/g, "-")}`, spaced(type));
export const spaced = (word) => word.replaceAll(/[-_.]/g, " ");
export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** An event as {who, what}: "Hida O-Ushi", "bowed". */
export function describe(event, layout) {
  const { before, after, kind } = event;
  if (event.finding) return { who: t(`event.${kind}`), what: ruled(event.finding) };
  if (event.prompt) return { who: t(`event.${kind}`), what: ruled(event.prompt) };
  if (event.action) return { who: t(`event.${kind}`), what: declared(event, layout) };
  if (!event.card) {
    return { who: tOr(`event.${kind}`, capital(spaced(kind))), what: tOr(`event.${kind}.what`, "").replace("{n}", event.game?.out_of_step?.differences?.length ?? "") };
  }
  const copy = after?.card ? after : (before?.card ? before : (after ?? before));
  const who = cardName(copy);
  switch (kind) {
    case "card.placed": return { who, what: t("event.card.placed", { place: placeName(layout, after?.zone) }) };
    case "card.removed": return { who, what: t("event.card.removed", { place: placeName(layout, before?.zone) }) };
    case "card.moved":
      return { who, what: before?.zone === after?.zone ? t("event.card.moved") : t("event.card.moved-to", { place: placeName(layout, after?.zone) }) };
    case "card.flipped": return { who, what: t(after?.pose.face === "up" ? "event.card.flipped-up" : "event.card.flipped-down") };
  }
  return { who, what: tOr(`event.${kind.replace(/^\w+\./, "")}`, tOr(`event.${kind}`, spaced(kind.replace(/^\w+\./, "")))) };
}

// What a finding or a prompt says, and what became of it: how it was decided, and
// how it ended, which is what the table did.
function ruled({ text, decision, ended }) {
  const became = [ended && t(`ended.${ended}`), decision && t(`decision.${decision}`)].filter(Boolean).join(", ");
  return became ? `${became}: ${text}` : text;
}

function declared({ action, answer }, layout) {
  const what = [action.seat && seatName(layout, action.seat), tOr(`action.${action.kind}`, spaced(action.kind)), action.amount || ""].filter(Boolean).join(" · ");
  return answer ? `${what}: ${t(answer.legal ? "judge.legal" : "judge.illegal")}` : what;
}

/** The time of an event, hours and minutes and seconds where the reader is. */
export function clockTime(at) {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}
