package job

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestChildrenWithoutHandlesAreRecycled(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	for range 1000 {
		s.Go(doNothing)
		s.Go(doNothing)
		m.all()
	}
	assert.Len(t, s.children.slabs, 1)
	assert.Equal(t, 2, s.children.used, "as many as were alive at a time")
	require.NoError(t, s.Wait())
	assert.Empty(t, s.children.slabs, "a scope that has ended keeps none")
}

func TestManyChildrenAreAliveAtATime(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	ran := 0
	for range 10_000 {
		require.True(t, s.Go(func(context.Context) error { ran++; return nil }))
	}
	m.all()
	require.NoError(t, s.Wait())
	assert.Equal(t, 10_000, ran)
}

func TestAWorkerThatWaitsForAScopeRunsItsChildren(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	ctx := schedulers.With(context.Background(), p)
	j := Run(ctx, func(ctx context.Context) (int, error) {
		n := 0
		s := NewScope(ctx)
		for range 100 {
			s.Go(func(context.Context) error { n++; return nil })
		}
		err := s.Wait()
		return n, err
	})
	v, err := j.Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 100, v)
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestAChildThatWasRunInPlaceServesNoOther(t *testing.T) {
	m := &manual{consent: true}
	s := NewScope(m.ctx())
	first := 0
	s.Go(func(context.Context) error { first++; return nil })
	s.Go(doNothing)
	s.help()
	assert.Equal(t, 1, first)
	assert.Nil(t, s.children.free, "the scheduler still has them")

	second := false
	s.Go(func(context.Context) error { second = true; return nil })
	m.take(t).Abandon(ErrShutdown) // old entries
	m.step(t)
	assert.False(t, second)
	m.step(t)
	assert.True(t, second)
	assert.NoError(t, s.Wait())
}

func TestAWorkerClaimsAChildWhileTheWaiterLooksForOne(t *testing.T) {
	m := &manual{consent: true}
	s := NewScope(m.ctx())
	runs := 0
	s.Go(func(context.Context) error { runs++; return nil })
	c := &s.children.slabs[0][0]
	assert.Equal(t, childQueued, c.state.Load())
	m.all()
	assert.False(t, c.claim())
	assert.Equal(t, 1, runs)
	require.NoError(t, s.Wait())
}

func TestWithoutConsentTheWaiterRunsNoChild(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		s := NewScope(m.ctx())
		s.Go(doNothing)
		s.Go(doNothing)
		s.help()
		assert.Equal(t, 1, m.asked, "one refusal is enough")
		go m.all()
		assert.NoError(t, s.Wait())
	})
}

func TestAWaitForAScopeThatCouldNeverEndIsRefused(t *testing.T) {
	m := &manual{}
	var s *Scope
	j := Go(m.ctx(), func(ctx context.Context) error {
		s = NewScope(ctx)
		s.Go(doNothing)
		m.block = func() (func(), error) { return nil, ErrWouldDeadlock }
		return s.Wait()
	})
	m.step(t)
	var w *WaitError
	assert.ErrorAs(t, j.Err(), &w)
	assert.ErrorIs(t, j.Err(), ErrWouldDeadlock)
	m.block = nil
	m.all()
	assert.ErrorIs(t, s.Wait(), context.Canceled, "whose function has returned, and its context ended")
}

func TestAChildThatWaitsForItsOwnWaiterIsRefused(t *testing.T) {
	for _, inPlace := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx := schedulers.With(t.Context(), pool.New(pool.Workers(2, 2)))
			if inPlace {
				ctx = schedulers.With(t.Context(), pool.New(pool.Workers(1, 1), pool.AddAfter(0)))
			}
			ready := make(chan struct{})
			var parent *Job[Void]
			parent = Go(ctx, func(ctx context.Context) error {
				<-ready
				s := NewScope(ctx)
				s.Go(func(ctx context.Context) error {
					_, err := parent.Wait(ctx)
					return err
				})
				return s.Wait()
			})
			close(ready)
			_, err := parent.Wait(t.Context())
			assert.ErrorIs(t, err, ErrCycle)
		})
	}
}

func TestAChildThatWaitsForItsScopeIsTold(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	s.Go(func(ctx context.Context) error {
		_, err := s.WaitAsync().Wait(ctx)
		return err
	})
	m.all()
	assert.ErrorIs(t, s.Wait(), ErrCycle)
}

func TestInScopeEndsAfterBodyAndChildren(t *testing.T) {
	for name, in := range map[string]func(context.Context, func(context.Context, *Scope) error, ...Option) error{
		"InScope": InScope,
		"InScopeAsync": func(ctx context.Context, body func(context.Context, *Scope) error, opts ...Option) error {
			_, err := InScopeAsync(ctx, body, opts...).Await()
			return err
		},
		"InScopeAsync that suspends": func(ctx context.Context, body func(context.Context, *Scope) error, opts ...Option) error {
			_, err := InScopeAsync(ctx, bodyInSteps(inSteps, body), opts...).Await()
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				testInScope(t, schedulers.With(t.Context(), pool.New()), in)
			})
		})
	}
}

