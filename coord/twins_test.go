package coord

import (
	"context"
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// The generator finds a twin by its name and its types. If one of them were wrong, a
// machine would silently block here.
func TestEachAsyncFormHasAPlainOneThatTakesAndGivesTheSame(t *testing.T) {
	pairs, entries := 0, 0
	for _, of := range []any{
		new(Mutex), new(RWMutex), new(KeyedMutex[string]), new(Semaphore), new(AutoResetEvent),
		new(ManualResetEvent), new(Countdown), new(Barrier), new(Cond), new(Channel[string]),
		new(Broadcast[string]), new(Subscription[string]), new(Serial[string]), new(Lazy[string]),
		new(SingleFlight[string, int]), new(Limiter[string]), new(Observer[string]), new(Reusable[string]), new(ObjectPool[string]),
	} {
		typ := reflect.TypeOf(of)
		found := 0
		for m := range typ.Methods() {
			name, async := strings.CutSuffix(m.Name, "Async")
			if !async {
				continue
			}
			plain, ok := typ.MethodByName(name)
			require.True(t, ok, "%v.%s has no plain form", typ, m.Name)
			requireTwins(t, plain.Type, m.Type)
			found++
			if enter, ok := typ.MethodByName(name + "Enter"); ok {
				requireEntry(t, plain.Type, enter.Type)
				entries++
			}
		}
		assert.NotZero(t, found, "%v has nothing to wait for", typ)
		pairs += found
	}
	assert.Equal(t, 23, pairs)
	assert.Equal(t, 20, entries, "all but those whose function is called in a job of its own, and a stream")
	requireTwins(t, reflect.TypeOf(InTurn[string, int]), reflect.TypeOf(InTurnAsync[string, int]))
}

func requireTwins(t *testing.T, plain, async reflect.Type) {
	t.Helper()
	require.Equal(t, plain.NumIn(), async.NumIn())
	for i := range plain.NumIn() {
		require.Equal(t, plain.In(i), async.In(i))
	}
	require.Equal(t, 1, async.NumOut())
	if plain.Out(0) == reflect.TypeFor[iter.Seq2[string, error]]() {
		require.Equal(t, reflect.TypeFor[*job.Stream[string]](), async.Out(0))
		return
	}
	require.Equal(t, reflect.TypeFor[error](), plain.Out(plain.NumOut()-1))
	var want reflect.Type
	switch {
	case plain.NumOut() == 1:
		want = reflect.TypeFor[*job.Job[job.Void]]()
	case plain.Out(0) == reflect.TypeFor[string]():
		want = reflect.TypeFor[*job.Job[string]]()
	case plain.Out(0) == reflect.TypeFor[int]():
		want = reflect.TypeFor[*job.Job[int]]()
	case plain.Out(0) == reflect.TypeFor[bool]():
		want = reflect.TypeFor[*job.Job[bool]]()
	}
	require.Equal(t, want, async.Out(0))
}

// requireEntry requires that machines can call enter for plain: its first parameters are
// the run and the companions, and its first result is an operation whose Results are plain's.
func requireEntry(t *testing.T, plain, enter reflect.Type) {
	t.Helper()
	run := reflect.TypeFor[*statemachine.Run]()
	require.Equal(t, run, enter.In(1))
	before := 1
	for i := 1; i < plain.NumIn(); i++ {
		if fn := plain.In(i); fn.Kind() == reflect.Func {
			before++
			require.Equal(t, fn.NumIn()+1, enter.In(before).NumIn())
		}
	}
	require.Equal(t, plain.NumIn()+before, enter.NumIn())
	for i := 1; i < plain.NumIn(); i++ {
		require.Equal(t, plain.In(i), enter.In(i+before))
	}
	require.Equal(t, plain.NumOut()+1, enter.NumOut())
	results, ok := enter.Out(0).MethodByName("Results")
	require.True(t, ok)
	require.Equal(t, run, results.Type.In(1))
	require.Equal(t, plain.NumOut(), results.Type.NumOut())
	for i := range plain.NumOut() {
		require.Equal(t, plain.Out(i), enter.Out(i+1))
		require.Equal(t, plain.Out(i), results.Type.Out(i))
	}
}

// The errors of an operation must not depend on the form: the machine that suspends in
// one must be the same program as the function that blocks in the other.
func TestBothFormsFailWithTheSameError(t *testing.T) {
	deadline, cancel := context.WithTimeout(endless, -1)
	defer cancel()
	for _, ctx := range []context.Context{ended(nil), ended(errReason), deadline} {
		for name, made := range subjects {
			s := made()
			assert.Equal(t, s.wait(ctx), s.waitAsync(ctx).Err(), name)
		}
	}
}
