package schedulers

import "time"

// Timers is a scheduler that has a clock and timers of its own. A simulation has
// them because its time is not real time. Other schedulers have them because a
// million sleeping machines should share one timer of the Go runtime, and because
// timers must belong to an instance: a scheduler made inside a synctest bubble
// has timers of that bubble.
type Timers interface {
	// StartTimer arms t to expire after d. A d of zero or less expires as soon
	// as possible. t must not be armed.
	StartTimer(t *Timer, d time.Duration)

	// StopTimer disarms t and reports whether it did. False means that t has
	// expired, is expiring right now, or was never armed.
	StopTimer(t *Timer) bool
}

// Timer is one expiry. Embed it in the waiter, so that it needs no allocation of its
// own. A Timer belongs to the scheduler that armed it until it has expired or was
// stopped.
type Timer struct {
	// OnExpire is called once when the timer expires, on a goroutine of the scheduler's
	// choice. It must not block. Set it before arming.
	OnExpire Expirer

	// When and Slot belong to the scheduler while the timer is armed: usually the time
	// of expiry in the scheduler's own unit, or the tie-breaker between equal times,
	// and the timer's position in its queue.
	When int64
	Slot int
}

// Expirer is what a [Timer] calls.
type Expirer interface {
	Expire(t *Timer)
}
