package ambient

import (
	"sync"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// Timers returns the timers of a home's scheduler or, if it has none, those of the Go
// runtime. It does not block.
func Timers(home *schedulers.Home) schedulers.Timers {
	if t, ok := home.Scheduler.(schedulers.Timers); ok {
		return t
	}
	return runtimeTimers{}
}

// Sleeps returns the timers of a home for sleepers that need no timer of their own, or nil if its
// scheduler is not a pool. It is tempting to ask the scheduler for the method StartSleep. A
// scheduler of users that embeds a pool, and has timers of its own, would have that method too:
// that of the pool. Sleeps does not block.
func Sleeps(home *schedulers.Home) *pool.Pool {
	p, _ := home.Scheduler.(*pool.Pool)
	return p
}

// runtimeTimers provides timers for a scheduler that has none. Each uses a timer of the Go
// runtime, which costs about 170 bytes and, at expiry, a goroutine.
type runtimeTimers struct{}

// foreign holds the runtime's timer of each armed Timer.
var foreign sync.Map // *schedulers.Timer → *time.Timer

// Armed returns how many timers of the Go runtime are armed here. Tests use it to find timers
// that were left behind.
func Armed() (n int) {
	foreign.Range(func(any, any) bool { n++; return true })
	return n
}

// StartTimer implements schedulers.Timers.
func (runtimeTimers) StartTimer(t *schedulers.Timer, d time.Duration) {
	var r *time.Timer
	armed := make(chan struct{})
	r = time.AfterFunc(d, func() {
		<-armed
		expire(t, r)
	})
	foreign.Store(t, r)
	close(armed)
}

// expire runs when r expires. t may have been stopped and armed again meanwhile; then it does
// nothing, since t now belongs to another timer of the runtime.
func expire(t *schedulers.Timer, r *time.Timer) {
	if foreign.CompareAndDelete(t, r) {
		t.OnExpire.Expire(t)
	}
}

// StopTimer implements schedulers.Timers.
func (runtimeTimers) StopTimer(t *schedulers.Timer) bool {
	r, ok := foreign.LoadAndDelete(t)
	if ok {
		r.(*time.Timer).Stop()
	}
	return ok
}
