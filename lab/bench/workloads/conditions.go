package workloads

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
	"github.com/movenext/movenext/statemachine"
)

// # Workloads under realistic conditions
//
// The workloads W1 to W8 run under a context that never ends, in the order that suits the library.
// No service does: its contexts end with a request, its functions are called by jobs, and it waits
// for results in any order. The workloads V1 to V8 are the same under such conditions, compared
// with goroutines that can be stopped in the same way, by a select on Done. A library that is fast
// only under Background is fast only in benchmarks.

// condition is a condition under which a program runs a work.
type condition struct {
	name string // added to the name of a contender; may be empty
	run  func(ctx context.Context, work func(context.Context) error) error
}

func runAlone(ctx context.Context, work func(context.Context) error) error { return work(ctx) }

func cancellable(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return work(ctx)
}

func withDeadline(ctx context.Context, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	return work(ctx)
}

func inAJob(ctx context.Context, work func(context.Context) error) error {
	_, err := job.Go(ctx, work).Wait(ctx)
	return err
}

func conditions() []condition {
	return []condition{{"", runAlone}, {"cancellable", cancellable}, {"deadline", withDeadline}, {"in a job", inAJob}}
}

// stoppableBase is the base that can be stopped.
const stoppableBase = "goroutines: select on Done"

// underConditions returns the contenders that perform a form of a work under every condition.
func underConditions(form string, work func(ctx context.Context, n int) error) []suite.Contender {
	var all []suite.Contender
	for _, c := range conditions() {
		name := form
		if form != "" && c.name != "" {
			name += ", "
		}
		name += c.name
		all = append(all, suite.On([]suite.Place{suite.Default}, name, "", func(ctx context.Context, _ suite.Setting) suite.Run {
			return func(_ *suite.Meter, n int) error {
				return c.run(ctx, func(ctx context.Context) error { return work(ctx, n) })
			}
		})...)
	}
	return all
}

// stoppable returns the base: goroutines under a context that can be canceled.
func stoppable(note string, work func(ctx context.Context, n int) error) suite.Contender {
	return suite.Contender{Name: stoppableBase, Note: note, Most: 2_000_000, Start: still(func(_ *suite.Meter, n int) error {
		return cancellable(context.Background(), func(ctx context.Context) error { return work(ctx, n) })
	})}
}

// variant returns the work V… that corresponds to w: its contenders are w's first base, the one
// that can be stopped, and ours.
func variant(w *suite.Work, id string, stopped suite.Contender, ours ...[]suite.Contender) *suite.Work {
	v := *w
	v.ID, v.Title = id, w.ID+" as programs meet it: "+w.Title
	v.Contenders = []suite.Contender{w.Contenders[0], stopped}
	v.Bases = []string{w.Bases[0], stoppableBase}
	v.Producers, v.Workers = false, false
	for _, some := range ours {
		v.Contenders = append(v.Contenders, some...)
	}
	return &v
}

// variants returns the workloads V1 to V8.
func variants() []*suite.Work {
	return []*suite.Work{
		variant(spawn(), "V1", stoppable("a channel for each result", spawnStoppable), underConditions("", spawnUnder)),
		variant(nested(), "V2", stoppable("a channel for each result", nestedStoppable), underConditions("await", nestedUnder)),
		variant(forkJoin(), "V3", stoppable("a channel for each result", forkJoinStoppable),
			underConditions("await", forkJoinUnder), underConditions("wait", forkJoinWaitingUnder)),
		variant(skynets(), "V4", stoppable("a channel for each node", skynetStoppable), underConditions("await", skynetUnder)),
		sleepersMet(),
		variant(suspend(), "V6b", stoppable("runtime.Gosched, and a look at Done", goschedStoppable), underConditions("", yieldsUnder)),
		variant(startAndAwait(), "V6c", stoppable("a goroutine and a channel for each", inTurnStoppable), underConditions("", roundsUnder)),
		variant(chain(), "V7", stoppable("a goroutine and a channel for each link", chainStoppable),
			underConditions("Then", chainUnder(then)), underConditions("await", chainUnder(linkAsync))),
		pingPongMet(),
		scopes(),
		shims(),
		latencyBesideEndless(),
	}
}

