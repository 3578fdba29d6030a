package durable_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
)

// version is a version of a durable function that waits once and then returns the result of end.
type version struct {
	layout, point string
	migrations    []durable.Migration
	values        []gen.Value // at the point
	undos         []string    // the steps of deferred calls, all with an int parameter
	deferred      int         // which of them is deferred before the point; 0: none
	undone        *[]string
	end           func() (int, error)
}

func (v version) function() durable.Function[struct{}, int, int] {
	return durable.Function[struct{}, int, int]{
		Name: "versions", Layout: v.layout, Migrations: v.migrations,
		Points: []gen.Point{{Name: "begin"}, {Name: v.point}, {Name: "step", Step: "step"}},
		New:    func(struct{}, int) gen.Frame { return &versionFrame{v: v} },
	}
}

type versionFrame struct {
	v   version
	n   int
	err error
}

func (f *versionFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		if f.v.deferred > 0 {
			seven := 7
			t.Defer(f.v.deferred, &seven)
		}
		return t.Receive(1, "go", durable.Forever)
	}
	f.n, f.err = f.v.end()
	return t.Return()
}

func (f *versionFrame) Call(context.Context, int) error { return nil }

func (f *versionFrame) Live(point int) []gen.Value {
	if point == 1 {
		return f.v.values
	}
	return []gen.Value{{Name: "n", Ptr: &f.n}, {Name: "err", Ptr: &f.err}}
}

func (f *versionFrame) Outcome() (result any, err *error) { return &f.n, &f.err }

func (f *versionFrame) Deferred(site int) (args any, step string) {
	if site < 1 || site > len(f.v.undos) {
		return nil, ""
	}
	return new(int), f.v.undos[site-1]
}

func (f *versionFrame) Undo(_ context.Context, site int, _ any) error {
	*f.v.undone = append(*f.v.undone, f.v.undos[site-1])
	return nil
}

// meets starts an instance with one version, and continues it with another.
func meets(t *testing.T, old, now version) (*durable.Instance, int, error) {
	t.Helper()
	store := durable.NewMemory()
	e := opened(t, store)
	_, err := durable.Serve(e, old.function(), struct{}{}).Start(t.Context(), "a", 1)
	require.NoError(t, err)
	synctest.Wait()
	require.NoError(t, e.Shutdown(t.Context()))
	e = opened(t, store)
	h := durable.Serve(e, now.function(), struct{}{}).Handle("a")
	require.NoError(t, e.Signal(t.Context(), "a", "go", true))
	synctest.Wait()
	i, err := e.Get(t.Context(), "a")
	require.NoError(t, err)
	if !i.Status.Ended() {
		return i, 0, nil
	}
	n, err := h.Wait(t.Context())
	return i, n, err
}

type pair struct{ A, B *int }

// Values that a migration leaves alone keep their identity, values that it sets exist, and
// migrations form a chain.
func TestAMigrationMakesWhatTheFunctionNeeds(t *testing.T) {
	in(t, func(t *testing.T) {
		one := 1
		before := struct{ Amount int }{40}
		shared, again, text := pair{&one, &one}, &one, "EUR"
		old := version{layout: "1", point: "old", values: []gen.Value{{Name: "price", Ptr: &before}, {Name: "pair", Ptr: &shared}, {Name: "one", Ptr: &again}}}

		var price struct {
			Amount   float64
			Currency *string
		}
		var both, same *string
		var loaded pair
		var alias *int
		now := version{
			layout: "3", point: "new",
			values: []gen.Value{{Name: "price", Ptr: &price}, {Name: "both", Ptr: &both}, {Name: "same", Ptr: &same}, {Name: "pair", Ptr: &loaded}, {Name: "alias", Ptr: &alias}},
			end:    func() (int, error) { return int(price.Amount), nil },
			migrations: []durable.Migration{
				{From: "2", To: "3", Func: func(s *durable.Saved) error {
					assert.True(t, s.Has("both"), "of the migration before")
					if err := s.Rename("one", "alias"); err != nil {
						return err
					}
					return s.MoveTo("new")
				}},
				{From: "1", To: "2", Func: func(s *durable.Saved) error {
					assert.Equal(t, "old", s.Point())
					var was struct{ Amount int }
					if err := s.Get("price", &was); err != nil {
						return err
					}
					currency := &text
					is := struct {
						Amount   float64
						Currency *string
					}{float64(was.Amount) / 10, currency}
					return errors.Join(s.Set("price", &is), s.Set("x", &currency), s.Set("same", &currency), s.Rename("x", "both"))
				}},
			},
		}
		i, n, err := meets(t, old, now)
		require.NoError(t, err)
		assert.Equal(t, durable.Completed, i.Status)
		assert.Equal(t, 4, n)
		assert.Equal(t, "EUR", *price.Currency)
		assert.Same(t, price.Currency, both)
		assert.Same(t, both, same)
		assert.Same(t, loaded.A, loaded.B)
		assert.Same(t, loaded.A, alias)
	})
}

//movenext:migrate name=shop.Order from=ca20fb725f088bfd
func migrateOrderCA20(s *durable.Saved) error {
	if s.Has("paid") {
		return s.Rename("paid", "cost")
	}
	return nil
}

