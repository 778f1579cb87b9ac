package deck

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"tabletop/board"
)

// Card types of the deck.
const (
	typePersonality = "personality"
	typeFollower    = "follower"
	typeItem        = "item"
	typeHolding     = "holding"
	typeStrategy    = "strategy"
	typeEvent       = "event"
	typeRegion      = "region"
	typeStronghold  = "stronghold"
)

// entry is a card as the list below gives it.
type entry struct {
	name   string
	typ    string
	clan   string // "" is of no clan
	motif  motif
	layout layout
	border border
	// art is the key that the picture is drawn from; cards that share it look
	// alike. Empty: the name.
	art string
}

// entries is the whole deck. The names are our own.
var entries = []entry{
	{"Minasato Okihiro", typePersonality, "Heron", warrior, layoutPortrait, borderBlack, ""},
	{"Minasato Yurie", typePersonality, "Heron", courtier, layoutPortrait, borderBlack, ""},
	{"Minasato Tamesuke", typePersonality, "Heron", duel, layoutBanner, borderWhite, ""},
	{"Minasato Okihiro, Lord of Reeds", typePersonality, "Heron", warrior, layoutPortrait, borderBlack, "Minasato Okihiro"},
	{"Sister Ayano", typePersonality, "Heron", monk, layoutSide, borderClan, ""},
	{"Gorozaki Buntaro", typePersonality, "Boar", warrior, layoutPortrait, borderBlack, ""},
	{"Gorozaki Ichiyo", typePersonality, "Boar", warrior, layoutBanner, borderWhite, ""},
	{"Gorozaki Hatsu", typePersonality, "Boar", courtier, layoutSide, borderClan, ""},
	{"Old Tetsuzan", typePersonality, "Boar", monk, layoutPortrait, borderBlack, ""},
	{"Gorozaki Buntaro, Wallbreaker", typePersonality, "Boar", warrior, layoutPortrait, borderBlack, "Gorozaki Buntaro"},
	{"Namitori Shiori", typePersonality, "Carp", courtier, layoutPortrait, borderBlack, ""},
	{"Namitori Renzo", typePersonality, "Carp", warrior, layoutBanner, borderBlack, ""},
	{"Namitori Kaida", typePersonality, "Carp", warrior, layoutSide, borderClan, ""},
	{"Captain Umihara", typePersonality, "Carp", sea, layoutPortrait, borderWhite, ""},
	{"Yofukane Sumika", typePersonality, "Moth", courtier, layoutPortrait, borderBlack, ""},
	{"Yofukane Jinpachi", typePersonality, "Moth", warrior, layoutSide, borderClan, ""},
	{"The Lampless Monk", typePersonality, "Moth", monk, layoutBanner, borderBlack, ""},
	{"Yofukane Rei", typePersonality, "Moth", mask, layoutPortrait, borderWhite, ""},
	{"Wandering Jubei", typePersonality, "", warrior, layoutPortrait, borderBlack, ""},
	{"Nameless Bandit", typePersonality, "", courtier, layoutBanner, borderWhite, ""},
	{"Kurogane the Serpent", typePersonality, "", serpent, layoutPortrait, borderBlack, ""},
	{"Ash-Faced Demon", typePersonality, "", mask, layoutSide, borderBlack, ""},

	{"Reed Spearmen", typeFollower, "Heron", army, layoutStrip, borderBlack, ""},
	{"Tusk Vanguard", typeFollower, "Boar", army, layoutStrip, borderBlack, ""},
	{"Tidewatch Archers", typeFollower, "Carp", army, layoutStrip, borderWhite, ""},
	{"Dusk Riders", typeFollower, "Moth", duel, layoutStrip, borderClan, ""},
	{"Levied Farmers", typeFollower, "", fields, layoutStrip, borderWhite, ""},
	{"Trained Cranes", typeFollower, "", bird, layoutStrip, borderBlack, ""},
	{"Temple Guardians", typeFollower, "", gate, layoutBanner, borderBlack, ""},
	{"Spirits of the Ford", typeFollower, "", fish, layoutStrip, borderClan, ""},

	{"Blade of Still Water", typeItem, "", blade, layoutArch, borderBlack, ""},
	{"Blade of Still Water, Chipped", typeItem, "", blade, layoutArch, borderBlack, "Blade of Still Water"},
	{"Fan of Nine Ribs", typeItem, "Heron", fan, layoutArch, borderClan, ""},
	{"Sealed Edict", typeItem, "", scroll, layoutArch, borderWhite, ""},
	{"Jar of Captured Rain", typeItem, "Carp", jar, layoutArch, borderBlack, ""},
	{"Grinning War Mask", typeItem, "Boar", mask, layoutArch, borderBlack, ""},
	{"Lantern of the Drowned", typeItem, "Moth", lantern, layoutArch, borderClan, ""},
	{"Ancestral Banner", typeItem, "", army, layoutArch, borderWhite, ""},

	{"Rice Terraces", typeHolding, "", fields, layoutHolding, borderBlack, ""},
	{"Silver Mine", typeHolding, "", mountains, layoutHolding, borderBlack, ""},
	{"Fishing Village", typeHolding, "", sea, layoutHolding, borderWhite, ""},
	{"Bamboo Grove", typeHolding, "", bamboo, layoutHolding, borderBlack, ""},
	{"Market Bridge", typeHolding, "", bridge, layoutHolding, borderWhite, ""},
	{"Sake Brewery", typeHolding, "", jar, layoutHolding, borderClan, ""},
	{"Shrine of First Snow", typeHolding, "", gate, layoutHolding, borderBlack, ""},
	{"Watchtower", typeHolding, "Boar", tower, layoutHolding, borderBlack, ""},
	{"Watchtower Ruins", typeHolding, "Boar", tower, layoutHolding, borderBlack, "Watchtower"},
	{"Tea House of Whispers", typeHolding, "Moth", lantern, layoutHolding, borderClan, ""},

	{"A Quiet Word", typeStrategy, "", fan, layoutScript, borderBlack, ""},
	{"Charge Downhill", typeStrategy, "", army, layoutScript, borderBlack, ""},
	{"Feigned Retreat", typeStrategy, "", bamboo, layoutScript, borderClan, ""},
	{"One Clean Cut", typeStrategy, "", duel, layoutScript, borderBlack, ""},
	{"Poisoned Petals", typeStrategy, "Moth", blossom, layoutScript, borderClan, ""},
	{"Sudden Squall", typeStrategy, "Carp", breaker, layoutScript, borderWhite, ""},
	{"The Herald's Lie", typeStrategy, "", scroll, layoutScript, borderWhite, ""},
	{"Unyielding", typeStrategy, "Boar", mountains, layoutScript, borderBlack, ""},
	{"Wings at Dawn", typeStrategy, "Heron", bird, layoutScript, borderClan, ""},
	{"Word of Thunder", typeStrategy, "", storm, layoutScript, borderBlack, ""},

	{"The Burning of Sixth City", typeEvent, "", fire, layoutFull, borderNone, ""},
	{"Comet Over the Capital", typeEvent, "", storm, layoutFull, borderNone, ""},
	{"Festival of Blossoms", typeEvent, "", blossom, layoutFull, borderNone, ""},
	{"Great Wave", typeEvent, "", breaker, layoutFull, borderNone, ""},
	{"Migration of Moths", typeEvent, "", moth, layoutFull, borderNone, ""},
	{"The Serpent Wakes", typeEvent, "", serpent, layoutFull, borderNone, ""},

	{"Border Keep Road", typeRegion, "", gate, layoutPanorama, borderBlack, ""},
	{"Coast of Bells", typeRegion, "", sea, layoutPanorama, borderWhite, ""},
	{"Plain of Broken Spears", typeRegion, "", army, layoutPanorama, borderBlack, ""},
	{"Valley of Mists", typeRegion, "", mountains, layoutPanorama, borderNone, ""},
	{"Koi Ponds of the Regent", typeRegion, "", fish, layoutPanorama, borderWhite, ""},

	{"Castle of Reeds", typeStronghold, "Heron", tower, layoutCastle, borderClan, ""},
	{"Tusk Fortress", typeStronghold, "Boar", mountains, layoutCastle, borderBlack, ""},
	{"Harbour of Namitori", typeStronghold, "Carp", breaker, layoutCastle, borderClan, ""},
	{"House of Hidden Lamps", typeStronghold, "Moth", lantern, layoutCastle, borderBlack, ""},
}

