package packfile

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// maxNodes bounds the size of one condition; those that exist have a tenth.
const maxNodes = 300

// allowedBuiltins are the functions of the expression language that a condition
// may call. Each ends in a time that grows with its list alone, and none can
// fail or reach out of the expression.
var allowedBuiltins = []string{"all", "any", "none", "one", "count", "len", "lower", "abs"}

// allowedOperators can't fail on operands of the right types, which the
// expression language checks. Division, ranges and patterns are left out: they
// can fail or cost more than they say.
var allowedOperators = []string{
	"and", "&&", "or", "||", "==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*",
	"contains", "startsWith", "endsWith",
}

// condition is a compiled yes-or-no expression. It has no side effects, ends
// and can't fail.
type condition struct {
	program  *vm.Program
	touching bool // it asks about the cards that the card touches
}

// compileCondition compiles a condition over the fields of env. words are the
// texts that a field may hold, by the field's name: anything else that a
// condition compares the field with is taken for a slip.
func compileCondition(text string, env any, words vocabulary) (*condition, error) {
	gate := &gatekeeper{words: words}
	options := []expr.Option{
		expr.Env(env), expr.AsBool(), expr.WarnOnAny(), expr.MaxNodes(maxNodes), expr.DisableAllBuiltins(), expr.Patch(gate),
	}
	options = append(options, expr.Function("number", number, new(func(string) float64)))
	for _, name := range allowedBuiltins {
		options = append(options, expr.EnableBuiltin(name))
	}
	program, err := expr.Compile(text, options...)
	// What the gatekeeper has to say comes first: it knows what was meant.
	if len(gate.refused) > 0 {
		return nil, errors.Join(gate.refused...)
	}
	if syntax := (*file.Error)(nil); errors.As(err, &syntax) {
		return nil, conditionError{syntax.From, explain(syntax.Message, env)}
	}
	if err != nil {
		return nil, conditionError{text: explain(err.Error(), env)}
	}
	if len(gate.uncertain) > 0 {
		return nil, gate.uncertain[0]
	}
	return &condition{program, slices.Contains(gate.speaks, "touching")}, nil
}

// number is the number that a text is, else none: whatever that is compared
// with, the answer is no.
func number(params ...any) (any, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(params[0].(string)), 64)
	if err != nil {
		return math.NaN(), nil
	}
	return n, nil
}

// holds says whether the condition is true. An expression that got past
// compileCondition can't fail; should it, that is a fault of this package.
func (c *condition) holds(env any) bool {
	result, err := vm.Run(c.program, env)
	if err != nil {
		panic(fmt.Errorf("a condition that passed its checks failed: %w", err))
	}
	return result.(bool)
}

// conditionError is a fault in a condition, with the line within it.
type conditionError struct {
	from int // position in the text, in runes
	text string
}

func (e conditionError) Error() string { return e.text }

// lineIn is how many lines into a condition's text the fault lies.
func (e conditionError) lineIn(text string) int {
	runes := []rune(text)
	return strings.Count(string(runes[:min(e.from, len(runes))]), "\n")
}

// explain puts what the compiler says in words that help.
func explain(message string, env any) string {
	message, _, _ = strings.Cut(message, "\n")
	if name, ok := strings.CutPrefix(message, "unknown name "); ok {
		name, _, _ = strings.Cut(name, " ")
		return fmt.Sprintf("there is no %s here; known are %s; a text stands in quotes", name, strings.Join(names(env), ", "))
	}
	if of, name, ok := strings.Cut(message, " has no field "); ok {
		return fmt.Sprintf("there is no field %s; there are %s", name, strings.Join(fields(strings.TrimPrefix(of, "type packfile.")), ", "))
	}
	says := func(part string) bool { return strings.Contains(message, part) }
	switch {
	case says(`Operator("=")`):
		return "= stands alone; two things are compared with =="
	case says("unexpected token EOF"):
		return "it ends too early; is a bracket or a quote left open?"
	case says("array elements can only"):
		return "this is a list; ask about the cards in it with any(touching, .turn == 90)"
	case says("mismatched types string"):
		return message + "; an attribute is a text, and number(card.attributes.cost) its number"
	case says("unexpected token"):
		return message + `; a condition compares, as in card.zone == "home" and card.turn == 90`
	}
	return message
}

// fields are those of a type that conditions speak of.
func fields(name string) []string {
	for _, v := range []any{printed{}, place{}, look{}, act{}} {
		if t := reflect.TypeOf(v); t.Name() == name {
			return names(v)
		}
	}
	return nil
}

// names are the fields of an environment, or of what stands in one.
func names(env any) []string {
	t := reflect.TypeOf(env)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var list []string
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() {
			list = append(list, f.Tag.Get("expr"))
		}
	}
	return list
}

