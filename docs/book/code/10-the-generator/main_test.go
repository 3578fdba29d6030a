package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// machine runs all passes on the body of a function of a and b.
func machine(t *testing.T, body string) (code []instruction, fields []string) {
	f, err := parse("package p\nfunc f(a, b int) int {\n" + body + "\n}")
	require.NoError(t, err)
	s, l := &spiller{}, &lowerer{}
	l.block(s.block(f.Body.List))
	return l.out, hoist(l.out)
}

func TestOnlyWhatIsNeededBehindASuspensionIsAField(t *testing.T) {
	for body, want := range map[string][]string{
		"x := await(a)\nreturn x":                          nil,
		"x := await(a)\ny := await(b)\nreturn x + y":       {"b", "x"}, // b is read later
		"x := a\nfor x < 9 { x = x + await(b) }\nreturn x": {"b", "x"},
		"x := g(a) + await(b) + await(a)\nreturn x":        {"a", "t1", "t2"},
	} {
		_, fields := machine(t, body)
		assert.Equal(t, want, fields, body)
	}
}

// fresh is exercise 1: a name for a temporary that no variable of the function has.
func fresh(used []string, n int) string {
	for name := fmt.Sprint("t", n); ; name += "_" {
		if !slices.Contains(used, name) {
			return name
		}
	}
}

func TestExercise1ATemporaryNeedsANameOfItsOwn(t *testing.T) {
	assert.Equal(t, "t1", fresh([]string{"a", "x"}, 1))
	assert.Equal(t, "t1__", fresh([]string{"t1", "t1_"}, 1))
}

// Exercise 2: the language leaves open whether x is read before or after the call. The
// compiler reads it after, and a machine has to do what the compiler does: so x is not
// kept in a temporary, and the call of g is.
func TestExercise2AVariableIsReadAfterTheCallsBesideIt(t *testing.T) {
	x := 1
	change := func() int { x = 10; return 1 }
	assert.Equal(t, 11, x+change())
}
