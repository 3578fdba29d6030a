package durable_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// ordered is an engine with an order "a" that has ended, approved or not.
func ordered(t *testing.T, s *shop.Shop, yes bool, opts ...durable.Option) (*durable.Engine, *durable.Served[shop.Request, shop.Receipt]) {
	t.Helper()
	e := opened(t, durable.NewMemory(), opts...)
	orders := durable.Serve(e, shop.OrderDurable, s)
	_, err := orders.Start(t.Context(), "a", request, durable.Labels(map[string]string{"tenant": "x"}))
	require.NoError(t, err)
	assert.Equal(t, yes, decide(t, orders.Handle("a"), yes))
	return e, orders
}

// decide approves an order or not, and reports whether it was completed.
func decide(t *testing.T, h durable.Handle[shop.Receipt], yes bool) bool {
	t.Helper()
	synctest.Wait()
	require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: yes}))
	_, err := h.Wait(t.Context())
	return err == nil
}

func TestAnOrderRunsAgainFromItsBeginning(t *testing.T) {
	for name, opts := range map[string][]durable.RerunOption{
		"a": nil, "b": {durable.AsNew("b")}, "from the beginning": {durable.FromPoint("begin"), durable.AsNew("from the beginning")},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				s := shop.New()
				e, orders := ordered(t, s, true)
				before, err := e.Get(t.Context(), "a")
				require.NoError(t, err)
				require.NoError(t, e.Rerun(t.Context(), "a", opts...))
				synctest.Wait()
				i, err := e.Get(t.Context(), name)
				require.NoError(t, err)
				assert.Equal(t, "approval", i.Point)
				assert.Equal(t, "x", i.Labels["tenant"])
				assert.Equal(t, []string{"shop.unreserve"}, i.Deferred, "that of the earlier run is over")
				require.Len(t, i.Resets, 1)
				assert.Equal(t, []string{"end", "begin", "a"}, []string{i.Resets[0].From, i.Resets[0].To, i.Resets[0].Of})
				_, reserved := s.Sum()
				assert.Equal(t, 40, reserved, "the step had another key")
				assert.True(t, decide(t, orders.Handle(name), true))
				charged, _ := s.Sum()
				assert.Equal(t, 40, charged)
				if after, err := e.Get(t.Context(), "a"); name != "a" {
					require.NoError(t, err)
					assert.Equal(t, before.Updated, after.Updated, "the ended one stays as it was")
					assert.Empty(t, after.Resets)
				}
			})
		})
	}
}

// At a point a completed order has its compensation again, a failed one has called it.
func TestAnOrderRunsAgainFromAPoint(t *testing.T) {
	for _, c := range []struct {
		completed bool
		id        string
	}{{true, "a"}, {false, "a"}, {true, "fork"}, {false, "fork"}} {
		in(t, func(t *testing.T) {
			s := shop.New()
			e, orders := ordered(t, s, c.completed, durable.Trail(1<<16))
			require.NoError(t, e.Rerun(t.Context(), "a", durable.FromPoint("approval"), durable.AsNew(c.id)))
			synctest.Wait()
			i, err := e.Get(t.Context(), c.id)
			require.NoError(t, err)
			assert.Equal(t, "approval", i.Signal)
			assert.Equal(t, time.Now().Add(72*time.Hour).UTC(), i.Until)
			undone := s.Count("unreserve")
			if c.completed {
				assert.Equal(t, []string{"shop.unreserve"}, i.Deferred)
				undone++
			} else {
				assert.Empty(t, i.Deferred)
			}
			assert.False(t, decide(t, orders.Handle(c.id), false))
			assert.Equal(t, undone, s.Count("unreserve"))
			assert.Equal(t, 1, s.Count("reserve"))
			_, reserved := s.Sum()
			assert.Zero(t, reserved)
		})
	}
}

// The first run was canceled: the rerun is not, and can be canceled like it.
func TestACanceledOrderRunsAgainAndIsCanceledAgain(t *testing.T) {
	in(t, func(t *testing.T) {
		e, h := suspended(t, shop.New())
		for range 3 {
			require.NoError(t, h.Cancel(t.Context()))
			_, err := h.Wait(t.Context())
			require.ErrorIs(t, err, durable.ErrCanceled)
			require.NoError(t, e.Rerun(t.Context(), "a"))
			synctest.Wait()
			i, err := e.Get(t.Context(), "a")
			require.NoError(t, err)
			require.Equal(t, durable.Waiting, i.Status)
		}
		require.NoError(t, e.Terminate(t.Context(), "a"))
		require.NoError(t, e.Rerun(t.Context(), "a"), "also what was terminated")
		assert.True(t, decide(t, h, true))
	})
}

