package statemachine_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/inline"
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

// order records what has run, in order.
type order struct {
	mu  sync.Mutex
	ran []string
}

func (o *order) add(name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ran = append(o.ran, name)
}

// job returns a function that adds its name.
func (o *order) job(name string) func(context.Context) error {
	return func(context.Context) error { o.add(name); return nil }
}

// givesWay queues two jobs at its own scheduler, and yields, or does so by awaiting the job of
// YieldAsync.
//
//movenext:async
func givesWay(ctx context.Context, o *order, byHand bool) error {
	a, b := job.Go(ctx, o.job("queued")), job.Go(ctx, o.job("queued"))
	if !byHand {
		job.Yield()
	} else if _, err := job.YieldAsync().Await(); err != nil {
		return err
	}
	o.add("continued")
	_, err := job.WhenAll(a, b).Await()
	return err
}

// givesWayUntil yields until stop is true, and returns how often.
//
//movenext:async
func givesWayUntil(ctx context.Context, stop *atomic.Bool) int {
	n := 0
	for !stop.Load() {
		job.Yield()
		n++
	}
	return n
}

// With nothing else to run, the machine stays on its worker. The other work comes from outside
// and from a timer.
func TestAMachineThatOnlyYieldsLetsOtherWorkRun(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	ctx := schedulers.With(t.Context(), p)
	for range 100 {
		var stop atomic.Bool
		j := givesWayUntilAsync(ctx, &stop)
		other := job.Run(ctx, func(context.Context) (int, error) { return 1, nil })
		_, err := other.Wait(t.Context())
		require.NoError(t, err)
		_, err = job.SleepAsync(ctx, time.Microsecond).Wait(t.Context())
		require.NoError(t, err)
		stop.Store(true)
		_, err = j.Wait(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, p.Shutdown(context.Background()))
	m := p.Metrics()
	assert.Equal(t, m.Submitted, m.Completed)
}

func TestEachYieldIsCounted(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	ctx := schedulers.With(t.Context(), p)
	const n = 1000
	turns := 0
	_, err := givesWayTimesAsync(ctx, n, &turns).Wait(t.Context())
	require.NoError(t, err)
	require.NoError(t, p.Shutdown(context.Background()))
	assert.Equal(t, n, turns)
	assert.GreaterOrEqual(t, p.Metrics().Completed, uint64(n))
	assert.Equal(t, p.Metrics().Submitted, p.Metrics().Completed)
}

// givesWayTimes yields n times and counts that in turns.
//
//movenext:async
func givesWayTimes(ctx context.Context, n int, turns *int) int {
	for range n {
		job.Yield()
		*turns++
	}
	return n
}

// inOrder are schedulers that run one work item at a time, in the order of arrival.
func inOrder() map[string]func() (on schedulers.Scheduler, end func(context.Context) error) {
	over := func(f func(p schedulers.Scheduler) schedulers.Scheduler) func() (schedulers.Scheduler, func(context.Context) error) {
		return func() (schedulers.Scheduler, func(context.Context) error) {
			p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
			return f(p), p.Shutdown
		}
	}
	alone := func(f func() shutdowner) func() (schedulers.Scheduler, func(context.Context) error) {
		return func() (schedulers.Scheduler, func(context.Context) error) {
			s := f()
			return s, s.Shutdown
		}
	}
	return map[string]func() (schedulers.Scheduler, func(context.Context) error){
		"pool":         over(func(p schedulers.Scheduler) schedulers.Scheduler { return p }),
		"dedicated":    alone(func() shutdowner { return dedicated.New(1) }),
		"eventloop":    alone(func() shutdowner { return eventloop.Start() }),
		"ums":          alone(func() shutdowner { return ums.New(1) }),
		"workstealing": alone(func() shutdowner { return workstealing.New(workstealing.Processors(1), workstealing.Patience(0)) }),
		"strand":       over(func(p schedulers.Scheduler) schedulers.Scheduler { return exclusive.NewStrand(p) }),
		"limited":      over(func(p schedulers.Scheduler) schedulers.Scheduler { return limited.New(p, 1) }),
		"priority":     over(func(p schedulers.Scheduler) schedulers.Scheduler { return priority.New(p, 2) }),
		"roundrobin":   over(func(p schedulers.Scheduler) schedulers.Scheduler { return roundrobin.New(p) }),
		"workset":      over(func(p schedulers.Scheduler) schedulers.Scheduler { return workset.New(p) }),
		"observed":     over(func(p schedulers.Scheduler) schedulers.Scheduler { return observed.New(p, func(observed.Event) {}) }),
	}
}

// replaced are the schedulers that run another worker while plain code waits, so that
// their order is not that of one worker.
var replaced = []string{"pool", "workset", "observed"}

func TestYieldGivesWayWhereItRuns(t *testing.T) {
	// A turn at the default scheduler would come at once, before anything that is queued.
	job.SetDefaultScheduler(inline.New())
	defer job.SetDefaultScheduler(nil)
	forms := map[string]func(ctx context.Context, o *order, byHand bool) *job.Job[job.Void]{
		"plain": func(ctx context.Context, o *order, byHand bool) *job.Job[job.Void] {
			return job.Go(ctx, func(ctx context.Context) error { return givesWay(ctx, o, byHand) })
		},
		"machine": func(ctx context.Context, o *order, byHand bool) *job.Job[job.Void] {
			return job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[job.Void] {
				return givesWayAsync(ctx, o, byHand)
			}))
		},
	}
	for name, start := range inOrder() {
		for form, run := range forms {
			for _, byHand := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/by hand %v", name, form, byHand), func(t *testing.T) {
					s, end := start()
					o := new(order)
					_, err := run(schedulers.With(context.Background(), s), o, byHand).Wait(context.Background())
					require.NoError(t, err)
					want := []string{"queued", "queued", "continued"}
					if slices.Contains(replaced, name) && form == "plain" {
						assert.ElementsMatch(t, want, o.ran)
					} else {
						assert.Equal(t, want, o.ran)
					}
					require.NoError(t, end(context.Background()))
				})
			}
		}
	}
}

