package statemachine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/statemachine"
)

// length is a suspended call that returns a number and an error.
type length struct {
	n   int
	err error
}

// Results implements statemachine.Outcome.
func (l *length) Results(*statemachine.Run) (int, error) { return l.n, l.err }

// flush is a suspended call that returns an error.
type flush struct{ err error }

func (f *flush) Results(*statemachine.Run) error { return f.err }

func TestAHandleAsksItsObjectForTheResults(t *testing.T) {
	var r statemachine.Run
	errBroken := errors.New("broken")
	n, err := statemachine.WaitingFor(&length{7, errBroken}).Results(&r)
	assert.Equal(t, 7, n)
	require.ErrorIs(t, err, errBroken)
	require.ErrorIs(t, statemachine.WaitingForVoid(&flush{errBroken}).Results(&r), errBroken)
	require.NoError(t, statemachine.WaitingForVoid(&flush{}).Results(&r))
}

// An entry returns nil if the results are ready: with a handle its caller would wait.
func TestThereIsNoHandleOfNothing(t *testing.T) {
	var (
		l *length
		f *flush
	)
	assert.Nil(t, statemachine.WaitingFor(l))
	assert.Nil(t, statemachine.WaitingForVoid(f))
}

// An object that a machine waits with has its handle as a field, so that a wait makes one
// object.
func ExampleWaiting() {
	type answer struct {
		length
		handle statemachine.Waiting[int]
	}
	a := &answer{length: length{n: 42}}
	a.handle.Init(a)

	var r statemachine.Run
	fmt.Println(a.handle.Results(&r))
	fmt.Println((*statemachine.WaitingVoid[int])(&a.handle).Results(&r))
	// Output:
	// 42 <nil>
	// <nil>
}