// A cancellation that the function has not noticed is not one of the rerun.
func TestARerunDropsAnEarlierCancellation(t *testing.T) {
	in(t, func(t *testing.T) {
		var h durable.Handle[int]
		calls := 0
		f := scripted{step: func(context.Context) (int, error) {
			if calls++; calls == 1 {
				return calls, h.Cancel(context.Background())
			}
			return calls, nil
		}}
		e := opened(t, durable.NewMemory())
		scripts := durable.Serve(e, f.function(), struct{}{})
		h = scripts.Handle("a")
		_, err := scripts.Start(t.Context(), "a", 1)
		require.NoError(t, err)
		for want := range 2 {
			n, err := h.Wait(t.Context())
			require.NoError(t, err)
			assert.Equal(t, want+1, n)
			require.NoError(t, e.Rerun(t.Context(), "a"))
		}
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
	})
}

// What was received stays received, also out of order; what was left is received; keys and answers
// stay known.
func TestTheInboxOfARerunGoesOn(t *testing.T) {
	in(t, func(t *testing.T) {
		e, orders := ordered(t, shop.New(), true)
		h := orders.Handle("a")
		for n, key := range []string{"one", "two", "one"} {
			require.NoError(t, e.Rerun(t.Context(), "a"))
			synctest.Wait()
			require.NoError(t, h.Signal(t.Context(), "other", n), "never received")
			require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}, durable.SignalKey(key)))
			synctest.Wait()
			i, err := e.Get(t.Context(), "a")
			require.NoError(t, err)
			if n < 2 {
				assert.Equal(t, durable.Completed, i.Status)
			} else {
				assert.Equal(t, durable.Waiting, i.Status, "the key is known")
			}
		}
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		_, err := h.Wait(t.Context())
		require.NoError(t, err)
	})
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		h, err := durable.Serve(e, shop.BasketDurable, shop.New()).Start(t.Context(), "a", 9)
		require.NoError(t, err)
		add := func() {
			answer, err := durable.Update[string](t.Context(), e, "a", "add", "cup", durable.SignalKey("k"))
			require.NoError(t, err)
			assert.Equal(t, "3 for [cup]", answer)
		}
		add()
		for range 2 {
			_, err = h.Wait(t.Context())
			require.NoError(t, err)
			add()
			require.NoError(t, e.Rerun(t.Context(), "a"))
			add()
		}
		items, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Empty(t, items, "the update is that of the first run")
	})
}

func TestARerunThatCannotBeMadeChangesNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		e, h := suspended(t, shop.New())
		require.ErrorIs(t, e.Rerun(t.Context(), "a"), durable.ErrNotEnded)
		require.ErrorIs(t, e.Rerun(t.Context(), "none"), durable.ErrNotFound)
		require.ErrorIs(t, e.Rerun(t.Context(), "\x00"), durable.ErrNotFound)
		assert.True(t, decide(t, h, true))
		require.ErrorIs(t, e.Rerun(t.Context(), "a", durable.FromPoint("approval")), durable.ErrNoTrail)
		require.ErrorContains(t, e.Rerun(t.Context(), "a", durable.FromPoint("other")), `no point "other"`)
		require.ErrorIs(t, e.Rerun(t.Context(), "a", durable.AsNew("\x00")), durable.ErrUnstorable)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Completed, i.Status)
	})
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		h, err := durable.Serve(opened(t, store), shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		assert.True(t, decide(t, h, true))
		require.ErrorContains(t, opened(t, store, durable.Client()).Rerun(t.Context(), "a"), "not served")
	})
}

// A large request is kept only with a Trail, and an outcome goes before it.
func TestALargeBeginningIsNotKept(t *testing.T) {
	for _, c := range []struct {
		size, trail int
		want        error
	}{
		{10 << 10, 0, nil}, {20 << 10, 0, durable.ErrNoTrail}, {20 << 10, 1 << 17, nil}, {600 << 10, 1 << 20, durable.ErrNoTrail},
	} {
		in(t, func(t *testing.T) {
			e := opened(t, durable.NewMemory(), durable.Trail(c.trail))
			orders := durable.Serve(e, shop.OrderDurable, shop.New())
			large := request
			large.Card = strings.Repeat("x", c.size)
			h, err := orders.Start(t.Context(), "a", large)
			require.NoError(t, err)
			assert.True(t, decide(t, h, true))
			require.ErrorIs(t, e.Rerun(t.Context(), "a"), c.want)
		})
	}
}

// A child runs again without its parent, but not while the parent waits for others.
// narrow is a store with a limit of its own for the size of a record.
type narrow struct {
	stores.Store
	most atomic.Int64
}

func (s *narrow) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if int64(len(r.State)) > s.most.Load() {
		return false, durable.ErrTooLarge
	}
	return s.Store.Swap(ctx, r)
}

