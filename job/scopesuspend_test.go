package job

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// stepped turns a function into one that runs in steps.
type stepped func(fn func(context.Context) error) func(context.Context) error

// inOneStep ends where it begins.
func inOneStep(fn func(context.Context) error) func(context.Context) error { return fn }

// inSteps suspends at once, and runs fn on a new goroutine.
func inSteps(fn func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		return restFunc(func(end suspension.Completer[Void], _ uint8) { go finish(end, ctx, fn) })
	}
}

// restFunc is the error of a function that has suspended.
type restFunc func(end suspension.Completer[Void], spent uint8) //nolint:errname // see suspension.Suspended

func (restFunc) Error() string { return "suspended" }

func (f restFunc) GoOn(end any, _ schedulers.Worker, spent uint8) {
	f(end.(suspension.Completer[Void]), spent)
}

func finish(end suspension.Completer[Void], ctx context.Context, fn func(context.Context) error) {
	returned := false
	defer func() {
		if v := recover(); v != nil {
			end.Fault(newPanicError(v)).Deliver(nil)
		} else if !returned {
			end.Fault(ErrGoexit).Deliver(nil)
		}
	}()
	err := fn(ctx)
	returned = true
	end.Return(Void{}, err).Deliver(nil)
}

func bodyInSteps(steps stepped, body func(context.Context, *Scope) error) func(context.Context, *Scope) error {
	if body == nil {
		return nil
	}
	return func(ctx context.Context, s *Scope) error {
		return steps(func(ctx context.Context) error { return body(ctx, s) })(ctx)
	}
}

func TestAChildThatHasSuspendedKeepsItsScopeOpen(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	var suspended suspension.Completer[Void]
	require.True(t, s.Go(func(context.Context) error {
		return restFunc(func(end suspension.Completer[Void], _ uint8) { suspended = end })
	}))
	m.step(t)
	assert.NotNil(t, s.children.free, "the child's object serves the next one")
	j := s.WaitAsync()
	assert.False(t, j.IsCompleted())
	assert.True(t, s.Go(doNothing), "it has not ended, so others may come")
	m.step(t)
	suspended.Return(Void{}, nil).Deliver(nil)
	assert.True(t, j.IsCompleted())
	assert.False(t, s.Go(inOneStep(doNothing)), "it has ended")
}

func TestTheContextOfAChildThatHasStepsIsItsScopes(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	var kept []context.Context
	keep := func(ctx context.Context) error { kept = append(kept, ctx); return nil }
	s.Go(keep)
	s.Go(inOneStep(keep))
	m.all()
	assert.Equal(t, kept[0].(*view).ctx, kept[1].(*view).ctx)
	assert.NoError(t, kept[1].Err(), "the child has ended, the scope has not")
	require.NoError(t, s.Wait())
	assert.Error(t, kept[1].Err())
}

func TestAWaiterTakesTheFirstStepOfAQueuedChild(t *testing.T) {
	m := &manual{consent: true}
	s := NewScope(m.ctx())
	var spent uint8
	s.Go(func(context.Context) error {
		return restFunc(func(end suspension.Completer[Void], told uint8) { spent = told; end.Return(Void{}, nil).Deliver(nil) })
	})
	require.NoError(t, s.Wait())
	assert.Equal(t, jobcore.Unproven|1, spent, "a machine that goes on is told that its worker is known by hint only")
	m.step(t) // the old entry finds nothing to do
}

func TestFailuresOfChildrenThatHaveSteps(t *testing.T) {
	for name, steps := range map[string]stepped{"in one step": inOneStep, "in steps": inSteps} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := schedulers.With(t.Context(), pool.New())
				failuresOfSteps(t, ctx, steps)
			})
		})
	}
}

