package job

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func doNothing(context.Context) error { return nil }

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// manual is a scheduler whose work runs when the test calls for it, on the test's
// goroutine: a test writes an interleaving as a sequence of statements.
type manual struct {
	queue   []schedulers.Work
	hints   []schedulers.Hint
	refuse  error                   // what Submit returns
	consent bool                    // what MayRunInPlace returns
	during  func(w schedulers.Work) // called inside Submit
	asked   int                     // how often consent was requested
	block   func() (unblock func(), err error)
}

// station is the one worker of a manual scheduler.
type station struct{ of *manual }

func (s *station) Scheduler() schedulers.Scheduler { return s.of }
func (s *station) ID() int                         { return 1 }

func (s *station) Block() (func(), error) {
	if s.of.block == nil {
		return func() {}, nil
	}
	return s.of.block()
}

func (m *manual) Submit(w schedulers.Work, from schedulers.Hint) error {
	if m.during != nil {
		m.during(w)
	}
	if m.refuse != nil {
		return m.refuse
	}
	m.queue = append(m.queue, w)
	m.hints = append(m.hints, from)
	return nil
}

func (m *manual) MayRunInPlace(schedulers.Work, schedulers.Worker) bool {
	m.asked++
	return m.consent
}

// take removes the oldest work from the queue.
func (m *manual) take(t testing.TB) schedulers.Work {
	t.Helper()
	require.NotEmpty(t, m.queue, "nothing is queued")
	w := m.queue[0]
	m.queue[0] = nil
	m.queue = m.queue[1:]
	return w
}

// step runs the oldest work.
func (m *manual) step(t testing.TB) {
	t.Helper()
	m.take(t).Run(&station{m})
}

// all runs work until none is left.
func (m *manual) all() {
	for len(m.queue) > 0 {
		w := m.queue[0]
		m.queue[0] = nil
		m.queue = m.queue[1:]
		w.Run(&station{m})
	}
}

// ctx returns a context whose ambient scheduler is m.
func (m *manual) ctx() context.Context { return schedulers.With(context.Background(), m) }

// onPool returns a context with a new pool of the given number of workers.
func onPool(t testing.TB, workers int) context.Context {
	t.Helper()
	p := pool.New(pool.Workers(workers, workers))
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	return schedulers.With(context.Background(), p)
}

// constant returns a function that returns v and err.
func constant[T any](v T, err error) func(context.Context) (T, error) {
	return func(context.Context) (T, error) { return v, err }
}
