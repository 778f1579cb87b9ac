// Words for people: names of cards, places and what happened.

/** A card's name, or what can be said in its place. */
export function cardName(copy) {
  if (copy?.card) return copy.card.name || copy.card.id;
  if (copy?.pose?.face === "down") return "A face-down card";
  return "An unknown card";
}

/** What can be said of a card in one line. */
export function cardLine(copy) {
  return [cardName(copy), copy.card?.type && spaced(copy.card.type), ...copy.state.map(spaced)].filter(Boolean).join(" · ");
}

/** "south.home" as "Aiko’s home", "battlefield" as "the battlefield". */
export function placeName(layout, id) {
  const zone = layout?.zones?.find((z) => z.id === id);
  if (!zone) return id ? spaced(id) : "the table";
  return zone.seat ? `${seatName(layout, zone.seat)}’s ${spaced(zone.kind)}` : `the ${spaced(zone.kind)}`;
}

export function seatName(layout, id) {
  const seat = layout?.seats?.find((s) => s.id === id);
  return seat?.name || capital(id);
}

export const spaced = (word) => word.replaceAll(/[-_.]/g, " ");
export const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);

/** An event as {who, what}: "Hida O-Ushi", "bowed". */
export function describe(event, layout) {
  const { before, after, kind } = event;
  const copy = after?.card ? after : (before?.card ? before : (after ?? before));
  const who = cardName(copy);
  switch (kind) {
    case "card.placed": return { who, what: `came to ${placeName(layout, after?.zone)}` };
    case "card.removed": return { who, what: `left ${placeName(layout, before?.zone)}` };
    case "card.moved":
      return { who, what: before?.zone === after?.zone ? "moved" : `moved to ${placeName(layout, after?.zone)}` };
    case "card.flipped": return { who, what: after?.pose.face === "up" ? "turned face up" : "turned face down" };
    case "card.named": return { who, what: "recognised" };
    case "card.turned": return { who, what: "turned" };
    case "finding.opened": return { who: "Finding", what: event.finding.text };
    case "finding.ended": return { who: "Settled", what: event.finding.text };
    case "finding.decided": return { who: "Decided", what: event.finding.text };
  }
  return { who, what: spaced(kind.replace(/^\w+\./, "")) };
}

/** The time of an event, hours and minutes and seconds where the reader is. */
export function clockTime(at) {
  return new Date(at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
}
