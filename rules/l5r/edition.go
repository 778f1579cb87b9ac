package l5r

import (
	"embed"
	"io/fs"
	"slices"
	"strings"

	"tabletop/board"
	"tabletop/rules"
)

//go:embed messages/*.yaml
var messages embed.FS

// messagesOf are the messages that the editions share and those of one.
type messagesOf struct {
	embed.FS
	edition string
}

// ReadDir lists a folder without the files of the other editions.
func (m messagesOf) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := m.FS.ReadDir(name)
	return slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), "l5r.") && !strings.HasPrefix(e.Name(), m.edition+".")
	}), err
}

// edition is all in which the editions of the game differ.
type edition struct {
	id, name, source string
	quotes           map[board.RuleID]board.Citation // by rule; a rule that isn't here isn't the edition's

	// Only the one of the two says so.
	holdingsEnterBowed     bool           // EE: cards, other than Holdings, enter play unbowed
	entersBowed            board.Severity // EE: they do; SE: they normally do
	mayNotAct              bool           // EE: cards out of play may not perform actions
	costMayTakeOut         bool           // EE: a cost may take a card out of an out-of-play area
	resolvingMayNotPay     bool           // SE: cards in a resolution, entering-play or focusing area neither
	delayedReachesOut      bool           // EE: a delayed effect affects what was in play when it was activated
	rehonoringKeepsGain    bool           // EE: unless rehonoring is one of the action's effects
	statusWhenTargeted     bool           // EE: dishonor is checked when the Personality is targeted
	notRehonoringKeepsGain bool           // SE: "does not rehonor" leaves the honor gain
	lossIsRulebookEffect   bool           // EE: the loss for a destroyed one is no card effect
	destroyedWord          string         // EE: "dead"; SE: "destroyed"
	terrainsEnterAtBattle  bool           // SE: Terrains enter play at the battlefield
	movesToAttack          bool           // EE: "moves to attack", "moves to defend"
	controlStaysAtBattle   bool           // EE: to the new controller's side of the battlefield
	regionsStay            bool           // SE: a Region under control change stays at its province
	attachmentsStay        bool           // EE: only a card that is no attachment goes to its new controller
	othersForgetful        bool           // SE: of other cards than Personalities the discard pile keeps no "destroyed"
}

// EmperorEdition is the pack "l5r-emperor".
func EmperorEdition() rules.Pack {
	return edition{
		id:                   "l5r-emperor",
		name:                 "Legend of the Five Rings, Emperor Edition",
		source:               "L5R Emperor Edition, Comprehensive Rules, Physically marked card states",
		quotes:               emperorQuotes(),
		holdingsEnterBowed:   true,
		entersBowed:          board.SeverityIllegal,
		mayNotAct:            true,
		costMayTakeOut:       true,
		delayedReachesOut:    true,
		rehonoringKeepsGain:  true,
		statusWhenTargeted:   true,
		lossIsRulebookEffect: true,
		destroyedWord:        Dead,
		movesToAttack:        true,
		controlStaysAtBattle: true,
		attachmentsStay:      true,
	}.pack()
}

// SamuraiEdition is the pack "l5r-samurai".
func SamuraiEdition() rules.Pack {
	return edition{
		id:                     "l5r-samurai",
		name:                   "Legend of the Five Rings, Samurai Edition",
		source:                 "Legend of the Five Rings Rules (Samurai Edition), Physically marked card states",
		quotes:                 samuraiQuotes(),
		entersBowed:            board.SeveritySuspicious,
		resolvingMayNotPay:     true,
		notRehonoringKeepsGain: true,
		destroyedWord:          Destroyed,
		terrainsEnterAtBattle:  true,
		regionsStay:            true,
		othersForgetful:        true,
	}.pack()
}

// Packs are the packs of the game.
func Packs() rules.Packs { return rules.Packs{EmperorEdition(), SamuraiEdition()} }

func (ed edition) pack() rules.Pack {
	p := rules.Pack{
		ID:        ed.id,
		Name:      ed.name,
		Languages: []string{"en", "de"},
		Words: []rules.Word{
			{State: Dishonorable, Gained: EventDishonored, Lost: EventRehonored},
			{State: Bowed, Gained: EventBowed, Lost: EventStraightened},
		},
		Meaning:    meaning,
		Area:       area,
		Controller: controller,
		Facts:      ed.facts,
		FactNames:  factNames(),
		Acts:       ed.acts(),
		Fold:       ed.fold,
		Follow:     ed.follow,
		Says:       effects(),
		Messages:   messagesOf{messages, strings.TrimPrefix(ed.id, "l5r-")},
	}
	for _, r := range ed.rules() {
		citation, ok := ed.quotes[r.ID]
		if !ok {
			continue // a rule of the other edition alone
		}
		if citation.Source == "" {
			citation.Source = ed.source
		}
		r.Citation = citation
		r.Citations = generalKnowledge()[r.ID]
		p.Rules = append(p.Rules, r)
	}
	return p
}

// rules are the rules of both editions, in the order of the sources.
func (ed edition) rules() []rules.Rule {
	var all []rules.Rule
	all = append(all, ed.inPlayRules()...)
	all = append(all, ed.bowRules()...)
	all = append(all, ed.honorRules()...)
	all = append(all, ed.placeRules()...)
	all = append(all, ed.controlRules()...)
	all = append(all, ed.overlayRules()...)
	return append(all, ed.faceRules()...)
}
