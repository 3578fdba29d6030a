package ums

import (
	"runtime"

	"github.com/movenext/movenext/internal/affinity"
)

// Affinity binds the scheduler's threads to these processors of the machine, counted from 0: the
// first thread to the first of them, and so on, from the beginning again if there are more
// threads. Each thread is then an operating-system thread of its own, and so is what a worker
// goes on on that has blocked: it stays on the processor on which it began. A hand-over costs
// some 30 µs instead of less than one, so this pays for few workers that compute for long, and
// for what is bound to a processor's cache or memory.
//
// It works on Linux. Elsewhere Go's standard library offers no way, and a thread runs wherever
// the system puts it. A thread that can not be bound runs on nevertheless: the [Event] with the
// step [Pinned] has the error, which wraps [errors.ErrUnsupported] in the first case. Without
// processors the option does nothing.
func Affinity(cpus ...int) Option {
	return func(s *Scheduler) { s.cpus = append([]int(nil), cpus...) }
}

// pin binds the goroutine that is the thread now. It is never let go: when it ends, so does the
// operating system's thread, and its restriction with it.
func (p *seat) pin() {
	cpus := p.of.cpus
	if len(cpus) == 0 {
		return
	}
	runtime.LockOSThread()
	p.tell(Event{Step: Pinned, Err: affinity.Pin(cpus[(p.id-1)%len(cpus)])})
}
