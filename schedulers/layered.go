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
		if identical(home, s) {
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

// identical is ==, which panics where a scheduler is of a type that can not be compared. Most are pointers, and need not be asked.
func identical(a, b Scheduler) bool {
	t := reflect.TypeOf(a)
	return t == reflect.TypeOf(b) && (t.Kind() == reflect.Pointer || reflect.ValueOf(a).Comparable()) && a == b
}
