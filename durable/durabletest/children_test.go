package durabletest_test

import (
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/stores"
)

// part is a child: it halves, and undoes that if it fails.
//
//movenext:durable name=part
func (c *clerk) part(ctx context.Context, n int) (m int, err error) { //nolint:unused // its durable form is called
	defer durable.Compensate(ctx, &err, c.put, &ledger{}, n)
	if n > 100 {
		if err = durable.Sleep(ctx, 1000*time.Hour); err != nil {
			return 0, err
		}
	}
	return c.half(ctx, n)
}

// family has children in a loop, and children of which the first counts.
//
//movenext:durable name=family
func (c *clerk) family(ctx context.Context, list []int) (string, error) {
	var parts []durable.Child
	for _, n := range list {
		name := durable.Labels(map[string]string{"part": strconv.Itoa(n)})
		parts = append(parts, durable.Call(partDurable, c, n, name))
	}
	sums, err := durable.All[int](ctx, parts...)
	if err != nil {
		return "", err
	}
	first, err := durable.Any[int](ctx, durable.Call(partDurable, c, 3), durable.Call(partDurable, c, len(sums)*2))
	if err != nil {
		return "", err
	}
	total := 0
	for _, n := range sums {
		//movenext:point deeper
		deeper, err := durable.All[string](ctx, durable.Call(familiesDurable, c, n))
		if err != nil {
			return "", err
		}
		total += len(deeper[0])
	}
	return fmt.Sprint(sums, first, total), nil
}

// families is a child that has children.
//
//movenext:durable name=families
func (c *clerk) families(ctx context.Context, n int) (string, error) { //nolint:unused // its durable form is called
	if n > 5 {
		return "many", nil
	}
	list, err := durable.All[int](ctx, durable.Call(partDurable, c, 2*n))
	return fmt.Sprint(list), err
}

// familyCase is a case whose engines serve the children.
func familyCase(list []int) durabletest.Case[*clerk, []int, string] {
	return durabletest.Case[*clerk, []int, string]{
		Function: familyDurable, Plain: (*clerk).family, Receiver: newClerk, Request: list,
		Serve: func(e *durable.Engine, c *clerk) {
			durable.Serve(e, partDurable, c)
			durable.Serve(e, familiesDurable, c)
		},
	}
}

func TestAFamilySurvivesACrashAtEachWrite(t *testing.T) {
	for _, list := range [][]int{{}, {2, 4, 20}, {2, 3, 4}, {3}} {
		synctest.Test(t, func(t *testing.T) {
			var store stores.Store // of the run
			c := familyCase(list)
			c.Store = func() stores.Store {
				store = durable.NewMemory()
				return store
			}
			c.Check = func(t testing.TB, _ *clerk) {
				for _, n := range list {
					if store == nil {
						break // it is the plain form
					}
					found, err := store.List(t.Context(), durable.Filter{Labels: map[string]string{"part": strconv.Itoa(n)}})
					require.NoError(t, err)
					assert.Len(t, found, 1, "a child has its label, whoever has started it")
				}
			}
			assert.GreaterOrEqual(t, durabletest.CrashEverywhere(t, c), 4)
		})
	}
}

// opened is an engine with the parts, and a family of these.
func opened(t *testing.T, opts ...durable.Option) (*durable.Engine, *durable.Served[[]int, string]) {
	t.Helper()
	e, err := durable.Open(t.Context(), durable.NewMemory(), append([]durable.Option{durable.Log(slog.New(slog.DiscardHandler))}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Shutdown(context.Background())) })
	c := newClerk()
	durable.Serve(e, partDurable, c)
	return e, durable.Serve(e, familyDurable, c)
}

// statuses are those of the children, in the order of their ids.
func statuses(t *testing.T, e *durable.Engine) (list []durable.Status) {
	t.Helper()
	parts, err := e.List(t.Context(), durable.Filter{Function: "part"})
	require.NoError(t, err)
	for _, i := range parts {
		assert.Equal(t, "f", i.Parent)
		list = append(list, i.Status)
	}
	return list
}

func TestACanceledParentCancelsItsChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, families := opened(t)
		h, err := families.Start(t.Context(), "f", []int{2, 200, 300})
		require.NoError(t, err)
		synctest.Wait()
		i, err := e.Get(t.Context(), "f")
		require.NoError(t, err)
		assert.Equal(t, durable.Waiting, i.Status)
		assert.Len(t, i.Children, 3)
		require.NoError(t, h.Cancel(t.Context()))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrCanceled)
		assert.Equal(t, []durable.Status{durable.Completed, durable.Canceled, durable.Canceled}, statuses(t, e))
	})
}

func TestAChildThatFailsCancelsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, families := opened(t)
		h, err := families.Start(t.Context(), "f", []int{3, 200})
		require.NoError(t, err)
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, errOdd)
		assert.Equal(t, []durable.Status{durable.Failed, durable.Canceled}, statuses(t, e))
	})
}

func TestATerminatedChildHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, families := opened(t)
		h, err := families.Start(t.Context(), "f", []int{2, 200})
		require.NoError(t, err)
		synctest.Wait()
		i, err := e.Get(t.Context(), "f")
		require.NoError(t, err)
		require.NoError(t, e.Terminate(t.Context(), i.Children[1]))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTerminated)
	})
}

func TestATerminatedParentEndsItsChildren(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []durable.TerminateOption
		want durable.Status
	}{
		{"by default", nil, durable.Terminated},
		{"with their compensations", []durable.TerminateOption{durable.CancelChildren()}, durable.Canceled},
		{"not at all", []durable.TerminateOption{durable.AbandonChildren()}, durable.Waiting},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, families := opened(t)
				h, err := families.Start(t.Context(), "f", []int{2, 200, 300})
				require.NoError(t, err)
				synctest.Wait()
				require.NoError(t, e.Terminate(t.Context(), "f", c.opts...))
				_, err = h.Wait(t.Context())
				require.ErrorIs(t, err, durable.ErrTerminated)
				synctest.Wait()
				assert.Equal(t, []durable.Status{durable.Completed, c.want, c.want}, statuses(t, e))
			})
		})
	}
}

// interrupted is a store that calls f before it creates the second child.
type interrupted struct {
	stores.Store
	created int
	f       func()
}

func (s *interrupted) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if r.Version == 0 && r.Function == "part" {
		if s.created++; s.created == 2 {
			s.f()
		}
	}
	return s.Store.Swap(ctx, r)
}

// The parent is terminated while a worker starts its children: those that do not exist yet are
// ended too.
func TestAParentThatIsTerminatedWhileItStartsItsChildrenEndsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := durable.NewMemory()
		other, err := durable.Open(t.Context(), store)
		require.NoError(t, err)
		slow := &interrupted{Store: store}
		slow.f = func() {
			require.NoError(t, other.Terminate(t.Context(), "f"))
			c := familyCase([]int{200, 300, 400})
			c.Serve(other, newClerk())
			durable.Serve(other, c.Function, newClerk()) // it ends the children
			time.Sleep(time.Minute)
		}
		e, err := durable.Open(t.Context(), slow)
		require.NoError(t, err)
		_, err = durable.Serve(e, familyDurable, newClerk()).Start(t.Context(), "f", []int{200, 300, 400})
		require.NoError(t, err)
		time.Sleep(time.Hour)
		parts, err := other.List(t.Context(), durable.Filter{Function: "part"})
		require.NoError(t, err)
		require.Len(t, parts, 3)
		for _, i := range parts {
			assert.Equal(t, durable.Terminated, i.Status, i.ID)
		}
		require.NoError(t, e.Shutdown(t.Context()))
		require.NoError(t, other.Shutdown(t.Context()))
	})
}

// The children of the wait that was left go on, and their outcomes are dropped.
func TestAResetParentStartsOtherChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, families := opened(t, durable.Trail(1<<16))
		h, err := families.Start(t.Context(), "f", []int{200})
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, e.Reset(t.Context(), "f", "begin"))
		synctest.Wait()
		i, err := e.Get(t.Context(), "f")
		require.NoError(t, err)
		parts, err := e.List(t.Context(), durable.Filter{Function: "part"})
		require.NoError(t, err)
		require.Len(t, parts, 2, "the first goes on by itself, and the second has another id")
		require.NoError(t, e.Cancel(t.Context(), parts[0].ID))
		synctest.Wait()
		assert.NotEqual(t, parts[0].ID, i.Children[0])
		i, err = e.Get(t.Context(), "f")
		require.NoError(t, err)
		assert.Equal(t, durable.Waiting, i.Status, "the outcome of the first is dropped")
		require.NoError(t, h.Cancel(t.Context()))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrCanceled)
	})
}

func TestWhatIsNoCallFailsTheFunction(t *testing.T) {
	ctx := durabletest.Plain(t.Context())
	_, err := durable.All[int](ctx, durable.Child{})
	require.ErrorContains(t, err, "made by Call")
	_, err = durable.Any[int](ctx)
	require.ErrorContains(t, err, "Any of no functions")
	_, err = durable.Any[int](ctx, durable.Call(partDurable, newClerk(), 3), durable.Call(partDurable, newClerk(), 5))
	require.EqualError(t, err, "half of 3: durabletest_test: odd\nhalf of 5: durabletest_test: odd")
	_, err = durable.All[int](t.Context())
	require.ErrorIs(t, err, durable.ErrNotDurable)
	_, err = durable.Any[int](t.Context())
	require.ErrorIs(t, err, durable.ErrNotDurable)
}
