package parallel

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errBody = errors.New("body failed")

// each is a scheduler that starts a goroutine for each work item.
type each struct{}

func (each) Submit(w schedulers.Work, _ schedulers.Hint) error {
	go w.Run(nil)
	return nil
}

// inline is a scheduler that runs each work item in Submit.
type inline struct{}

func (inline) RunsInPlace() bool { return true }

func (inline) Submit(w schedulers.Work, _ schedulers.Hint) error {
	w.Run(nil)
	return nil
}

// refusing is a scheduler that takes nothing.
type refusing struct{}

func (refusing) Submit(schedulers.Work, schedulers.Hint) error { return schedulers.ErrShutdown }

// held is a scheduler that keeps work until the test takes it.
type held struct {
	mu    sync.Mutex
	works []schedulers.Work
}

func (h *held) Submit(w schedulers.Work, _ schedulers.Hint) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.works = append(h.works, w)
	return nil
}

// take returns the oldest work that is kept, or nil.
func (h *held) take() schedulers.Work {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.works) == 0 {
		return nil
	}
	w := h.works[0]
	h.works = h.works[1:]
	return w
}

func (h *held) len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.works)
}

// uncomparable is a scheduler of a type whose values cannot be compared.
type uncomparable struct{ _ []int }

func (uncomparable) Submit(w schedulers.Work, _ schedulers.Hint) error {
	go w.Run(nil)
	return nil
}

// panicking is a scheduler with a bug.
type panicking struct{}

func (panicking) Submit(schedulers.Work, schedulers.Hint) error { panic("a bug in Submit") }

// onEach runs a test on schedulers of all kinds.
func onEach(t *testing.T, test func(t *testing.T, ctx context.Context)) {
	t.Helper()
	run := func(name string, s schedulers.Scheduler) {
		t.Run(name, func(t *testing.T) { test(t, schedulers.With(context.Background(), s)) })
	}
	t.Run("default", func(t *testing.T) { test(t, context.Background()) })
	one, four := pool.New(pool.Workers(1, 1)), pool.New(pool.Workers(4, 4))
	run("pool of one", one)
	run("pool of four", four)
	run("goroutines", each{})
	run("inline", inline{})
	run("inline, not said", silent{})
	run("no helper comes", &held{})
	run("refusing", refusing{})
	run("panicking", panicking{})
	run("uncomparable", uncomparable{})
	for _, p := range []*pool.Pool{one, four} {
		require.NoError(t, p.Shutdown(context.Background()))
	}
}

// inWorker calls f on the only worker of a pool.
func inWorker(t *testing.T, f func(ctx context.Context)) {
	t.Helper()
	p := pool.New(pool.Workers(1, 1))
	done := make(chan struct{})
	require.NoError(t, p.Submit(task(func(on schedulers.Worker) {
		defer close(done)
		f(context.WithValue(schedulers.With(context.Background(), p), contract.WorkerKey, on))
	}), schedulers.Hint{}))
	<-done
	require.NoError(t, p.Shutdown(context.Background()))
}

// task is work that is a function.
type task func(schedulers.Worker)

func (f task) Run(on schedulers.Worker) { f(on) }
func (f task) Abandon(error)            {}

// exits reports whether f ends its goroutine by runtime.Goexit.
func exits(f func()) (exited bool) {
	done := make(chan struct{})
	exited = true
	go func() {
		defer close(done)
		f()
		exited = false
	}()
	<-done
	return exited
}

// meet returns a function that blocks until it has been called n times: n bodies that
// call it run at the same time, each on its own goroutine.
func meet(n int) (arrive func()) {
	var all sync.WaitGroup
	all.Add(n)
	return func() {
		all.Done()
		all.Wait()
	}
}

// goid identifies the goroutine, for tests that check where something ran.
func goid() string {
	buf := make([]byte, 32)
	return string(buf[:runtime.Stack(buf, false)][:20])
}
