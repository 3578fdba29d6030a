package priority

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// held is a scheduler beneath that keeps its tickets.
type held []schedulers.Work

func (h *held) Submit(ticket schedulers.Work, _ schedulers.Hint) error {
	*h = append(*h, ticket)
	return nil
}

// call is a function as work.
type call func(on schedulers.Worker)

func (f call) Run(on schedulers.Worker) { f(on) }
func (f call) Abandon(error)            {}

// waiting is a worker that runs work on top of a wait of other work, which has submitted it.
type waiting struct{}

func (waiting) Scheduler() schedulers.Scheduler { return nil }
func (waiting) ID() int                         { return 7 }
func (waiting) OnTop() bool                     { return true }

func (waiting) Pump(context.Context, schedulers.Scheduler, <-chan struct{}) error { return nil }

// The work of the wait is the least urgent.
func TestATicketOnTopOfAWaitRunsItsOwnWork(t *testing.T) {
	var tickets held
	s := New(&tickets, 2)
	ran := ""
	require.NoError(t, s.Group(0).Submit(call(func(schedulers.Worker) { ran += "a" }), schedulers.Hint{}))
	require.NoError(t, s.Group(1).Submit(call(func(schedulers.Worker) {
		ran += "z"
		assert.Equal(t, uint64(1), s.Metrics().Running)
	}), schedulers.Hint{From: waiting{}}))
	tickets[1].Run(waiting{})
	tickets[0].Run(nil)
	assert.Equal(t, "za", ran)
}

// The ticket of the less urgent work has run the more urgent one, which waits for the other. Only
// the ticket of the work that waits is left.
func TestWorkThatRanWithAnotherTicketMayWaitForThatOne(t *testing.T) {
	for name, flags := range map[string]schedulers.Flags{"submitted there": 0, "resumed": schedulers.Resumed} {
		t.Run(name, func(t *testing.T) {
			threads := dedicated.New(1)
			s := New(threads, 2)
			ran := make(chan error, 1)
			var last sync.WaitGroup
			last.Add(3)
			require.NoError(t, s.Submit(call(func(on schedulers.Worker) {
				defer last.Done()
				low := make(chan struct{})
				hint := schedulers.Hint{From: on, Flags: flags}
				assert.NoError(t, s.Group(1).Submit(call(func(schedulers.Worker) {
					defer last.Done()
					close(low)
				}), hint))
				assert.NoError(t, s.Group(0).Submit(call(func(on schedulers.Worker) {
					defer last.Done()
					ran <- schedulers.Wait(context.Background(), on, s, low)
				}), hint))
			}), schedulers.Hint{}))
			require.NoError(t, <-ran)
			last.Wait()
			require.NoError(t, s.Shutdown(context.Background()))
			require.NoError(t, threads.Shutdown(context.Background()))
		})
	}
}

// The tickets of work that was given up find nothing.
func TestASurplusTicketIsCounted(t *testing.T) {
	var tickets held
	s := New(&tickets, 2)
	for range 2 {
		require.NoError(t, s.Submit(call(nil), schedulers.Hint{}))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, s.Shutdown(ended), context.Canceled)
	assert.Equal(t, shim.Surplus(2), s.surplus)
	tickets[0].Run(nil)
	tickets[1].Abandon(schedulers.ErrShutdown)
	assert.Zero(t, s.surplus)
}
