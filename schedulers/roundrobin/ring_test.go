package roundrobin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	_, first := s.ring.take()
	require.Equal(t, "a", first.name)
	require.Same(t, queues["b"], s.ring.next)
	return s, queues
}

// turns takes all items and returns the names of their queues in that order.
func turns(s *Scheduler) string {
	order := ""
	for w, q := s.ring.take(); w != nil; w, q = s.ring.take() {
		order += q.name
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
	_, q := s.ring.take()
	require.Equal(t, "b", q.name)
	queues["b"].giveUp()
	assert.Equal(t, "cda"+"cda"+"cd", turns(s))
}

// Submitters of one batch do not wait for submitters that fill another one, or are stuck
// there.
func TestQueuesHaveLocksOfTheirOwn(t *testing.T) {
	_, queues := filled(t)
	for range queues["a"].items.All() { // holds the lock of a
		require.NoError(t, queues["b"].Submit(nothing{}, schedulers.Hint{}))
	}
	assert.Len(t, queues["b"].Snapshot(), 3+2)
}

// Nor do they wait for the worker that holds the ring.
func TestASubmitterToAQueueWithWorkDoesNotNeedTheRing(t *testing.T) {
	s, queues := filled(t)
	s.ring.mu.Lock()
	require.NoError(t, queues["b"].Submit(nothing{}, schedulers.Hint{}))
	s.ring.mu.Unlock()
	assert.Len(t, queues["b"].Snapshot(), 4)
}
