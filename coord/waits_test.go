package coord_test

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/ums"
	"github.com/movenext/movenext/schedulers/workset"
	"github.com/movenext/movenext/schedulers/workstealing"
	"github.com/movenext/movenext/statemachine"
)

// one is a part of the work that the functions below wait for.
func one(context.Context) (int, error) { return 1, nil }

// Each of these starts work at its own home and waits for the sum of the results. In the
// first form the wait blocks, so that a home with one worker has to run the work in
// place; in the second one the machine suspends, unless the wait blocks there, too.

func waitsForAll(ctx context.Context) error {
	_, err := job.WhenAll(job.Run(ctx, one), job.Run(ctx, one)).Wait(ctx)
	return err
}

func waitsForAny(ctx context.Context) error {
	_, err := job.WhenAny(job.Run(ctx, one), job.Run(ctx, one)).Wait(ctx)
	return err
}

//movenext:async
func waitsForEach(ctx context.Context) error {
	for _, err := range job.WhenEach(ctx, job.Run(ctx, one), job.Run(ctx, one)) {
		if err != nil {
			return err
		}
	}
	return nil
}

//movenext:async
func waitsForNext(ctx context.Context) error {
	c := job.CompletionsOf(job.Run(ctx, one), job.Run(ctx, one))
	for range 2 {
		if _, err := c.Next(ctx); err != nil {
			return err
		}
	}
	return nil
}

func waitsForThen(ctx context.Context) error {
	j := job.Then(ctx, job.Run(ctx, one), func(_ context.Context, n int) (int, error) { return n, nil })
	_, err := job.Finally(ctx, j, func(context.Context) error { return nil }).Wait(ctx)
	return err
}

func waitsForRace(ctx context.Context) error {
	_, err := job.Race(job.Run(ctx, one), job.Run(ctx, one)).Wait(ctx)
	return err
}

func waitsForUnwrap(ctx context.Context) error {
	outer := job.Run(ctx, func(ctx context.Context) (*job.Job[int], error) { return job.Run(ctx, one), nil })
	_, err := job.Unwrap(ctx, outer).Wait(ctx)
	return err
}

//movenext:async
func waitsForCountdown(ctx context.Context) error {
	c := coord.NewCountdown(3)
	for range 3 {
		job.Go(ctx, func(context.Context) error { c.Done(); return nil })
	}
	return c.Wait(ctx)
}

//movenext:async
func waitsForEvent(ctx context.Context) error {
	var e coord.ManualResetEvent
	job.Go(ctx, func(context.Context) error { e.Set(); return nil })
	return e.Wait(ctx)
}

//movenext:async
func waitsForScope(ctx context.Context) error {
	s := job.NewScope(ctx)
	for range 3 {
		s.Go(func(ctx context.Context) error {
			_, err := job.WhenAll(job.Run(ctx, one), job.Run(ctx, one)).Wait(ctx)
			return err
		})
	}
	return s.Wait()
}

func waitsForSet(ctx context.Context) error {
	set := workset.New(schedulers.FromContext(ctx))
	in := schedulers.With(ctx, set)
	job.Run(in, one)
	job.Run(in, one)
	return set.Wait(ctx)
}

//movenext:async
func waitsForObject(ctx context.Context) error {
	p := coord.NewObjectPool(1, func(ctx context.Context) *job.Job[int] { return job.Run(ctx, one) })
	held, err := p.Get(ctx)
	if err != nil {
		return err
	}
	job.Go(ctx, func(context.Context) error { p.Put(held); return nil })
	v, err := p.Get(ctx)
	if err != nil {
		return err
	}
	p.Put(v)
	return p.Use(ctx, func(context.Context, int) error { return nil })
}