func TestARenamedVariableIsMigrated(t *testing.T) {
	in(t, func(t *testing.T) {
		paid, cost := 5, 0
		_, n, err := meets(t, version{layout: "ca20fb725f088bfd", point: "wait", values: []gen.Value{{Name: "paid", Ptr: &paid}}}, version{
			layout: "2", point: "wait", values: []gen.Value{{Name: "cost", Ptr: &cost}}, end: func() (int, error) { return cost, nil },
			migrations: []durable.Migration{{From: "ca20fb725f088bfd", To: "2", Func: migrateOrderCA20}},
		})
		require.NoError(t, err)
		assert.Equal(t, 5, n)
	})
}

// If a migration fails, the instance is stuck with the reason, in its saved state.
func TestAMigrationThatFailsLeavesTheInstanceStuck(t *testing.T) {
	n := 1
	old := version{layout: "1", point: "wait", values: []gen.Value{{Name: "n", Ptr: &n}}}
	for _, c := range []struct {
		name, want string
		migration  func(*durable.Saved) error
	}{
		{"with its error", "not today", func(*durable.Saved) error { return errors.New("not today") }},
		{"with its panic", "panic: lost", func(*durable.Saved) error { panic("lost") }},
		{"a value of the wrong type", "text has not been saved", func(s *durable.Saved) error { return s.Set("other", &n) }},
		{"a type that does not fit", "n (type string) cannot be loaded", func(s *durable.Saved) error { var text string; return s.Get("n", &text) }},
		{"no pointer to read into", "needs a pointer", func(s *durable.Saved) error { return s.Get("n", 5) }},
		{"a nil pointer to read into", "needs a pointer", func(s *durable.Saved) error { return s.Get("n", (*int)(nil)) }},
		{"no pointer to save", "needs a pointer", func(s *durable.Saved) error { return s.Set("text", nil) }},
		{"what cannot be saved", "chan int", func(s *durable.Saved) error { c := make(chan int); return s.Set("text", &c) }},
		{"another type of what was set", "does not fit", func(s *durable.Saved) error {
			text := "a"
			return errors.Join(s.Set("text", &text), s.Get("text", &n))
		}},
		{"a name that is not there", "has not been saved", func(s *durable.Saved) error { return s.Rename("m", "text") }},
		{"a point that is not there", `no point "nowhere"`, func(s *durable.Saved) error { return s.MoveTo("nowhere") }},
		{"a step in the place of a wait", "same kind of thing", func(s *durable.Saved) error { return s.MoveTo("step") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				var text string
				now := version{
					layout: "2", point: "wait", values: []gen.Value{{Name: "text", Ptr: &text}}, end: func() (int, error) { return 1, nil },
					migrations: []durable.Migration{{From: "1", To: "2", Func: c.migration}},
				}
				i, _, _ := meets(t, old, now)
				assert.Equal(t, durable.Stuck, i.Status)
				assert.Contains(t, i.Reason, c.want)
				assert.JSONEq(t, "1", string(i.Locals["n"]), "nothing of it was stored")
			})
		})
	}
}

func TestMigrationsThatCannotBeMeantAreNotServed(t *testing.T) {
	in(t, func(t *testing.T) {
		keep := func(*durable.Saved) error { return nil }
		for _, list := range [][]durable.Migration{
			{{From: "1", To: "2"}},
			{{From: "1", To: "1", Func: keep}},
			{{From: "1", To: "2", Func: keep}, {From: "1", To: "3", Func: keep}},
		} {
			v := version{layout: "2", point: "wait", migrations: list}
			_, err := durable.Serve(opened(t, durable.NewMemory()), v.function(), struct{}{}).Start(t.Context(), "a", 1)
			require.ErrorContains(t, err, "migration")
		}
		circle := []durable.Migration{{From: "1", To: "3", Func: keep}, {From: "3", To: "1", Func: keep}}
		i, _, _ := meets(t, version{layout: "1", point: "wait"}, version{layout: "2", point: "wait", migrations: circle})
		assert.Equal(t, durable.Waiting, i.Status, "they lead to no layout of the function")
	})
}

// A deferred call is found by the name of its step, whatever its number in a version.
func TestADeferredCallIsFoundInAnotherVersion(t *testing.T) {
	failing := func() (int, error) { return 0, errors.New("failed") }
	for _, c := range []struct {
		name  string
		undos []string
		want  []string
	}{
		{"under the same number", []string{"release"}, []string{"release"}},
		{"behind a new one", []string{"refund", "release"}, []string{"release"}},
		{"not at all", []string{"refund"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				var undone []string
				old := version{layout: "1", point: "wait", undos: []string{"release"}, deferred: 1}
				i, _, _ := meets(t, old, version{layout: "1", point: "wait", undos: c.undos, undone: &undone, end: failing})
				assert.Equal(t, c.want, undone)
				if c.want == nil {
					assert.Equal(t, durable.Stuck, i.Status)
					assert.Contains(t, i.Reason, "no deferred call of release")
				}
			})
		})
	}
}
