package workloads

import (
	"context"
	"errors"
	"runtime"
	"runtime/pprof"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
	"github.com/movenext/movenext/statemachine"
)

// daily returns the workloads U1 to U8: what programs do all day, under contexts that can be
// canceled. Their base is a goroutine that waits in a select with Done.
func daily() []*suite.Work {
	return []*suite.Work{
		suspendingChildren(),
		droppedTwins(),
		sleepOnce(),
		scopesOfTwo(),
		retries(),
		timeouts(),
		requests(),
		backoffs(),
	}
}

// stoppedBy returns a contender whose run has a context that can be canceled.
func stoppedBy(name, note string, work func(ctx context.Context, n int) error) suite.Contender {
	return suite.Contender{Name: name, Note: note, Start: still(func(_ *suite.Meter, n int) error {
		return cancellable(context.Background(), func(ctx context.Context) error { return work(ctx, n) })
	})}
}

// machine returns the contender of this library whose root is a machine that counts to want.
func machine(name, note string, root func(ctx context.Context, n int) *job.Job[int], want func(n int) int) suite.Contender {
	return stoppedBy(name, note, func(ctx context.Context, n int) error {
		v, err := root(ctx, n).Wait(ctx)
		return checkOr(v, err, want(n))
	})
}

func itself(n int) int { return n }

// suspendingChildren is U1: V9 with children that suspend.
func suspendingChildren() *suite.Work {
	return &suite.Work{
		ID:      "U1",
		Title:   "start a hundred children of a scope that suspend once, and wait for them",
		Op:      "child",
		N:       1_000_000,
		Size:    hundreds,
		Bases:   []string{group},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: []suite.Contender{
			stoppedBy(group, "runtime.Gosched in each child", func(ctx context.Context, n int) error {
				var done atomic.Int64
				for range n {
					g, ctx := errgroup.WithContext(ctx)
					for range children {
						g.Go(func() error {
							done.Add(1)
							return yieldToOthers(ctx)
						})
					}
					if err := g.Wait(); err != nil {
						return err
					}
				}
				return suite.Check(done.Load(), int64(n*children))
			}),
			stoppedBy("movenext", "a literal of a machine is the child", childrenOf(broodAsync)),
			stoppedBy("movenext: Start", "a twin is the child", childrenOf(startedBroodAsync)),
		},
	}
}

// childrenOf runs scopes of a hundred children each, which count.
func childrenOf(scope func(ctx context.Context, children int, done *atomic.Int64) *job.Job[job.Void]) func(context.Context, int) error {
	return func(ctx context.Context, n int) error {
		var done atomic.Int64
		for range n {
			if _, err := scope(ctx, children, &done).Wait(ctx); err != nil {
				return err
			}
		}
		return suite.Check(done.Load(), int64(n*children))
	}
}

// droppedTwins is U2: the life of a job that nobody keeps.
func droppedTwins() *suite.Work {
	return &suite.Work{
		ID:      "U2",
		Title:   "start a function that suspends once, await it and drop it, again and again",
		Op:      "twin",
		N:       1_000_000,
		Bases:   []string{stoppableBase},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: []suite.Contender{
			stoppedBy(stoppableBase, "a goroutine and a channel for each", func(ctx context.Context, n int) error {
				sum := 0
				for range n {
					v, err := startOr(ctx, pauseForOthers).awaitOr(ctx)
					if err != nil {
						return err
					}
					sum += v
				}
				return suite.Check(sum, n)
			}),
			machine("movenext", "", droppedAsync, itself),
			stoppedBy("movenext: wait", "plain code starts the twin and waits", func(ctx context.Context, n int) error {
				sum := 0
				for range n {
					v, err := pausedAsync(ctx).Wait(ctx)
					if err != nil {
						return err
					}
					sum += v
				}
				return suite.Check(sum, n)
			}),
		},
	}
}

func pauseForOthers(ctx context.Context) (int, error) { return 1, yieldToOthers(ctx) }

// sleepOnce is U3: W5 with jobs that begin on a worker.
func sleepOnce() *suite.Work {
	return &suite.Work{
		ID:      "U3",
		Title:   "jobs that sleep once and end; the time is what is beyond the sleep",
		Op:      "job",
		N:       100_000,
		Once:    true,
		Bases:   []string{stoppableBase},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs, suite.Memory},
		Contenders: []suite.Contender{
			{Name: stoppableBase, Note: "a timer for each", Start: napping(stoppedNaps(func(ctx context.Context, n int, d time.Duration, awake *atomic.Int64) error {
				return napGoroutines(ctx, n, d, awake, shared)
			}))},
			{Name: "movenext", Note: "a literal of a machine is the job", Start: napping(stoppedNaps(func(ctx context.Context, n int, d time.Duration, awake *atomic.Int64) error {
				_, err := sleepyJobsAsync(ctx, n, d, awake).Wait(ctx)
				return err
			}))},
		},
	}
}

func shared(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }

// stoppedNaps gives sleepers a context that can be canceled.
func stoppedNaps(sleep func(context.Context, int, time.Duration, *atomic.Int64) error) bed {
	return func(n int, d time.Duration, awake *atomic.Int64) error {
		return cancellable(context.Background(), func(ctx context.Context) error { return sleep(ctx, n, d, awake) })
	}
}

// scopesOfTwo is U4: two things at the same time, the smallest scope.
func scopesOfTwo() *suite.Work {
	return &suite.Work{
		ID:      "U4",
		Title:   "do two things in a scope and wait for both",
		Op:      "scope",
		N:       300_000,
		Bases:   []string{group},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: []suite.Contender{
			stoppedBy(group, "", func(ctx context.Context, n int) error {
				sum := 0
				for range n {
					g, ctx := errgroup.WithContext(ctx)
					var a, b int
					g.Go(func() (err error) { a, err = one(ctx); return err })
					g.Go(func() (err error) { b, err = one(ctx); return err })
					if err := g.Wait(); err != nil {
						return err
					}
					sum += a + b
				}
				return suite.Check(sum, 2*n)
			}),
			machine("movenext", "", pairsAsync, func(n int) int { return 2 * n }),
			stoppedBy("movenext: wait", "the plain form: it blocks its goroutine", func(ctx context.Context, n int) error {
				v, err := pairs(ctx, n)
				return checkOr(v, err, 2*n)
			}),
		},
	}
}

// retries is U5: an operation succeeds at its third attempt, after two pauses.
func retries() *suite.Work {
	return &suite.Work{
		ID:      "U5",
		Title:   "operations that succeed at the third attempt; the time is what is beyond the two pauses",
		Op:      "operation",
		N:       100_000,
		Once:    true,
		Bases:   []string{stoppableBase},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs, suite.Memory},
		Contenders: []suite.Contender{
			{Name: stoppableBase, Note: "a timer for each pause", Start: napping(stoppedNaps(func(ctx context.Context, n int, d time.Duration, done *atomic.Int64) error {
				g, ctx := errgroup.WithContext(ctx)
				for range n {
					g.Go(func() error {
						for attempt := range attempts {
							if err := try(attempt); err == nil {
								break
							}
							if err := sleepOr(ctx, d/(attempts-1)); err != nil {
								return err
							}
						}
						done.Add(1)
						return nil
					})
				}
				return g.Wait()
			}))},
			{Name: "movenext", Start: napping(stoppedNaps(func(ctx context.Context, n int, d time.Duration, done *atomic.Int64) error {
				jobs := make([]*job.Job[job.Void], n)
				for i := range jobs {
					jobs[i] = retriedAsync(ctx, d/(attempts-1), done)
				}
				return waitForAll(ctx, jobs)
			}))},
		},
	}
}

const attempts = 3

var errBusy = errors.New("workloads: try again")

// try fails but for the last attempt.
func try(attempt int) error {
	if attempt < attempts-1 {
		return errBusy
	}
	return nil
}

