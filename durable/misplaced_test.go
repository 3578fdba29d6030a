package durable_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
)

// misplaced is a function whose code between points calls f with its context.
type misplaced struct {
	gen.NoDeferred
	f   func(ctx context.Context) error
	n   int
	err error
}

func (m *misplaced) MoveNext(ctx context.Context, t gen.Turn) bool {
	m.err = m.f(ctx)
	return t.Return()
}

func (m *misplaced) Call(context.Context, int) error { return nil }

func (m *misplaced) Live(int) []gen.Value {
	return []gen.Value{{Name: "n", Ptr: &m.n}, {Name: "err", Ptr: &m.err}}
}

func (m *misplaced) Outcome() (result any, err *error) { return &m.n, &m.err }

// A step, or a point, that code between points reaches through a call which no tool can follow
// has no effect there: the instance is stuck.
func TestAStepOutsideOfItsFrameIsAnError(t *testing.T) {
	ran := false
	for name, f := range map[string]func(ctx context.Context) error{
		"a step that asks for its key":      func(ctx context.Context) error { _ = durable.Key(ctx); ran = true; return nil },
		"one that asks for its attempt":     func(ctx context.Context) error { _ = durable.Attempt(ctx); ran = true; return nil },
		"one that asks for its progress":    func(ctx context.Context) error { _, _ = durable.Progress[int](ctx); ran = true; return nil },
		"one that ignores a panic":          func(ctx context.Context) error { defer func() { _ = recover() }(); _ = durable.Key(ctx); return nil },
		"one that reports its heartbeat":    func(ctx context.Context) error { return durable.Heartbeat(ctx, 1) },
		"one that writes to the database":   func(ctx context.Context) error { return durable.Tx(ctx, func(int) error { ran = true; return nil }) },
		"one whose error is ignored":        func(ctx context.Context) error { _ = durable.Heartbeat(ctx, 1); return nil },
		"a Receive":                         func(ctx context.Context) error { _, err := durable.Receive[int](ctx, "a", time.Hour); return err },
		"a Sleep":                           func(ctx context.Context) error { return durable.Sleep(ctx, time.Hour) },
		"an All":                            func(ctx context.Context) error { _, err := durable.All[int](ctx); return err },
		"an Any, with a context made of it": func(ctx context.Context) error { _, err := durable.Any[int](context.WithoutCancel(ctx)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				e := opened(t, durable.NewMemory())
				_, err := durable.Serve(e, durable.Function[struct{}, int, int]{
					Name: "misplaced", Layout: "1", Points: []gen.Point{{Name: "begin"}},
					New: func(struct{}, int) gen.Frame { return &misplaced{f: f} },
				}, struct{}{}).Start(t.Context(), "a", 1)
				require.NoError(t, err)
				synctest.Wait()
				i, err := e.Get(t.Context(), "a")
				require.NoError(t, err)
				assert.Equal(t, durable.Stuck, i.Status)
				assert.Contains(t, i.Reason, "call it in the durable function itself")
				assert.False(t, ran)
			})
		})
	}
	assert.Empty(t, durable.Key(t.Context()), "a step in a test")
}
