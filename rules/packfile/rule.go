package packfile

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"tabletop/board"
	"tabletop/rules"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// rule compiles one rule.
func (c *compiler) rule(p *pack, r ruleEntry, index string) rules.Rule {
	at := func(steps ...string) []string { return append([]string{"rules", index}, steps...) }
	rule := rules.Rule{ID: r.ID, Severity: r.Severity, Citations: c.citations(p.file, r, index)}
	rule.Citation = rule.Citations[p.file.Languages[0]]
	if r.Board != nil {
		b := c.breach(*r.Board, boardEnv{}, at("board")...)
		rule.State = func(s rules.Subject) board.Severity { return p.state(b, r.Severity, s) }
		rule.Near = b.touching()
	}
	if r.Change != nil {
		b := c.breach(*r.Change, changeEnv{}, at("change")...)
		mended := c.condition(r.Change.Mended, boardEnv{}, at("change", "mended")...)
		rule.Change = func(t rules.Transition) board.Severity { return p.change(b, r.Severity, t) }
		rule.Mended = func(s rules.Subject) bool {
			return p.anyType(s, func(t string) bool { return mended.holds(p.boardEnv(mended, s, t)) })
		}
	}
	judged := c.judged(p, r, index)
	if len(judged.refusals)+len(judged.effects)+len(judged.debts) > 0 {
		rule.Action = judged.verdict
	}
	if len(judged.owes) > 0 {
		rule.Owe = judged.owe
	}
	if len(r.Owes) > 0 {
		rule.Settled = judged.isSettled
	}
	for _, f := range r.Refuses {
		rule.Says = append(rule.Says, orElse(f.Say, "breach"))
	}
	for _, o := range r.Owes {
		rule.Says = append(rule.Says, orElse(o.Say, "prompt"))
	}
	slices.Sort(rule.Says)
	rule.Says = slices.Compact(rule.Says)
	return rule
}

func orElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

// citations are the rule's passage in each language.
func (c *compiler) citations(file packFile, r ruleEntry, index string) map[string]board.Citation {
	first := file.Languages[0]
	in := func(t perLanguage, lang string) string { return orElse(t[lang], t[first]) }
	source := r.Source
	if source == nil {
		source = file.Source
	}
	if r.Source == nil && file.Source[first] == "" && index == "0" { // once, not for every rule
		c.failf([]string{"source"}, "it lacks the text in %s, the pack's first language", first)
	}
	for key, t := range map[string]perLanguage{"source": r.Source, "passage": r.Passage, "quote": r.Quote} {
		if t != nil && t[first] == "" {
			c.failf([]string{"rules", index, key}, "it lacks the text in %s, the pack's first language", first)
		}
		for _, lang := range sortedKeys(t) {
			if !slices.Contains(file.Languages, lang) {
				c.failf([]string{"rules", index, key, lang}, "the pack has no language %q; it has %s", lang, strings.Join(file.Languages, ", "))
			}
		}
	}
	all := map[string]board.Citation{}
	for _, lang := range file.Languages {
		all[lang] = board.Citation{Source: in(source, lang), Passage: in(r.Passage, lang), Quote: in(r.Quote, lang)}
	}
	return all
}

// breach is a compiled breachEntry.
type breach struct{ when, suspicious, info *condition }

func (c *compiler) breach(b breachEntry, env any, path ...string) breach {
	at := func(key string) []string { return append(slices.Clone(path), key) }
	return breach{
		when:       c.condition(b.When, env, at("when")...),
		suspicious: c.condition(b.Suspicious, env, at("suspicious")...),
		info:       c.condition(b.Info, env, at("info")...),
	}
}

func (b breach) touching() bool {
	return slices.ContainsFunc([]*condition{b.when, b.suspicious, b.info}, func(c *condition) bool { return c != nil && c.touching })
}

// severity says how grave the breach is in an environment, "" for none.
func (b breach) severity(clear board.Severity, env any) board.Severity {
	switch {
	case !b.when.holds(env):
		return ""
	case b.info != nil && b.info.holds(env):
		return board.SeverityInfo
	case b.suspicious != nil && b.suspicious.holds(env):
		return weaker(clear, board.SeveritySuspicious)
	}
	return clear
}

// weaker is the one of two severities that claims less; "" claims nothing.
func weaker(a, b board.Severity) board.Severity {
	order := []board.Severity{"", board.SeverityInfo, board.SeveritySuspicious, board.SeverityIllegal}
	if slices.Index(order, a) < slices.Index(order, b) {
		return a
	}
	return b
}