//movenext:async
func waitsForSelect(ctx context.Context) error {
	c := coord.NewUnbounded[int]()
	job.Go(ctx, func(context.Context) error { return c.TrySend(1) })
	sent := false
	for i := range 2 {
		var v int
		j := job.Run(ctx, one)
		chosen, err := coord.Select(ctx, coord.OnReceive(c, &v), coord.OnEnd(j), coord.OnTimeout(time.Minute))
		if err != nil || chosen == 2 || chosen == 0 && v != 1 {
			return errors.Join(err, errors.New("not what was sent"))
		}
		sent = sent || chosen == 0
		if i == 1 && !sent {
			_, err := c.Receive(ctx)
			return err
		}
	}
	return nil
}

//movenext:async
func waitsForGrant(ctx context.Context) error {
	var m coord.Mutex
	s := coord.NewSemaphore(1)
	if !m.TryLock() || !s.TryAcquire(1) {
		return errors.New("not free")
	}
	job.Go(ctx, func(context.Context) error { m.Unlock(); return nil })
	chosen, err := coord.Select(ctx, coord.OnAcquire(s, 1), coord.OnLock(&m))
	if err != nil {
		return err
	}
	if chosen != 1 || m.TryLock() {
		return errors.New("the lock is not held")
	}
	m.Unlock()
	return nil
}

//movenext:async
func waitsForMeeting(ctx context.Context) error {
	to, from := coord.NewRendezvous[int](), coord.NewRendezvous[int]()
	other := job.Run(ctx, func(ctx context.Context) (int, error) {
		return coord.Select(ctx, coord.OnSend(from, 1), coord.OnReceive[int](to, nil))
	})
	var v int
	chosen, err := coord.Select(ctx, coord.OnSend(to, 2), coord.OnReceive(from, &v))
	if err != nil {
		return err
	}
	met, err := other.Await()
	if err == nil && (met == chosen || v != chosen) {
		err = errors.New("another select was met")
	}
	return err
}

func waitsForMachine(ctx context.Context) error {
	_, err := suspendsAsync(ctx).Wait(ctx)
	return err
}

func waitsForMachines(ctx context.Context) error {
	_, err := job.WhenAll(suspendsAsync(ctx), suspendsAsync(ctx)).Wait(ctx)
	return err
}

func waitsForTwin(ctx context.Context) error {
	_, err := job.Run(ctx, statemachine.Func1(suspendsAsync)).Wait(ctx)
	return err
}

//movenext:async
func suspends(ctx context.Context) error {
	job.Yield()
	return job.Sleep(ctx, time.Microsecond)
}

// calls waits in a plain call of a machine, whose context knows no worker.
//
//movenext:async
func calls(ctx context.Context, plain func(context.Context) error) error {
	job.Yield()
	return plain(ctx)
}

//movenext:async
func exits(ctx context.Context, cleaned *bool) error {
	defer func() {
		_ = suspends(ctx)
		*cleaned = true
	}()
	job.Yield()
	runtime.Goexit()
	return nil
}

//movenext:async
func callsExits(ctx context.Context, cleaned *bool) error {
	defer suspends(ctx) //nolint:errcheck // only its suspension matters
	return exits(ctx, cleaned)
}

// called calls a function in a machine that never suspends.
//
//movenext:async
func called(ctx context.Context, f func(context.Context) error) error { return f(ctx) }

// wait is a function in both forms.
type wait struct {
	plain func(context.Context) error
	twin  func(context.Context) *job.Job[job.Void]
}

// blocking is a wait that blocks in both forms.
func blocking(f func(context.Context) error) wait {
	return wait{f, func(ctx context.Context) *job.Job[job.Void] { return calledAsync(ctx, f) }}
}

