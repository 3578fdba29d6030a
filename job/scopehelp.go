package job

import (
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// help runs queued children on the goroutine that waits for them, as long as their
// scheduler consents. It takes the newest first: a thief begins at the other end.
func (s *Scope) help() {
	consenter, ok := s.home.Scheduler.(schedulers.Consenter)
	if !ok {
		return
	}
	worker := s.from
	if worker == nil {
		worker = schedulers.Here()
	}
	for ran, consent := true, true; ran && consent; {
		ran, consent = s.helpOnce(consenter, worker)
	}
	s.mode.restoreLabels(s.parent)
}

// helpOnce visits each child once, and reports whether it ran any. Children that are
// started meanwhile are left for the next round.
func (s *Scope) helpOnce(consenter schedulers.Consenter, worker schedulers.Worker) (ran, consent bool) {
	reclaimer, _ := consenter.(dispatch.Reclaimer)
	s.mu.Lock()
	slabs := s.children.slabs // only grows; the part seen here stays as it is
	s.mu.Unlock()
	for i := len(slabs) - 1; i >= 0; i-- {
		for k := len(slabs[i]) - 1; k >= 0; k-- {
			c := &slabs[i][k]
			if c.state.Load() != childQueued {
				continue
			}
			reclaimed := reclaimer != nil && reclaimer.Reclaim(c, worker)
			if !reclaimed && !consenter.MayRunInPlace(c, worker) {
				return ran, false
			}
			if c.claim() {
				ran = true
				c.run(worker, reclaimed, false)
			}
		}
	}
	return ran, true
}
