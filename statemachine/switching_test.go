package statemachine_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/ums"
	"github.com/movenext/movenext/schedulers/workstealing"
)

type shutdowner interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// targets are schedulers that one work item keeps busy. Each function returns what to shut down,
// the last first.
var targets = map[string]func() []shutdowner{
	"pool": func() []shutdowner { return []shutdowner{pool.New(pool.Workers(1, 1))} },
	"full pool": func() []shutdowner {
		return []shutdowner{pool.New(pool.Workers(1, 1), pool.QueueLimit(100, pool.Block))}
	},
	"workstealing": func() []shutdowner { return []shutdowner{workstealing.New(workstealing.Processors(1))} },
	"ums":          func() []shutdowner { return []shutdowner{ums.New(1)} },
	"eventloop":    func() []shutdowner { return []shutdowner{eventloop.Start()} },
	"dedicated":    func() []shutdowner { return []shutdowner{dedicated.New(1)} },
	"limited": func() []shutdowner {
		p := pool.New()
		return []shutdowner{p, limited.New(p, 1)}
	},
	"strand": func() []shutdowner {
		p := pool.New()
		return []shutdowner{p, exclusive.NewStrand(p)}
	},
	"priority": func() []shutdowner {
		d := dedicated.New(1)
		return []shutdowner{d, priority.New(d, 3)}
	},
	"roundrobin": func() []shutdowner {
		p := pool.New(pool.Workers(1, 1))
		return []shutdowner{p, roundrobin.New(p)}
	},
	"observed": func() []shutdowner {
		l := eventloop.Start()
		return []shutdowner{l, observed.New(l, func(observed.Event) {})}
	},
}

// moves tries to move to s, and then goes on where it is.
//
//movenext:async
func moves(ctx context.Context, s schedulers.Scheduler) (err, then error) {
	err = job.SwitchTo(ctx, s)
	job.Yield()
	return err, job.Sleep(context.WithoutCancel(ctx), 1)
}

//movenext:async
func movesInDefer(ctx context.Context, s schedulers.Scheduler) (then error) {
	defer func() {
		job.Yield()
		then = job.Sleep(context.WithoutCancel(ctx), 1)
	}()
	defer job.SwitchTo(ctx, s) //nolint:errcheck // it has no error to return
	return nil
}

// A context that ends while the target is busy ends the wait for a turn there, in each form, and
// a machine has not moved then.
func TestASwitchEndsWithItsContext(t *testing.T) {
	for name, begin := range targets {
		t.Run(name, func(t *testing.T) {
			stack := begin()
			s := stack[len(stack)-1]
			open, busy := make(chan struct{}), make(chan struct{})
			blocker := job.Go(context.Background(), func(context.Context) error { close(busy); <-open; return nil }, job.On(s))
			<-busy
			why := errors.New("enough")
			home := pool.New()
			ctx, cancel := context.WithCancelCause(schedulers.With(context.Background(), home))
			async := job.SwitchToAsync(ctx, s)
			machine, deferred := movesAsync(ctx, s), movesInDeferAsync(ctx, s)
			plain := job.Go(ctx, func(ctx context.Context) error {
				err := job.SwitchTo(ctx, s)
				if err == nil {
					return errors.New("it has had its turn")
				}
				return err
			})
			cancel(why)
			for _, j := range []job.Handle{async, plain} {
				<-j.Done()
				require.ErrorIs(t, j.Err(), why)
			}
			moved, then := machine.Wait(context.Background())
			require.ErrorIs(t, moved, why)
			require.NoError(t, then)
			_, then = deferred.Wait(context.Background())
			require.NoError(t, then)
			assert.False(t, blocker.IsCompleted())
			close(open)
			for len(stack) > 0 {
				require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
				stack = stack[:len(stack)-1]
			}
			require.NoError(t, home.Shutdown(context.Background()))
		})
	}
}

