//go:build interleave

package tally

import (
	"errors"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. These invariants
// must hold in all of them:
//
//   - the channel of Close is closed once, and not while accepted work runs
//   - it is closed at rest, and OnDrained was called once before that
//   - no work is accepted after a Close has returned
//   - the counters agree with the calls that were made

// accounts is a tally, with a record of the calls made to it.
type accounts struct {
	tally    Tally
	drained  int
	done     []<-chan struct{}
	ran      int
	dropped  int
	refused  int
	accepted int
	wrong    error

	mu      interleave.Mutex
	counted bool   // the work is counted under mu, not by Enter
	entered uint64 // under mu
}

func newAccounts() *accounts {
	a := new(accounts)
	a.tally.SkipRegistration = true
	a.tally.OnDrained = func() { a.drained++ }
	return a
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Run implements schedulers.Work.
func (a *accounts) Run(schedulers.Worker) {
	a.ran++
	a.checkOpen()
}

// HandleEnd implements EndListener.
func (a *accounts) HandleEnd() {
	if a.tally.Metrics().Completed == 0 {
		a.wrong = errors.New("the end is heard before it is counted")
	}
	a.checkOpen() // after steps, among which another goroutine may end it all
}

func (a *accounts) checkOpen() {
	for _, c := range a.done {
		if isClosed(c) {
			a.wrong = errors.New("the end is reached while work runs")
		}
	}
}

// Abandon implements schedulers.Work.
func (a *accounts) Abandon(error) { a.dropped++ }

// submit accepts work and runs, abandons or refuses it; hear is run with a listener.
func (a *accounts) submit(how string) {
	closed := len(a.done) > 0 // a Close has returned
	if a.enter() != nil {
		a.refused++
		return
	}
	if closed {
		a.wrong = errors.New("work is accepted after Close")
	}
	switch how {
	case "run":
		a.accepted++
		a.tally.Run(a, nil, nil)
	case "hear":
		a.accepted++
		a.tally.Run(a, nil, a)
	case "abandon":
		a.accepted++
		a.tally.Abandon(nil, a, schedulers.ErrShutdown)
	default:
		a.refused++
		a.tally.Refuse(nil, a)
	}
}

func (a *accounts) enter() error {
	if !a.counted {
		return a.tally.Enter("test", nil, a)
	}
	if err := a.tally.Prepare("test", nil, a); err != nil {
		return err
	}
	a.mu.Lock()
	closed := a.tally.Closed()
	if !closed {
		a.entered++
	}
	a.mu.Unlock()
	if closed {
		return a.tally.RefuseClosed("test", nil, a)
	}
	return nil
}

// count makes the scheduler count what enters.
func (a *accounts) count() {
	a.counted = true
	a.tally.CountEntered = func() uint64 {
		a.mu.Lock()
		defer a.mu.Unlock()
		return a.entered
	}
}

func (a *accounts) close() { a.done = append(a.done, a.tally.Close()) }

func (a *accounts) check() error {
	m := a.tally.Metrics()
	switch {
	case a.wrong != nil:
		return a.wrong
	case len(a.done) > 0 && !isClosed(a.done[0]):
		return errors.New("all work has ended, and the end is not reached")
	case len(a.done) > 0 != (a.drained == 1):
		return fmt.Errorf("Drained was called %d times", a.drained)
	case m.Refused != uint64(a.refused) || m.Completed != uint64(a.ran) || m.Abandoned != uint64(a.dropped) || m.Submitted != uint64(a.accepted) || m.Running+m.Queued != 0:
		return fmt.Errorf("the metrics are %+v for %+v", m, a)
	}
	return nil
}

func TestInterleavingsOfWorkAndClose(t *testing.T) {
	for _, how := range []string{"run", "hear", "abandon", "refuse"} {
		t.Run(how, func(t *testing.T) {
			interleave.Explore(t, func(s *interleave.Schedule) func() error {
				a := newAccounts()
				s.Go("first", func() { a.submit("run") })
				s.Go("other", func() { a.submit(how) })
				s.Go("closer", a.close)
				return a.check
			})
		})
	}
}

func TestInterleavingsOfCountedWorkAndClose(t *testing.T) {
	for _, how := range []string{"run", "abandon", "refuse"} {
		t.Run(how, func(t *testing.T) {
			interleave.Explore(t, func(s *interleave.Schedule) func() error {
				a := newAccounts()
				a.count()
				s.Go("first", func() { a.submit("run") })
				s.Go("other", func() { a.submit(how) })
				s.Go("closer", a.close)
				return a.check
			})
		})
	}
}

func TestInterleavingsOfTwoCloses(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		a := newAccounts()
		s.Go("worker", func() { a.submit("run"); a.submit("abandon") })
		s.Go("closer", a.close)
		s.Go("other closer", a.close)
		return a.check
	})
}
