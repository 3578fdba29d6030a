package dedicated

import (
	"errors"

	"github.com/movenext/movenext/internal/affinity"
	"github.com/movenext/movenext/schedulers"
)

// Affinity binds the threads to the given processors of the machine, counted from 0: the
// first thread to the first processor, and so on, starting again if there are more
// threads. Use it for work that depends on the cache or the memory of one processor.
//
// A thread that is bound waits for its processor while others are idle, and a thread that computes
// there starves the other programs of that processor.
//
// It works on Linux. Elsewhere Go's standard library offers no way, and a thread runs
// wherever the system puts it. A thread that cannot be bound still runs its work, and
// [Threads.AffinityErr] returns the reason. Without processors the option does nothing.
func Affinity(cpus ...int) Option {
	cpus = append([]int(nil), cpus...)
	return func(t *Threads) {
		t.addStart(schedulers.NewHook("dedicated.Affinity", func(w *thread) {
			w.recordBinding(affinity.Pin(cpus[(w.id-1)%len(cpus)]))
		}), len(cpus) > 0)
	}
}

// recordBinding records the outcome of the attempt to bind the thread.
func (w *thread) recordBinding(err error) {
	w.threads.mu.Lock()
	defer w.threads.mu.Unlock()
	w.bindErr = err
}

// AffinityErr returns the joined errors of the threads that have started and could not be
// bound to their processors ([Affinity]), or nil. Where the system has no way to bind a
// thread, they wrap [errors.ErrUnsupported]. It does not block.
func (t *Threads) AffinityErr() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []error
	for _, w := range t.all {
		all = append(all, w.bindErr)
	}
	return errors.Join(all...)
}
