package rate

import "time"

// Reservation is the result of [Limiter.Reserve]: tokens taken for events that happen
// later. It is safe for concurrent use.
type Reservation struct {
	limiter *Limiter
	ok      bool
	tokens  int   // taken and not given back; guarded by the limiter's lock
	limit   Limit // at the time of the reservation
	made    time.Time
	when    time.Time
}

// OK reports whether the limiter can ever provide the tokens. If it returns false, the
// delay is the longest possible.
func (r *Reservation) OK() bool { return r.ok }

// Delay returns how long to wait before the events may happen; zero means now.
func (r *Reservation) Delay() time.Duration {
	if r.limiter == nil {
		return forever
	}
	return r.DelayFrom(r.limiter.now())
}

// DelayFrom is [Reservation.Delay] at the time t.
func (r *Reservation) DelayFrom(t time.Time) time.Duration {
	if !r.ok {
		return forever
	}
	return max(0, r.when.Sub(t))
}

// Cancel declares that the events will not happen, and returns as many tokens as later
// reservations allow: those keep their times.
func (r *Reservation) Cancel() {
	if r.limiter != nil {
		r.CancelAt(r.limiter.now())
	}
}

// CancelAt is [Reservation.Cancel] at the time t.
func (r *Reservation) CancelAt(t time.Time) {
	l := r.limiter
	if !r.ok || r.when.Before(t) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.tokens == 0 || l.limit == Inf {
		return
	}
	// The times of later reservations follow from this one, and stay as they are.
	back := float64(r.tokens) - r.limit.tokens(l.event.Sub(r.when))
	r.tokens = 0
	if back <= 0 {
		return
	}
	l.tokens = min(l.tokensAt(t)+back, float64(l.burst))
	if t.After(l.last) {
		l.last = t
	}
	if r.when.Equal(l.event) {
		if before := r.when.Add(-r.limit.duration(back)); !before.Before(t) {
			l.event = before
		}
	}
}
