package roundrobin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

type nothing struct{}

func (nothing) Run(schedulers.Worker) {}
func (nothing) Abandon(error)         {}

// filled returns a scheduler with four queues of three items each, named a to d, with
// next at b, and the queues by name.
func filled(t *testing.T) (*Scheduler, map[string]*Queue) {
	t.Helper()
	s := New(manual.New())
	queues := map[string]*Queue{}
	for _, name := range []string{"a", "b", "c", "d"} {
		q, err := s.CreateQueue(Name(name))
		require.NoError(t, err)
		queues[name] = q
		for range 3 {
			require.NoError(t, q.Submit(nothing{}, schedulers.Hint{}))
		}
	}
	require.Equal(t, "a", queueOf(s.ring.take(nil)).name)
	require.Same(t, queues["b"], s.ring.next)
	return s, queues
}

// turns takes all items and returns the names of their queues in that order.
func turns(s *Scheduler) string {
	order := ""
	for it := s.ring.take(nil); it != nil; it = s.ring.take(nil) {
		order += queueOf(it).name
	}
	return order
}

func TestNextStaysValidWhereverAQueueIsRemoved(t *testing.T) {
	for name, c := range map[string]struct{ remove, want string }{
		"before next":       {"a", "bcd" + "bcd" + "bcd"},
		"at next":           {"b", "cda" + "cda" + "cd"},
		"after next":        {"c", "bda" + "bda" + "bd"},
		"last":              {"d", "bca" + "bca" + "bc"},
		"at next and after": {"bc", "da" + "da" + "d"},
		"all but next":      {"acd", "bbb"},
		"all":               {"abcd", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, queues := filled(t)
			for _, letter := range c.remove {
				queues[string(letter)].giveUp()
			}
			assert.Equal(t, c.want, turns(s))
			assert.Nil(t, s.ring.next)
		})
	}
}

// The turn of a queue with a weight ends with the queue, not in the middle of the next
// queue's turn.
func TestTheRestOfATurnIsNotInherited(t *testing.T) {
	s, queues := filled(t)
	queues["b"].weight = 3
	require.Equal(t, "b", queueOf(s.ring.take(nil)).name)
	queues["b"].giveUp()
	assert.Equal(t, "cda"+"cda"+"cd", turns(s))
}

// Submitters of one batch do not wait for submitters that fill another one, or are stuck
// there.
func TestQueuesHaveLocksOfTheirOwn(t *testing.T) {
	_, queues := filled(t)
	queues["a"].mu.Lock()
	defer queues["a"].mu.Unlock()
	require.NoError(t, queues["b"].Submit(nothing{}, schedulers.Hint{}))
	assert.Len(t, queues["b"].Snapshot(), 4)
}

// early calls meanwhile and runs the ticket, both before Submit returns.
type early struct{ meanwhile func(t *shim.Ticket) }

func (e early) Submit(w schedulers.Work, _ schedulers.Hint) error {
	e.meanwhile(w.(*shim.Ticket))
	w.Run(nil)
	return nil
}

func TestATicketThatRunsBeforeItsSubmitReturnsFindsItsItem(t *testing.T) {
	s := New(early{func(*shim.Ticket) {}})
	require.NoError(t, s.Submit(nothing{}, schedulers.Hint{}))
	assert.Equal(t, uint64(1), s.Metrics().Completed)
	assert.Nil(t, s.ring.next)
}

// The submitter has put the item into the queue, but has not put the queue into the ring yet.
func TestATicketThatComesIntoTheGapFindsItsItem(t *testing.T) {
	s := New(early{func(t *shim.Ticket) {
		q := queueOf(t)
		q.mu.Lock()
		q.items.Push(t)
		q.mu.Unlock()
	}})
	require.NoError(t, s.Submit(nothing{}, schedulers.Hint{}))
	assert.Equal(t, uint64(1), s.Metrics().Completed)
}
