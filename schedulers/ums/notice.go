package ums

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/census"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

const (
	// defaultNotice is the time between two checks, unless Notice sets another.
	defaultNotice = 5 * time.Millisecond

	// nextCheckDelay is the delay of the next check after a worker was noticed: if one worker
	// blocks, others probably do.
	nextCheckDelay = 100 * time.Microsecond

	// maxPause is the largest number of intervals between two checks. The pause grows
	// while no worker is noticed.
	maxPause = 16

	// shortWork is the duration below which work is not noticed: its worker is
	// back before that would help.
	shortWork = 20 * time.Microsecond

	// stallTimeout is the time without any progress after which the longest-running worker is
	// assumed to block, whatever else in the program runs.
	stallTimeout = 100 * time.Millisecond
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
func Notice(every time.Duration) Option { return func(s *Scheduler) { s.watch.interval = every } }

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
// One count is not evidence: a worker may wait for a mutex at that moment, or be
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
//	A1 put it on the list or in queue       B1 armed = false
//	A2 no thread idle, armed is false:      B2 a worker is ready, and no thread idle:
//	   armed = true, start the timer           armed = true, start the timer
//
// If A2 reads armed as true, B1 follows, and B2 sees the worker. A thread that was idle at A2
// is on its way to the worker, and does A2 itself if it leaves another one behind.
type watch struct {
	scheduler *Scheduler
	interval  time.Duration // constant after New
	armed     atomic.Bool

	mu            sync.Mutex
	timer         *time.Timer
	stopped       bool
	pause         time.Duration
	lastCompleted uint64 // work items that had ended at the last check
	census        census.Counter
	missing       [2]int     // running workers without a running goroutine, at the last checks
	lastRunning   []sighting // at the last check
	noProgress    time.Duration
	nextBatch     int // how many workers lose their threads at the next stall
}

// sighting is a worker that was found running.
type sighting struct {
	worker    *Worker
	execution uint32 // the number of its execution
	checks    int    // how many earlier checks have found it in that execution
}

// watchIfBusy arms the watch, if workers are ready and no thread is idle.
func (s *Scheduler) watchIfBusy() {
	if s.idle.Load() <= 0 && !s.watch.armed.Load() {
		s.watch.start()
	}
}

func (w *Worker) watchIfBusy() {
	if w.scheduler != nil {
		w.scheduler.watchIfBusy()
	}
}

func (w *watch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.interval <= 0 || w.stopped || w.armed.Load() {
		return
	}
	w.lastRunning, w.missing, w.noProgress, w.nextBatch = nil, [2]int{}, 0, 1
	w.lastCompleted = w.scheduler.tally.Metrics().Completed
	w.arm(w.interval)
}

func (w *watch) arm(d time.Duration) {
	w.armed.Store(true)
	w.pause = d
	if w.timer == nil {
		w.timer = time.AfterFunc(d, w.check)
		return
	}
	w.timer.Reset(d)
}

// stop stops the timer permanently.
func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// check looks for blocked workers when the timer expires.
func (w *watch) check() {
	left := w.detachBlocked()
	if len(left) > 0 && probe.On(probe.Events) {
		schedulers.Tell(schedulers.Event{Kind: schedulers.Injected, Scheduler: w.scheduler, Count: len(left)})
	}
	for _, d := range left {
		d.activate(Activation{Reason: WorkerBlocked, Cause: Noticed})
	}
}

// detachBlocked takes the threads from workers that seem to block, and arms the timer again if
// workers are ready.
func (w *watch) detachBlocked() (left []departure) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.scheduler
	w.armed.Store(false)
	if w.stopped || s.idle.Load() > 0 || !s.hasReady.Load() && !s.inbox.nonEmpty.Load() && s.list.Len() == 0 {
		return nil
	}
	running, changed := w.listRunning()
	for _, r := range running[:min(w.countBlocked(len(running), changed), len(running))] {
		if r.checks > 0 {
			if d := r.worker.notice(r.execution); d.thread != nil {
				left = append(left, d)
			}
		}
	}
	if len(left) > 0 {
		w.arm(min(nextCheckDelay, w.interval))
	} else {
		w.arm(min(2*max(w.pause, w.interval), maxPause*w.interval))
	}
	return left
}

// countBlocked returns how many of the running workers are assumed to block.
func (w *watch) countBlocked(running int, changed bool) int {
	done := w.scheduler.tally.Metrics().Completed
	items := done - w.lastCompleted
	w.lastCompleted = done
	missing := 0
	if items*uint64(shortWork) < uint64(w.pause)*uint64(w.scheduler.threads) {
		missing = running - (w.census.Active() - 1) // without the timer's goroutine
	}
	n := min(missing, w.missing[0])
	if changed || items > 0 {
		n = min(n, w.missing[1])
		w.noProgress, w.nextBatch = 0, 1
	} else if w.noProgress += w.pause; w.noProgress >= stallTimeout && n <= 0 {
		n, w.noProgress = w.nextBatch, 0
		w.nextBatch *= 2
	}
	w.missing = [2]int{missing, w.missing[0]}
	return max(0, n)
}

// listRunning returns the running workers, the longest-running first, and whether they have
// changed since the last check.
func (w *watch) listRunning() (running []sighting, changed bool) {
	l := w.scheduler.list
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range w.scheduler.loops {
		worker := c.thread.current.Load()
		if worker == nil || worker.state != Running {
			continue
		}
		r := sighting{worker: worker, execution: worker.count.executed}
		i := slices.IndexFunc(w.lastRunning, func(b sighting) bool { return b.worker == worker && b.execution == r.execution })
		if i < 0 {
			changed = true
		} else {
			r.checks = w.lastRunning[i].checks + 1
		}
		running = append(running, r)
	}
	slices.SortStableFunc(running, func(a, b sighting) int { return cmp.Compare(b.checks, a.checks) })
	w.lastRunning = running
	return running, changed
}