// awaitOr is an await that can be stopped.
func (t *future) awaitOr(ctx context.Context) (int, error) {
	select {
	case <-t.done:
		return t.value, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// startOr starts a function that can be stopped. The error does not matter to the waiter: the
// same context stops it.
func startOr(ctx context.Context, f func(context.Context) (int, error)) *future {
	return start(func() int {
		v, err := f(ctx)
		if err != nil {
			return 0
		}
		return v
	})
}

// sumOr waits for futures one after the other.
func sumOr(ctx context.Context, futures []*future) (int, error) {
	sum := 0
	for _, f := range futures {
		v, err := f.awaitOr(ctx)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}

func checkOr(v int, err error, want int) error {
	if err != nil {
		return err
	}
	return suite.Check(v, want)
}

func startOnes(n int) []*future {
	futures := make([]*future, n)
	for i := range futures {
		futures[i] = start(returnOne)
	}
	return futures
}

func spawnStoppable(ctx context.Context, n int) error {
	v, err := sumOr(ctx, startOnes(n))
	return checkOr(v, err, n)
}

func spawnUnder(ctx context.Context, n int) error {
	jobs := make([]*job.Job[int], n)
	for i := range jobs {
		jobs[i] = job.Run(ctx, one)
	}
	return sumOf(jobs, n)
}

func nestedStoppable(ctx context.Context, n int) error {
	roots := make([]*future, n)
	for i := range roots {
		roots[i] = startOr(ctx, func(ctx context.Context) (int, error) { return sumOr(ctx, startOnes(n)) })
	}
	v, err := sumOr(ctx, roots)
	return checkOr(v, err, n*n)
}

func nestedUnder(ctx context.Context, n int) error {
	roots := make([]*job.Job[int], n)
	for i := range roots {
		roots[i] = job.Run(ctx, statemachine.Func1(func(ctx context.Context) *job.Job[int] { return familyAsync(ctx, n) }))
	}
	return sumOf(roots, n*n)
}

func forkJoinStoppable(ctx context.Context, n int) error {
	v, err := fibStoppable(ctx, n)
	return checkOr(v, err, fibonacci(n))
}

func fibStoppable(ctx context.Context, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	fork := make(chan int, 1)
	go func() {
		if v, err := fibStoppable(ctx, n-1); err == nil {
			fork <- v
		}
	}()
	b, err := fibStoppable(ctx, n-2)
	if err != nil {
		return 0, err
	}
	select {
	case a := <-fork:
		return a + b, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func forkJoinUnder(ctx context.Context, n int) error {
	return sumOf([]*job.Job[int]{fibAsync(ctx, n)}, fibonacci(n))
}

func forkJoinWaitingUnder(ctx context.Context, n int) error {
	root := job.Run(ctx, func(ctx context.Context) (int, error) { return fibWaiting(ctx, n) })
	return sumOf([]*job.Job[int]{root}, fibonacci(n))
}

func skynetStoppable(ctx context.Context, n int) error {
	result := make(chan int)
	go skynetStoppableNode(ctx, result, 0, n)
	select {
	case v := <-result:
		return suite.Check(v, skynetSum(n))
	case <-ctx.Done():
		return ctx.Err()
	}
}

func skynetStoppableNode(ctx context.Context, result chan<- int, first, size int) {
	sum := first
	if size > 1 {
		sum = 0
		kids := make(chan int)
		for i := range 10 {
			go skynetStoppableNode(ctx, kids, first+i*(size/10), size/10)
		}
		for range 10 {
			select {
			case v := <-kids:
				sum += v
			case <-ctx.Done():
				return
			}
		}
	}
	select {
	case result <- sum:
	case <-ctx.Done():
	}
}

func skynetUnder(ctx context.Context, n int) error {
	return sumOf([]*job.Job[int]{skynetAsync(ctx, 0, n)}, skynetSum(n))
}

func goschedStoppable(ctx context.Context, n int) error {
	v, err := startOr(ctx, func(ctx context.Context) (int, error) {
		count := 0
		for range n {
			if err := yieldToOthers(ctx); err != nil {
				return 0, err
			}
			count++
		}
		return count, nil
	}).awaitOr(ctx)
	return checkOr(v, err, n)
}

func yieldsUnder(ctx context.Context, n int) error {
	return sumOf([]*job.Job[int]{yieldsAsync(ctx, n)}, n)
}

func inTurnStoppable(ctx context.Context, n int) error {
	sum := 0
	for range n {
		v, err := start(returnOne).awaitOr(ctx)
		if err != nil {
			return err
		}
		sum += v
	}
	return suite.Check(sum, n)
}

func roundsUnder(ctx context.Context, n int) error {
	return sumOf([]*job.Job[int]{roundsAsync(ctx, n)}, n)
}

func chainStoppable(ctx context.Context, n int) error {
	first := &future{done: make(chan struct{})}
	last := first
	for range n {
		before := last
		last = startOr(ctx, func(ctx context.Context) (int, error) {
			v, err := before.awaitOr(ctx)
			return v + 1, err
		})
	}
	close(first.done)
	v, err := last.awaitOr(ctx)
	return checkOr(v, err, n)
}

func then(ctx context.Context, j *job.Job[int]) *job.Job[int] { return job.Then(ctx, j, addOne) }

func chainUnder(next func(context.Context, *job.Job[int]) *job.Job[int]) func(context.Context, int) error {
	return func(ctx context.Context, n int) error { return chainJobs(ctx, n, next) }
}

// sleepersMet is V5. Each sleeper has its own context, like each request of a service. Each kind
// has its own base, since the contexts take more memory than the sleepers.
func sleepersMet() *suite.Work {
	w := sleepers()
	w.ID, w.Title = "V5", "W5 as programs meet it: "+w.Title
	w.Contenders, w.Bases = nil, nil
	for _, k := range []struct {
		name string
		own  func(context.Context) (context.Context, context.CancelFunc)
	}{
		{"shared context", func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }},
		{"own context", context.WithCancel},
		{"own deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Hour)
		}},
	} {
		base := goroutines + ": " + k.name
		w.Bases = append(w.Bases, base)
		w.Contenders = append(w.Contenders, suite.Contender{
			Name: base, Note: "a timer, and a select on Done", Most: 2_000_000, Start: napping(func(n int, d time.Duration, awake *atomic.Int64) error {
				return cancellable(context.Background(), func(ctx context.Context) error { return napGoroutines(ctx, n, d, awake, k.own) })
			}),
		})
		w.Contenders = append(w.Contenders, suite.On([]suite.Place{suite.Default}, k.name, "", func(ctx context.Context, s suite.Setting) suite.Run {
			return asleep(s, func(n int, d time.Duration, awake *atomic.Int64) error {
				return cancellable(ctx, func(ctx context.Context) error { return napMachines(ctx, n, d, awake, k.own) })
			})
		})...)
	}
	return w
}

// owner makes the context of one sleeper.
type owner = func(context.Context) (context.Context, context.CancelFunc)

func napGoroutines(ctx context.Context, n int, d time.Duration, awake *atomic.Int64, own owner) error {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			ctx, cancel := own(ctx)
			defer cancel()
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
				awake.Add(1)
			case <-ctx.Done():
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}

func napMachines(ctx context.Context, n int, d time.Duration, awake *atomic.Int64, own owner) error {
	jobs := make([]*job.Job[job.Void], n)
	cancels := make([]context.CancelFunc, n)
	for i := range jobs {
		var mine context.Context
		mine, cancels[i] = own(ctx)
		jobs[i] = napAsync(mine, d, awake)
	}
	for i, j := range jobs {
		if _, err := j.Wait(ctx); err != nil {
			return err
		}
		cancels[i]()
	}
	return nil
}

// pingPongMet is V8. It also runs with the sending side started first, which then waits for a
// receiver, instead of the receiver waiting for it.
func pingPongMet() *suite.Work {
	rendezvous := func(ctx context.Context, n int) error { return pingPongUnder(ctx, n, false) }
	reversed := func(ctx context.Context, n int) error { return pingPongUnder(ctx, n, true) }
	return variant(pingPong(), "V8", stoppable("two unbuffered channels", pingPongStoppable),
		underConditions("rendezvous", rendezvous), underConditions("rendezvous, reversed", reversed))
}

func pingPongUnder(ctx context.Context, n int, reversed bool) error {
	return pingPongJobs(ctx, n, coord.NewRendezvous[int](), coord.NewRendezvous[int](), reversed)
}

func pingPongStoppable(ctx context.Context, n int) error {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for range n {
			v, err := receiveOr(ctx, ping)
			if err != nil || sendOr(ctx, pong, v+1) != nil {
				return
			}
		}
	}()
	v := 0
	for range n {
		err := sendOr(ctx, ping, v+1)
		if err != nil {
			return err
		}
		if v, err = receiveOr(ctx, pong); err != nil {
			return err
		}
	}
	return suite.Check(v, 2*n)
}

func sendOr(ctx context.Context, c chan<- int, v int) error {
	select {
	case c <- v:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func receiveOr(ctx context.Context, c <-chan int) (int, error) {
	select {
	case v := <-c:
		return v, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}
