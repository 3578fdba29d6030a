package simulation

import (
	"fmt"
	"time"
)

// Kind is the kind of a step.
type Kind uint8

// The kinds of events.
const (
	Begin  Kind = iota // a work item begins to run
	Resume             // a work item that has waited continues
	Expire             // a timer expires
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
	default:
		return fmt.Sprintf("Kind(%d)", uint8(k))
	}
}

// Event is one step, or one expiry of a timer.
type Event struct {
	Time time.Duration // on the virtual clock
	Kind Kind
	Work string // its String or Name, or else its type
}

// String returns the event as one line of a log.
func (e Event) String() string { return fmt.Sprintf("%v %v %s", e.Time, e.Kind, e.Work) }

// tell tells the observer about work, or about what expires; mu is held.
func (s *Scheduler) tell(k Kind, about any) {
	if s.observe.IsSet() {
		s.observe.Call(Event{s.clock.Now(), k, label(about)})
	}
}
