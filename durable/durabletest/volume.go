package durabletest

import (
	"context"
	"errors"
	"flag"
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

var fullVolume = flag.Bool("durabletest.full", false, "Store tries 4000 waiting messages and 2000 children, and logs the times")

// volume returns a number of messages or children: the full one, or what shows the same errors in
// less time.
func volume(full, short int) int {
	if *fullVolume {
		return full
	}
	return short
}

// tally is a function that receives numbers, and checks their order.
type tally struct {
	gen.NoDeferred
	want, got int
	err       error
}

func (f *tally) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 1 {
		n, err := gen.Received[int](t)
		if err == nil && n != f.got {
			err = fmt.Errorf("message %d arrived as number %d", n, f.got)
		}
		if f.got, f.err = f.got+1, err; err != nil || f.got == f.want {
			return t.Return()
		}
	}
	return t.Receive(1, "number", durable.Forever)
}

func (f *tally) Call(context.Context, int) error { return errors.New("it has no steps") }

func (f *tally) Live(int) []gen.Value {
	return []gen.Value{{Name: "want", Ptr: &f.want}, {Name: "got", Ptr: &f.got}, {Name: "err", Ptr: &f.err}}
}

func (f *tally) Outcome() (result any, err *error) { return &f.got, &f.err }

var tallyDurable = durable.Function[struct{}, int, int]{
	Name: "durabletest.tally", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "number"}},
	New: func(_ struct{}, want int) gen.Frame { return &tally{want: want} },
}

// crowd is a function that calls itself: with a number of children, each of which has none.
type crowd struct {
	gen.NoDeferred
	children, sum int
	err           error
}

func (f *crowd) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 && f.children > 0 {
		var list []durable.Child
		for n := range f.children {
			name := durable.Labels(map[string]string{"name": fmt.Sprint("child ", n)})
			list = append(list, durable.Call(crowdDurable(), struct{}{}, -n, name))
		}
		return gen.All[durable.Child](t, 1, list...)
	}
	if f.sum = f.children; t.Point() == 1 {
		list, err := gen.Joined[int](t)
		f.sum, f.err = 0, err
		for n, answer := range list {
			if answer == -n {
				f.sum++
			}
		}
	}
	return t.Return()
}

func (f *crowd) Call(context.Context, int) error { return errors.New("it has no steps") }

func (f *crowd) Live(int) []gen.Value {
	return []gen.Value{{Name: "children", Ptr: &f.children}, {Name: "sum", Ptr: &f.sum}, {Name: "err", Ptr: &f.err}}
}

func (f *crowd) Outcome() (result any, err *error) { return &f.sum, &f.err }

func crowdDurable() durable.Function[struct{}, int, int] {
	return durable.Function[struct{}, int, int]{
		Name: "durabletest.crowd", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "all"}},
		New: func(_ struct{}, children int) gen.Frame { return &crowd{children: children} },
	}
}

// quiet opens an engine that logs nothing.
func quiet(t *testing.T, s stores.Store, opts ...durable.Option) *durable.Engine {
	e, err := durable.Open(t.Context(), s, append(opts, durable.Log(slog.New(slog.DiscardHandler)))...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, e.Shutdown(context.Background())) })
	return e
}

// manyMessages sends more messages than a store keeps in one place, before they are received.
func manyMessages(t *testing.T, s stores.Store) {
	n := volume(4000, 500)
	client := quiet(t, s, durable.Client())
	h, err := durable.Serve(client, tallyDurable, struct{}{}).Start(t.Context(), "a", n)
	require.NoError(t, err)
	begin := time.Now()
	for i := range n {
		require.NoError(t, h.Signal(t.Context(), "number", i, durable.SignalKey(fmt.Sprint("key ", i))))
	}
	sent := time.Since(begin)
	for i := range n {
		if i%7 == 0 {
			require.NoError(t, h.Signal(t.Context(), "number", -1, durable.SignalKey(fmt.Sprint("key ", i))), "a known key")
		}
	}
	list, err := s.Inbox(t.Context(), "a", int64(n/2))
	require.NoError(t, err)
	require.Len(t, list, n-n/2)
	for i, m := range list {
		require.EqualValues(t, n/2+i+1, m.Seq)
	}
	begin = time.Now()
	served := durable.Serve(quiet(t, s), tallyDurable, struct{}{})
	got, err := served.Handle("a").Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, n, got)
	t.Logf("%d messages sent one after the other in %s, received in %s", n, sent, time.Since(begin))
}

// messagesAtOnce has many senders at the same moment. All messages arrive, each key once.
func messagesAtOnce(t *testing.T, s stores.Store) {
	write(t, s, record("a"))
	const senders, each = 20, 10
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			for n := range each {
				id := "a"
				if n == each-1 {
					id = "none"
				}
				err := s.Send(context.Background(), id, stores.Message{Name: fmt.Sprint(i), Key: fmt.Sprint(i/2, " ", n), Payload: []byte{byte(n)}})
				if id == "none" {
					assert.ErrorIs(t, err, durable.ErrNotFound)
				} else {
					assert.NoError(t, err)
				}
			}
		})
	}
	all.Wait()
	list, err := s.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	require.Len(t, list, senders/2*(each-1))
	keys, next := map[string]bool{}, map[string]byte{}
	for i, m := range list {
		assert.EqualValues(t, i+1, m.Seq)
		assert.False(t, keys[m.Key], m.Key)
		keys[m.Key] = true
		assert.GreaterOrEqual(t, m.Payload[0], next[m.Name], "those of one sender are in order")
		next[m.Name] = m.Payload[0] + 1
	}
}

// manyChildren runs a function with more children than are written one after the other, and counts
// them.
func manyChildren(t *testing.T, s stores.Store) {
	n := volume(2000, 100)
	begin := time.Now()
	e := quiet(t, s)
	h, err := durable.Serve(e, crowdDurable(), struct{}{}).Start(t.Context(), "parent", n)
	require.NoError(t, err)
	got, err := h.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, n, got, "each answer is at the place of its child")
	t.Logf("%d children in %s", n, time.Since(begin))
	name := map[string]string{"name": fmt.Sprint("child ", n-1)}
	for _, c := range []struct {
		f    durable.Filter
		want int
	}{
		{durable.Filter{}, n + 1},
		{durable.Filter{After: "parent"}, n},
		{durable.Filter{Status: durable.Completed, Function: crowdDurable().Name}, n + 1},
		{durable.Filter{Status: durable.Waiting}, 0},
		{durable.Filter{Labels: name}, 1},
		{durable.Filter{Updated: durable.Period{From: begin.Add(-time.Hour)}, Limit: 1}, n + 1},
		{durable.Filter{Updated: durable.Period{Until: begin.Add(-time.Hour)}}, 0},
	} {
		found, err := e.Count(t.Context(), c.f)
		require.NoError(t, err)
		assert.Equal(t, c.want, found, "%+v", c.f)
	}
	list, err := e.List(t.Context(), durable.Filter{Labels: name, Bare: true})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, name, list[0].Labels)
	assert.Empty(t, list[0].Parent, "that is in the checkpoint")
	child, err := e.Get(t.Context(), list[0].ID)
	require.NoError(t, err)
	assert.Equal(t, "parent", child.Parent)
}
