package durable_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// priced is a version of a function with a price: it charges it, waits, and returns it. The first
// version has euros, the second one cents.
type priced struct {
	layout     string
	migrations []durable.Migration
	resumes    []string
	charged    *[]int // by its step
	refunded   *[]int // by its compensation
	fails      bool   // after the wait
}

func (p priced) function() durable.Function[struct{}, int, int] {
	return durable.Function[struct{}, int, int]{
		Name: "priced", Layout: p.layout, Migrations: p.migrations, Resumes: p.resumes,
		Points: []gen.Point{{Name: "begin"}, {Name: "charge", Step: "charge"}, {Name: "wait"}},
		New:    func(_ struct{}, price int) gen.Frame { return &pricedFrame{p: p, price: price} },
	}
}

type refund struct{ A1 int }

type pricedFrame struct {
	p      priced
	price  int
	result int
	err    error
}

func (f *pricedFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	switch t.Point() {
	case 0:
		return t.Step(1)
	case 1:
		t.Defer(1, &refund{f.price})
		return t.Receive(2, "go", durable.Forever)
	}
	if f.result = f.price; f.p.fails {
		f.err = errors.New("failed")
	}
	return t.Return()
}

func (f *pricedFrame) Call(context.Context, int) error {
	*f.p.charged = append(*f.p.charged, f.price)
	return nil
}

func (f *pricedFrame) Live(point int) []gen.Value {
	if point == gen.Returning {
		return []gen.Value{{Name: "result", Ptr: &f.result}, {Name: "err", Ptr: &f.err}}
	}
	return []gen.Value{{Name: "price", Ptr: &f.price}}
}

func (f *pricedFrame) Outcome() (result any, err *error) { return &f.result, &f.err }

func (f *pricedFrame) Deferred(site int) (args any, step string) {
	if site != 1 {
		return nil, ""
	}
	return new(refund), "refund"
}

func (f *pricedFrame) Undo(_ context.Context, _ int, args any) error {
	*f.p.refunded = append(*f.p.refunded, args.(*refund).A1)
	return nil
}

// toCents is the migration from euros.
func toCents(s *durable.Saved) error {
	times := func(s *durable.Saved, name string) error {
		if !s.Has(name) {
			return nil
		}
		var n int
		if err := s.Get(name, &n); err != nil {
			return err
		}
		n *= 100
		return s.Set(name, &n)
	}
	for n := 0; ; n++ {
		step, args := s.Undo(n)
		if args == nil {
			return errors.Join(times(s, "price"), times(s, "result"))
		}
		if step == "refund" {
			if err := times(args, "A1"); err != nil {
				return err
			}
		}
	}
}

// euros and cents return the two versions, which record their effects in the same places.
func euros() priced { return priced{layout: "1", charged: new([]int), refunded: new([]int)} }

func (p priced) cents() priced {
	p.layout, p.migrations = "2", []durable.Migration{{From: "1", To: "2", Func: toCents}}
	return p
}

// inFlight starts an instance with a version, and returns its store when the instance waits or
// has ended.
func inFlight(t *testing.T, p priced, signals ...string) stores.Store {
	t.Helper()
	store := durable.NewMemory()
	e := opened(t, store, durable.Trail(1<<16))
	_, err := durable.Serve(e, p.function(), struct{}{}).Start(t.Context(), "a", 5)
	require.NoError(t, err)
	for _, s := range signals {
		require.NoError(t, e.Signal(t.Context(), "a", s, true))
	}
	synctest.Wait()
	require.NoError(t, e.Shutdown(t.Context()))
	return store
}

func TestAResetGoesThroughTheMigrations(t *testing.T) {
	for _, point := range []string{"begin", "charge"} {
		t.Run(point, func(t *testing.T) {
			in(t, func(t *testing.T) {
				old := euros()
				store := inFlight(t, old)
				now := old.cents()
				now.fails = true
				e := opened(t, store, durable.Trail(1<<16))
				h := durable.Serve(e, now.function(), struct{}{}).Handle("a")
				require.NoError(t, e.Reset(t.Context(), "a", point))
				require.NoError(t, h.Signal(t.Context(), "go", true))
				_, err := h.Wait(t.Context())
				require.ErrorContains(t, err, "failed")
				assert.Equal(t, []int{5, 500}, *old.charged)
				assert.Equal(t, []int{500, 500}, *old.refunded, "also the compensation that the old version has deferred")
				i, err := e.Get(t.Context(), "a")
				require.NoError(t, err)
				assert.JSONEq(t, "5", string(i.Resets[0].Dropped["price"]), "as it was saved")
			})
		})
	}
}