func failuresOfSteps(t *testing.T, ctx context.Context, steps stepped) {
	s := NewScope(ctx)
	s.Go(steps(until))
	s.Go(steps(func(context.Context) error { return errBoom }))
	assert.EqualError(t, s.Wait(), "boom", "one fails, the others are canceled")

	s = NewScope(ctx, Supervisor())
	s.Go(steps(func(context.Context) error { return errBoom }))
	s.Go(steps(func(context.Context) error { panic(errBoom) }))
	err := s.Wait()
	var p *PanicError
	assert.ErrorAs(t, err, &p)
	assert.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 2)

	s = NewScope(ctx)
	s.Go(steps(func(context.Context) error { runtime.Goexit(); return nil }))
	assert.ErrorIs(t, s.Wait(), ErrGoexit)

	s = NewScope(ctx)
	s.Go(steps(until))
	s.Cancel(errBoom)
	assert.ErrorIs(t, s.Wait(), errBoom)

	s = NewScope(ctx)
	assert.False(t, s.Go(nil))
	assert.ErrorIs(t, s.Wait(), ErrNilFunc)
}

func TestAChildWithAHandleThatHasSteps(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	var suspended suspension.Completer[Void]
	j := Spawn(s, func(context.Context) (Void, error) {
		return Void{}, restFunc(func(end suspension.Completer[Void], _ uint8) { suspended = end })
	}, Named("in steps"))
	assert.Equal(t, "in steps", j.Name())
	m.step(t)
	end := s.WaitAsync()
	suspended.Return(Void{}, nil).Deliver(nil)
	require.NoError(t, j.Err())
	assert.True(t, end.IsCompleted())

	for _, option := range [][]Option{nil, {Supervisor()}} {
		s = NewScope(m.ctx(), option...)
		j = Spawn(s, func(context.Context) (Void, error) {
			return Void{}, restFunc(func(end suspension.Completer[Void], _ uint8) { end.Return(Void{}, errBoom).Deliver(nil) })
		})
		m.all()
		assert.Equal(t, errBoom, j.Err())
		if err := s.Wait(); option == nil {
			assert.ErrorIs(t, err, errBoom)
		} else {
			assert.NoError(t, err)
		}
	}
}

func TestABodyInStepsThatPanicsOrExits(t *testing.T) {
	ctx := onPool(t, 2)
	for _, steps := range []stepped{inOneStep, inSteps} {
		_, err := InScopeAsync(ctx, bodyInSteps(steps, func(_ context.Context, s *Scope) error { s.Go(until); panic(errBoom) })).Await()
		p, ok := err.(*PanicError)
		require.True(t, ok)
		assert.Equal(t, errBoom, p.Value)
		_, err = InScopeAsync(ctx, bodyInSteps(steps, func(_ context.Context, s *Scope) error { s.Go(until); runtime.Goexit(); return nil })).Await()
		assert.Equal(t, ErrGoexit, err)
		_, err = InScopeAsync(ctx, bodyInSteps(steps, func(context.Context, *Scope) error { return newPanicError("returned") })).Await()
		_, alone := err.(*PanicError)
		assert.False(t, alone, "an error that was returned is not a panic of the body")
	}
}

