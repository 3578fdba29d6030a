package coord

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// The generator finds a twin by its name and its types. Were one of them wrong, a machine would
// block here and nobody would notice.
func TestEachAsyncFormHasAPlainOneThatTakesAndGivesTheSame(t *testing.T) {
	pairs := 0
	for _, of := range []any{
		new(Mutex), new(RWMutex), new(KeyedMutex[string]), new(Semaphore), new(AutoResetEvent),
		new(ManualResetEvent), new(Countdown), new(Barrier), new(Cond), new(Channel[string]),
		new(Broadcast[string]), new(Subscription[string]), new(Serial[string]), new(Lazy[string]),
		new(SingleFlight[string, int]),
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
		}
		assert.NotZero(t, found, "%v has nothing to wait for", typ)
		pairs += found
	}
	assert.Equal(t, 17, pairs)
	requireTwins(t, reflect.TypeOf(InTurn[string, int]), reflect.TypeOf(InTurnAsync[string, int]))
}

func requireTwins(t *testing.T, plain, async reflect.Type) {
	t.Helper()
	require.Equal(t, plain.NumIn(), async.NumIn())
	for i := range plain.NumIn() {
		require.Equal(t, plain.In(i), async.In(i))
	}
	require.Equal(t, 1, async.NumOut())
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

// What an operation reports must not depend on the form, since the machine that suspends in the
// one is to be the same program as the function that blocks in the other.
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
