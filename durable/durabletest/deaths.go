package durabletest

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// grave is the store of a process that dies: from then on, every call fails.
type grave struct {
	stores.Store
	dead atomic.Bool
}

func (g *grave) check() error {
	if g.dead.Load() {
		return errDied
	}
	return nil
}

// Load implements [stores.Store].
func (g *grave) Load(ctx context.Context, id string) (*stores.Record, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	return g.Store.Load(ctx, id)
}

// Swap implements [stores.Store].
func (g *grave) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if err := g.check(); err != nil {
		return false, err
	}
	return g.Store.Swap(ctx, r)
}

// Take implements [stores.Store].
func (g *grave) Take(ctx context.Context, t stores.Taking) (due []stores.Taken, next time.Time, err error) {
	if err := g.check(); err != nil {
		return nil, time.Time{}, err
	}
	return g.Store.Take(ctx, t)
}

// Lease implements [stores.Store].
func (g *grave) Lease(ctx context.Context, worker string, until time.Time) error {
	if err := g.check(); err != nil {
		return err
	}
	return g.Store.Lease(ctx, worker, until)
}

// deadly is a function whose step, or whose code before it, kills the process.
type deadly struct {
	gen.NoDeferred
	kills kills
	n     int
	err   error
}

// kills are the places that kill, with the process. A nil function does not.
type kills struct{ code, step func() }

func (f *deadly) MoveNext(_ context.Context, t gen.Turn) bool {
	switch t.Point() {
	case 0:
		return t.Receive(1, "go", durable.Forever)
	case 1:
		if f.kills.code != nil {
			f.kills.code()
		}
		return t.Step(2)
	}
	f.err = t.Err()
	return t.Return()
}

func (f *deadly) Call(context.Context, int) error {
	if f.kills.step != nil {
		f.kills.step()
	}
	f.n++
	return nil
}

func (f *deadly) Live(int) []gen.Value {
	return []gen.Value{{Name: "n", Ptr: &f.n}, {Name: "err", Ptr: &f.err}}
}

func (f *deadly) Outcome() (result any, err *error) { return &f.n, &f.err }

// poison lets an instance kill one worker after the other, in its code and in its step. It is
// stuck at last, with the reason, and continues when the reason is gone. If nobody counts, no
// instance is stuck, however often its worker dies.
func poison(t *testing.T, s stores.Store) {
	names := []string{"in the code", "in the step", "slowly, then at once"}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			deaths := 0
			for deaths < 20 && !dies(t, s, name, 4, name == "slowly, then at once" && deaths == 0) {
				deaths++
			}
			assert.GreaterOrEqual(t, deaths, 3)
			assert.Less(t, deaths, 20)
		})
	}
	for range 6 {
		assert.False(t, dies(t, s, "uncounted", 0, false))
	}
	names = append(names, "uncounted")
	e := quickly(t, s, 0)
	h := durable.Serve(e, deadlyFunction(kills{}), struct{}{})
	for _, name := range names {
		if name != "uncounted" {
			require.NoError(t, e.Resume(t.Context(), name))
		}
		n, err := h.Handle(name).Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, n)
	}
	require.NoError(t, e.Shutdown(context.Background()))
}

// quickly opens an engine that soon takes over from dead ones.
func quickly(t *testing.T, s stores.Store, crashes int) *durable.Engine {
	e, err := durable.Open(t.Context(), s, durable.Crashes(crashes), durable.Lease(120*time.Millisecond), durable.Poll(5*time.Millisecond),
		durable.Log(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	return e
}

func deadlyFunction(k kills) durable.Function[struct{}, int, int] {
	return durable.Function[struct{}, int, int]{
		Name: "durabletest.deadly", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "go"}, {Name: "step", Step: "step"}},
		New: func(_ struct{}, n int) gen.Frame { return &deadly{kills: k, n: n} },
	}
}

// dies runs a worker until the instance kills it (false), or is stuck (true). A slow death waits
// until the worker has written that the instance is its own.
func dies(t *testing.T, s stores.Store, name string, crashes int, slow bool) (stuck bool) {
	ended, once := make(chan struct{}), sync.Once{}
	end := func() { once.Do(func() { close(ended) }) }
	process := &grave{Store: s}
	die := func() {
		for slow {
			r, err := s.Load(t.Context(), name)
			slow = err == nil && r.Owner == ""
		}
		process.dead.Store(true)
		end()
		panic("dead") // the code behind it does not run
	}
	k := kills{code: die}
	if name == "in the step" {
		k = kills{step: die}
	}
	// The worker may die before a call of this test returns, so another engine makes them.
	client := quiet(t, s, durable.Client())
	h, err := durable.Serve(client, deadlyFunction(kills{}), struct{}{}).Start(t.Context(), name, 0)
	require.NoError(t, err)
	require.NoError(t, h.Signal(t.Context(), "go", true, durable.SignalKey("once")))
	e := quickly(t, process, crashes)
	e.OnEvent(func(v durable.Event) {
		if v.Kind == durable.GotStuck {
			stuck = true
			end()
		}
	})
	durable.Serve(e, deadlyFunction(k), struct{}{})
	<-ended
	if stuck {
		i, err := client.Get(t.Context(), name)
		require.NoError(t, err)
		assert.Contains(t, i.Reason, "its process has died 4 times in a row")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = e.Shutdown(ctx) // what is dead cannot give up its lease
	return stuck
}