func sleepOr(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func waitForAll(ctx context.Context, jobs []*job.Job[job.Void]) error {
	for _, j := range jobs {
		if _, err := j.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// timeouts is U6: a wait with a timeout of its own, which does not happen.
func timeouts() *suite.Work {
	return &suite.Work{
		ID:      "U6",
		Title:   "start something and await it with a timeout of its own, in turn",
		Op:      "await",
		N:       300_000,
		Bases:   []string{stoppableBase},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: []suite.Contender{
			stoppedBy(stoppableBase, "a goroutine and a channel for each", func(ctx context.Context, n int) error {
				sum := 0
				for range n {
					v, err := within(ctx, func(ctx context.Context) (int, error) { return startOr(ctx, pauseForOthers).awaitOr(ctx) })
					if err != nil {
						return err
					}
					sum += v
				}
				return suite.Check(sum, n)
			}),
			machine("movenext", "", limitedAsync, itself),
			machine("movenext: WaitTimeout", "only the wait has the timeout", patientAsync, itself),
		},
	}
}

// within calls f with a timeout.
func within(ctx context.Context, f func(context.Context) (int, error)) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	return f(ctx)
}

// requests is U7: a request with a context of its own makes ten calls, each of which starts
// something and waits for it.
func requests() *suite.Work {
	return &suite.Work{
		ID:      "U7",
		Title:   "a hundred requests at a time with ten calls each, which wait",
		Op:      "request",
		N:       100_000,
		Size:    hundreds,
		Bases:   []string{stoppableBase},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: []suite.Contender{
			stoppedBy(stoppableBase, "a goroutine for a request, and one for each call", func(ctx context.Context, n int) error {
				return batches(ctx, n, func(ctx context.Context) func() (int, error) {
					f := startOr(ctx, func(ctx context.Context) (int, error) {
						ctx, cancel := context.WithCancel(ctx)
						defer cancel()
						sum := 0
						for range calls {
							v, err := startOr(ctx, pauseForOthers).awaitOr(ctx)
							if err != nil {
								return 0, err
							}
							sum += v
						}
						return sum, nil
					})
					return func() (int, error) { return f.awaitOr(ctx) }
				})
			}),
			stoppedBy("movenext", "a job for a request, a call of an annotated function for each call", requestsOf(func(ctx context.Context) *job.Job[int] {
				return job.Run(ctx, statemachine.Func1(requestAsync))
			})),
			stoppedBy("movenext: jobs", "a job for each call, too", requestsOf(func(ctx context.Context) *job.Job[int] {
				return job.Run(ctx, statemachine.Func1(requestOfJobsAsync))
			})),
		},
	}
}

const calls = 10

func requestsOf(begin func(context.Context) *job.Job[int]) func(context.Context, int) error {
	return func(ctx context.Context, n int) error {
		return batches(ctx, n, func(ctx context.Context) func() (int, error) {
			j := begin(ctx)
			return func() (int, error) { return j.Wait(ctx) }
		})
	}
}

// batches runs n times a hundred requests. begin starts one, and returns how to wait for it.
func batches(ctx context.Context, n int, begin func(context.Context) func() (int, error)) error {
	sum := 0
	for range n {
		var ends [children]func() (int, error)
		for i := range ends {
			ends[i] = begin(ctx)
		}
		for _, end := range ends {
			v, err := end()
			if err != nil {
				return err
			}
			sum += v
		}
	}
	return suite.Check(sum, n*children*calls)
}

// backoffs is U8: deliveries whose receiver is away. Each has what a real one has: labels for the
// profiler, a timeout, and the state of its retries. It reports what they keep alive while all
// of them wait.
func backoffs() *suite.Work {
	return &suite.Work{
		ID:      "U8",
		Title:   "fifty thousand deliveries in backoff at once, with labels and a timeout each",
		Op:      "delivery",
		N:       50_000,
		Once:    true,
		Bases:   []string{stoppableBase},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs, suite.Memory},
		Contenders: []suite.Contender{
			{Name: stoppableBase, Note: "a goroutine and a timer for each", Start: delivering(deliverByGoroutines)},
			{Name: "movenext", Note: "as the how-to pages write it: a child of a scope", Start: delivering(func(ctx context.Context, d *deliveries) func() error {
				j := deliverInScopeAsync(ctx, d)
				return func() error {
					_, err := j.Wait(ctx)
					return err
				}
			})},
			{Name: "movenext: twins", Note: "no scope, and the labels are in the context", Start: delivering(func(ctx context.Context, d *deliveries) func() error {
				jobs := make([]*job.Job[job.Void], d.n)
				for i := range jobs {
					jobs[i] = deliverAsync(pprof.WithLabels(ctx, labelsOf(i)), d)
				}
				return func() error { return waitForAll(ctx, jobs) }
			})},
		},
	}
}

// deliveries is a run of U8.
type deliveries struct {
	n     int
	pause time.Duration

	waiting, done atomic.Int64
	allWait       chan struct{} // closed once all of them wait for the first time
}

// backOff notes that a delivery is about to wait.
func (d *deliveries) backOff(attempt int) {
	if attempt == 0 && d.waiting.Add(1) == int64(d.n) {
		close(d.allWait)
	}
}

func labelsOf(i int) pprof.LabelSet { return pprof.Labels("delivery", strconv.Itoa(i)) }

// delivering turns the start of deliveries into a contender's Start. begin starts all of them, and
// returns how to wait for their end.
func delivering(begin func(context.Context, *deliveries) (end func() error)) func(suite.Setting) (suite.Run, func()) {
	return func(s suite.Setting) (suite.Run, func()) {
		return func(m *suite.Meter, n int) error {
			return cancellable(context.Background(), func(ctx context.Context) error {
				before := alive()
				d := &deliveries{n: n, pause: s.Nap / (attempts - 1), allWait: make(chan struct{})}
				end := begin(ctx, d)
				<-d.allWait
				m.Report("bytes each", float64(alive()-before)/float64(n))
				if err := end(); err != nil {
					return err
				}
				m.Exclude(s.Nap)
				return suite.Check(d.done.Load(), int64(n))
			})
		}, func() {}
	}
}

// alive returns the bytes of live objects and of stacks.
func alive() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func deliverByGoroutines(ctx context.Context, d *deliveries) func() error {
	g, ctx := errgroup.WithContext(ctx)
	for i := range d.n {
		g.Go(func() (err error) {
			pprof.Do(ctx, labelsOf(i), func(ctx context.Context) {
				ctx, cancel := context.WithTimeout(ctx, time.Hour)
				defer cancel()
				for attempt := range attempts {
					if try(attempt) == nil {
						break
					}
					d.backOff(attempt)
					if err = sleepOr(ctx, d.pause); err != nil {
						return
					}
				}
				d.done.Add(1)
			})
			return err
		})
	}
	return g.Wait
}
