package runloop

import (
	"time"

	"github.com/movenext/movenext/internal/interleave"
)

// Watch is the timer of a scheduler that checks now and then how far its workers have come. The
// scheduler's lock guards it.
//
// It is all that such checks share. What a check does differs: the pool allows more workers
// after intervals without progress, replaces workers that wait, and stops sparing workers when
// work becomes long; package workstealing takes processors away.
type Watch struct {
	// Expired is called without the lock when an interval has passed. It takes the lock, calls
	// End, and may call Arm again. Set it before the first Arm.
	Expired func()

	// LastProgress is the sum of the workers' steps when the interval began. It is for use by
	// the scheduler.
	LastProgress uint64

	timer *interleave.Timer // made by the first Arm
	armed bool
}

// Arm begins an interval of length d.
func (w *Watch) Arm(d time.Duration) {
	w.armed = true
	if w.timer == nil {
		w.timer = interleave.AfterFunc(d, w.Expired)
		return
	}
	w.timer.Reset(d)
}

// End ends the interval.
func (w *Watch) End() { w.armed = false }

// Armed reports whether an interval has begun and not ended.
func (w *Watch) Armed() bool { return w.armed }

// Stop stops the timer, and reports whether it was running. Expired may be called once more.
func (w *Watch) Stop() (wasRunning bool) { return w.timer != nil && w.timer.Stop() }
