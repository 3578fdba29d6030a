package gen

import "time"

// Turn is one run of a frame, from a point to the next one, on one goroutine. An engine implements
// it. A frame may call the methods of [Requests]; the functions of this package call the others,
// with the types that package durable has for them.
type Turn interface {
	Requests

	// What the points with types of package durable request, each as its own type in an any.
	StepRetry(point int, policy any) bool
	All(point int, children any) bool
	Any(point int, children any) bool
	Select(point int, timeout time.Duration, signals []string, children any) bool

	// What has happened at the point from which the function continues: into is a pointer to the
	// variable that gets it, which is zero after an error of its decoding.
	Received(into any) error
	Chosen(into any) error
	Results() (n int, err error) // how many there are
	Result(n int, into any) error
}

// Requests are the methods of a [Turn] that frames call.
type Requests interface {
	// Point returns the point from which the function continues.
	Point() int

	// Err returns the error of the operation at that point: the step's error, ErrTimeout or
	// ErrCanceled.
	Err() error

	// Step requests the step of a point.
	Step(point int) bool

	// Receive requests a signal of that name. A timeout that is not positive takes only a signal
	// that has already arrived.
	Receive(point int, name string, timeout time.Duration) bool

	// Sleep requests that the function continue after d.
	Sleep(point int, d time.Duration) bool

	// Defer keeps a compensation: if the function returns an error, Undo is called with the
	// arguments to which args points.
	Defer(site int, args any)

	// Return ends the function. The frame holds its results.
	Return() bool
}

// StepRetry requests the step of a point, with a policy of its own: a durable.Retry.
func StepRetry[Retry any](t Turn, point int, policy Retry) bool { return t.StepRetry(point, policy) }

// All requests the calls of durable functions, each a durable.Child.
func All[Child any](t Turn, point int, children ...Child) bool { return t.All(point, children) }

// Any requests the calls of durable functions, until one has a result.
func Any[Child any](t Turn, point int, children ...Child) bool { return t.Any(point, children) }

// Select requests the first of several events.
func Select[Child any](t Turn, point int, timeout time.Duration, signals []string, children ...Child) bool {
	return t.Select(point, timeout, signals, children)
}

// Received returns the signal that arrived at a point of Receive, or the error. A frame calls it
// before anything else at the point, and does not recover from its panics.
func Received[T any](t Turn) (signal T, err error) {
	err = t.Received(&signal)
	return signal, err
}

// Chosen returns the event at a point of Select, a durable.Selection, or the error.
func Chosen[Selection any](t Turn) (event Selection, err error) {
	err = t.Chosen(&event)
	return event, err
}

// Joined returns the results at a point of All, or the error.
func Joined[R any](t Turn) ([]R, error) {
	n, err := t.Results()
	if err != nil {
		return nil, err
	}
	list := make([]R, n)
	for i := range list {
		if err := t.Result(i, &list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// First returns the result at a point of Any, or the error.
func First[R any](t Turn) (first R, err error) {
	if _, err = t.Results(); err == nil {
		err = t.Result(0, &first)
	}
	return first, err
}
