package tracking

import "github.com/movenext/movenext/internal/probe"

// # Lives
//
// The life of a job or machine can be told as it happens: see package inspect. Whether a life
// is told is decided when the job is made, and recorded in a part of the job that most jobs
// do not have. So if the life of a job is not told, the job has no costs, and a machine has
// only those of the check whether anybody watches.

// Moment is a moment of a life.
type Moment uint8

// The moments.
const (
	Made Moment = iota + 1
	Started
	Suspended
	Resumed
	Ended
)

// Life is a moment of the life of one job.
type Life struct {
	Moment  Moment
	Job     any     // a job.Handle
	Machine Machine // of Made and Suspended, for a machine; Tell may read it
	Awaited any     // of Suspended: the operation that it waits for
	Status  uint8   // of Ended: a job.Status
}

// Listener is told the lives of jobs. Its functions are called in the middle of the work of
// the job or machine, and must not block.
type Listener struct {
	Among uint64             // about one job in this many may be wanted; see [sample.OneIn]
	Wants func(job any) bool // called once, when such a job is made
	Tell  func(Life)
}

// ToldOnly is the ticket of a machine that is not tracked, but whose life is told. It is not
// the ticket of any record.
const ToldOnly uint32 = 1

// Listen makes w the listener, or none if it is nil.
func Listen(w *Listener) {
	change(func(s *switches) { s.listener = w })
	probe.Set(probe.Lives, w != nil)
}

// CurrentListener returns the listener, or nil.
func CurrentListener() *Listener {
	if s := current.Load(); s != nil {
		return s.listener
	}
	return nil
}

// Tell tells the listener, if there is one.
func Tell(l Life) {
	if w := CurrentListener(); w != nil {
		w.Tell(l)
	}
}
