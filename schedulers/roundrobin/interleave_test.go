//go:build interleave

package roundrobin

import (
	"context"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. Each ticket runs on a
// goroutine of its own. These invariants must hold in all programs:
//
//   - accepted work runs once or is abandoned once; refused work does neither
//   - at rest, no work is queued, no queue is in the ring, and the counters agree

// beneath is a scheduler that refuses some tickets, and runs each of the others at any moment.
type beneath struct {
	submissions interleave.Int32
	refuses     int32 // the number of the submission that is refused, from 1 on; 0: none
}

func (b *beneath) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if b.submissions.Add(1) == b.refuses {
		return schedulers.ErrRejected
	}
	interleave.Go(func() { w.Run(nil) })
	return nil
}

// unit is one work item.
type unit struct {
	ran, abandoned int
	submitted      bool // Submit has returned
	err            error
}

func (u *unit) Run(schedulers.Worker) { u.ran++ }
func (u *unit) Abandon(error)         { u.abandoned++ }

type program struct {
	scheduler *Scheduler
	queues    [2]*Queue
	units     []*unit
}

func (p *program) submit(to int) func() {
	u := new(unit)
	p.units = append(p.units, u)
	return func() { u.err, u.submitted = p.queues[to].Submit(u, schedulers.Hint{}), true }
}

func (p *program) check() error {
	accepted, ran := 0, 0
	for i, u := range p.units {
		want := 1
		if u.err != nil {
			want = 0
		}
		if u.submitted && u.ran+u.abandoned != want {
			return fmt.Errorf("unit %d (%v) has run %d times and was abandoned %d times", i, u.err, u.ran, u.abandoned)
		}
		accepted, ran = accepted+u.ran+u.abandoned, ran+u.ran
	}
	if p.scheduler.ring.next != nil {
		return fmt.Errorf("at rest, a queue is in the ring")
	}
	for _, q := range p.queues {
		if _, list := q.items.Push(new(unit), nil); !list {
			return fmt.Errorf("at rest, a queue is listed")
		}
	}
	m := p.scheduler.Metrics()
	if int(m.Submitted) != accepted || int(m.Completed) != ran || m.Queued+m.Running != 0 {
		return fmt.Errorf("%d were accepted and %d have run, but %+v", accepted, ran, m)
	}
	return nil
}

func explore(t *testing.T, refuses int32, make func(s *interleave.Schedule, p *program)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		p := &program{scheduler: New(&beneath{refuses: refuses})}
		p.queues[0] = p.scheduler.Default()
		p.queues[1], _ = p.scheduler.CreateQueue()
		make(s, p)
		return p.check
	})
}

func TestInterleavingsOfTwoSubmittersToOneQueue(t *testing.T) {
	explore(t, 0, func(s *interleave.Schedule, p *program) {
		s.Go("first", p.submit(0))
		s.Go("other", p.submit(0))
	})
}

func TestInterleavingsOfTwoSubmittersToTwoQueues(t *testing.T) {
	explore(t, 0, func(s *interleave.Schedule, p *program) {
		s.Go("first", p.submit(0))
		s.Go("other", p.submit(1))
	})
}

func TestInterleavingsOfARefusedTicket(t *testing.T) {
	for refuses := range int32(2) {
		explore(t, refuses+1, func(s *interleave.Schedule, p *program) {
			s.Go("first", p.submit(0))
			s.Go("other", p.submit(0))
		})
	}
}

func TestInterleavingsOfARefusedTicketAndAShutdown(t *testing.T) {
	explore(t, 1, func(s *interleave.Schedule, p *program) {
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		s.Go("submitter", p.submit(0))
		s.Go("shutdown", func() { _ = p.queues[0].Shutdown(ended) })
	})
}

func TestInterleavingsOfASubmitterThatFindsItsQueueListed(t *testing.T) {
	explore(t, 0, func(s *interleave.Schedule, p *program) {
		one, two, three := p.submit(0), p.submit(0), p.submit(0)
		s.Go("first", func() { one(); two() })
		s.Go("other", three)
	})
}

// The tickets run afterwards, so that another queue is in the ring all the time.
func TestInterleavingsOfTwoSubmittersToAQueueBehindAnother(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		b := &holding{}
		p := &program{scheduler: New(b)}
		p.queues[0] = p.scheduler.Default()
		p.queues[1], _ = p.scheduler.CreateQueue()
		p.submit(1)()
		p.submit(1)()
		s.Go("first", p.submit(0))
		s.Go("other", p.submit(0))
		return func() error {
			for _, w := range b.held {
				w.Run(nil)
			}
			return p.check()
		}
	})
}

// holding is a scheduler beneath that keeps what it gets.
type holding struct {
	mu   interleave.Mutex
	held []schedulers.Work
}

func (h *holding) Submit(w schedulers.Work, _ schedulers.Hint) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = append(h.held, w)
	return nil
}
