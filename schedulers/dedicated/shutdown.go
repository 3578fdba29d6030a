package dedicated

import (
	"context"

	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/schedulers"
)

// Shutdown refuses all further work with [schedulers.ErrShutdown], runs the queued
// work, ends the threads, and returns nil when the last has ended. If ctx ends first,
// work that is still queued is abandoned with ErrShutdown and the cause of ctx is
// returned; running work continues, and its thread ends after it.
//
// Shutdown blocks, so work of this scheduler must not call it with a ctx that never
// ends. It may be called any number of times, also concurrently: each call waits for
// the same end. A nil ctx never ends. Timers are not affected.
func (t *Threads) Shutdown(ctx context.Context) error {
	return shutdown.Await(ctx, t.close(), func() { shutdown.Abandon(t, t.takeQueued()) })
}

func (t *Threads) close() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	done, first := t.shutdown.Begin()
	if first {
		for len(t.parked) > 0 {
			t.wakeOrStart() // each finds the scheduler closed, and ends
		}
		t.finish()
	}
	return done
}

// countEnd counts a thread that is about to end.
func (t *Threads) countEnd() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alive--
	t.finish()
}

// finish closes done if nothing is left; mu is held. Work is never queued while no
// thread is alive: submitting it starts one.
func (t *Threads) finish() {
	if t.shutdown.Begun() && !t.shutdown.Finished() && t.alive == 0 {
		t.shutdown.Finish()
	}
}

func (t *Threads) takeQueued() (all []schedulers.Work) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := t.queue.pop(); w != nil; w = t.queue.pop() {
		all = append(all, w)
	}
	t.abandoned += uint64(len(all))
	return all
}