// What continues at the beginning has the request twice, as a value and in the trail, which goes
// if the store has too little room for both.
func TestATrailGoesWhereAStoreHasNoRoomForIt(t *testing.T) {
	for name, again := range map[string]func(ctx context.Context, e *durable.Engine) error{
		"rerun":  func(ctx context.Context, e *durable.Engine) error { return e.Rerun(ctx, "a") },
		"as new": func(ctx context.Context, e *durable.Engine) error { return e.Rerun(ctx, "a", durable.AsNew("b")) },
		"reset":  func(ctx context.Context, e *durable.Engine) error { return e.Reset(ctx, "a", "begin") },
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				store := &narrow{Store: durable.NewMemory()}
				store.most.Store(durable.MaxCheckpoint)
				e := opened(t, store)
				orders := durable.Serve(e, shop.OrderDurable, shop.New())
				_, err := orders.Start(t.Context(), "a", shop.Request{Card: strings.Repeat("x", 10<<10), Items: []string{"cup"}})
				require.NoError(t, err)
				if name != "reset" {
					decide(t, orders.Handle("a"), false)
				}
				synctest.Wait()
				store.most.Store(15 << 10)
				if name == "reset" { // its record has the values that it has dropped
					store.most.Store(25 << 10)
				}
				require.NoError(t, again(t.Context(), e))
				synctest.Wait()
				id := "a"
				if name == "as new" {
					id = "b"
				}
				i, err := e.Get(t.Context(), id)
				require.NoError(t, err)
				assert.Equal(t, durable.Waiting, i.Status, i.Reason)
				assert.Len(t, i.Resets, 1)
			})
		})
	}
}

func TestAChildRunsAgainAlone(t *testing.T) {
	in(t, func(t *testing.T) {
		e, h, children := parentOfOrders(t)
		require.NoError(t, e.Signal(t.Context(), children[0], "approval", shop.Approval{Yes: true}))
		synctest.Wait()
		require.ErrorIs(t, e.Rerun(t.Context(), children[0]), durable.ErrNotEnded, "its parent waits")
		require.NoError(t, e.Rerun(t.Context(), children[0], durable.AsNew("copy")))
		require.NoError(t, e.Signal(t.Context(), children[1], "approval", shop.Approval{Yes: true}))
		_, err := h.Wait(t.Context())
		require.NoError(t, err)
		require.NoError(t, e.Rerun(t.Context(), children[0]))
		synctest.Wait()
		for _, id := range []string{"copy", children[0]} {
			i, err := e.Get(t.Context(), id)
			require.NoError(t, err)
			assert.Empty(t, i.Parent)
			assert.Equal(t, durable.Waiting, i.Status)
			require.NoError(t, e.Signal(t.Context(), id, "approval", shop.Approval{Yes: true}))
		}
		synctest.Wait()
		require.NoError(t, e.Rerun(t.Context(), "parent"))
		synctest.Wait()
		i, err := e.Get(t.Context(), "parent")
		require.NoError(t, err)
		require.Len(t, i.Children, 2)
		assert.False(t, slices.Contains(children, i.Children[0]), "its children are new")
		require.ErrorIs(t, e.Reset(t.Context(), "parent", "all"), durable.ErrNoTrail, "their requests are gone")
	})
}

// parentOfOrders is an instance that waits for two orders.
func parentOfOrders(t *testing.T) (*durable.Engine, durable.Handle[int], []string) {
	t.Helper()
	s := shop.New()
	f := durable.Function[struct{}, int, int]{
		Name: "parent", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "all"}},
		New: func(struct{}, int) gen.Frame { return &parentFrame{shop: s} },
	}
	e := opened(t, durable.NewMemory(), durable.Trail(1<<16))
	durable.Serve(e, shop.OrderDurable, s)
	h, err := durable.Serve(e, f, struct{}{}).Start(t.Context(), "parent", 0)
	require.NoError(t, err)
	synctest.Wait()
	i, err := e.Get(t.Context(), "parent")
	require.NoError(t, err)
	return e, h, i.Children
}

// parentFrame waits for two orders.
type parentFrame struct {
	gen.NoDeferred
	shop *shop.Shop
	n    int
	err  error
}

func (f *parentFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		call := durable.Call(shop.OrderDurable, f.shop, request)
		return gen.All[durable.Child](t, 1, call, call)
	}
	_, f.err = gen.Joined[shop.Receipt](t)
	return t.Return()
}

func (f *parentFrame) Call(context.Context, int) error { return errors.New("no steps") }

func (f *parentFrame) Live(int) []gen.Value {
	return []gen.Value{{Name: "n", Ptr: &f.n}, {Name: "err", Ptr: &f.err}}
}

func (f *parentFrame) Outcome() (any, *error) { return &f.n, &f.err }