// waits are all of them, in both forms.
var waits = map[string]wait{
	"WhenAll":   blocking(waitsForAll),
	"WhenAny":   blocking(waitsForAny),
	"WhenEach":  {waitsForEach, waitsForEachAsync},
	"Next":      {waitsForNext, waitsForNextAsync},
	"Then":      blocking(waitsForThen),
	"Race":      blocking(waitsForRace),
	"Unwrap":    blocking(waitsForUnwrap),
	"Countdown": {waitsForCountdown, waitsForCountdownAsync},
	"event":     {waitsForEvent, waitsForEventAsync},
	"scope":     {waitsForScope, waitsForScopeAsync},
	"workset":   blocking(waitsForSet),
	"object":    {waitsForObject, waitsForObjectAsync},
	"select":    {waitsForSelect, waitsForSelectAsync},
	"grant":     {waitsForGrant, waitsForGrantAsync},
	"meeting":   {waitsForMeeting, waitsForMeetingAsync},
	"machine":   blocking(waitsForMachine),
	"machines":  blocking(waitsForMachines),
	"Func1":     blocking(waitsForTwin),
}

type shutdowner interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// homes are the schedulers with one worker, alone and beneath others, and some with more
// workers. Each function returns the schedulers to shut down, the last first.
var homes = map[string]func() []shutdowner{
	"pool":   func() []shutdowner { return []shutdowner{pool.New()} },
	"pool 1": func() []shutdowner { return []shutdowner{pool.New(pool.Workers(1, 1))} },
	"pool of a bounded queue": func() []shutdowner {
		return []shutdowner{pool.New(pool.Workers(2, 2), pool.QueueLimit(2, pool.Block))}
	},
	"workstealing 1": func() []shutdowner { return []shutdowner{workstealing.New(workstealing.Processors(1))} },
	"ums 1":          func() []shutdowner { return []shutdowner{ums.New(1)} },
	"eventloop":      func() []shutdowner { return []shutdowner{eventloop.Start()} },
	"dedicated 1":    func() []shutdowner { return []shutdowner{dedicated.New(1)} },
	"dedicated 2":    func() []shutdowner { return []shutdowner{dedicated.New(2)} },
	"limited 1 over pool": func() []shutdowner {
		p := pool.New()
		return []shutdowner{p, limited.New(p, 1)}
	},
	"limited 1 over dedicated": func() []shutdowner {
		d := dedicated.New(1)
		return []shutdowner{d, limited.New(d, 1)}
	},
	"strand over pool": func() []shutdowner {
		p := pool.New(pool.Workers(1, 1))
		return []shutdowner{p, exclusive.NewStrand(p)}
	},
	"strand over dedicated": func() []shutdowner {
		d := dedicated.New(1)
		return []shutdowner{d, exclusive.NewStrand(d)}
	},
	"strand over an event loop": func() []shutdowner {
		l := eventloop.Start()
		return []shutdowner{l, exclusive.NewStrand(l)}
	},
	"priority over dedicated": func() []shutdowner {
		d := dedicated.New(1)
		return []shutdowner{d, priority.New(d, 3)}
	},
	"roundrobin over dedicated": func() []shutdowner {
		d := dedicated.New(1)
		return []shutdowner{d, roundrobin.New(d)}
	},
	"strand over roundrobin over dedicated": func() []shutdowner {
		d := dedicated.New(1)
		r := roundrobin.New(d)
		return []shutdowner{d, r, exclusive.NewStrand(r)}
	},
	"observed over an event loop": func() []shutdowner {
		l := eventloop.Start()
		return []shutdowner{l, observed.New(l, func(observed.Event) {})}
	},
	"strand over goroutines": func() []shutdowner {
		g := goroutine.New()
		return []shutdowner{g, exclusive.NewStrand(g)}
	},
	"pool of one with room for one": func() []shutdowner {
		return []shutdowner{pool.New(pool.Workers(1, 1), pool.QueueLimit(1, pool.Block))}
	},
	"limited over a strand over dedicated": func() []shutdowner {
		d := dedicated.New(1)
		s := exclusive.NewStrand(d)
		return []shutdowner{d, s, limited.New(s, 1)}
	},
}

