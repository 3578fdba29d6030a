package tracking

import "sync/atomic"

// # Lives
//
// The life of a job or machine can be told as it happens: see package inspect. Whether
// a life is told is decided when the job is made, and noted in the part of the job that
// most jobs do not have. So a job whose life is not told pays nothing for that, and a
// machine only what the switch of the table costs.

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
	Moment Moment
	Job    any     // a job.Handle
	Of     Machine // of Made and Suspended, for a machine; Tell may read it
	On     any     // of Suspended: what it waits for
	Status uint8   // of Ended: a job.Status
}

// Watcher hears of lives. Its functions are called in the middle of what the job or the
// machine does, and do not block.
type Watcher struct {
	Among uint64             // one job in so many may be wanted; see [sample.OneIn]
	Wants func(job any) bool // asked once, when such a job is made
	Tell  func(Life)
}

// Jobs is what is to be recorded about new jobs: the bits of job.Diagnostics, and those
// below.
var Jobs atomic.Uint32

// Bits of [Jobs].
const (
	ToldBit    = 1 << 31 // there is a watcher
	TrackedBit = 1 << 30 // jobs are tracked
	OurBits    = ToldBit | TrackedBit
)

// Watched is the ticket of a machine that is not tracked, but whose life is told. No
// record of the table has it.
const Watched uint32 = 1

// Watch makes w the watcher, or none if it is nil.
func Watch(w *Watcher) {
	change(func(s *switches) { s.watcher = w })
	if w != nil {
		Jobs.Or(ToldBit)
	} else {
		Jobs.And(^uint32(ToldBit))
	}
}

// Listening returns the watcher, or nil.
func Listening() *Watcher {
	if s := current.Load(); s != nil {
		return s.watcher
	}
	return nil
}

// Tell tells the watcher, if there is one.
func Tell(l Life) {
	if w := Listening(); w != nil {
		w.Tell(l)
	}
}
