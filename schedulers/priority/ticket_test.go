package priority

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
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