func TestYieldWhereNothingIsQueued(t *testing.T) {
	for name, s := range map[string]schedulers.Scheduler{"inline": inline.New(), "goroutine": goroutine.New()} {
		ctx := schedulers.With(context.Background(), s)
		o := new(order)
		_, err := job.Go(ctx, func(ctx context.Context) error { return givesWay(ctx, o, false) }).Wait(ctx)
		require.NoError(t, err, name)
		_, err = givesWayAsync(ctx, o, true).Wait(ctx)
		require.NoError(t, err, name)
		assert.Len(t, o.ran, 6)
	}
	job.Yield() // outside of all
}

// takes takes a value once: of the next job, of the puller, or of the job of NextAsync.
//
//movenext:async
func takes(ctx context.Context, way string, c *job.Completions[int], p *job.Puller[int]) (v int, err error) {
	switch way {
	case "next job":
		var j *job.Job[int]
		if j, err = c.Next(ctx); err == nil {
			v, err = j.GetResult()
		}
	case "puller":
		v, err = p.Next(ctx)
	case "by hand":
		v, err = p.NextAsync(ctx).Await()
	}
	return v, err
}

// The machine is made from the plain form, which is not called here.
var _ = takes

func TestAValueIsNotLostWithTheHomeOfItsWaiter(t *testing.T) {
	for _, way := range []string{"next job", "puller", "by hand"} {
		first, second := job.NewSource[int](), job.NewSource[int]()
		c := job.CompletionsOf(first.Job(), second.Job())
		values := job.StreamOf(func(yield func(int, error) bool) {
			_ = yield(first.Job().Await()) && yield(second.Job().Await())
		}).Pull()

		s := pool.New(pool.Workers(1, 1))
		j := takesAsync(schedulers.With(context.Background(), s), way, c, values)
		require.NoError(t, s.Shutdown(context.Background()), way)
		first.TrySetResult(1)
		v, err := j.Wait(context.Background())
		require.NoError(t, err, way)
		assert.Equal(t, 1, v)

		second.TrySetResult(2) // and the next caller gets the next
		if way == "next job" {
			next, err := c.Next(context.Background())
			require.NoError(t, err)
			v, err = next.GetResult()
			require.NoError(t, err)
		} else {
			v, err = values.Next(context.Background())
			require.NoError(t, err)
			require.NoError(t, values.Stop(context.Background()))
		}
		assert.Equal(t, 2, v)
	}
}
