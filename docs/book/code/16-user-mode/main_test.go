package main

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run runs workers with a policy and returns the order in which they were picked.
func run(policy func([]*worker) int, add func(*scheduler)) (order []string) {
	s := &scheduler{list: newList()}
	s.next = func(ready []*worker) int {
		at := policy(ready)
		order = append(order, ready[at].name)
		return at
	}
	s.idle = func() {}
	add(s)
	enter(s.entry)
	return order
}

// threeToOne is exercise 1: a policy with two classes, by the first letter of a name.
func threeToOne() func([]*worker) int {
	turn := 0
	return func(ready []*worker) int {
		turn++
		want := byte('r')
		if turn%4 == 0 {
			want = 'b'
		}
		for at, w := range ready {
			if w.name[0] == want {
				return at
			}
		}
		return 0
	}
}

func TestExercise1ThreeTurnsToOne(t *testing.T) {
	order := run(threeToOne(), func(s *scheduler) {
		for _, name := range []string{"b1", "b2", "b3", "r1", "r2", "r3", "r4", "r5"} {
			s.add(name, func(*worker) {})
		}
	})
	assert.Equal(t, []string{"r1", "r2", "r3", "b1", "r4", "r5", "b2", "b3"}, order)
}

// locks is exercise 2: which contexts are locked, and which of these the entry point tried to
// execute. A locked worker is not picked. The attempt is remembered, and the unlock puts the
// worker on the list, as if its blocking had ended.
type locks struct {
	mu             sync.Mutex // any goroutine may unlock: the check and the note are one step
	locked, wanted map[*worker]bool
}

func (l *locks) execute(w *worker) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locked[w] {
		l.wanted[w] = true
	}
	return !l.locked[w]
}

func (l *locks) unlock(w *worker) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.locked, w)
	if l.wanted[w] {
		delete(l.wanted, w)
		w.list.put(w)
	}
}

func TestExercise2ALockedContextIsPickedLater(t *testing.T) {
	s := &scheduler{list: newList(), next: oldest}
	l := &locks{locked: map[*worker]bool{}, wanted: map[*worker]bool{}}
	var patient *worker
	var order []string
	s.add("patient", func(*worker) { order = append(order, "patient") })
	s.add("other", func(*worker) { order = append(order, "other"); l.unlock(patient) })
	patient = s.list.items[0]
	l.locked[patient] = true
	enter(func(a activation) *worker {
		for w := s.entry(a); w != nil; w = s.entry(activation{}) {
			if l.execute(w) {
				return w
			}
		}
		return nil
	})
	assert.Equal(t, []string{"other", "patient"}, order)
}

// Exercise 3: a worker is picked once to begin, and once after each marked call: 101 times and
// twice.
func TestExercise3FewBlockingCalls(t *testing.T) {
	calls := func(n int) (picked int) {
		return len(run(oldest, func(s *scheduler) {
			s.add("reader", func(w *worker) {
				for range n {
					w.block(func() {})
				}
			})
		}))
	}
	assert.Equal(t, 101, calls(100))
	assert.Equal(t, 2, calls(1))
}

func Example() {
	main()
	// Output:
	// the oldest first
	// startup: picks reader
	// blocked: picks counter
	// yielded: picks printer
	// ended: picks counter
	// yielded: picks counter
	// ended: (waits for the list) picks reader
	// ended: no worker is left
	// the newest first
	// startup: picks printer
	// ended: picks counter
	// yielded: picks counter
	// yielded: picks counter
	// ended: picks reader
	// blocked: (waits for the list) picks reader
	// ended: no worker is left
}
