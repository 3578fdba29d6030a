package simulation

import (
	"runtime"
	"time"

	"github.com/movenext/movenext/internal/census"
)

// # The rest of the world
//
// When nothing can run, a goroutine that is not simulated may still be about to
// wake something. It is tempting to wait a fixed time for it. That is too long,
// since each simulation that ends with an actor in its loop would take that time,
// and too short on a busy machine. But a goroutine that is about to do something
// runs, or could run, and Go counts these. So the driver waits until no other
// goroutine of the process runs or could run, which takes some ten microseconds.
//
// It is tempting to let time pass between two looks by a short sleep. If
// everything else is idle, Go rounds it up to a millisecond, so the driver only
// yields.
//
// A goroutine whose thread the system has preempted counts as running, so the
// driver rightly waits for it. Other tests that run at the same time count too,
// and could keep the world busy for as long as they last; hence a limit. And the
// count is not exact: a goroutine on its way from one processor's queue to
// another's is in neither. So the world must be still more than once.

const (
	// looksAtWorld is how often the driver looks before it sleeps for a
	// millisecond, and sleeps is how often it does that before it no longer
	// waits. In a bubble of testing/synctest a sleep ends when all other
	// goroutines of the bubble are blocked.
	looksAtWorld = 500
	sleeps       = 10

	// stillLooks is how many looks in a row must find the world still.
	stillLooks = 3

	// mostSettling is the longest time for all of this. It counts where other tests keep
	// a single processor busy: then each look takes as long as they may run at a time.
	mostSettling = 100 * time.Millisecond

	// mostPatience is the same before a verdict. What is late there would be reported as a
	// deadlock that is none.
	mostPatience = time.Second
)

// worldSettles waits until the goroutines that are not simulated have done what
// they can do now, and reports whether something can run now, or done has arrived: is
// closed, or has delivered its value, which is consumed then.
func (s *Scheduler) worldSettles(done <-chan struct{}) (moves, arrived bool) {
	look := func() bool {
		select {
		case <-done:
			arrived = true
		default:
		}
		return arrived || s.wakes()
	}
	settles(look)
	return look(), arrived
}

// worldWakes is worldSettles without done.
func (s *Scheduler) worldWakes() bool {
	moves, _ := s.worldSettles(nil)
	return moves
}

// lastChance waits until the rest of the world has come to rest, however busy the machine is,
// and reports whether something can run now. The next thing would be the report of a deadlock.
func (s *Scheduler) lastChance() bool {
	for begin := time.Now(); time.Since(begin) < mostPatience; time.Sleep(time.Millisecond) {
		still := becomesStill(time.Now())
		if s.wakes() {
			return true
		}
		if still {
			return false
		}
	}
	return s.wakes()
}

// settles waits until no other goroutine runs or could run, or for as long as it may, or
// until enough, which is asked before each sleep.
func settles(enough func() bool) {
	begin := time.Now()
	for range sleeps {
		if becomesStill(begin) || time.Since(begin) > mostSettling || enough() {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// becomesStill waits for a moment at which no other goroutine runs or could run, and
// reports whether one came soon. begin is when the driver began to wait.
func becomesStill(begin time.Time) bool {
	var goroutines census.Counter
	still := 0
	for range looksAtWorld {
		if time.Since(begin) > mostSettling {
			break
		}
		runtime.Gosched()
		if goroutines.Busy() > 1 {
			still = 0
		} else if still++; still == stillLooks {
			return true
		}
	}
	return false
}

// worldMoves waits for the time of the option Outside, and reports whether
// something can run now.
func (s *Scheduler) worldMoves() bool {
	time.Sleep(s.outside)
	return s.wakes()
}

// wakes reports whether something can run now.
func (s *Scheduler) wakes() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deliverEnds()
	s.collectEndedWaits()
	s.collectDueTimers()
	return s.progressPossible()
}
