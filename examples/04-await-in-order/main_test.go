package main

import (
	"math/bits"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/examples/04-await-in-order/testdata/debug"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	main()
	// Output:
	// as plain Go:
	// Foo
	// Bar
	// Baz
	// as a machine:
	// started: WaitingForActivation
	// Foo
	// Bar
	// Baz
}

func TestTheDebugFormTakesAsLong(t *testing.T) {
	s := simulation.New(1)
	j := debug.RunAsync(schedulers.With(t.Context(), s))
	require.NoError(t, s.Run())
	require.NoError(t, j.Err())
	assert.Equal(t, 1110*time.Millisecond, s.Now())
}

// The bytes of the table in docs/sources/job-model.md.
func TestTheFieldsOfBothForms(t *testing.T) {
	if bits.UintSize != 64 {
		t.Skip("the table is of a 64-bit system")
	}
	assert.Equal(t, map[string]uintptr{"Frame": 40, "ctx": 16, "foo1": 8, "bar2": 8, "baz3": 8},
		fields(reflect.TypeFor[runLocals]()))
	assert.Equal(t, map[string]uintptr{"Frame": 40, "ctx": 16, "foo1": 8, "bar2": 8, "baz3": 8, "err": 16, "err2": 16, "result0": 16},
		fields(reflect.TypeFor[debug.RunFrame]()))
	assert.Equal(t, [2]uintptr{80, 128}, [2]uintptr{reflect.TypeFor[runLocals]().Size(), reflect.TypeFor[debug.RunFrame]().Size()})
}

func fields(frame reflect.Type) map[string]uintptr {
	sizes := map[string]uintptr{}
	for f := range frame.Fields() {
		sizes[f.Name] = f.Type.Size()
	}
	return sizes
}