// TestNoWaitHangsSilently makes every composite wait on every home, in both forms: each
// succeeds or reports that it would never end.
func TestNoWaitHangsSilently(t *testing.T) {
	for home, begin := range homes {
		for what, wait := range waits {
			forms := map[string]func(context.Context) *job.Job[job.Void]{
				"plain":                              func(ctx context.Context) *job.Job[job.Void] { return job.Go(ctx, wait.plain) },
				"twin":                               func(ctx context.Context) *job.Job[job.Void] { return job.Run(ctx, statemachine.Func1(wait.twin)) },
				"twin that does not know its worker": wait.twin,
				"plain without a worker": func(ctx context.Context) *job.Job[job.Void] {
					return job.Go(ctx, func(context.Context) error { return wait.plain(ctx) })
				},
				"plain in a machine": func(ctx context.Context) *job.Job[job.Void] { return callsAsync(ctx, wait.plain) },
			}
			for form, start := range forms {
				t.Run(home+"/"+what+"/"+form, func(t *testing.T) {
					stack := begin()
					top := stack[len(stack)-1]
					started := make(chan *job.Job[job.Void], 1)
					ctx := schedulers.With(context.Background(), top)
					// From outside, but not on this goroutine: a machine's first step
					// may be refused the wait, and then blocks.
					job.Go(context.Background(), func(context.Context) error { started <- start(ctx); return nil })
					within(t, func() {
						_, err := (<-started).Wait(context.Background())
						if !errors.Is(err, schedulers.ErrWouldDeadlock) {
							require.NoError(t, err)
						}
						for len(stack) > 0 {
							require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
							stack = stack[:len(stack)-1]
						}
					})
				})
			}
		}
	}
}

// A goroutine that exits cannot suspend: a deferred call that would suspend blocks
// there, and notifies its worker.
func TestADeferredCallThatSuspendsWhileTheGoroutineExits(t *testing.T) {
	for home, begin := range homes {
		for form, start := range map[string]func(context.Context, *bool) *job.Job[job.Void]{
			"itself": exitsAsync, "below a caller": callsExitsAsync,
		} {
			t.Run(home+"/"+form, func(t *testing.T) {
				stack := begin()
				within(t, func() {
					cleaned := false
					ctx := schedulers.With(context.Background(), stack[len(stack)-1])
					_, err := start(ctx, &cleaned).Wait(context.Background())
					require.ErrorIs(t, err, job.ErrGoexit)
					require.True(t, cleaned)
					for len(stack) > 0 {
						require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
						stack = stack[:len(stack)-1]
					}
				})
			})
		}
	}
}

// Work from outside and work of the waiting job are in one queue, on a single thread:
// only the latter runs on top of the wait; the former runs later.
func TestAWaitOnTopOfAQueueThatOthersUseToo(t *testing.T) {
	for _, home := range []string{"priority over dedicated", "roundrobin over dedicated", "strand over roundrobin over dedicated"} {
		t.Run(home, func(t *testing.T) {
			stack := homes[home]()
			ctx := schedulers.With(context.Background(), stack[len(stack)-1])
			within(t, func() {
				begun, queued := make(chan struct{}), make(chan struct{})
				waiting := job.Go(ctx, func(ctx context.Context) error {
					close(begun)
					<-queued
					c := coord.NewCountdown(20)
					for range 20 {
						job.Go(ctx, func(context.Context) error { c.Done(); return nil })
					}
					return c.Wait(ctx)
				})
				<-begun
				var others []*job.Job[int]
				for range 20 {
					others = append(others, job.Run(ctx, one))
				}
				close(queued)
				_, err := waiting.Wait(context.Background())
				require.NoError(t, err)
				_, err = job.WhenAll(others...).Wait(context.Background())
				require.NoError(t, err)
				for len(stack) > 0 {
					require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
					stack = stack[:len(stack)-1]
				}
			})
		})
	}
}

// within fails the test if f takes forever: a hanging test would not show where.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Error("hangs")
	}
}

