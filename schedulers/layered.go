package schedulers

import "reflect"

// Layered is a scheduler on top of another one: it controls the order, the number
// or the supervision of work, and everything that it has accepted runs on the
// scheduler beneath.
type Layered interface {
	// Beneath returns the scheduler beneath, or nil if it has none. The result never
	// changes. It does not block.
	Beneath() Scheduler
}

// RunsOn reports whether work that home accepts runs on s: whether home is s, or is on
// top of it through any number of [Layered] schedulers. A [Blocker] with a
// method BlockFor calls it with the home that it receives. It does not block.
func RunsOn(home, s Scheduler) bool {
	for home != nil {
		if same(home, s) {
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

// same reports whether a and b are the same scheduler, where a [Home] counts as
// the scheduler that it refers to. It returns false for schedulers whose type cannot be
// compared; the operator == would panic. Most schedulers are pointers, for which same
// costs about as much as ==. It does not block, and may be called from any goroutine.
func same(a, b Scheduler) bool {
	a, b = beneathHome(a), beneathHome(b)
	t := reflect.TypeOf(a)
	if t != reflect.TypeOf(b) {
		return false
	}
	return t == nil || (t.Kind() == reflect.Pointer || reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable()) && a == b
}