// vocabulary are the texts that a field may hold, by its name; for the
// parameters of actions "params.<name>", with none where any text will do.
type vocabulary map[string][]string

// gatekeeper refuses what a condition may not say.
type gatekeeper struct {
	words     vocabulary
	speaks    []string // of which variables
	refused   []error
	uncertain []error // types that only a run would tell
}

func (g *gatekeeper) refuse(n ast.Node, format string, args ...any) {
	err := conditionError{from: n.Location().From, text: fmt.Sprintf(format, args...)}
	if !slices.Contains(g.refused, error(err)) { // the tree is walked more than once
		g.refused = append(g.refused, err)
	}
}

// Visit is called for every node, the innermost first.
func (g *gatekeeper) Visit(node *ast.Node) {
	// What may be a text or a number fails where it turns out to be the other.
	if t := (*node).Type(); t == nil || t.Kind() == reflect.Interface {
		g.uncertain = append(g.uncertain, conditionError{(*node).Location().From, fmt.Sprintf("%s is of no certain type; both sides of ? : and all entries of a list have the same type", *node)})
	}
	switch n := (*node).(type) {
	case *ast.BinaryNode:
		g.binary(n)
	case *ast.IdentifierNode:
		g.speaks = append(g.speaks, n.Value)
	case *ast.UnaryNode, *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.StringNode,
		*ast.ConstantNode, *ast.ArrayNode, *ast.PredicateNode, *ast.PointerNode, *ast.ConditionalNode, *ast.CallNode:
	case *ast.MemberNode:
		name, byName := fieldName(n)
		switch _, declared := g.words[name]; {
		case !byName || n.Optional:
			g.refuse(n, "a field is named, as in card.type: no positions, no ?.")
		case strings.HasPrefix(name, "params.") && !declared:
			g.refuse(n, "no action takes a parameter %q; declare it under actions", strings.TrimPrefix(name, "params."))
		}
	case *ast.BuiltinNode:
		var inner nested
		for i := range n.Arguments {
			ast.Walk(&n.Arguments[i], &inner)
		}
		if inner.found {
			g.refuse(n, "%s walks over a list within a list; walk over one list only", n.Name)
		}
	default:
		g.refuse(n, "%s is not read here; a condition is made of comparisons, and, or, not, in, any, all, none, count", n)
	}
}

// nested finds a predicate.
type nested struct{ found bool }

func (v *nested) Visit(node *ast.Node) {
	if b, ok := (*node).(*ast.BuiltinNode); ok && len(b.Arguments) > 1 {
		v.found = true
	}
}

func (g *gatekeeper) binary(n *ast.BinaryNode) {
	if !slices.Contains(allowedOperators, n.Operator) {
		g.refuse(n, "the operator %q is not read here; known are %s", n.Operator, strings.Join(allowedOperators, " "))
		return
	}
	switch n.Operator {
	case "==", "!=", "in":
		g.compared(n.Left, n.Right)
		g.compared(n.Right, n.Left)
	}
}

// compared holds the values that a field is compared with against those it may
// have.
func (g *gatekeeper) compared(field, value ast.Node) {
	member, ok := field.(*ast.MemberNode)
	if !ok {
		return
	}
	name, ok := fieldName(member)
	may, limited := g.words[name]
	if !ok || !limited || len(may) == 0 {
		return
	}
	for _, v := range values(value) {
		if !slices.Contains(may, v) {
			g.refuse(value, "%s is never %q; it is one of %s", name, v, strings.Join(slices.DeleteFunc(slices.Clone(may), isEmpty), ", "))
		}
	}
}

func isEmpty(s string) bool { return s == "" }

// fieldName is "type" for card.type, "act.kind" for act.kind and "params.area"
// for act.params.area.
func fieldName(n *ast.MemberNode) (string, bool) {
	name, ok := n.Property.(*ast.StringNode)
	if !ok {
		return "", false
	}
	switch of := n.Node.(type) {
	case *ast.MemberNode:
		if outer, ok := of.Property.(*ast.StringNode); ok {
			return outer.Value + "." + name.Value, true
		}
	case *ast.IdentifierNode:
		if of.Value == "act" {
			return "act." + name.Value, true
		}
	}
	return name.Value, true
}

// values are the constants a node stands for.
func values(node ast.Node) []string {
	switch n := node.(type) {
	case *ast.StringNode:
		return []string{n.Value}
	case *ast.IntegerNode:
		return []string{fmt.Sprint(n.Value)}
	case *ast.ArrayNode:
		var list []string
		for _, item := range n.Nodes {
			list = append(list, values(item)...)
		}
		return list
	}
	return nil
}
