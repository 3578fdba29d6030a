package roundrobin

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/simulation"
)

// noted is work that records how it ends.
type noted struct {
	ran       int
	abandoned error
}

func (n *noted) Run(schedulers.Worker) { n.ran++ }
func (n *noted) Abandon(reason error)  { n.abandoned = reason }

// scripted is a scheduler beneath whose answers are functions, the first for the first Submit.
type scripted struct {
	answers []func(ticket schedulers.Work, hint schedulers.Hint) error
}

func (s *scripted) Submit(ticket schedulers.Work, hint schedulers.Hint) error {
	answer := s.answers[0]
	s.answers = s.answers[1:]
	return answer(ticket, hint)
}

func TestATicketThatRunsBeforeItsSubmitReturnsFindsItsItem(t *testing.T) {
	s := New(&scripted{[]func(schedulers.Work, schedulers.Hint) error{
		func(ticket schedulers.Work, _ schedulers.Hint) error { ticket.Run(nil); return nil },
	}})
	w := new(noted)
	require.NoError(t, s.Submit(w, schedulers.Hint{}))
	assert.Equal(t, 1, w.ran)
	assert.Equal(t, uint64(1), s.Metrics().Completed)
	assert.Nil(t, s.ring.next)
}

// The ticket of b is refused when the tickets of a and c have run a and b. Then b has run, so its
// Submit returns nil, and c has no ticket.
func TestAWorkItemWhoseTicketWasRefusedMayHaveRun(t *testing.T) {
	full := errors.New("full")
	for name, last := range map[string]error{"and the next ticket is accepted": nil, "and the next one is, too": full} {
		t.Run(name, func(t *testing.T) {
			var s *Scheduler
			var a, b, c noted
			var held []schedulers.Work
			hold := func(ticket schedulers.Work, _ schedulers.Hint) error {
				held = append(held, ticket)
				return nil
			}
			s = New(&scripted{[]func(schedulers.Work, schedulers.Hint) error{
				hold,
				func(schedulers.Work, schedulers.Hint) error {
					assert.NoError(t, s.Submit(&c, schedulers.Hint{}))
					for _, ticket := range held {
						ticket.Run(nil)
					}
					return full
				},
				hold,
				func(ticket schedulers.Work, hint schedulers.Hint) error {
					assert.Equal(t, schedulers.Resumed, hint.Flags, "it must not be refused for lack of room")
					if last == nil {
						ticket.Run(nil)
					}
					return last
				},
			}})
			require.NoError(t, s.Submit(&a, schedulers.Hint{}))
			require.NoError(t, s.Submit(&b, schedulers.Hint{}))
			assert.Equal(t, [2]int{1, 1}, [2]int{a.ran, b.ran})
			if last == nil {
				assert.Equal(t, noted{ran: 1}, c)
			} else {
				assert.Zero(t, c.ran)
				require.ErrorIs(t, c.abandoned, schedulers.ErrShutdown)
				require.ErrorIs(t, c.abandoned, full)
			}
			require.NoError(t, s.Shutdown(context.Background()))
			m := s.Metrics()
			assert.Equal(t, uint64(3), m.Submitted)
			assert.Equal(t, uint64(3), m.Completed+m.Abandoned)
		})
	}
}

// A Shutdown that gives up abandons work whose ticket is about to be refused. The work was
// accepted then, and no work of other queues is given up for the ticket.
func TestWorkThatWasAbandonedBeforeItsTicketIsRefused(t *testing.T) {
	var held schedulers.Work
	var closing *Queue
	s := New(&scripted{[]func(schedulers.Work, schedulers.Hint) error{
		func(ticket schedulers.Work, _ schedulers.Hint) error { held = ticket; return nil },
		func(schedulers.Work, schedulers.Hint) error {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			assert.ErrorIs(t, closing.Shutdown(ended), context.Canceled)
			return schedulers.ErrRejected
		},
	}})
	closing, err := s.CreateQueue()
	require.NoError(t, err)
	var other, w noted
	require.NoError(t, s.Submit(&other, schedulers.Hint{}))
	require.NoError(t, closing.Submit(&w, schedulers.Hint{}))
	require.ErrorIs(t, w.abandoned, schedulers.ErrShutdown)
	held.Run(nil)
	assert.Equal(t, noted{ran: 1}, other)
	assert.Equal(t, schedulers.Metrics{Submitted: 2, Completed: 1, Abandoned: 1}, s.Metrics())
	assert.Zero(t, s.ring.surplus)
}

