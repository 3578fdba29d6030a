package statemachine_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/everyscheduler"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

var (
	errFlush = errors.New("the data could not be flushed")
	errFirst = errors.New("the first failure")
)

// flushesAtEnd waits until it is canceled, and then fails to clean up. It joins the two errors, as
// Go programs do.
//
//movenext:async
func flushesAtEnd(ctx context.Context, began chan<- struct{}) (err error) {
	defer func() { err = errors.Join(err, errFlush) }()
	close(began)
	return job.Sleep(ctx, time.Hour)
}

// flushesFinally is the same with the means of package job.
func flushesFinally(ctx context.Context, began chan<- struct{}) error {
	close(began)
	canceled := job.Go(ctx, func(ctx context.Context) error { return job.Sleep(ctx, time.Hour) })
	_, err := job.Finally(context.WithoutCancel(ctx), canceled, func(context.Context) error { return errFlush }).Wait(context.WithoutCancel(ctx))
	return err
}

// An error that contains the end of a context and a failure is a failure, on every scheduler, in
// both forms, wherever a context ends.
func TestAFailureBesideACancellationIsNotLost(t *testing.T) { //nolint:funlen // a table of all forms
	type function func(ctx context.Context, began chan<- struct{}) error
	forms := map[string]function{
		"plain":   flushesAtEnd,
		"finally": flushesFinally,
		"machine": func(ctx context.Context, began chan<- struct{}) error {
			_, err := flushesAtEndAsync(ctx, began).Wait(context.WithoutCancel(ctx))
			return err
		},
	}
	bg := context.Background()
	ends := map[string]func(ctx context.Context, fn function) (job.Status, error){
		"a job is canceled": func(ctx context.Context, fn function) (job.Status, error) {
			began := make(chan struct{})
			j := job.Go(ctx, func(ctx context.Context) error { return fn(ctx, began) })
			<-began
			j.Cancel()
			_, err := j.Wait(bg)
			return j.Status(), err
		},
		"a job's context ends with a cause": func(ctx context.Context, fn function) (job.Status, error) {
			ctx, cancel := context.WithCancelCause(ctx)
			began := make(chan struct{})
			j := job.Go(ctx, func(ctx context.Context) error { return fn(ctx, began) })
			<-began
			cancel(errFirst)
			_, err := j.Wait(bg)
			return j.Status(), err
		},
		"a scope is canceled": func(ctx context.Context, fn function) (job.Status, error) {
			s := job.NewScope(ctx)
			began := make(chan struct{})
			s.Go(func(ctx context.Context) error { return fn(ctx, began) })
			<-began
			s.Cancel(nil)
			err := s.Wait()
			return s.WaitAsync().Status(), err
		},
		"a child with a handle": func(ctx context.Context, fn function) (job.Status, error) {
			s := job.NewScope(ctx)
			began := make(chan struct{})
			job.Spawn(s, func(ctx context.Context) (job.Void, error) { return job.Void{}, fn(ctx, began) })
			<-began
			s.Cancel(nil)
			err := s.Wait()
			return s.WaitAsync().Status(), err
		},
		"the body of a scope": func(ctx context.Context, fn function) (job.Status, error) {
			ctx, cancel := context.WithCancel(ctx)
			began := make(chan struct{})
			j := job.InScopeAsync(ctx, func(ctx context.Context, _ *job.Scope) error { return fn(ctx, began) })
			<-began
			cancel()
			_, err := j.Wait(bg)
			return j.Status(), err
		},
		"all of several jobs": func(ctx context.Context, fn function) (job.Status, error) {
			began := make(chan struct{})
			a := job.Go(ctx, func(ctx context.Context) error { return fn(ctx, began) })
			b := job.Go(ctx, func(ctx context.Context) error { return job.Sleep(ctx, time.Hour) })
			<-began
			a.Cancel()
			b.Cancel()
			all := job.WhenAll(b, a)
			_, err := all.Wait(bg)
			return all.Status(), err
		},
		"a race that nobody wins": func(ctx context.Context, fn function) (job.Status, error) {
			began := make(chan struct{})
			a := job.Go(ctx, func(ctx context.Context) error { return fn(ctx, began) })
			<-began
			a.Cancel()
			first := job.Race(a)
			_, err := first.Wait(bg)
			return first.Status(), err
		},
		"a parallel loop whose context ends": func(ctx context.Context, fn function) (job.Status, error) {
			ctx, cancel := context.WithCancel(ctx)
			began := make(chan struct{})
			j := parallel.ForEachAsync(ctx, []func(context.Context) error{
				func(ctx context.Context) error { return job.Sleep(ctx, time.Hour) },
				func(ctx context.Context) error { return fn(ctx, began) },
			}, func(ctx context.Context, f func(context.Context) error) *job.Job[job.Void] { return job.Go(ctx, f) }, parallel.Degree(2))
			<-began
			cancel()
			_, err := j.Wait(bg)
			return j.Status(), err
		},
	}
	for name, start := range inOrder() {
		for form, fn := range forms {
			for how, end := range ends {
				if form != "machine" && name != "pool" && how == "a parallel loop whose context ends" {
					continue // two functions that wait at a time
				}
				t.Run(name+"/"+form+"/"+how, func(t *testing.T) {
					s, shutdown := start()
					status, err := end(schedulers.With(bg, s), fn)
					assert.Equal(t, job.Faulted, status)
					assert.ErrorIs(t, err, errFlush)
					require.NoError(t, shutdown(bg))
				})
			}
		}
	}
}

