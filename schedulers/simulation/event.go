package simulation

import (
	"fmt"
	"time"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
)

// Kind is the kind of a step.
type Kind uint8

// The kinds of events.
const (
	Begin       Kind = iota // a work item begins to run, or the next step of a machine
	Resume                  // a work item that has waited continues
	Expire                  // a timer expires
	Pass                    // time passes, until the next timer is due (see StepTime)
	Interrupted             // the function of Interrupt is called
	Picked                  // an answer of Pick
)

// String returns the name of the kind.
func (k Kind) String() string {
	switch k {
	case Begin:
		return "begin"
	case Resume:
		return "resume"
	case Expire:
		return "expire"
	case Pass:
		return "pass"
	case Interrupted:
		return "interrupt"
	case Picked:
		return "pick"
	default:
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
}

// Event is one step, or one expiry of a timer.
type Event struct {
	Time  time.Duration    // on the virtual clock
	Kind  Kind             // Begin, Resume, Expire or Interrupted
	Work  string           // its String or Name, a job's number, or its type
	Where schedulers.Place // where it continues; the zero Place: it begins, or that is not known
	For   string           // what it has waited for: "coord.Mutex", "job #5"; "" if not known
}

// String returns the event as one line of a log.
func (e Event) String() string { return fmt.Sprintf("%v %v %s", e.Time, e.Kind, e.Work) }

// tell tells the observer about a turn; mu is held.
func (s *Scheduler) tell(k Kind, t turn) {
	if !s.observe.IsSet() {
		return
	}
	e := Event{Time: s.clock.Now(), Kind: k}
	switch what := t.what.(type) {
	case *wait:
		e.Work, e.Where = name(what.task.work), place(what.where)
		e.For, _ = reason(what.ctx.Value(contract.ReasonKey))
	case *schedulers.Timer:
		e.Work = label(what.OnExpire)
	default:
		if t.asleep {
			e.Work = label(what)
			break
		}
		e.Work = name(what)
		if m, is := what.(probe.Suspension); is {
			e.Where = dispatch.PlaceOf(m)
			e.For, _ = reason(s.woken[m])
			delete(s.woken, m)
		}
	}
	s.observe.Call(e)
}

// Panic is a panic that a job has recovered and turned into its result.
type Panic struct {
	Work  string // its String or Name, or else its type
	Value any
	Stack []byte // of the goroutine that panicked
}

// OnPanic sets a function that is called for each panic of a job, at once and on
// the goroutine that has panicked. A job turns its panic into an error for its
// waiters; if it has none, this is where the panic is seen. f must not use the
// scheduler, and must not block.
func OnPanic(f func(*Panic)) Option {
	return func(s *Scheduler) { s.panicked = schedulers.NewHook("simulation.OnPanic", f) }
}