// state judges a card. Of one whose type isn't known it says no more than what
// would hold whatever type it is of.
func (p *pack) state(b breach, clear board.Severity, s rules.Subject) board.Severity {
	severity := clear
	var touching []look
	if b.touching() {
		touching = p.touching(s)
	}
	for _, t := range p.mayBe(s) {
		if severity = weaker(severity, b.severity(clear, &boardEnv{p.look(s, t), touching})); severity == "" {
			return ""
		}
	}
	return severity
}

func (p *pack) change(b breach, clear board.Severity, t rules.Transition) board.Severity {
	if layThere(t) {
		return ""
	}
	severity := clear
	var touching []look
	if b.touching() {
		touching = p.touching(t.After)
	}
	for _, cardType := range p.mayBe(t.After) {
		env := p.changeEnv(t, cardType)
		env.Touching = touching
		if severity = weaker(severity, b.severity(clear, env)); severity == "" {
			return ""
		}
	}
	return severity
}

// layThere says whether a card lay there at the first look: nothing was seen to
// happen to it.
func layThere(t rules.Transition) bool { return t.Before == nil && t.Found }

// changeEnv is a change of a card that is taken to be of a type. A card that
// was not known before was the same card.
func (p *pack) changeEnv(t rules.Transition, cardType string) *changeEnv {
	env := &changeEnv{Card: p.look(t.After, cardType), TakesBack: t.TakesBack}
	came := !t.Found
	if t.Before != nil {
		before := *t.Before
		wasType := p.typeOf(before)
		if wasType == "" {
			wasType = cardType
		}
		env.Before = p.look(before, wasType)
		came = env.Before.Area == outOfPlay
		env.Leaves = env.Before.Area == inPlay && env.Card.Area == outOfPlay
	}
	env.Enters = env.Card.Area == inPlay && came
	return env
}

func (p *pack) boardEnv(c *condition, s rules.Subject, cardType string) *boardEnv {
	env := &boardEnv{Card: p.look(s, cardType)}
	if c.touching {
		env.Touching = p.touching(s)
	}
	return env
}

// anyType says whether something holds for a type that a card may be of.
func (p *pack) anyType(s rules.Subject, holds func(cardType string) bool) bool {
	return slices.ContainsFunc(p.mayBe(s), holds)
}

// allTypes says whether it holds for every type that a card may be of.
func (p *pack) allTypes(s rules.Subject, holds func(cardType string) bool) bool {
	return !slices.ContainsFunc(p.mayBe(s), func(t string) bool { return !holds(t) })
}

// judged is what a rule makes of declared actions and of what is owed.
type judged struct {
	pack     *pack
	id       board.RuleID
	refusals []onAction
	effects  []onAction
	debts    []onAction            // owed after an action
	owes     []onChange            // owed after a change
	settled  map[string]*condition // by the prompt's message
}

// onAction is a condition on declared actions.
type onAction struct {
	kinds    []board.ActionKind
	target   bool // asked of each target, not of each card
	when     *condition
	say      string
	possible bool
}

type onChange struct {
	when     *condition
	say      string
	possible bool
}

func (c *compiler) judged(p *pack, r ruleEntry, index string) *judged {
	j := &judged{pack: p, id: r.ID, settled: map[string]*condition{}}
	on := func(list string, i int, kinds []board.ActionKind, about, when, say string) onAction {
		path := []string{"rules", index, list, strconv.Itoa(i)}
		for k, kind := range kinds {
			if !slices.ContainsFunc(p.file.Actions, func(a actionEntry) bool { return a.ID == kind }) {
				c.failf(append(slices.Clone(path), "actions", strconv.Itoa(k)), "there is no action %q; add it under actions", kind)
			}
		}
		return onAction{kinds: kinds, target: about == "target", say: say, when: c.condition(when, actionEnv{}, append(path, "when")...)}
	}
	for i, f := range r.Refuses {
		j.refusals = append(j.refusals, on("refuses", i, f.Actions, f.About, f.When, orElse(f.Say, "breach")))
	}
	for i, f := range r.Follows {
		j.effects = append(j.effects, on("follows", i, f.Actions, f.About, f.When, string(r.ID)+"."+f.Say))
	}
	for i, o := range r.Owes {
		say, path := orElse(o.Say, "prompt"), []string{"rules", index, "owes", strconv.Itoa(i)}
		if len(o.Actions) > 0 {
			debt := on("owes", i, o.Actions, o.About, o.When, say)
			debt.possible = o.Possible
			j.debts = append(j.debts, debt)
		} else {
			j.owes = append(j.owes, onChange{c.condition(o.When, changeEnv{}, append(slices.Clone(path), "when")...), say, o.Possible})
		}
		if _, twice := j.settled[say]; twice {
			c.failf(append(slices.Clone(path), "say"), "another prompt of this rule says %q; give each its own text", say)
		}
		j.settled[say] = c.condition(o.Settled, changeEnv{}, append(slices.Clone(path), "settled")...)
	}
	return j
}

