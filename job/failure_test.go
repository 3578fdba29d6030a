package job

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

func TestAPanicBecomesAnErrorWithValueAndStack(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") })
	m.all()
	var p *PanicError
	require.ErrorAs(t, j.Err(), &p)
	assert.Equal(t, "ouch", p.Value)
	assert.Contains(t, string(p.Stack), "job.explode")
	assert.Equal(t, "job: panic: ouch", p.Error())
	assert.NoError(t, p.Unwrap())
	assert.Equal(t, Faulted, j.Status())
}

//go:noinline
func explode(v any) (int, error) { panic(v) }

func TestAPanicWithAnErrorMatchesThatError(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), func(context.Context) (int, error) { return explode(fmt.Errorf("wrapped: %w", errBoom)) })
	m.all()
	assert.ErrorIs(t, j.Err(), errBoom)
}

func TestAPanicWithTheContextsErrorIsAFaultNevertheless(t *testing.T) {
	m := &manual{}
	var j *Job[int]
	j = Run(m.ctx(), func(ctx context.Context) (int, error) { j.Cancel(); return explode(ctx.Err()) })
	m.all()
	assert.Equal(t, Faulted, j.Status())
}

func TestPanicNil(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), func(context.Context) (int, error) { return explode(nil) })
	m.all()
	var nilPanic *runtime.PanicNilError
	assert.ErrorAs(t, j.Err(), &nilPanic)
}

func TestAPanicErrorThatPanicsAgainKeepsItsFirstStack(t *testing.T) {
	m := &manual{}
	first := Run(m.ctx(), func(context.Context) (int, error) { return explode("first") })
	m.all()
	second := Run(m.ctx(), func(context.Context) (int, error) { panic(first.Err()) })
	m.all()
	assert.Same(t, first.Err(), second.Err())
}

func TestGoexitFaultsTheJobAndReleasesItsWaiters(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
	onItsOwnGoroutine(m.all)
	_, err := j.Wait(context.Background())
	assert.Equal(t, ErrGoexit, err)
}

func TestAPoolSurvivesPanicAndGoexit(t *testing.T) {
	ctx := onPool(t, 1)
	for range 3 {
		_, err := Run(ctx, func(context.Context) (int, error) { return explode("ouch") }).Wait(context.Background())
		var p *PanicError
		require.ErrorAs(t, err, &p)
		_, err = Run(ctx, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }).Wait(context.Background())
		require.Equal(t, ErrGoexit, err)
	}
	v, err := Run(ctx, constant(1, nil)).Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 1, v)
}

func TestAFinishedJobKeepsNeitherFunctionNorArguments(t *testing.T) {
	m := &manual{}
	ends := map[string]func(*runJob[int]){
		"a result":       func(*runJob[int]) { m.all() },
		"a cancellation": func(r *runJob[int]) { r.job.Cancel() },
		"abandonment":    func(*runJob[int]) { m.take(t).Abandon(ErrShutdown) },
	}
	for name, end := range ends {
		j := Run(m.ctx(), constant(1, nil))
		r := j.core.own.owner.(*runJob[int])
		end(r)
		m.all()
		assert.Nil(t, r.fn, name)
	}
	j := Run(m.ctx(), func(context.Context) (int, error) { return explode("ouch") })
	m.all()
	assert.Nil(t, j.core.own.owner.(*runJob[int]).fn, "a panic")
}

func TestRefusalIsTheJobsError(t *testing.T) {
	for _, reason := range []error{ErrShutdown, ErrRejected} {
		m := &manual{refuse: reason}
		j := Run(m.ctx(), constant(1, nil))
		assert.Equal(t, Faulted, j.Status())
		assert.ErrorIs(t, j.Err(), reason)

		n := New(m.ctx(), constant(1, nil))
		assert.ErrorIs(t, n.Start(), reason)
		assert.ErrorIs(t, n.Err(), reason)
		_, err := New(m.ctx(), constant(1, nil)).Await()
		assert.ErrorIs(t, err, reason)
	}
}

func TestASchedulerThatPanicsInSubmitFaultsTheJobOnly(t *testing.T) {
	m := &manual{during: func(schedulers.Work) { panic("broken") }}
	j := Run(m.ctx(), constant(1, nil))
	assert.ErrorIs(t, j.Err(), ErrRejected)
	assert.ErrorContains(t, j.Err(), "broken")
}