// Backs of the deck. BackLotus looks the same both ways up.
const (
	BackDynasty board.BackID = "dynasty"
	BackFate    board.BackID = "fate"
	BackLotus   board.BackID = "lotus"
	BackCastle  board.BackID = "castle"
)

func backOf(typ string) board.BackID {
	switch typ {
	case typeFollower, typeItem:
		return BackFate
	case typeStrategy:
		return BackLotus
	case typeStronghold:
		return BackCastle
	}
	return BackDynasty
}

func slug(name string) board.CardID {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '\'' || r == ',':
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return board.CardID(strings.TrimSuffix(b.String(), "-"))
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // never fails
	return h.Sum64()
}

// printed is everything that stands on one card.
type printed struct {
	entry
	card   board.Card
	number int
	seed   uint64 // of the card itself
	art    uint64 // of its picture
	text   string
	flavor string
}

func newPrinted(i int, e entry) printed {
	art := e.art
	if art == "" {
		art = e.name
	}
	p := printed{entry: e, number: i + 1, seed: hash(e.name), art: hash(art)}
	rng := rand.New(rand.NewPCG(p.seed, 1))
	attr := map[string]string{}
	num := func(key string, lo, hi int) { attr[key] = fmt.Sprint(lo + rng.IntN(hi-lo+1)) }
	switch e.typ {
	case typePersonality:
		num("force", 1, 5)
		num("chi", 1, 5)
		num("personal_honor", 0, 4)
		num("gold_cost", 3, 10)
		num("honor_requirement", 0, 9)
	case typeFollower:
		num("force", 1, 4)
		num("gold_cost", 1, 6)
		num("focus", 1, 5)
	case typeItem:
		num("force", 0, 3)
		num("chi", 0, 2)
		num("gold_cost", 1, 5)
		num("focus", 1, 5)
	case typeHolding:
		num("gold_production", 1, 4)
		num("gold_cost", 0, 5)
	case typeStrategy:
		num("gold_cost", 0, 3)
		num("focus", 1, 5)
	case typeStronghold:
		num("province_strength", 5, 9)
		num("gold_production", 3, 6)
		num("starting_honor", 1, 9)
	}
	if e.clan != "" {
		attr["clan"] = strings.ToLower(e.clan)
	}
	p.text, p.flavor = wording(e, rng)
	p.card = board.Card{
		ID: slug(e.name), Name: e.name, Type: e.typ, Back: backOf(e.typ), Attributes: attr,
		Landscape: e.typ == typeRegion || e.typ == typeStronghold,
	}
	return p
}