func testInScope(t *testing.T, ctx context.Context, in func(context.Context, func(context.Context, *Scope) error, ...Option) error) {
	var log []string
	err := in(ctx, func(ctx context.Context, s *Scope) error {
		a := Spawn(s, constant(1, nil))
		s.Go(func(context.Context) error {
			_, err := a.Await()
			log = append(log, "child")
			return err
		})
		return nil
	})
	assert.NoError(t, err)
	assert.Equal(t, []string{"child"}, log)

	err = in(ctx, func(_ context.Context, s *Scope) error { s.Go(until); return errBoom })
	assert.EqualError(t, err, "boom")
	err = in(ctx, func(_ context.Context, s *Scope) error { s.Go(until); return errBoom }, Supervisor())
	assert.EqualError(t, err, "boom", "the body's error cancels the children of a supervisor, too")

	err = in(ctx, func(ctx context.Context, s *Scope) error {
		s.Go(func(context.Context) error { return errBoom })
		return until(ctx)
	})
	assert.EqualError(t, err, "boom", "a child's failure cancels the body")

	assert.ErrorIs(t, in(ctx, nil), ErrNilFunc)
	assert.ErrorIs(t, in(ctx, func(context.Context, *Scope) error { t.Error("called"); return nil }, OnlyOnFaulted()), ErrOption)
	gone, cancel := context.WithCancelCause(ctx)
	cancel(errBoom)
	assert.ErrorIs(t, in(gone, func(context.Context, *Scope) error { t.Error("called"); return nil }), errBoom)
}

func TestAPanicInABodyContinuesWhenTheChildrenHaveEnded(t *testing.T) {
	ctx := onPool(t, 2)
	ended := make(chan struct{}, 2)
	begun := make(chan struct{})
	body := func(_ context.Context, s *Scope) error {
		s.Go(func(ctx context.Context) error {
			close(begun)
			<-ctx.Done()
			ended <- struct{}{}
			return nil
		})
		<-begun
		panic(errBoom)
	}
	assert.PanicsWithValue(t, errBoom, func() { _ = InScope(ctx, body) })
	assert.Len(t, ended, 1)

	begun = make(chan struct{})
	_, err := InScopeAsync(ctx, body).Await()
	assert.Len(t, ended, 2)
	p, ok := err.(*PanicError)
	require.True(t, ok)
	assert.Equal(t, errBoom, p.Value)
}

func TestAGoexitInABodyContinuesWhenTheChildrenHaveEnded(t *testing.T) {
	ctx := onPool(t, 2)
	cameBack := false
	onItsOwnGoroutine(func() {
		_ = InScope(ctx, func(_ context.Context, s *Scope) error { s.Go(until); runtime.Goexit(); return nil })
		cameBack = true
	})
	assert.False(t, cameBack)
	_, err := InScopeAsync(ctx, func(_ context.Context, s *Scope) error { s.Go(until); runtime.Goexit(); return nil }).Await()
	assert.Equal(t, ErrGoexit, err)
}

func TestScopesInScopes(t *testing.T) {
	ctx := onPool(t, 2)
	var tree func(ctx context.Context, depth int) error
	tree = func(ctx context.Context, depth int) error {
		return InScope(ctx, func(ctx context.Context, s *Scope) error {
			for range 3 {
				if depth > 0 {
					s.Go(func(ctx context.Context) error { return tree(ctx, depth-1) })
				} else {
					s.Go(func(context.Context) error { return errors.New("leaf") })
				}
			}
			return nil
		}, Supervisor())
	}
	_, err := Go(ctx, func(ctx context.Context) error { return tree(ctx, 4) }).Wait(context.Background())
	assert.Len(t, strings.Split(err.Error(), "\n"), 3*3*3*3*3)
}

func TestTheLastChildEndsWhileTheBodyRuns(t *testing.T) {
	ctx := onPool(t, 2)
	var j *Job[Void]
	set := make(chan struct{})
	j = InScopeAsync(ctx, func(_ context.Context, s *Scope) error {
		<-set
		for range 3 { // each time the last child ends, and the scope does not
			child := Spawn(s, constant(1, nil))
			<-child.Done()
			assert.False(t, j.IsCompleted())
		}
		s.Go(func(context.Context) error { return errBoom })
		return nil
	})
	close(set)
	_, err := j.Wait(context.Background())
	assert.ErrorIs(t, err, errBoom, "the last child ends after the body")
}

// The object of a child that has ended waits for its next use, and keeps nothing alive
// meanwhile.
func TestAChildThatHasEndedKeepsNothingOfItsFunction(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	kept := func() weak.Pointer[[1 << 10]byte] {
		large := new([1 << 10]byte)
		s.Go(func(context.Context) error { large[0]++; return nil })
		return weak.Make(large)
	}()
	m.all()
	runtime.GC()
	assert.Nil(t, kept.Value())
	require.NoError(t, s.Wait())
}