// The values of a version that this program does not know are read nowhere.
func TestValuesOfAnUnknownVersionAreRefused(t *testing.T) {
	in(t, func(t *testing.T) {
		old := euros()
		store := inFlight(t, old.cents())
		e := opened(t, store, durable.Trail(1<<16))
		h := durable.Serve(e, old.function(), struct{}{}).Handle("a")
		require.ErrorContains(t, e.Reset(t.Context(), "a", "charge"), `layout "2"`)
		require.ErrorContains(t, priceOf(t, e), `layout "2"`)
		require.NoError(t, e.Shutdown(t.Context()))

		e = opened(t, store)
		require.NoError(t, e.Signal(t.Context(), "a", "go", true))
		_, err := durable.Serve(e, old.cents().function(), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		_, err = h.Wait(t.Context())
		require.ErrorContains(t, err, `layout "2"`)
	})
}

// A value that no migration changes can be read by the program that the saving one resumes.
func TestAResultIsReadByAVersionThatItsProgramResumes(t *testing.T) {
	in(t, func(t *testing.T) {
		old := euros()
		now := old
		now.layout, now.resumes = "2", []string{"1"}
		store := inFlight(t, now, "go")
		n, err := durable.Serve(opened(t, store), old.function(), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 5, n)
	})
}

func priceOf(t *testing.T, e *durable.Engine) error {
	t.Helper()
	i, err := e.Get(t.Context(), "a")
	require.NoError(t, err)
	var n int
	err = i.Value("price", &n)
	if err == nil {
		assert.Equal(t, 500, n)
	}
	return err
}

func TestValuesAndResultsGoThroughTheMigrations(t *testing.T) {
	in(t, func(t *testing.T) {
		old := euros()
		store := inFlight(t, old)
		e := opened(t, store, durable.Client())
		require.ErrorContains(t, priceOf(t, e), "is not served")
		durable.Serve(e, old.cents().function(), struct{}{})
		require.NoError(t, priceOf(t, e))
		n, err := durable.Query(t.Context(), e, "a", func(i *durable.Instance) (n int, err error) {
			err = i.Value("price", &n)
			return n, err
		})
		require.NoError(t, err)
		assert.Equal(t, 500, n)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.JSONEq(t, "5", string(i.Locals["price"]), "as it was saved")
	})
	in(t, func(t *testing.T) {
		old := euros()
		store := inFlight(t, old, "go")
		n, err := durable.Serve(opened(t, store), old.cents().function(), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 500, n)
	})
	in(t, func(t *testing.T) {
		old := euros()
		store := inFlight(t, old, "go")
		moves := old.cents()
		moves.migrations[0].Func = func(s *durable.Saved) error {
			five := 5
			return errors.Join(s.Set("price", &five), s.MoveTo("begin"))
		}
		_, err := durable.Serve(opened(t, store), moves.function(), struct{}{}).Handle("a").Wait(t.Context())
		require.ErrorContains(t, err, "leaves no result")
	})
}

// asking is a function that returns what a priced one answers.
func asking(p priced) durable.Function[struct{}, int, int] {
	return durable.Function[struct{}, int, int]{
		Name: "asking", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "ask"}},
		New: func(_ struct{}, price int) gen.Frame { return &askingFrame{p: p, price: price} },
	}
}

type askingFrame struct {
	gen.NoDeferred
	p             priced
	price, result int
	err           error
}

func (f *askingFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		return gen.All[durable.Child](t, 1, durable.Call(f.p.function(), struct{}{}, f.price))
	}
	var list []int
	if list, f.err = gen.Joined[int](t); f.err == nil {
		f.result = list[0]
	}
	return t.Return()
}

func (f *askingFrame) Call(context.Context, int) error { return nil }

func (f *askingFrame) Live(point int) []gen.Value {
	if point == gen.Returning {
		return []gen.Value{{Name: "result", Ptr: &f.result}, {Name: "err", Ptr: &f.err}}
	}
	return []gen.Value{{Name: "price", Ptr: &f.price}}
}

func (f *askingFrame) Outcome() (result any, err *error) { return &f.result, &f.err }

// A child has ended in one version, and its parent reads the answer in another.
func TestAnAnswerOfAChildGoesThroughTheMigrations(t *testing.T) {
	child := func(t *testing.T, e *durable.Engine) string {
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		require.Len(t, i.Children, 1)
		return i.Children[0]
	}
	// The child answers on an engine that does not serve the parent.
	start := func(t *testing.T, begins, answers priced) stores.Store {
		store := durable.NewMemory()
		e := opened(t, store)
		durable.Serve(e, begins.function(), struct{}{})
		_, err := durable.Serve(e, asking(begins), struct{}{}).Start(t.Context(), "a", 5)
		require.NoError(t, err)
		synctest.Wait()
		id := child(t, e)
		require.NoError(t, e.Shutdown(t.Context()))
		e = opened(t, store)
		_ = durable.Serve(e, answers.function(), struct{}{})
		require.NoError(t, e.Signal(t.Context(), id, "go", true))
		synctest.Wait()
		require.NoError(t, e.Shutdown(t.Context()))
		return store
	}
	in(t, func(t *testing.T) {
		old := euros()
		store := start(t, old, old)
		e := opened(t, store)
		durable.Serve(e, old.cents().function(), struct{}{})
		n, err := durable.Serve(e, asking(old.cents()), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 500, n)
	})
	in(t, func(t *testing.T) { // an old worker leaves the parent to the new ones
		old := euros()
		store := start(t, old, old.cents())
		e := opened(t, store)
		durable.Serve(e, old.function(), struct{}{})
		durable.Serve(e, asking(old), struct{}{})
		time.Sleep(time.Minute)
		assert.EqualValues(t, 1, e.Metrics().Taken)
		assert.Equal(t, 1, e.Metrics().Foreign)
		assert.Zero(t, e.Metrics().Stuck)
		require.NoError(t, e.Shutdown(t.Context()))
		e = opened(t, store)
		durable.Serve(e, old.cents().function(), struct{}{})
		n, err := durable.Serve(e, asking(old.cents()), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 500, n)
	})
	in(t, func(t *testing.T) { // nobody here knows what to make of the answer
		old := euros()
		store := start(t, old, old.cents())
		e := opened(t, store)
		durable.Serve(e, asking(old), struct{}{})
		synctest.Wait()
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Stuck, i.Status)
		assert.Contains(t, i.Reason, "priced is not served by this engine")
	})
}