func TestATwinAndALockThatAFunctionLeavesBehindLiveOn(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var held coord.Mutex
	require.NoError(t, held.Lock(ctx))
	type left struct{ twin, lock *job.Job[job.Void] }
	l, err := job.Run(ctx, func(ctx context.Context) (left, error) {
		_ = ctx.Done() // makes a real context, which could end
		return left{suspendsAsync(ctx), held.LockAsync(ctx)}, nil
	}).Wait(ctx)
	require.NoError(t, err)
	_, err = l.twin.Wait(ctx)
	require.NoError(t, err)
	held.Unlock()
	_, err = l.lock.Wait(ctx)
	require.NoError(t, err)
	held.Unlock()
}

// TestALoopThatYieldsLetsWorkFromOutsideRun yields in plain code, on every home: the other
// work was queued before, so it runs within a bounded number of yields.
func TestALoopThatYieldsLetsWorkFromOutsideRun(t *testing.T) {
	for home, begin := range homes {
		t.Run(home, func(t *testing.T) {
			stack := begin()
			ctx := schedulers.With(context.Background(), stack[len(stack)-1])
			within(t, func() {
				begun, queued := make(chan struct{}), make(chan struct{})
				var other *job.Job[int]
				yielding := job.Go(ctx, func(context.Context) error {
					close(begun)
					<-queued
					for !other.IsCompleted() {
						job.Yield()
					}
					return nil
				})
				<-begun
				other = job.Run(ctx, one)
				close(queued)
				_, err := yielding.Wait(context.Background())
				require.NoError(t, err)
				for len(stack) > 0 {
					require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
					stack = stack[:len(stack)-1]
				}
			})
		})
	}
}

// borrowsOnce borrows an object and gives it back.
//
//movenext:async
func borrowsOnce(ctx context.Context, p *coord.ObjectPool[int]) error {
	v, err := p.Get(ctx)
	if err == nil {
		p.Put(v)
	}
	return err
}

// TestTheWaitForAMakerThatIgnoresItsContextEnds ends the context of a caller while its object is
// made, on every home. The object goes to another caller, with the only room of the pool.
func TestTheWaitForAMakerThatIgnoresItsContextEnds(t *testing.T) {
	forms := map[string]func(context.Context, *coord.ObjectPool[int]) *job.Job[job.Void]{
		"plain": func(ctx context.Context, p *coord.ObjectPool[int]) *job.Job[job.Void] {
			return job.Go(ctx, func(ctx context.Context) error { return borrowsOnce(ctx, p) })
		},
		"machine": borrowsOnceAsync,
		"plain without a worker": func(ctx context.Context, p *coord.ObjectPool[int]) *job.Job[job.Void] {
			return job.Go(ctx, func(context.Context) error { return borrowsOnce(ctx, p) })
		},
	}
	makers := map[string]func(context.Context, <-chan struct{}) *job.Job[int]{
		"elsewhere": func(_ context.Context, made <-chan struct{}) *job.Job[int] {
			return job.Run(context.Background(), func(context.Context) (int, error) { <-made; return 7, nil })
		},
		"a promise": func(_ context.Context, made <-chan struct{}) *job.Job[int] {
			s := job.NewSource[int]()
			go func() { <-made; s.TrySetResult(7) }()
			return s.Job()
		},
		"not started": func(_ context.Context, made <-chan struct{}) *job.Job[int] {
			return job.New(context.Background(), func(context.Context) (int, error) { <-made; return 7, nil })
		},
	}
	for home, begin := range homes {
		for form, start := range forms {
			for maker, make := range makers {
				t.Run(home+"/"+form+"/"+maker, func(t *testing.T) {
					stack := begin()
					ctx, cancel := context.WithCancelCause(schedulers.With(context.Background(), stack[len(stack)-1]))
					within(t, func() { givesUpOnAMaker(t, ctx, cancel, start, make) })
					for len(stack) > 0 {
						require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
						stack = stack[:len(stack)-1]
					}
				})
			}
		}
	}
}

