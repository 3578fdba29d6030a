package durabletest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// restless is a function that passes points and never waits. It ignores a cancellation, and
// returns when it has received a signal.
type restless struct {
	gen.NoDeferred
	kind     string // of its points
	canceled bool   // it has been
	n        int
	err      error
}

// kinds are the kinds of points of restless functions.
var kinds = []string{"receive", "sleep", "step", "all", "any", "not a call"}

func (f *restless) MoveNext(_ context.Context, t gen.Turn) bool {
	f.canceled = f.canceled || t.Err() == durable.ErrCanceled
	switch {
	case t.Point() == 1 && t.Err() == nil:
		f.n, f.err = gen.Received[int](t)
		return t.Return()
	case t.Point() == 2 || f.kind == "receive" || f.canceled && f.kind != "step":
		return t.Receive(1, "stop", 0)
	}
	switch f.kind {
	case "sleep":
		return t.Sleep(2, 0)
	case "all":
		return gen.All[durable.Child](t, 2)
	case "any":
		return gen.Any[durable.Child](t, 2)
	case "not a call":
		return gen.All[durable.Child](t, 2, durable.Child{})
	}
	if t.Point() == 3 {
		return t.Receive(1, "stop", 0)
	}
	return t.Step(3)
}

func (f *restless) Call(context.Context, int) error { return nil }

func (f *restless) Live(int) []gen.Value {
	return []gen.Value{{Name: "kind", Ptr: &f.kind}, {Name: "canceled", Ptr: &f.canceled}, {Name: "n", Ptr: &f.n}, {Name: "err", Ptr: &f.err}}
}

func (f *restless) Outcome() (result any, err *error) { return &f.n, &f.err }

// restlessRuns checks that a signal, a cancellation, a termination and a shutdown reach runs that
// never wait, and that other instances run beside them.
func restlessRuns(t *testing.T, s stores.Store) {
	open := func() (*durable.Engine, *durable.Served[string, int]) {
		e, err := durable.Open(t.Context(), s, durable.Poll(10*time.Millisecond), durable.Log(slog.New(slog.DiscardHandler)))
		require.NoError(t, err)
		return e, durable.Serve(e, durable.Function[struct{}, string, int]{
			Name: "durabletest.restless", Layout: "1",
			Points: []gen.Point{{Name: "begin"}, {Name: "stop"}, {Name: "pass"}, {Name: "step", Step: "step"}},
			New:    func(_ struct{}, kind string) gen.Frame { return &restless{kind: kind} },
		}, struct{}{})
	}
	e, served := open()
	for _, kind := range kinds {
		for _, name := range []string{"signaled ", "canceled ", "terminated ", "left "} {
			_, err := served.Start(t.Context(), name+kind, kind)
			require.NoError(t, err)
		}
		require.NoError(t, e.Cancel(t.Context(), "canceled "+kind))
	}
	for _, kind := range kinds {
		require.NoError(t, e.Signal(t.Context(), "signaled "+kind, "stop", 7))
		n, err := served.Handle("signaled " + kind).Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 7, n, kind)
		require.NoError(t, e.Terminate(t.Context(), "terminated "+kind))
	}
	require.NoError(t, e.Shutdown(context.Background()), "no run keeps it")

	e, served = open()
	for _, kind := range kinds {
		for _, name := range []string{"canceled ", "left "} {
			i, err := e.Get(t.Context(), name+kind)
			require.NoError(t, err)
			require.False(t, i.Status.Ended() || i.Status == durable.Stuck, "%s: %s", i.ID, i.Reason)
			require.NoError(t, e.Signal(t.Context(), i.ID, "stop", 8))
			if name == "left " {
				n, err := served.Handle(i.ID).Wait(t.Context())
				require.NoError(t, err)
				assert.Equal(t, 8, n, i.ID)
			}
		}
		require.NoError(t, e.Terminate(t.Context(), "canceled "+kind), "it is canceled for ever, and receives nothing")
	}
	require.NoError(t, e.Shutdown(context.Background()))
}
