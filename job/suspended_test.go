package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// later is the error of a function that has suspended: it passes the right to complete
// the job to the test.
type later[T any] chan suspension.Completer[T]

func (later[T]) Error() string { return "suspended" }

func (l later[T]) GoOn(end any, _ schedulers.Worker, _ uint8) { l <- end.(suspension.Completer[T]) }

func (l later[T]) fn(context.Context) (none T, err error) { return none, l }

func TestAFunctionThatSuspendsCompletesItsJobLater(t *testing.T) {
	ctx := context.Background()
	suspended := make(later[int], 1)
	j := job.Run(ctx, suspended.fn, job.Named("in steps"))
	end := <-suspended
	assert.Equal(t, job.Running, j.Status())
	assert.Equal(t, "in steps", end.Handle().(job.Handle).Name())
	end.Return(7, io.EOF).Deliver(nil)
	v, err := j.Wait(ctx)
	assert.Equal(t, 7, v)
	assert.Equal(t, io.EOF, err, "value and error are kept")
	assert.Equal(t, job.Faulted, j.Status())
}

func TestTheFaultOfASuspendedFunctionIsOneWhateverTheErrorIs(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	suspended := make(later[int], 1)
	j := job.Run(ctx, suspended.fn)
	end := <-suspended
	cancel()
	end.Fault(fmt.Errorf("a panic with %w", context.Canceled)).Deliver(nil)
	<-j.Done()
	assert.Equal(t, job.Faulted, j.Status())
	require.ErrorIs(t, j.Err(), context.Canceled)
}

func TestTheErrorOfASuspendedFunctionsEndedContextCancelsItsJob(t *testing.T) {
	suspended := make(later[int], 1)
	j := job.Run(context.Background(), suspended.fn)
	end := <-suspended
	assert.True(t, j.Cancel())
	end.Return(0, context.Canceled).Deliver(nil)
	<-j.Done()
	assert.Equal(t, job.Canceled, j.Status())
}

func TestTheContextOfASuspendedJobLastsAsLongAsTheJob(t *testing.T) {
	suspended, given := make(later[int], 1), make(chan context.Context, 1)
	j := job.Run(context.Background(), func(ctx context.Context) (int, error) {
		given <- ctx
		return suspended.fn(ctx)
	})
	own, end := <-given, <-suspended
	require.NoError(t, own.Err())
	end.Return(1, nil).Deliver(nil)
	_, err := j.Wait(context.Background())
	require.NoError(t, err)
	assert.ErrorIs(t, own.Err(), context.Canceled)
}

// Nothing is left of the first attempt to end the job.
func TestASuspendedFunctionWhoseErrorPanicsCanEndOtherwise(t *testing.T) {
	why := errors.New("the error panicked")
	for _, otherwise := range []struct {
		end   func(suspension.Completer[int]) continuation.Chain
		value int
		err   error
	}{
		{func(e suspension.Completer[int]) continuation.Chain { return e.Fault(why) }, 0, why},
		{func(e suspension.Completer[int]) continuation.Chain { return e.Return(7, nil) }, 7, nil},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		suspended := make(later[int], 1)
		j := job.Run(ctx, suspended.fn)
		end := <-suspended
		cancel() // from now on the error is compared
		assert.Panics(t, func() { end.Return(5, badError{}) })
		assert.False(t, j.IsCompleted())
		otherwise.end(end).Deliver(nil)
		v, err := j.GetResult()
		assert.Equal(t, otherwise.value, v)
		assert.Equal(t, otherwise.err, err)
	}
}

