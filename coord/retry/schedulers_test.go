package retry_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/internal/everyscheduler"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/simulation"
)

// plain is a caller whose plain form is the function of a job. The job starts on a goroutine of
// its own, since it may end it.
func plain(call caller) starter {
	return func(ctx context.Context, s *server, p retry.Policy, opts ...retry.Option) *job.Job[int] {
		j := job.New(ctx, func(ctx context.Context) (int, error) { return call(ctx, s, p, opts...) })
		started := make(chan struct{})
		go func() {
			defer close(started)
			_ = j.Start() // a refusal is the job's error, too
		}()
		<-started
		return j
	}
}

// drive lets a scheduler run that does not run by itself, until j has ended.
func drive(kind everyscheduler.Kind, s everyscheduler.Scheduler, j *job.Job[int]) {
	if m, ok := s.(*manual.Scheduler); ok {
		for !j.IsCompleted() {
			turn := make(chan struct{})
			go func() { // a call that exits ends it
				defer close(turn)
				m.RunAll()
				m.Advance(time.Millisecond)
			}()
			<-turn
		}
		return
	}
	if kind.Drive != nil {
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-j.Done(); cancel() }()
		kind.Drive(ctx, s)
	}
	<-j.Done()
}

func TestAllFormsOnEveryScheduler(t *testing.T) {
	for _, kind := range everyscheduler.Kinds() {
		for form, start := range map[string]starter{
			"plain": plain(doMethod), "literal": doLiteralAsync, "name": doNameAsync, "method": doMethodAsync,
			"hedge": hedgeMethodAsync,
		} {
			for name, c := range map[string]struct {
				last  error
				n     int
				err   string
				calls int
			}{
				"succeeds": {errWorks, 2, "", 3},
				"fails":    {retry.Permanent(errBad), 2, "bad request", 3},
				"panics":   {errPanics, 0, "job: panic: a bug", 3},
				"exits":    {errExits, 0, job.ErrGoexit.Error(), 3},
				"canceled": {errLeaves, 2, "context canceled: the client is gone", 3},
			} {
				t.Run(kind.Name+"/"+form+"/"+name, func(t *testing.T) {
					below := goroutine.New()
					s := kind.New(below)
					if kind.Name == "manual" && form == "plain" {
						// The wait blocks the goroutine that drives scheduler and clock.
						require.NoError(t, s.Shutdown(context.Background()))
						return
					}
					ctx, cancel := context.WithCancelCause(schedulers.With(context.Background(), s))
					defer cancel(nil)
					began := time.Now()
					server := &server{
						script: []error{errBusy, errBusy, c.last}, takes: time.Millisecond,
						now:   func() time.Duration { return time.Since(began) },
						leave: func() { cancel(errGone) },
					}
					j := start(ctx, server, retry.Constant(3*time.Millisecond), retry.Attempts(3))
					drive(kind, s, j)
					n, err := j.GetResult()
					if c.err == "" {
						require.NoError(t, err)
						assert.Equal(t, c.n, n)
					} else {
						assert.EqualError(t, err, c.err)
					}
					assert.Len(t, server.at, c.calls)
					require.NoError(t, s.Shutdown(context.Background()))
					require.NoError(t, below.Shutdown(context.Background()))
				})
			}
		}
	}
}

// The limit of time is that of the scheduler's clock, which no real time passes for.
func TestWithinIsOfTheSchedulersTime(t *testing.T) {
	for form, start := range map[string]starter{"plain": plain(doMethod), "machine": doMethodAsync, "hedge": hedgeMethodAsync} {
		t.Run(form, func(t *testing.T) {
			s := simulation.New(1)
			server := &server{script: busy(99), takes: time.Hour, now: s.Now}
			ctx := s.Context(context.Background())
			j := start(ctx, server, retry.Constant(2*time.Hour), retry.Within(10*time.Hour))
			require.NoError(t, s.Run())
			require.ErrorIs(t, j.Err(), errBusy)
			if form == "hedge" {
				assert.Equal(t, 11*time.Hour, s.Now())
				assert.Len(t, server.at, 6)
			} else {
				assert.Equal(t, 10*time.Hour, s.Now())
				assert.Len(t, server.at, 4)
			}
		})
	}
}

// On one worker five hundred callers wait in a call, and then in a pause.
func TestMachinesHoldNoGoroutine(t *testing.T) {
	for form, start := range map[string]starter{
		"literal": doLiteralAsync, "name": doNameAsync, "method": doMethodAsync, "hedge": hedgeMethodAsync,
	} {
		t.Run(form, func(t *testing.T) {
			one := pool.New(pool.Workers(1, 1))
			ctx, cancel := context.WithCancel(schedulers.With(context.Background(), one))
			calling := &server{script: []error{errStays}, now: func() time.Duration { return 0 }}
			pausing := &server{script: []error{errBusy}, now: calling.now}
			_, err := job.Go(ctx, func(context.Context) error { return nil }).Await() // starts the worker
			require.NoError(t, err)
			before := runtime.NumGoroutine()
			var jobs []*job.Job[int]
			for range 250 {
				calling.script = append(calling.script, errStays)
				pausing.script = append(pausing.script, errBusy)
			}
			for range 250 {
				jobs = append(jobs,
					start(ctx, calling, retry.Constant(time.Hour)), start(ctx, pausing, retry.Constant(time.Hour)))
			}
			for calling.waits.Load()+pausing.waits.Load() < 500 {
				runtime.Gosched()
			}
			assert.Less(t, runtime.NumGoroutine()-before, 10)
			cancel()
			for _, j := range jobs {
				_, err := j.Wait(context.Background())
				require.ErrorIs(t, err, context.Canceled)
				assert.Equal(t, job.Canceled, j.Status(), err)
			}
			require.NoError(t, one.Shutdown(context.Background()))
		})
	}
}
