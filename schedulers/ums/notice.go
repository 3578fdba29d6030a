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
	// defaultNotice is the time between two checks, unless Notice sets another.
	defaultNotice = 5 * time.Millisecond

	// soon is the delay of the next check after a worker was noticed: if one worker
	// blocks, others probably do.
	soon = 100 * time.Microsecond

	// longestPause is the largest number of intervals between two checks. The pause grows
	// while no worker is noticed.
	longestPause = 16

	// shortWork is the duration below which work is not noticed: its worker is
	// back before that would help.
	shortWork = 20 * time.Microsecond

	// stalled is the time without any progress after which the longest-running worker is
	// assumed to block, whatever else in the program runs.
	stalled = 100 * time.Millisecond
)

// Notice sets how often the scheduler checks for workers that block in unmarked calls,
// while workers are ready and all threads are busy. A worker that is noticed gives up its
// thread as if it had called [Block], with the cause [Noticed]. Zero or less switches this
// off: an unmarked call then holds its thread. The default is 5 ms.
//
// A worker that runs at two consecutive checks loses its thread in two cases. In the first,
// fewer goroutines of the program are running or runnable than the scheduler has running
// workers; this must hold at both checks and, if other work has ended in between, at a
// third. In the second, nothing at all has made progress for 100 ms. So other goroutines
// that compute can delay the detection, and a worker that computes for long can be
// mistaken for one that blocks. It then continues in addition to the threads, up to its
// next marked call or yield.
func Notice(every time.Duration) Option { return func(s *Scheduler) { s.watch.every = every } }

// watch notices workers that block in unmarked calls.
//
// # What can be known
//
// A kernel knows which thread blocks. Go reports how many goroutines are running or
// runnable, but not which ([census]). If they are fewer than the running workers, then
// some of these workers wait. The watch guesses that it is those that have run for the
// longest time. If the guess is wrong, a computing worker has lost its thread, and the
// blocked worker has kept one; as many workers run as there are threads.
//
// One count is no evidence: a worker may wait for a mutex at that moment, or be
// on its way from a processor to a queue, where Go counts it neither as running
// nor as ready. On a busy machine, where threads are preempted at such moments, one check
// in a hundred counted too few. So a missing worker counts only after two checks in a row,
// or after three while other work ends.
//
// # What is done
//
// The watch takes the edge from Running to Blocked, which a goroutine may do on a
// worker's behalf, and activates the thread. The blocked goroutine is not touched:
// nothing in Go can hold up a goroutine that continues after blocking. So it does
// not appear on the completion list by itself. Its next marked call or yield
// brings it back, as if that were the end of its blocking; or its end does.
//
// # When it checks
//
// The timer runs while workers are ready and no thread is idle, and not otherwise:
//
//	a goroutine that makes a worker ready   the timer
//	A1 put it on the list, or in line       B1 on = false
//	A2 no thread idle, and on is false:     B2 a worker is ready, and no thread idle:
//	   on = true, arm                          on = true, arm
//
// If A2 reads on as true, B1 follows, and B2 sees the worker. A thread that was idle at A2
// is on its way to the worker, and does A2 itself if it leaves another one behind.
type watch struct {
	of    *Scheduler
	every time.Duration // constant after New
	on    atomic.Bool

	mu      sync.Mutex
	timer   *time.Timer
	ended   bool
	pause   time.Duration
	last    uint64 // work items that had ended at the last check
	census  census.Counter
	missing [2]int     // running workers without a running goroutine, at the last checks
	seen    []sighting // at the last check
	still   time.Duration
	atATime int // how many workers lose their threads at the next stall
}

// sighting is a worker that was found running.
type sighting struct {
	worker *Worker
	time   uint32 // the number of its execution
	looks  int    // how many earlier checks have found it in that execution
}

// attend arms the watch, if workers are ready and no thread is idle.
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

// end stops the timer permanently.
func (o *watch) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = true
	if o.timer != nil {
		o.timer.Stop()
	}
}

// look checks for blocked workers when the timer expires.
func (o *watch) look() {
	left := o.judge()
	if len(left) > 0 && schedulers.Observed() {
		schedulers.Tell(schedulers.Event{Kind: schedulers.Injected, Scheduler: o.of, Count: len(left)})
	}
	for _, d := range left {
		d.activate(Activation{Reason: WorkerBlocked, Cause: Noticed})
	}
}

// judge takes the threads from workers that seem to block, and arms the timer again if
// workers are ready.
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

// count returns how many of the running workers are assumed to block.
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
// changed since the last check.
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
