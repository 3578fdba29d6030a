package schedulers

import "reflect"

// Layered is a scheduler on top of another one: it decides about order, number or care, and all work that it has
// accepted runs on the one beneath.
type Layered interface {
	// Beneath returns the scheduler beneath, or nil if there is none. It is always the same and does not block.
	Beneath() Scheduler
}

// RunsOn reports whether work that home accepts runs on s: whether home is s, or is on top of it through any number
// of [Layered] ones. A [HomeBlocker] asks it about the home that it is told. It does not block.
func RunsOn(home, s Scheduler) bool {
	for home != nil {
		if Same(home, s) {
			return true
		}
		l, ok := home.(Layered)
		if !ok {
			return false
		}
		home = l.Beneath()
	}
	return false
}

// Same reports whether a and b are one scheduler. A [Home] is the scheduler that it stands for.
// Of two whose type cannot be compared none is known to be the other. It does not block, and may
// be called from any goroutine.
//
// The operator == panics for such types. Most schedulers are pointers, for which this is hardly
// more.
func Same(a, b Scheduler) bool {
	a, b = beneathHome(a), beneathHome(b)
	t := reflect.TypeOf(a)
	if t != reflect.TypeOf(b) {
		return false
	}
	return t == nil || (t.Kind() == reflect.Pointer || reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable()) && a == b
}

// beneathHome returns what s stands for, if it is a Home.
func beneathHome(s Scheduler) Scheduler {
	if h, ok := s.(*Home); ok && h != nil {
		return h.Scheduler
	}
	return s
}