func TestAbandonmentIsTheJobsError(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	m.take(t).Abandon(fmt.Errorf("closed at night: %w", ErrShutdown))
	assert.ErrorIs(t, j.Err(), ErrShutdown)
	assert.Equal(t, Faulted, j.Status())
}

func TestAbandonmentWithoutAReasonIsNotASuccess(t *testing.T) {
	m := &manual{}
	j := Run(m.ctx(), constant(1, nil))
	m.take(t).Abandon(nil)
	assert.ErrorIs(t, j.Err(), ErrShutdown)
}

func TestNilFunctionAndNilScheduler(t *testing.T) {
	ctx := context.Background()
	j := FromResult(1)
	for name, err := range map[string]error{
		"New":          New[int](ctx, nil).Err(),
		"Run":          Run[int](ctx, nil).Err(),
		"Go":           Go(ctx, nil).Err(),
		"Blocking":     Blocking[int](ctx, nil).Err(),
		"ContinueWith": ContinueWith[int, int](ctx, j, nil).Err(),
	} {
		assert.Equal(t, ErrNilFunc, err, name)
	}
	assert.Equal(t, ErrNilScheduler, Run(ctx, constant(1, nil), On(nil)).Err())
	assert.Equal(t, ErrNilScheduler, New(ctx, constant(1, nil)).Start(On(nil)))
}

// A user's own context and error are code that we call, and may panic.

type touchy struct{ context.Context }

func (touchy) Err() error { panic("do not ask") }

func TestAContextThatPanicsFaultsTheJob(t *testing.T) {
	m := &manual{}
	j := Run[int](touchy{m.ctx()}, constant(1, nil))
	assert.NotPanics(t, m.all)
	var p *PanicError
	require.ErrorAs(t, j.Err(), &p)
	assert.Equal(t, "do not ask", p.Value)
}

type touchyError struct{}

func (touchyError) Error() string { return "touchy" }
func (touchyError) Is(error) bool { panic("do not compare") }

func TestAnErrorThatPanicsWhenComparedFaultsTheJob(t *testing.T) {
	m := &manual{}
	var j *Job[int]
	j = Run(m.ctx(), func(context.Context) (int, error) { j.Cancel(); return 1, touchyError{} })
	assert.NotPanics(t, m.all)
	require.True(t, j.IsCompleted())
	assert.Equal(t, Faulted, j.Status())
}

func TestANilJobCountsAsFaulted(t *testing.T) {
	var j *Job[int]
	_, awaited := j.Await()
	_, waited := j.Wait(context.Background())
	_, got := j.GetResult()
	for _, err := range []error{awaited, waited, got, j.Err(), j.Start()} {
		assert.Equal(t, ErrNilJob, err)
	}
	assert.Equal(t, Faulted, j.Status())
	assert.True(t, j.IsCompleted())
	assert.False(t, j.Cancel())
	assert.Zero(t, j.ID())
	assert.Empty(t, j.Name())
	<-j.Done()
	assert.False(t, j.Register(nil))
	resumed := false
	j.OnCompleted(resumer(func() { resumed = true }))
	assert.True(t, resumed)
}

type resumer func()

func (r resumer) Resume() { r() }

func TestErrorsAreToldApart(t *testing.T) {
	all := []error{ErrNotStarted, ErrStarted, ErrNilJob, ErrNilFunc, ErrNilScheduler, ErrOption, ErrFiltered, ErrNoJobs, ErrGoexit,
		ErrShutdown, ErrRejected, ErrWouldDeadlock, context.Canceled}
	for i, a := range all {
		for k, b := range all {
			assert.Equal(t, i == k, errors.Is(a, b), "%v, %v", a, b)
		}
	}
	w := &WaitError{Err: ErrWouldDeadlock}
	assert.ErrorIs(t, w, ErrWouldDeadlock)
	assert.Equal(t, "job: wait ended: schedulers: waiting here would deadlock", w.Error())
}

// A test of a user may make one by hand, and print it.
func TestZeroErrorsPrintSomething(t *testing.T) {
	for _, err := range []error{&WaitError{}, &CycleError{}, &PanicError{}} {
		assert.NotEmpty(t, err.Error())
		assert.NotPanics(t, func() { _ = errors.Unwrap(err) })
	}
}
