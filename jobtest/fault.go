package jobtest

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// Refusal is the fault of a scheduler that refuses a job: the job ends at once with the error
// schedulers.ErrRejected. See [Faults].
const Refusal = "refusal"

// Faults enables faults: the named fault points of the program ([Fault]), and the scheduler's
// fault if [Refusal] is among the names. Without names all faults are enabled. Whether a fault
// happens is a choice of the schedule. So faults are searched for, shrunk and replayed like the
// order of the steps, and the report lists them.
func Faults(names ...string) Option {
	names = slices.Clone(names)
	return option(func(c *settings) {
		c.faults = func(name string) bool { return len(names) == 0 || slices.Contains(names, name) }
	})
}

// faultKey is the key of the schedule's run in the context of the test's function.
type faultKey struct{}

// Fault reports whether the named fault happens at this call. It is for test doubles: a store
// that cannot save, a peer that does not answer.
//
//	func (s *fakeStore) Save(ctx context.Context, o Order) error {
//		if jobtest.Fault(ctx, "store is full") {
//			return errFull
//		}
//		…
//	}
//
// ctx is the context of the test's function or derived from it. With any other context, with nil,
// or without the option [Faults], no fault happens. Fault does not block. Only the job or machine
// that is taking its step may call it.
func Fault(ctx context.Context, name string) bool {
	if ctx == nil {
		return false
	}
	r, _ := ctx.Value(faultKey{}).(*runningSchedule)
	return r != nil && r.chooseFault(name)
}

// chooseFault lets the schedule choose whether a fault happens.
func (r *runningSchedule) chooseFault(name string) bool {
	if r.faults == nil || !r.faults(name) || r.returned {
		return false
	}
	r.choosingFault = true
	happens := r.sim.Pick(2) == 1
	r.choosingFault = false
	if happens && r.recording {
		r.record(simulation.Event{Time: r.sim.Now(), Kind: simulation.Picked, Work: "fault: " + name})
	}
	return happens
}

// refuse decides about the scheduler's fault. The job that calls the test's function is not part
// of the program, so it is never refused.
func (r *runningSchedule) refuse(schedulers.Work) bool { return r.began && r.chooseFault(Refusal) }

// faultRates are the probabilities of a fault; each rate applies to some of the random schedules.
// If each of ten fault points fails every other time, a program rarely passes all of them.
var faultRates = []float64{0.5, 0.2, 0.05}

// withFaults decides with one of the rates whether a fault happens, and leaves all other choices
// to c.
func (s *session) withFaults(c chooser, r *rand.Rand) chooser {
	rate := faultRates[r.IntN(len(faultRates))]
	return func(turns []simulation.Turn) int {
		if !s.choosingFault {
			return c(turns)
		}
		if r.Float64() < rate {
			return 1
		}
		return 0
	}
}
