package ums

import (
	"runtime"

	"github.com/movenext/movenext/internal/affinity"
)

// Affinity binds the scheduler's threads to the given processors of the machine,
// counted from 0: the first thread to the first processor, and so on, starting
// again if there are more threads. Each thread is then an operating-system thread
// of its own. A worker that has blocked stays on the operating-system thread, and
// so on the processor, on which it began. A handover costs some 30 µs instead of
// less than one, so this pays for a few workers that compute for long, and for
// work bound to a processor's cache or memory.
//
// A thread that is bound waits for its processor while others are idle, and a thread that computes
// there starves the other programs of that processor.
//
// It works on Linux. Elsewhere Go's standard library offers no way, and a thread runs
// wherever the system puts it. A thread that cannot be bound runs anyway. The [Event] with
// the step [Pinned] has the error, which wraps [errors.ErrUnsupported] on systems other
// than Linux. Without processors the option does nothing.
func Affinity(cpus ...int) Option {
	return func(s *Scheduler) { s.cpus = append([]int(nil), cpus...) }
}

// pin binds the goroutine that is the thread now. The goroutine is never unlocked: when it
// ends, the operating system's thread and its restriction end too.
func (tl *threadLoop) pin() {
	cpus := tl.scheduler.cpus
	if len(cpus) == 0 {
		return
	}
	runtime.LockOSThread()
	tl.report(Event{Step: Pinned, Err: affinity.Pin(cpus[(tl.id-1)%len(cpus)])})
}
