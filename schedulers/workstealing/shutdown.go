package workstealing

import (
	"context"

	"github.com/movenext/movenext/internal/shutdown"
	"github.com/movenext/movenext/schedulers"
)

// Shutdown refuses all further work with [schedulers.ErrShutdown] (including work
// submitted by work that still runs), runs the queued work, and returns nil when the
// last work has ended. If ctx ends first, work that is still queued is abandoned with
// ErrShutdown and the cause of ctx is returned; running work continues.
//
// Shutdown blocks, so work of this scheduler must not call it with a ctx that never
// ends. It may be called any number of times, also concurrently: each call waits for
// the same end. A nil ctx never ends. Timers are not affected.
func (s *Scheduler) Shutdown(ctx context.Context) error {
	return shutdown.Await(ctx, s.close(), func() { shutdown.Abandon(s, s.takeQueued()) })
}

// close closes all queues, each under the lock under which it accepts work: when
// it returns, no more work will be accepted.
func (s *Scheduler) close() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	done, first := s.shutdown.Begin()
	if first {
		for _, p := range s.procs {
			p.setOpen(false)
		}
		s.finish()
	}
	return done
}

// finish closes done if nothing is left; mu is held. Work that is queued while no
// goroutine is alive counts as left: its submitter is about to start a worker.
func (s *Scheduler) finish() {
	if !s.shutdown.Begun() || s.shutdown.Finished() || s.count.alive > 0 || s.anyQueued() {
		return
	}
	s.watch.Stop()
	s.shutdown.Finish()
}

func (s *Scheduler) takeQueued() (all []schedulers.Work) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := s.global.PopFront(); w != nil; w = s.global.PopFront() {
		all = append(all, w)
	}
	s.lockQueues()
	for _, p := range s.procs {
		all = p.drain(all)
	}
	s.unlockQueues()
	s.count.abandoned += uint64(len(all))
	s.finish()
	return all
}
