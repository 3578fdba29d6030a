package simulation

import "github.com/movenext/movenext/schedulers"

// refusal is a call of the function of Refuse.
type refusal struct {
	scheduler schedulers.Work
	refuse    bool
}

// Refuse registers f, which is called for each work item that is submitted for the first
// time; if it returns true, the item is refused with [schedulers.ErrRejected], as by a
// scheduler with a full queue. A machine that continues is never refused. f may call
// [Scheduler.Pick], so that the schedule decides. It is called by the goroutine that
// submits, and must not block or submit.
func Refuse(f func(w schedulers.Work) bool) Option {
	return func(s *Scheduler) {
		s.refuse = schedulers.NewHook("simulation.Refuse", func(r *refusal) { r.refuse = f(r.scheduler) })
	}
}

// refuses reports whether a submission is refused.
func (s *Scheduler) refuses(w schedulers.Work, from schedulers.Hint) bool {
	if !s.refuse.IsSet() || from.Flags&schedulers.Resumed != 0 {
		return false
	}
	r := &refusal{scheduler: w}
	s.refuse.Call(r)
	return r.refuse
}