func TestContinuationsSuspend(t *testing.T) {
	ctx, fault := context.Background(), errors.New("fault")
	ok, failed := job.FromResult(1), job.FromError[int](fault)
	values := map[string]func(fn func(context.Context) (int, error)) *job.Job[int]{
		"New": func(fn func(context.Context) (int, error)) *job.Job[int] { return job.New(ctx, fn) },
		"ContinueWith": func(fn func(context.Context) (int, error)) *job.Job[int] {
			return job.ContinueWith(ctx, failed, func(ctx context.Context, _ *job.Job[int]) (int, error) { return fn(ctx) })
		},
		"Then": func(fn func(context.Context) (int, error)) *job.Job[int] {
			return job.Then(ctx, ok, func(ctx context.Context, _ int) (int, error) { return fn(ctx) })
		},
		"Then, synchronously": func(fn func(context.Context) (int, error)) *job.Job[int] {
			return job.Then(ctx, ok, func(ctx context.Context, _ int) (int, error) { return fn(ctx) }, job.RunSynchronously())
		},
		"Catch": func(fn func(context.Context) (int, error)) *job.Job[int] {
			return job.Catch(ctx, failed, func(ctx context.Context, _ error) (int, error) { return fn(ctx) })
		},
	}
	for name, begin := range values {
		suspended := make(later[int], 1)
		j := begin(suspended.fn)
		_ = j.Start()
		end := <-suspended
		assert.False(t, j.IsCompleted(), name)
		end.Return(7, fault).Deliver(nil)
		v, err := j.Wait(ctx)
		assert.Equal(t, 7, v, name)
		assert.Equal(t, fault, err, name)
	}
}

func TestFinallySuspendsAndKeepsTheOutcome(t *testing.T) {
	ctx, fault, late := context.Background(), errors.New("fault"), errors.New("late")
	returned := func(err error) func(suspension.Completer[job.Void]) {
		return func(end suspension.Completer[job.Void]) { end.Return(job.Void{}, err).Deliver(nil) }
	}
	for name, c := range map[string]struct {
		of     *job.Job[int]
		end    func(suspension.Completer[job.Void])
		errs   []error
		status job.Status
	}{
		"after a result":             {job.FromResult(7), returned(nil), nil, job.Completed},
		"after a failure":            {job.FromError[int](fault), returned(nil), []error{fault}, job.Faulted},
		"which fails":                {job.FromResult(7), returned(late), []error{late}, job.Faulted},
		"which fails after failure":  {job.FromError[int](fault), returned(late), []error{fault, late}, job.Faulted},
		"which panics after failure": {job.FromError[int](fault), func(end suspension.Completer[job.Void]) { end.Fault(late).Deliver(nil) }, []error{fault, late}, job.Faulted},
	} {
		suspended := make(later[job.Void], 1)
		j := job.Finally(ctx, c.of, func(context.Context) error { return suspended })
		end := <-suspended
		assert.Equal(t, job.Handle(j), end.Handle(), name)
		assert.False(t, j.IsCompleted(), name)
		c.end(end)
		v, err := j.Wait(ctx)
		want, _ := c.of.GetResult()
		assert.Equal(t, want, v, name)
		assert.Equal(t, c.status, j.Status(), name)
		for _, e := range c.errs {
			assert.ErrorIs(t, err, e, name)
		}
	}
}

func TestAWaitForASuspendedJobDoesNotCountOnItsHome(t *testing.T) {
	ctx := context.Background()
	suspended := make(later[int], 1)
	j := job.New(ctx, suspended.fn)
	done := make(chan error)
	go func() { done <- j.RunSynchronously() }()
	end := <-suspended
	assert.Equal(t, job.Running, j.Status())
	end.Return(1, nil).Deliver(nil)
	assert.NoError(t, <-done)
}

type badError struct{}

func (badError) Error() string   { return "bad" }
func (badError) Is(error) bool   { panic("in Is") }
func (e badError) Unwrap() error { return nil }

// A job that has suspended ends as what it waits for does, which may run anywhere; so the last
// thread may wait for it.
func TestTheLastThreadMayWaitForAJobThatHasSuspended(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := dedicated.New(1)
		on := job.On(s)
		suspended := make(later[int], 1)
		j := job.Run(t.Context(), suspended.fn, on)
		end := <-suspended
		waiter := job.Run(t.Context(), func(ctx context.Context) (int, error) { return j.Wait(ctx) }, on)
		synctest.Wait()
		end.Return(1, nil).Deliver(nil)
		v, err := waiter.Wait(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
		assert.NoError(t, s.Shutdown(context.Background()))
	})
}