// The tickets of work that was given up find nothing.
func TestASurplusTicketIsCounted(t *testing.T) {
	var tickets []schedulers.Work
	hold := func(ticket schedulers.Work, _ schedulers.Hint) error {
		tickets = append(tickets, ticket)
		return nil
	}
	s := New(&scripted{[]func(schedulers.Work, schedulers.Hint) error{hold, hold}})
	for range 2 {
		require.NoError(t, s.Submit(new(noted), schedulers.Hint{}))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Shutdown(ended), context.Canceled)
	tickets[0].Run(nil)
	assert.Equal(t, shim.Surplus(1), s.ring.surplus)
	tickets[1].Abandon(schedulers.ErrShutdown)
	assert.Zero(t, s.ring.surplus)
}

// repeating is a scripted scheduler that accepts an item again while it is queued.
type repeating struct{ *scripted }

func (repeating) AcceptsRepeats() bool { return true }

// Other schedulers may count on single items.
func TestTicketsAreToldApartUnlessTheSchedulerBeneathAcceptsRepeats(t *testing.T) {
	for name, want := range map[string]int{"it does not": 3, "it does": 1} {
		tickets := map[schedulers.Work]bool{}
		hold := func(ticket schedulers.Work, _ schedulers.Hint) error {
			tickets[ticket] = true
			return nil
		}
		beneath := &scripted{[]func(schedulers.Work, schedulers.Hint) error{hold, hold, hold}}
		s := New(repeating{beneath})
		if name == "it does not" {
			s = New(beneath)
		}
		for range 3 {
			require.NoError(t, s.Submit(new(noted), schedulers.Hint{}))
		}
		assert.Len(t, tickets, want)
	}
}

// The events of the scheduler beneath are about single tickets.
func TestTicketsAreToldApartWhileEventsAreHeard(t *testing.T) {
	tickets := map[schedulers.Work]bool{}
	hold := func(ticket schedulers.Work, _ schedulers.Hint) error {
		tickets[ticket] = true
		return nil
	}
	s := New(repeating{&scripted{[]func(schedulers.Work, schedulers.Hint) error{hold, hold, hold, hold, hold}}})
	stop := schedulers.Observe(func(schedulers.Event) {})
	for range 3 {
		require.NoError(t, s.Submit(new(noted), schedulers.Hint{}))
	}
	assert.Len(t, tickets, 3)
	stop()
	for range 2 {
		require.NoError(t, s.Submit(new(noted), schedulers.Hint{}))
	}
	assert.Len(t, tickets, 4, "otherwise all share one")
	for ticket := range tickets {
		ticket.Run(nil)
	}
	for ticket := range tickets { // the first abandons the rest
		ticket.Abandon(schedulers.ErrShutdown)
	}
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, uint64(4), s.Metrics().Completed)
	assert.Equal(t, uint64(1), s.Metrics().Abandoned)
}

// waiting is a worker that runs work on top of a wait of other work, which has submitted it.
type waiting struct{}

func (waiting) Scheduler() schedulers.Scheduler { return nil }
func (waiting) ID() int                         { return 7 }
func (waiting) OnTop() bool                     { return true }

func (waiting) Pump(context.Context, schedulers.Scheduler, <-chan struct{}) error { return nil }

// The work of the wait is not the next, and other work must not run there.
func TestATicketOnTopOfAWaitRunsItsOwnWork(t *testing.T) {
	tickets := make(chan schedulers.Work, 5)
	hold := func(ticket schedulers.Work, hint schedulers.Hint) error {
		assert.Zero(t, hint.Flags)
		tickets <- ticket
		return nil
	}
	s := New(&scripted{[]func(schedulers.Work, schedulers.Hint) error{hold, hold, hold, hold, hold}})
	var before, own, after noted
	require.NoError(t, s.Submit(&before, schedulers.Hint{}))
	require.NoError(t, s.Submit(call(func(schedulers.Worker) {
		own.ran++
		assert.Equal(t, uint64(1), s.Metrics().Running)
	}), schedulers.Hint{From: waiting{}}))
	require.NoError(t, s.Submit(&after, schedulers.Hint{}))
	ran := func() [3]int { return [3]int{before.ran, own.ran, after.ran} }
	first, second, third := <-tickets, <-tickets, <-tickets

	second.Run(waiting{})
	assert.Equal(t, [3]int{0, 1, 0}, ran())
	assert.Equal(t, uint64(2), s.Metrics().Queued)
	third.Run(nil)
	assert.Equal(t, [3]int{1, 1, 0}, ran())
	second.Run(waiting{}) // its work is gone: another ticket takes its place
	assert.Equal(t, [3]int{1, 1, 0}, ran())
	(<-tickets).Run(waiting{})
	assert.Equal(t, [3]int{1, 1, 1}, ran(), "that one runs the next, since the wait may be for it")
	first.Run(nil)
	assert.Equal(t, [3]int{1, 1, 1}, ran())
	require.NoError(t, s.Shutdown(context.Background()))
}