func pick(rng *rand.Rand, from ...string) string { return from[rng.IntN(len(from))] }

func wording(e entry, rng *rand.Rand) (text, flavor string) {
	act := pick(rng, "Battle", "Open", "Limited", "Reaction")
	n := 1 + rng.IntN(4)
	who := pick(rng, "target enemy Personality", "target Follower", "target unbowed card", "one of your units", "an opposing unit")
	what := pick(rng,
		fmt.Sprintf("%s loses %d Force until the battle ends.", who, n),
		fmt.Sprintf("bow %s with Force %d or lower.", who, n+1),
		fmt.Sprintf("straighten %s at this battlefield.", who),
		fmt.Sprintf("move %s home. You lose %d Honor.", who, n),
		fmt.Sprintf("give %s +%dF. If it is bowed, draw a card.", who, n),
		fmt.Sprintf("rehonor %s if its Chi is %d or more.", who, n))
	switch e.typ {
	case typePersonality:
		lead := pick(rng, "Samurai", "Courtier", "Shugenja", "Scout", "Commander", "Duelist")
		if e.clan != "" {
			lead = e.clan + " House · " + lead
		}
		text = lead + ". " + pick(rng, "Cavalry. ", "Tactician. ", "Loyal. ", "Unique. ", "") + act + ": " + what
	case typeHolding:
		text = fmt.Sprintf("Bow: Produce %d Gold. %s: Bow this card: %s", n, act, what)
	case typeRegion:
		text = "Attach to a province. Units at this battlefield " + pick(rng, "gain one Force.", "can't be moved.", "ignore terrain.", "lose Cavalry.") + " " + act + ": " + what
	case typeStronghold:
		text = fmt.Sprintf("Bow: Produce %d Gold. Your %s House Personalities cost 2 less. %s: %s", n+2, e.clan, act, what)
	case typeEvent:
		text = "All players " + pick(rng, "lose two Honor.", "discard a card.", "straighten their Holdings.", "reveal their hands.") + " Then " + what
	default:
		text = act + ": " + strings.ToUpper(what[:1]) + what[1:] + pick(rng, "", " Draw a card.", " This can't be negated.", " Then destroy this card.")
	}
	flavor = pick(rng,
		"“The river does not ask the stone.”", "“Bring me his name, not his head.”", "“Snow hides every footprint but one.”",
		"“We built the wall so that we could open it.”", "“A debt is a kind of leash.”", "“Count the lanterns, then the dead.”",
		"“No one sings of the second arrow.”", "“Even the carp looks up.”", "“I have already forgiven you. Draw.”")
	return text, flavor
}
