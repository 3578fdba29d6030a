package policy

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The words are written with a bar inside, which the test removes.
func TestSubjects(t *testing.T) {
	got := finds(t, "subjects", strings.ReplaceAll(`
-- a.go --
// Package a is for
// wh|o reads.
package a

// Some|body else may call it, and so may a caller who waits. Readers
// who wait may not; the type whole is whole, and "no|body" is quoted.
//
// Wh|o waits is told; the waiters who
// do not wait are not.
func f() {
	g() // no|body sees this
}

var who = "the message of some|body"
-- a_test.go --
package a

func Example() {
	// Output: no|body
}

func TestWh|oWaitsIsTold(t *testing.T) {}
func TestAnIdleWorkerWakesNo|body(t *testing.T) {}
func TestAWaiterWhoseTimeIsUp(t *testing.T) {}
func TestTheWholeOfIt(t *testing.T) {}
-- p.md --
A page for `+"`who|ever`"+` and for whoe|ver.

`+"```"+`
for _, who := range all
`+"```"+`

It is known to no o|ne.
-- testdata/d.md --
No|body
`, "|", ""))
	assert.Equal(t, []string{
		`a.go:2: a clause whose subject is "who"`,
		`a.go:5: a clause whose subject is "some` + `body"`,
		`a.go:8: a clause whose subject is "who"`,
		`a.go:11: a clause whose subject is "no` + `body"`,
		`a_test.go:7: TestWh` + `oWaitsIsTold says "who" for a role that has a name`,
		`a_test.go:8: TestAnIdleWorkerWakesNo` + `body says "no` + `body" for a role that has a name`,
		`p.md:1: a clause whose subject is "who` + `ever"`,
		`p.md:7: a clause whose subject is "no ` + `one"`,
	}, got)
}
