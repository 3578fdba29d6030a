package ums

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/census"
	"github.com/movenext/movenext/schedulers"
)

const (
	// defaultNotice is how often a Scheduler looks, unless Notice says otherwise.
	defaultNotice = 5 * time.Millisecond

	// soon is the delay of the next look after a worker was noticed: if one
	// worker blocks, others probably do.
	soon = 100 * time.Microsecond

	// longestPause is the most intervals between two looks while none is noticed.
	longestPause = 16

	// shortWork is the duration below which work is not noticed: its worker is
	// back before that would help.
	shortWork = 20 * time.Microsecond

	// stalled is the time without any progress after which the longest-running worker
	// is taken to block, whatever else in the program runs.
	stalled = 100 * time.Millisecond
)

// Notice sets how often the scheduler looks for workers that block without saying
// so, while workers are ready and all threads are busy. A worker that is noticed
// gives up its thread as if it had called [Block], with the cause [Noticed]. Zero
// or less switches this off: an unmarked call then holds its thread. The default
// is 5 ms.
//
// A worker that runs at two looks loses its thread in two cases: fewer goroutines
// of the program run, or could, than workers of the scheduler do, at both looks
// and, if other work has ended between, at a third; or nothing at all has moved
// for 100 ms. So other goroutines that compute can delay it, and a worker that
// computes for long can be mistaken for one that blocks. It then continues next
// to the threads, up to its next marked call or yield.
func Notice(every time.Duration) Option { return func(s *Scheduler) { s.watch.every = every } }

// watch notices workers that block and have not said so.
//
// # What can be known
//
// A kernel sees which thread blocks. Go tells how many goroutines run or could run, and
// not which ([census]). If they are fewer than the running workers, then some of these
// wait. Which ones is a guess: those that have run for the longest time. If the guess
// is wrong, a computing worker has lost its thread, and the blocked one still has one;
// as many workers run as there are threads.
//
// One count is no evidence: a worker may wait for a mutex at that moment, or be
// on its way from a processor to a queue, where Go counts it neither as running
// nor as ready. On a busy machine, where threads are preempted in such moments,
// one look in a hundred saw too few. So only workers that two looks in a row have
// missed count, or three while other work ends.
//
// # What is done
//
// The watch takes the edge from Running to Blocked, which a goroutine may do in a
// worker's name, and activates the thread. The blocked goroutine is not touched:
// nothing in Go can hold up a goroutine that continues after blocking. So it does
// not appear on the completion list by itself. Its next marked call or yield
// brings it back, as if that were the end of its blocking; or its end does.
//
// # When it looks
//
// The timer runs while workers are ready and no thread is idle, and not otherwise:
//
//	a goroutine that makes a worker ready   the timer
//	A1 put it on the list, or in line       B1 on = false
//	A2 no thread idle, and on is false:     B2 a worker is ready, and no thread idle:
//	   on = true, arm                          on = true, arm
//
// If A2 finds on to be true, B1 comes later, and B2 sees the worker. A thread that was
// idle at A2 is on its way to the worker, and does A2 itself if it leaves one behind.
type watch struct {
	of    *Scheduler
	every time.Duration // constant after New
	on    atomic.Bool

	mu      sync.Mutex
	timer   *time.Timer
	ended   bool
	pause   time.Duration
	last    uint64 // work items that had ended at the last look
	census  census.Counter
	missing [2]int     // running workers without a running goroutine, at the last looks
	seen    []sighting // at the last look
	still   time.Duration
	atATime int // how many the next stall takes
}

// sighting is a worker that was seen to run.
type sighting struct {
	worker *Worker
	time   uint32 // the number of its execution
	looks  int    // how often it was seen before
}

// attend arms the watch for blocking, if workers are ready and no thread is idle.
func (s *Scheduler) attend() {
	if s.idle.Load() <= 0 && !s.watch.on.Load() {
		s.watch.begin()
	}
}

func (w *Worker) attend() {
	if w.of != nil {
		w.of.attend()
	}
}

func (o *watch) begin() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.every <= 0 || o.ended || o.on.Load() {
		return
	}
	o.seen, o.missing, o.still, o.atATime = nil, [2]int{}, 0, 1
	o.last = o.of.tally.Metrics().Completed
	o.arm(o.every)
}

func (o *watch) arm(d time.Duration) {
	o.on.Store(true)
	o.pause = d
	if o.timer == nil {
		o.timer = time.AfterFunc(d, o.look)
		return
	}
	o.timer.Reset(d)
}

// end stops the timer for good.
func (o *watch) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if o.timer != nil {
		o.timer.Stop()
	}
}

// look is called by the timer.
func (o *watch) look() {
	left := o.judge()
	if len(left) > 0 && schedulers.Observed() {
		schedulers.Tell(schedulers.Event{Kind: schedulers.Injected, Scheduler: o.of, Count: len(left)})
	}
	for _, d := range left {
		d.activate(Activation{Reason: WorkerBlocked, Cause: Noticed})
	}
}

// judge takes the threads of workers that block, and arms the timer again if workers
// are ready.
func (o *watch) judge() (left []departure) {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := o.of
	o.on.Store(false)
	if o.ended || s.idle.Load() > 0 || !s.lined.Load() && !s.inbox.some.Load() && s.list.Len() == 0 {
		return nil
	}
	running, moved := o.sight()
	for _, r := range running[:min(o.count(len(running), moved), len(running))] {
		if r.looks > 0 {
			if d := r.worker.notice(r.time); d.from != nil {
				left = append(left, d)
			}
		}
	}
	if len(left) > 0 {
		o.arm(min(soon, o.every))
	} else {
		o.arm(min(2*max(o.pause, o.every), longestPause*o.every))
	}
	return left
}

// count returns how many of the running workers are taken to block.
func (o *watch) count(running int, moved bool) int {
	done := o.of.tally.Metrics().Completed
	works := done - o.last
	o.last = done
	missing := 0
	if works*uint64(shortWork) < uint64(o.pause)*uint64(o.of.threads) {
		missing = running - (o.census.Active() - 1) // without the timer's goroutine
	}
	n := min(missing, o.missing[0])
	if moved || works > 0 {
		n = min(n, o.missing[1])
		o.still, o.atATime = 0, 1
	} else if o.still += o.pause; o.still >= stalled && n <= 0 {
		n, o.still = o.atATime, 0
		o.atATime *= 2
	}
	o.missing = [2]int{missing, o.missing[0]}
	return max(0, n)
}

// sight returns the running workers, the longest-running first, and whether they have
// changed since the last look.
func (o *watch) sight() (running []sighting, moved bool) {
	l := o.of.list
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range o.of.carriers {
		w := p.thread.carries.Load()
		if w == nil || w.state != Running {
			continue
		}
		r := sighting{worker: w, time: w.count.executed}
		i := slices.IndexFunc(o.seen, func(b sighting) bool { return b.worker == w && b.time == r.time })
		if i < 0 {
			moved = true
		} else {
			r.looks = o.seen[i].looks + 1
		}
		running = append(running, r)
	}
	slices.SortStableFunc(running, func(a, b sighting) int { return cmp.Compare(b.looks, a.looks) })
	o.seen = running
	return running, moved
}