// A thread that waits for work that it has submitted runs that, and not the older work of others,
// however it was submitted: threads recognise their own.
func TestAThreadThatWaitsRunsWhatItWaitsFor(t *testing.T) {
	for name, c := range map[string]struct {
		inside bool
		hint   func(on schedulers.Worker) schedulers.Hint
	}{
		"submitted there":              {true, func(on schedulers.Worker) schedulers.Hint { return schedulers.Hint{From: on} }},
		"submitted there without hint": {true, func(schedulers.Worker) schedulers.Hint { return schedulers.Hint{} }},
		"resumed":                      {false, func(schedulers.Worker) schedulers.Hint { return schedulers.Hint{Flags: schedulers.Resumed} }},
	} {
		t.Run(name, func(t *testing.T) {
			threads := dedicated.New(1)
			s := New(threads)
			var order []string
			began, goOn, ended, waited := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
			awaited := func(schedulers.Worker) { order = append(order, "awaited"); close(ended) }
			require.NoError(t, s.Submit(call(func(on schedulers.Worker) {
				close(began)
				<-goOn
				if c.inside {
					assert.NoError(t, s.Submit(call(awaited), c.hint(on)))
				}
				assert.NoError(t, schedulers.Wait(context.Background(), on, s, ended))
				order = append(order, "waiter")
				close(waited)
			}), schedulers.Hint{}))
			<-began
			require.NoError(t, s.Submit(call(func(schedulers.Worker) { order = append(order, "other") }), schedulers.Hint{}))
			if !c.inside {
				require.NoError(t, s.Submit(call(awaited), c.hint(nil)))
			}
			close(goOn)
			<-waited
			require.NoError(t, s.Shutdown(context.Background()))
			require.NoError(t, threads.Shutdown(context.Background()))
			assert.Equal(t, []string{"awaited", "waiter", "other"}, order)
		})
	}
}

// call is a function as work.
type call func(on schedulers.Worker)

func (f call) Run(on schedulers.Worker) { f(on) }
func (f call) Abandon(error)            {}

// In a simulation, each ticket is an actor of its own.
func TestASimulationTellsTicketsApart(t *testing.T) {
	actors := map[uint64]bool{}
	sim := simulation.NewWith(func(turns []simulation.Turn) int {
		for _, turn := range turns {
			actors[turn.Actor] = true
		}
		return 0
	})
	s := New(sim)
	for range 5 {
		require.NoError(t, s.Submit(new(noted), schedulers.Hint{}))
	}
	require.NoError(t, sim.Run())
	assert.Len(t, actors, 5)
}

// giving is work that gives up the queued work while it runs.
type giving struct {
	scheduler *Scheduler
	metrics   schedulers.Metrics
}

func (g *giving) Run(schedulers.Worker) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = g.scheduler.Shutdown(ended)
	g.metrics = g.scheduler.Metrics()
}
func (g *giving) Abandon(error) {}

func TestTheCountersAddUpWhileWorkRunsAndOtherWorkWasGivenUp(t *testing.T) {
	var tickets []schedulers.Work
	hold := func(ticket schedulers.Work, _ schedulers.Hint) error {
		tickets = append(tickets, ticket)
		return nil
	}
	s := New(&scripted{[]func(schedulers.Work, schedulers.Hint) error{hold, hold, hold}})
	g := &giving{scheduler: s}
	for _, w := range []schedulers.Work{g, new(noted), new(noted)} {
		require.NoError(t, s.Submit(w, schedulers.Hint{}))
	}
	tickets[0].Run(nil)
	assert.Equal(t, schedulers.Metrics{Submitted: 3, Abandoned: 2, Running: 1, Workers: 1}, g.metrics)
}
