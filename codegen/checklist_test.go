package codegen_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scenarios is the number of scenarios in the checklist of the language: 1 to 28 are expressions
// and their order, 29 to 39 assignments, 40 to 57 control flow, 58 to 68 functions, closures,
// defer and panic, 69 to 74 types and packages, 75 to 86 the protocol of awaiting.
const scenarios = 86

// elsewhere are the scenarios that no executed case names, with the reason or the other test.
var elsewhere = map[int]string{
	70: "testdata/twins.txtar and overrides.txtar: which calls suspend is a question of types",
	81: "schedulers/schedulertest: what a scheduler does when it refuses or panics is not the generator's",
	82: "statemachine: a machine is never used again, and says so",
	83: "testdata/exec/streams.txtar and stream_panics.txtar, under their own name",
	86: "a machine is not written to disk: generated code offers no snapshot",
}

// named matches the numbers in the sentence at the head of a case: "(checklist 58, 62 to 65)".
var named = regexp.MustCompile(`checklist ([^):]*)`)

var span = regexp.MustCompile(`(\d+)(?:\s+to\s+(\d+))?`)

// TestEveryScenarioHasACase checks that either an executed case names each number of the
// checklist, or there is a reason why it is tested in another way, but not both.
func TestEveryScenarioHasACase(t *testing.T) {
	cases := map[int][]string{}
	for _, c := range archives(t, "testdata/exec/*.txtar") {
		for _, list := range named.FindAllStringSubmatch(string(c.Comment), -1) {
			for _, m := range span.FindAllStringSubmatch(list[1], -1) {
				from, err := strconv.Atoi(m[1])
				require.NoError(t, err)
				to := from
				if m[2] != "" {
					to, err = strconv.Atoi(m[2])
					require.NoError(t, err)
				}
				for n := from; n <= to; n++ {
					cases[n] = append(cases[n], c.name)
				}
			}
		}
	}
	for n := 1; n <= scenarios; n++ {
		if elsewhere[n] == "" {
			assert.NotEmpty(t, cases[n], "scenario %d: no case in testdata/exec names it", n)
		} else {
			assert.Empty(t, cases[n], "scenario %d has a case: it needs no reason any more", n)
		}
	}
}

// orders are the known facts about gc's order of evaluation, one per row: first the measured ones,
// then those found in the compiler's walk/order.go. The specification leaves them open. So there
// is a case for each, and the results of these cases as plain Go are recorded: if a release of Go
// changes one, a test fails.
var orders = []string{
	"G + f(), f() + G, G += f(), a + f(), a += f()",
	"g(G, f()), literals, any(G), return, tuples, variadic, strings, conversions, structs",
	"g(s[0], f()), g(m[k], f()), g(p.x, f()), g(*p, f())",
	"a nil pointer, an index, a division panic after f",
	"s[i] = f(), s[i] += f(), an index out of range panics after f",
	"m[k] = f(), m[k] += f(), a nil map and an unhashable key panic after f",
	"p.x = f(), p.x += f(), c <- f(), s[f()], m[f()], p.a[f()]",
	"p.val(f()), p.ptr(f()), h(f()), nil panics after f",
	"i.val(f()), where gc does not know what i holds",
	"I(x).val(f()), early unless x is one word or its type depends on a type parameter",
	"g(i.(int), f())",
	"len(s), s[a:][0]",
	"g(<-c, f())",
	"switch a { case f(): case 1: }",
	"i, s[i] = 1, f()",
	"select evaluates all channels and values in order",
	"range over an array copies it, over a slice does not",
	"defer nilFunc(), defer nilIface.M()",
	"a named result and a deferred call, a plain result",
	"&&, ||, min, max, append, complex, real, imag, []byte(s), []rune(s)",
	"any(S{G}), any(m[k]), m[k] == x where the element is a struct",

	"m[k] op= r panics before the entry is made",
	"m[k] = append(m[k], f()) evaluates map and key once",
	"the string of bytes is made late, as the key of a map early",
	"the key of delete, of v, ok = m[k] and of a wide key",
	"a map literal stores one entry after the other, constant ones first",
	"x, y = f() and x, ok = ... assign from the left, behind all operands",
	"c <- v takes the channel late, <-(<-c) early; select is strict",
	"method values, function literals and closures are made late, from what they find then",
	"new, make and conversions to arrays",
	"print, panic, copy, clear, close and statements of one operand",
	"comparing structs and arrays, and values as another type",
	"asserted types of type parameters",
	"range takes strings, maps, channels and counts once",
	"the length of an array is a constant, unless the expression holds a call",
}

// order matches the comment that links a function of a case to a row.
var order = regexp.MustCompile(`(?m)^// order: (.*)\n(?:// ?.*\n)*//movenext:async\nfunc (\w+)`)

// TestEveryOrderHasACase checks that each row is named by a function that its case calls, in a
// case with recorded results.
func TestEveryOrderHasACase(t *testing.T) {
	shown := map[string]bool{}
	for _, c := range archives(t, "testdata/exec/*.txtar") {
		source := string(fileOf(c.Archive, "case.go"))
		for _, m := range order.FindAllStringSubmatch(source, -1) {
			assert.Contains(t, orders, m[1], "%s: no such row", c.name)
			assert.Greater(t, len(regexp.MustCompile(`\b`+m[2]+`[(\[]`).FindAllString(source, -1)), 1, "%s: no caller of %s", c.name, m[2])
			assert.NotEmpty(t, fileOf(c.Archive, "want"), "%s: nothing says what gc does", c.name)
			shown[m[1]] = true
		}
	}
	for _, row := range orders {
		assert.True(t, shown[row], "no case in testdata/exec shows the row: %s", row)
	}
}