func givesUpOnAMaker(
	t *testing.T, ctx context.Context, cancel context.CancelCauseFunc,
	start func(context.Context, *coord.ObjectPool[int]) *job.Job[job.Void],
	make func(context.Context, <-chan struct{}) *job.Job[int],
) {
	t.Helper()
	begun, made := newSignal(), newSignal()
	p := coord.NewObjectPool(1, func(ctx context.Context) *job.Job[int] {
		close(begun)
		return make(ctx, made)
	})
	first := start(ctx, p)
	<-begun
	cancel(errGone)
	_, err := first.Wait(context.Background())
	require.ErrorIs(t, err, errGone, "it does not wait for the maker")
	second := p.GetAsync(context.Background())
	close(made)
	v, err := second.Wait(context.Background())
	require.NoError(t, err)
	require.Equal(t, 7, v)
	p.Put(v)
	require.Equal(t, coord.ObjectPoolMetrics{In: 1, Made: 1}, p.Metrics())
}

var errGone = errors.New("the caller is gone")

func newSignal() chan struct{} { return make(chan struct{}) }

// exitingWaits are the functions whose call may run work in place. Each waits for work that
// calls runtime.Goexit, and then uses what it has waited with once more.
var exitingWaits = map[string]func(context.Context) error{
	"Wait": func(ctx context.Context) error { _, err := job.Run(ctx, exitsAtOnce).Wait(ctx); return err },
	"WhenAll": func(ctx context.Context) error {
		_, err := job.WhenAll(job.Run(ctx, one), job.Run(ctx, exitsAtOnce)).Wait(ctx)
		return err
	},
	"Then": func(ctx context.Context) error {
		_, err := job.Then(ctx, job.Run(ctx, one), func(ctx context.Context, _ int) (int, error) { return exitsAtOnce(ctx) }).Wait(ctx)
		return err
	},
	"Scope": func(ctx context.Context) error { s := job.NewScope(ctx); s.Go(exitsInScope); return s.Wait() },
	"InScope": func(ctx context.Context) error {
		return job.InScope(ctx, func(_ context.Context, s *job.Scope) error { s.Go(exitsInScope); return nil })
	},
}

func exitsAtOnce(context.Context) (int, error) { runtime.Goexit(); return 0, nil }

func exitsInScope(context.Context) error { runtime.Goexit(); return nil }

// TestAWaitForWorkThatExitsLosesNothing waits, in a job on every home, for work that exits: the
// waiter goes on with ErrGoexit or ends with it, its deferred calls are made, and what is
// queued behind it runs.
func TestAWaitForWorkThatExitsLosesNothing(t *testing.T) {
	for home, begin := range homes {
		var lazy *coord.Lazy[int]
		var flights coord.SingleFlight[string, int]
		all := map[string]func(context.Context) error{
			"Lazy":         func(ctx context.Context) error { _, err := lazy.Get(ctx); return err },
			"SingleFlight": func(ctx context.Context) error { _, err := flights.Do(ctx, "key", exitsAtOnce); return err },
		}
		maps.Copy(all, exitingWaits)
		for what, wait := range all {
			t.Run(home+"/"+what, func(t *testing.T) {
				stack := begin()
				ctx := schedulers.With(context.Background(), stack[len(stack)-1])
				lazy = coord.NewLazy(exitsAtOnce)
				within(t, func() {
					for range 2 { // the second time, nothing is left of the first
						cleaned := make(chan struct{})
						_, err := job.Go(ctx, func(ctx context.Context) error { defer close(cleaned); return wait(ctx) }).Wait(context.Background())
						if !errors.Is(err, schedulers.ErrWouldDeadlock) {
							require.ErrorIs(t, err, job.ErrGoexit)
						}
						<-cleaned
						v, err := job.Run(ctx, one).Wait(context.Background())
						require.NoError(t, err)
						require.Equal(t, 1, v)
					}
				})
				for len(stack) > 0 {
					require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
					stack = stack[:len(stack)-1]
				}
			})
		}
	}
}
