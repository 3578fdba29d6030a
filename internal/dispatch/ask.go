package dispatch

import "github.com/movenext/movenext/schedulers"

// RunsInPlace reports whether Submit of s, or of a scheduler beneath it, may run work. It
// does not block.
func RunsInPlace(s schedulers.Scheduler) bool {
	for s != nil {
		s = beneathHome(s)
		if p, ok := s.(InPlacer); ok {
			return p.RunsInPlace()
		}
		l, ok := s.(schedulers.Layered)
		if !ok {
			return false
		}
		s = l.Beneath()
	}
	return false
}

// AcceptsRepeats reports whether s is a [Repeater] that accepts repeats, or a scheduler of this
// module on top of one, each of which makes an item of its own for each submission. It does not
// block.
func AcceptsRepeats(s schedulers.Scheduler) bool {
	for s != nil {
		s = beneathHome(s)
		if p, ok := s.(Repeater); ok {
			return p.AcceptsRepeats()
		}
		l, ok := s.(schedulers.Layered)
		if !ok || !given.Sound(s) {
			return false
		}
		s = l.Beneath()
	}
	return false
}

// ReportPanic reports a recovered panic to each [PanicHearer] among the worker w, on
// whose goroutine it was recovered, and the workers beneath it. It does nothing for a nil
// worker. stack is the stack of the panic.
func ReportPanic(w schedulers.Worker, value any, stack []byte) {
	for w != nil {
		if h, ok := w.(PanicHearer); ok {
			h.HearPanic(value, stack)
		}
		v, ok := w.(interface{ Beneath() schedulers.Worker })
		if !ok {
			return
		}
		w = v.Beneath()
	}
}

// beneathHome returns the scheduler that s refers to, if s is a Home.
func beneathHome(s schedulers.Scheduler) schedulers.Scheduler {
	if h, ok := s.(*schedulers.Home); ok && h != nil {
		return h.Scheduler
	}
	return s
}