// A context that ends as the turn comes decides once: the machine goes on, here or there.
func TestASwitchWhoseContextEndsAsItsTurnComes(t *testing.T) {
	for name, begin := range targets {
		t.Run(name, func(t *testing.T) {
			stack := begin()
			s, home := stack[len(stack)-1], pool.New()
			for range 200 {
				ctx, cancel := context.WithCancel(schedulers.With(context.Background(), home))
				j := movesAsync(ctx, s)
				runtime.Gosched()
				cancel()
				moved, then := j.Wait(context.Background())
				require.NoError(t, then)
				if moved != nil {
					require.ErrorIs(t, moved, context.Canceled)
				}
			}
			for len(stack) > 0 {
				require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
				stack = stack[:len(stack)-1]
			}
			require.NoError(t, home.Shutdown(context.Background()))
		})
	}
}

// refusing refuses all work, at once or after it has accepted it.
type refusing struct{ late bool }

func (s refusing) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if s.late {
		go w.Abandon(schedulers.ErrShutdown)
		return nil
	}
	return schedulers.ErrShutdown
}

func TestAMachineWhoseTargetRefusesItStaysAtHome(t *testing.T) {
	for _, late := range []bool{false, true} {
		moved, then := movesAsync(t.Context(), refusing{late}).Await()
		require.ErrorIs(t, moved, schedulers.ErrShutdown)
		require.NoError(t, then)
	}
}

// failsWatched is a context that fails when it is watched.
type failsWatched struct {
	context.Context
	fail   func()
	begins *atomic.Bool
}

func (f failsWatched) Done() <-chan struct{} {
	if f.begins.Load() {
		f.fail()
	}
	return f.Context.Done()
}

func (f failsWatched) Err() error {
	f.begins.Store(true)
	return nil
}

// switchesUnder returns what SwitchTo panics with.
//
//movenext:async
func switchesUnder(ctx context.Context, s schedulers.Scheduler) (caught any, err error) {
	defer func() { caught = recover() }()
	err = job.SwitchTo(ctx, s)
	return nil, err
}

func TestASwitchUnderAContextThatFails(t *testing.T) {
	end, cancel := context.WithCancel(context.Background())
	defer cancel()
	caught, err := switchesUnderAsync(failsWatched{end, func() { panic("Done") }, new(atomic.Bool)}, inline.New()).Await()
	require.NoError(t, err)
	assert.Equal(t, "Done", caught)
	_, err = job.Go(context.Background(), func(context.Context) error {
		_, err := switchesUnderAsync(failsWatched{end, runtime.Goexit, new(atomic.Bool)}, inline.New()).Await()
		return err
	}).Await()
	require.ErrorIs(t, err, job.ErrGoexit)
}

//movenext:async
func movesAndEnds(ctx context.Context, s schedulers.Scheduler, end func()) error {
	err := job.SwitchTo(ctx, s)
	end()
	return err
}

// A machine that can continue neither at its target nor at its home continues on a goroutine of
// its own, and whatever it does there ends its job.
func TestASwitchThatFailsWhenItsHomeIsGone(t *testing.T) {
	s := dedicated.New(1)
	open := make(chan struct{})
	blocker := job.Go(context.Background(), func(context.Context) error { <-open; return nil }, job.On(s))
	why := errors.New("enough")
	var panicked *job.PanicError
	for _, c := range []struct {
		end   func()
		check func(error)
	}{
		{func() {}, func(err error) { require.ErrorIs(t, err, why) }},
		{func() { panic("then") }, func(err error) { require.ErrorAs(t, err, &panicked) }},
		{runtime.Goexit, func(err error) { require.ErrorIs(t, err, job.ErrGoexit) }},
	} {
		home := pool.New()
		ctx, cancel := context.WithCancelCause(schedulers.With(context.Background(), home))
		j := movesAndEndsAsync(ctx, s, c.end)
		require.NoError(t, home.Shutdown(context.Background()))
		cancel(why)
		<-j.Done()
		c.check(j.Err())
	}
	close(open)
	_, err := blocker.Await()
	require.NoError(t, err)
	require.NoError(t, s.Shutdown(context.Background()))
}
