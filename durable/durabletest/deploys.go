package durabletest

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// till keeps what was paid, by the key of the step.
type till struct {
	mu   sync.Mutex
	paid map[string]int
}

// sale is a function in three versions: it waits for an approval and takes the money. In version
// 1 its price is in euros, later in cents. Version 3 has a step more.
type sale struct {
	gen.NoDeferred
	version      int
	till         *till
	price, cents int
	err          error
}

func (f *sale) MoveNext(_ context.Context, t gen.Turn) bool {
	switch t.Point() {
	case 0:
		f.cents = 100 * f.price
		return t.Receive(1, "approval", durable.Forever)
	case 1:
		if _, f.err = gen.Received[bool](t); f.err != nil {
			return t.Return()
		}
		if f.version == 1 {
			f.cents = 100 * f.price
		}
		return t.Step(2)
	}
	if f.err = t.Err(); f.err == nil && t.Point() == 2 && f.version == 3 {
		return t.Step(3)
	}
	return t.Return()
}

func (f *sale) Call(ctx context.Context, point int) error {
	if point == 2 {
		f.till.mu.Lock()
		defer f.till.mu.Unlock()
		f.till.paid[durable.Key(ctx)] = f.cents
	}
	return nil
}

func (f *sale) Live(point int) []gen.Value {
	switch {
	case point == 0 || point == 1 && f.version == 1:
		return []gen.Value{{Name: "price", Ptr: &f.price}}
	case point == gen.Returning:
		return []gen.Value{{Name: "cents", Ptr: &f.cents}, {Name: "err", Ptr: &f.err}}
	}
	return []gen.Value{{Name: "cents", Ptr: &f.cents}}
}

func (f *sale) Outcome() (result any, err *error) { return &f.cents, &f.err }

// toCents is the migration from version 1.
func toCents(s *durable.Saved) error {
	if !s.Has("price") || s.Point() == "begin" {
		return nil
	}
	var price int
	if err := s.Get("price", &price); err != nil {
		return err
	}
	cents := 100 * price
	return s.Set("cents", &cents)
}

// saleDurable returns a version of the function.
func saleDurable(version int) durable.Function[*till, int, int] {
	f := durable.Function[*till, int, int]{
		Name: "durabletest.sale", Layout: strconv.Itoa(version),
		Points: []gen.Point{{Name: "begin"}, {Name: "approval"}, {Name: "charge", Step: "charge"}, {Name: "mail", Step: "mail"}},
		New: func(t *till, price int) gen.Frame {
			return &sale{version: version, till: t, price: price}
		},
	}
	if version > 1 {
		f.Migrations = []durable.Migration{{From: "1", To: "2", Func: toCents}}
	}
	if version == 3 {
		f.Resumes = []string{"2"}
	}
	return f
}

// rollingDeploys plays a deploy of version 2 and one of version 3, with two workers that are
// replaced one after the other, while instances of all versions are in flight. Instances are
// started by the newer worker, and their approvals come from the older one. None gets stuck, and
// each is paid once, with its price.
func rollingDeploys(t *testing.T, s stores.Store) {
	const each = 5 // instances that are started or approved at a moment
	type worker struct {
		e     *durable.Engine
		sales *durable.Served[int, int]
	}
	money := &till{paid: map[string]int{}}
	serve := func(version int) worker {
		e := quiet(t, s, durable.Poll(10*time.Millisecond))
		return worker{e, durable.Serve(e, saleDurable(version), money)}
	}
	all := []worker{serve(1), serve(1)}
	versions := []int{2, 2, 3, 3}
	id := func(n int) string { return fmt.Sprint("sale ", n) }
	start := func(w worker, from, to int) {
		for n := from; n < to; n++ {
			_, err := w.sales.Start(t.Context(), id(n), n)
			require.NoError(t, err)
		}
	}
	moments := len(versions) + 1
	old := moments * each // those of version 1, of which a part is approved at each moment
	start(all[0], 0, old)
	for moment := range moments {
		newer, older := all[len(all)-1], all[len(all)-2]
		first := old + moment*each
		start(newer, first, first+each)
		for n := range each {
			require.NoError(t, older.e.Signal(t.Context(), id(first+n), "approval", true))
			require.NoError(t, older.e.Signal(t.Context(), id(moment*each+n), "approval", true))
		}
		if moment < len(versions) {
			all = append(all, serve(versions[moment]))
			require.NoError(t, older.e.Shutdown(t.Context()))
		}
	}
	sum := 0
	for n := range 2 * old {
		cents, err := all[len(all)-1].sales.Handle(id(n)).Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 100*n, cents, id(n))
		sum += 100 * n
	}
	for _, w := range all {
		assert.Zero(t, w.e.Metrics().Stuck)
	}
	money.mu.Lock()
	defer money.mu.Unlock()
	assert.Len(t, money.paid, 2*old, "one key for each")
	for _, cents := range money.paid {
		sum -= cents
	}
	assert.Zero(t, sum)
}

// canceledStuck checks that a cancellation of a stuck instance is kept, and acts when the instance
// is resumed.
func canceledStuck(t *testing.T, s stores.Store) {
	e := quiet(t, s, durable.Client())
	h, err := durable.Serve(e, tallyDurable, struct{}{}).Start(t.Context(), "a", 1)
	require.NoError(t, err)
	r, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	r.Status, r.Reason, r.Due = durable.Stuck, "broken", time.Time{}
	write(t, s, r)
	require.NoError(t, h.Cancel(t.Context()))
	require.NoError(t, h.Signal(t.Context(), "number", 0))
	served := durable.Serve(quiet(t, s, durable.Poll(10*time.Millisecond)), tallyDurable, struct{}{})
	due, _, err := s.Take(t.Context(), stores.Taking{Now: time.Now(), Hide: time.Second, Functions: []string{tallyDurable.Name}, Limit: 9})
	require.NoError(t, err)
	require.Empty(t, due)
	require.NoError(t, e.Resume(t.Context(), "a"))
	_, err = served.Handle("a").Wait(t.Context())
	require.ErrorIs(t, err, durable.ErrCanceled)
}