// hits are the copies of a declared action of which a condition holds.
func (j *judged) hits(on onAction, d rules.Declared) []rules.Subject {
	if !slices.Contains(on.kinds, d.Action.Kind) {
		return nil
	}
	asked, others := d.Copies(), d.Targets()
	if on.target {
		asked, others = others, asked
	}
	env := actionEnv{Act: act{
		Kind: string(d.Action.Kind), Seat: string(d.Action.Seat), Amount: d.Action.Amount,
		Zone: zoneKind(d), Params: d.Action.Params,
	}}
	if env.Act.Params == nil {
		env.Act.Params = map[string]string{}
	}
	if len(others) > 0 {
		env.Other = j.pack.look(others[0], j.pack.typeOf(others[0]))
	}
	var hits []rules.Subject
	for _, s := range asked {
		if on.when != nil && on.when.touching {
			env.Touching = j.pack.touching(s)
		}
		if on.when == nil || j.pack.allTypes(s, func(t string) bool {
			env.Card = j.pack.look(s, t)
			return on.when.holds(&env)
		}) {
			hits = append(hits, s)
		}
	}
	return hits
}

func zoneKind(d rules.Declared) string {
	zone, _ := d.Table.Layout().Zone(d.Action.Zone)
	return string(zone.Kind)
}

func (j *judged) verdict(d rules.Declared) rules.Verdict {
	var v rules.Verdict
	other := func(on onAction) board.CopyID {
		ids := d.Action.Targets
		if on.target {
			ids = d.Action.Copies
		}
		if len(ids) == 0 {
			return ""
		}
		return ids[0]
	}
	note := func(on onAction, s rules.Subject) rules.Note {
		return rules.Note{Message: on.say, About: s.Copy.ID, Other: other(on), Seat: d.Action.Seat, Amount: d.Action.Amount}
	}
	for _, on := range j.refusals {
		for _, s := range j.hits(on, d) {
			v.Breaches = append(v.Breaches, note(on, s))
		}
	}
	for _, on := range j.effects {
		for _, s := range j.hits(on, d) {
			v.Effects = append(v.Effects, note(on, s))
		}
	}
	for _, on := range j.debts {
		for _, s := range j.hits(on, d) {
			v.Owes = append(v.Owes, rules.Debt{Message: on.say, Seat: s.Seat, Copies: []board.CopyID{s.Copy.ID}, Possible: on.possible})
		}
	}
	return v
}

func (j *judged) owe(t rules.Transition) []rules.Debt {
	if layThere(t) {
		return nil
	}
	var debts []rules.Debt
	for _, on := range j.owes {
		if j.pack.allTypes(t.After, func(cardType string) bool { return on.when.holds(j.pack.changeEnvFor(on.when, t, cardType)) }) {
			debts = append(debts, rules.Debt{Message: on.say, Seat: t.After.Seat, Copies: []board.CopyID{t.After.Copy.ID}, Possible: on.possible})
		}
	}
	return debts
}

func (p *pack) changeEnvFor(c *condition, t rules.Transition, cardType string) *changeEnv {
	env := p.changeEnv(t, cardType)
	if c.touching {
		env.Touching = p.touching(t.After)
	}
	return env
}

// isSettled says whether a prompt is done with. A card that is gone owes
// nothing.
func (j *judged) isSettled(prompt board.Prompt, n rules.News) bool {
	settled, known := j.settled[prompt.Message]
	if !known || len(prompt.Copies) == 0 {
		return true
	}
	s, ok := n.Table.Subject(prompt.Copies[0])
	if !ok {
		return true
	}
	t := rules.Transition{Before: &s, After: s}
	if n.Transition != nil && n.Transition.After.Copy.ID == s.Copy.ID {
		t = *n.Transition
	}
	return j.pack.anyType(s, func(cardType string) bool { return settled.holds(j.pack.changeEnvFor(settled, t, cardType)) })
}