// failsThen is a child that fails, and one that is canceled for that.
//
//movenext:async
func failsThen(ctx context.Context, then error) error {
	return job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		began := make(chan struct{})
		s.Go(func(ctx context.Context) error { return flushesAtEnd(ctx, began) })
		<-began
		if then != nil {
			panic(then)
		}
		s.Go(func(context.Context) error { return errFirst })
		return nil
	})
}

func TestASiblingThatFailsDoesNotHideWhatItsCancellationBreaks(t *testing.T) {
	for _, on := range []shutdowner{
		pool.New(pool.Workers(4, 4)), workstealing.New(workstealing.Processors(4)), dedicated.New(4), goroutine.New(),
	} {
		ctx := schedulers.With(context.Background(), on)
		_, plain := job.Go(ctx, func(ctx context.Context) error { return failsThen(ctx, nil) }).Wait(context.Background())
		_, machine := failsThenAsync(ctx, nil).Wait(context.Background())
		for _, err := range []error{plain, machine} {
			assert.ErrorIs(t, err, errFlush, "%T", on)
			assert.ErrorIs(t, err, errFirst, "%T", on)
		}
		require.NoError(t, on.Shutdown(context.Background()))
	}
}

// The panic of a scope's body is the only error of the call; the failures of the children go to
// the hook.
func TestAPanicOfAScopesBodyDoesNotHideTheFailuresOfItsChildren(t *testing.T) {
	job.ReportUnobserved() // what earlier tests have left
	heard := make(chan error, 10)
	defer job.OnUnobserved(job.OnUnobserved(func(f job.Failure) { heard <- f.Err }))
	errPanic := errors.New("panic")
	for name, run := range map[string]func(ctx context.Context) *job.Job[job.Void]{
		"plain": func(ctx context.Context) *job.Job[job.Void] {
			return job.Go(ctx, func(ctx context.Context) error { return failsThen(ctx, errPanic) })
		},
		"machine": func(ctx context.Context) *job.Job[job.Void] { return failsThenAsync(ctx, errPanic) },
		"the job": func(ctx context.Context) *job.Job[job.Void] {
			began := make(chan struct{})
			return job.InScopeAsync(ctx, func(_ context.Context, s *job.Scope) error {
				s.Go(func(ctx context.Context) error { return flushesAtEnd(ctx, began) })
				<-began
				panic(errPanic)
			})
		},
	} {
		_, err := run(context.Background()).Wait(context.Background())
		require.ErrorIs(t, err, errPanic, name)
		assert.Equal(t, 1, job.ReportUnobserved(), name)
		assert.ErrorIs(t, <-heard, errFlush, name)
	}
}

// panicsLater panics after its first wait.
//
//movenext:async
func panicsLater(ctx context.Context) error {
	if _, err := job.Go(ctx, func(context.Context) error { return nil }).Await(); err != nil {
		return err
	}
	panic("forgotten")
}

// Without a hook, a panic that nobody hears of is written to standard error, in both forms.
func TestAPanicThatNobodyHearsOfIsWritten(t *testing.T) {
	job.ReportUnobserved()
	for _, kind := range everyscheduler.Kinds() {
		for form, start := range map[string]func(ctx context.Context) *job.Job[job.Void]{
			"plain":   func(ctx context.Context) *job.Job[job.Void] { return job.Go(ctx, panicsLater) },
			"machine": panicsLaterAsync,
		} {
			t.Run(kind.Name+"/"+form, func(t *testing.T) {
				below := goroutine.New()
				s := kind.New(below)
				j := start(schedulers.With(context.Background(), s))
				if kind.Drive != nil {
					ctx, cancel := context.WithCancel(context.Background())
					go func() { <-j.Done(); cancel() }()
					kind.Drive(ctx, s)
				}
				<-j.Done() // looks at nothing
				read, write, err := os.Pipe()
				require.NoError(t, err)
				before := os.Stderr
				os.Stderr = write
				reported := job.ReportUnobserved()
				os.Stderr = before
				require.NoError(t, write.Close())
				said, err := io.ReadAll(read)
				require.NoError(t, err)
				require.NoError(t, read.Close())
				assert.Equal(t, 1, reported)
				assert.Contains(t, string(said), "job: panic: forgotten\n\n")
				assert.Contains(t, string(said), "cleanup_test.go", "the stack")
				require.NoError(t, s.Shutdown(context.Background()))
				require.NoError(t, below.Shutdown(context.Background()))
			})
		}
	}
}