// TestABodyWaitsForItsScope compares InScope with its twin: the body acts for the
// scope's creator.
func TestABodyWaitsForItsScope(t *testing.T) {
	for name, in := range map[string]func(context.Context, func(context.Context, *Scope) error) error{
		"InScope": func(ctx context.Context, body func(context.Context, *Scope) error) error { return InScope(ctx, body) },
		"InScopeAsync": func(ctx context.Context, body func(context.Context, *Scope) error) error {
			_, err := InScopeAsync(ctx, body).Await()
			return err
		},
		"InScopeAsync that suspends": func(ctx context.Context, body func(context.Context, *Scope) error) error {
			_, err := InScopeAsync(ctx, bodyInSteps(inSteps, body)).Await()
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := onPool(t, 2)
			var log []string
			child := func(context.Context) error { log = append(log, "child"); return nil }
			require.NoError(t, in(ctx, func(_ context.Context, s *Scope) error {
				s.Go(child)
				log = append(log, fmt.Sprint("waited: ", s.Wait()), fmt.Sprint("more: ", s.Go(child)))
				return nil
			}))
			assert.Equal(t, []string{"child", "waited: <nil>", "more: false"}, log)

			log = nil
			require.NoError(t, in(ctx, func(ctx context.Context, s *Scope) error {
				begun := make(chan struct{})
				s.Go(func(ctx context.Context) error { close(begun); <-ctx.Done(); return child(ctx) })
				<-begun
				s.Close()
				log = append(log, "closed")
				return nil
			}))
			assert.Equal(t, []string{"child", "closed"}, log)

			closed := func(_ context.Context, s *Scope) error { s.Close(); panic(errBoom) }
			if name == "InScope" {
				assert.PanicsWithValue(t, errBoom, func() { _ = in(ctx, closed) })
			} else {
				assert.ErrorIs(t, in(ctx, closed), errBoom, "the panic is seen though the scope had ended")
			}
			require.NoError(t, in(ctx, func(_ context.Context, s *Scope) error { s.Close(); return errBoom }), "too late for the scope's outcome")
		})
	}
}

func TestACycleThroughAScopeWhoseBodyStillRuns(t *testing.T) {
	ctx := onPool(t, 2)
	var outer *Job[Void]
	set, told := make(chan struct{}), make(chan struct{})
	outer = Unwrap(ctx, Run(ctx, func(ctx context.Context) (*Job[Void], error) {
		<-set
		return InScopeAsync(context.WithoutCancel(ctx), func(_ context.Context, s *Scope) error {
			s.Go(func(ctx context.Context) error {
				defer close(told)
				_, err := outer.Wait(ctx)
				return err
			})
			<-told
			return nil
		}), nil
	}))
	close(set)
	_, err := outer.Wait(t.Context())
	assert.ErrorIs(t, err, ErrCycle)
}

// TestTheFailureOfAChildThatHasStepsIsItsScopes looks for unobserved failures while
// children fail.
func TestTheFailureOfAChildThatHasStepsIsItsScopes(t *testing.T) {
	var reported atomic.Int64
	before := OnUnobserved(func(Failure) { reported.Add(1) })
	t.Cleanup(func() { OnUnobserved(before) })
	ctx := onPool(t, 2)
	s := NewScope(ctx, Supervisor())
	for range 100 {
		s.Go(inSteps(func(context.Context) error { ReportUnobserved(); return errBoom }))
		s.Go(inOneStep(func(context.Context) error { ReportUnobserved(); return errBoom }))
	}
	assert.Error(t, s.Wait())
	_, err := InScopeAsync(ctx, bodyInSteps(inSteps, func(context.Context, *Scope) error { return errBoom })).Await()
	assert.ErrorIs(t, err, errBoom)
	ReportUnobserved()
	assert.Zero(t, reported.Load())
}

func TestAChildThatHasStepsWaitsForItsScope(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	s.Go(inOneStep(func(ctx context.Context) error {
		_, err := s.WaitAsync().Wait(ctx)
		return err
	}))
	m.all()
	assert.ErrorIs(t, s.Wait(), ErrCycle)
}

func TestASchedulerThatRefusesOrAbandonsAChildThatHasSteps(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	m.refuse = errors.New("full")
	assert.False(t, s.Go(inOneStep(doNothing)))
	assert.ErrorIs(t, s.Wait(), m.refuse)
	_, err := InScopeAsync(m.ctx(), bodyInSteps(inOneStep, func(context.Context, *Scope) error { return nil })).Await()
	require.ErrorIs(t, err, m.refuse)

	m.refuse = nil
	s = NewScope(m.ctx())
	s.Go(inOneStep(doNothing))
	m.take(t).Abandon(nil)
	assert.ErrorIs(t, s.Wait(), ErrShutdown)
}
