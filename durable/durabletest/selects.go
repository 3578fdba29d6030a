package durabletest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// choice is a function that waits for a signal, or for a child that waits for a number.
type choice struct {
	gen.NoDeferred
	request int
	result  string
	err     error
}

func (f *choice) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		return gen.Select[durable.Child](t, 1, durable.Forever, []string{"go"}, durable.Call(tallyDurable, struct{}{}, 1))
	}
	chosen, err := gen.Chosen[durable.Selection](t)
	if f.result, f.err = chosen.Signal, err; chosen.Child == 0 {
		f.result = "child"
	}
	return t.Return()
}

func (f *choice) Call(context.Context, int) error { return errors.New("it has no steps") }

func (f *choice) Live(int) []gen.Value {
	return []gen.Value{{Name: "request", Ptr: &f.request}, {Name: "result", Ptr: &f.result}, {Name: "err", Ptr: &f.err}}
}

func (f *choice) Outcome() (result any, err *error) { return &f.result, &f.err }

var choiceDurable = durable.Function[struct{}, int, string]{
	Name: "durabletest.choice", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "first"}},
	New: func(_ struct{}, request int) gen.Frame { return &choice{request: request} },
}

// selects sends a signal to each instance and a number to its child at the same time, while calls
// of the store fail: one of them is chosen, and the child has the end that goes with it.
func selects(t *testing.T, s stores.Store) {
	client := quiet(t, s, durable.Client(), durable.Poll(20*time.Millisecond))
	choices := durable.Serve(client, choiceDurable, struct{}{})
	tallies := durable.Serve(client, tallyDurable, struct{}{})
	for n := range 2 {
		worker := fallible(t, Faulty(s, uint64(n), 20), durable.Poll(20*time.Millisecond), durable.Lease(time.Second))
		durable.Serve(worker, choiceDurable, struct{}{})
		durable.Serve(worker, tallyDurable, struct{}{})
	}
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			id := fmt.Sprint("choice ", n)
			h, err := choices.Start(context.Background(), id, n)
			if !assert.NoError(t, err) {
				return
			}
			child := childOf(t, client, id)
			var senders sync.WaitGroup
			send := func(id, name string) {
				if err := client.Signal(context.Background(), id, name, 0); !errors.Is(err, durable.ErrEnded) {
					assert.NoError(t, err) // the later one may find that its receiver has ended
				}
			}
			senders.Go(func() { send(id, "go") })
			senders.Go(func() { send(child, "number") })
			senders.Wait()
			result, err := h.Wait(context.Background())
			assert.NoError(t, err)
			_, err = tallies.Handle(child).Wait(context.Background())
			switch {
			case result == "child":
				assert.NoError(t, err)
			case assert.Equal(t, "go", result) && err != nil:
				assert.ErrorIs(t, err, durable.ErrCanceled)
			}
		})
	}
	all.Wait()
	n, err := client.Count(context.Background(), durable.Filter{})
	require.NoError(t, err)
	assert.Equal(t, 32, n)
}

// fallible opens an engine on a store that fails. What is called once may fail too.
func fallible(t *testing.T, s stores.Store, opts ...durable.Option) *durable.Engine {
	t.Helper()
	opts = append(opts, durable.Log(slog.New(slog.DiscardHandler)))
	for {
		e, err := durable.Open(t.Context(), s, opts...)
		if errors.Is(err, ErrFault) {
			continue
		}
		require.NoError(t, err)
		t.Cleanup(func() { _ = e.Shutdown(context.Background()) })
		return e
	}
}

// childOf returns the id of the child for which an instance waits, once it exists.
func childOf(t *testing.T, e *durable.Engine, id string) string {
	t.Helper()
	for {
		i, err := e.Get(context.Background(), id)
		if err != nil {
			t.Error(err)
			return ""
		}
		if len(i.Children) == 1 {
			if _, err := e.Get(context.Background(), i.Children[0]); err == nil {
				return i.Children[0]
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
}
