//go:build interleave

package timers

import (
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. All timers
// are due at once, but the runtime's timer fires at any moment after it was set. These
// invariants must hold in all programs:
//
//   - a timer expires once for each time that it was armed, unless StopTimer returned
//     true
//   - no timer expires while another one of the queue does
//   - at rest the queue is empty, and nothing fires

// program is a queue and its timers.
type program struct {
	queue Queue
	all   []*ticking
	busy  interleave.Int32
	wrong error
}

// ticking is a timer.
type ticking struct {
	schedulers.Timer
	of                      *program
	again                   int // how often it arms itself when it expires
	armed, stopped, expired int
}

func (p *program) timer(again int) *ticking {
	t := &ticking{of: p, again: again}
	t.OnExpire = t
	p.all = append(p.all, t)
	return t
}

func (t *ticking) arm() {
	t.armed++
	t.of.queue.StartTimer(&t.Timer, 0)
}

func (t *ticking) stop() {
	if t.of.queue.StopTimer(&t.Timer) {
		t.stopped++
	}
}

// Expire implements schedulers.Expirer.
func (t *ticking) Expire(*schedulers.Timer) {
	if t.of.busy.Add(1) != 1 {
		t.of.wrong = fmt.Errorf("two timers expire at the same time")
	}
	t.expired++
	if t.again > 0 {
		t.again--
		t.arm()
	}
	t.of.busy.Add(-1)
}

func (p *program) check() error {
	if p.wrong != nil {
		return p.wrong
	}
	for i, t := range p.all {
		if t.expired+t.stopped != t.armed {
			return fmt.Errorf("timer %d was armed %d times, stopped %d times, and has expired %d times", i, t.armed, t.stopped, t.expired)
		}
	}
	if p.queue.earliest().timer != nil || p.queue.firing {
		return fmt.Errorf("at rest, the queue has a timer (%v) or fires (%v)", p.queue.earliest().timer != nil, p.queue.firing)
	}
	return nil
}

func explore(t *testing.T, make func(s *interleave.Schedule, p *program)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		p := new(program)
		make(s, p)
		return p.check
	})
}

func TestInterleavingsOfTwoTimers(t *testing.T) {
	explore(t, func(s *interleave.Schedule, p *program) {
		a, b := p.timer(0), p.timer(0)
		s.Go("first", a.arm)
		s.Go("other", b.arm)
	})
}

func TestInterleavingsOfAStopAndAnExpiry(t *testing.T) {
	explore(t, func(s *interleave.Schedule, p *program) {
		a, b := p.timer(0), p.timer(0)
		s.Go("first", func() { a.arm(); a.stop() })
		s.Go("other", b.arm)
	})
}

func TestInterleavingsOfStopsThatLeaveNothing(t *testing.T) {
	explore(t, func(s *interleave.Schedule, p *program) {
		a, b := p.timer(0), p.timer(0)
		s.Go("first", func() { a.arm(); a.stop() })
		s.Go("other", func() { b.arm(); b.stop() })
	})
}

func TestInterleavingsOfATimerThatArmsItself(t *testing.T) {
	explore(t, func(s *interleave.Schedule, p *program) {
		a, b := p.timer(1), p.timer(0)
		s.Go("first", a.arm)
		s.Go("other", func() { b.arm(); b.stop() })
	})
}
