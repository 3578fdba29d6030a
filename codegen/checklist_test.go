package codegen_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scenarios are the numbers of the checklist of language scenarios: 1 to 28 are expressions
// and their order, 29 to 39 assignments, 40 to 57 control flow, 58 to 68 functions,
// closures, defer and panic, 69 to 74 types and packages, 75 to 86 the protocol of awaiting.
const scenarios = 86

// elsewhere are the scenarios that no executed case names, and where they are tested.
var elsewhere = map[int]string{
	70: "testdata/twins.txtar and overrides.txtar: which calls suspend is a question of types",
	81: "schedulers/schedulertest: what a scheduler does when it refuses or panics is not the generator's",
	82: "statemachine: a machine is never used again, and says so",
	83: "testdata/exec/streams.txtar and stream_panics.txtar, under their own name",
	86: "a machine is not written to disk: generated code offers no snapshot",
}

// named are the numbers that the sentence at the head of a case may name: "(checklist 58, 62 to 65)".
var named = regexp.MustCompile(`checklist ([^):]*)`)

var span = regexp.MustCompile(`(\d+)(?:\s+to\s+(\d+))?`)

// TestEveryScenarioHasACase holds the checklist: each number is named by an executed case, or
// has a reason to be tested in another way, and not both.
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
