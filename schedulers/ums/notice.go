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

func (w *watch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.every <= 0 || w.ended || w.on.Load() {
		return
	}
	w.seen, w.missing, w.still, w.atATime = nil, [2]int{}, 0, 1
	w.last = w.of.tally.Metrics().Completed
	w.arm(w.every)
}

func (w *watch) arm(d time.Duration) {
	w.on.Store(true)
	w.pause = d
	if w.timer == nil {
		w.timer = time.AfterFunc(d, w.look)
		return
	}
	w.timer.Reset(d)
}

// end stops the timer permanently.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// look checks for blocked workers when the timer expires.
func (w *watch) look() {
	left := w.judge()
	if len(left) > 0 && schedulers.Observed() {
		schedulers.Tell(schedulers.Event{Kind: schedulers.Injected, Scheduler: w.of, Count: len(left)})
	}
	for _, d := range left {
		d.activate(Activation{Reason: WorkerBlocked, Cause: Noticed})
	}
}

// judge takes the threads from workers that seem to block, and arms the timer again if
// workers are ready.
func (w *watch) judge() (left []departure) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.of
	w.on.Store(false)
	if w.ended || s.idle.Load() > 0 || !s.lined.Load() && !s.inbox.some.Load() && s.list.Len() == 0 {
		return nil
	}
	running, moved := w.sight()
	for _, r := range running[:min(w.count(len(running), moved), len(running))] {
		if r.looks > 0 {
			if d := r.worker.notice(r.time); d.from != nil {
				left = append(left, d)
			}
		}
	}
	if len(left) > 0 {
		w.arm(min(soon, w.every))
	} else {
		w.arm(min(2*max(w.pause, w.every), longestPause*w.every))
	}
	return left
}

// count returns how many of the running workers are assumed to block.
func (w *watch) count(running int, moved bool) int {
	done := w.of.tally.Metrics().Completed
	works := done - w.last
	w.last = done
	missing := 0
	if works*uint64(shortWork) < uint64(w.pause)*uint64(w.of.threads) {
		missing = running - (w.census.Active() - 1) // without the timer's goroutine
	}
	n := min(missing, w.missing[0])
	if moved || works > 0 {
		n = min(n, w.missing[1])
		w.still, w.atATime = 0, 1
	} else if w.still += w.pause; w.still >= stalled && n <= 0 {
		n, w.still = w.atATime, 0
		w.atATime *= 2
	}
	w.missing = [2]int{missing, w.missing[0]}
	return max(0, n)
}

// sight returns the running workers, the longest-running first, and whether they have
// changed since the last check.
func (w *watch) sight() (running []sighting, moved bool) {
	l := w.of.list
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range w.of.carriers {
		worker := c.thread.carries.Load()
		if worker == nil || worker.state != Running {
			continue
		}
		r := sighting{worker: worker, time: worker.count.executed}
		i := slices.IndexFunc(w.seen, func(b sighting) bool { return b.worker == worker && b.time == r.time })
		if i < 0 {
			moved = true
		} else {
			r.looks = w.seen[i].looks + 1
		}
		running = append(running, r)
	}
	slices.SortStableFunc(running, func(a, b sighting) int { return cmp.Compare(b.looks, a.looks) })
	w.seen = running
	return running, moved
}
