package job_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/pool"
)

// flight counts the children in flight.
type flight struct{ now, most, ran atomic.Int64 }

func (f *flight) begin() {
	f.ran.Add(1)
	n := f.now.Add(1)
	for m := f.most.Load(); n > m && !f.most.CompareAndSwap(m, n); m = f.most.Load() {
	}
}

func (f *flight) end() { f.now.Add(-1) }

func (f *flight) yield(context.Context) error {
	f.begin()
	defer f.end()
	runtime.Gosched()
	return nil
}

func TestALimitLimitsChildrenInFlight(t *testing.T) {
	for name, s := range map[string]schedulers.Scheduler{
		"pool": pool.New(pool.Workers(4, 4)), "goroutine": goroutine.New(), "inline": inline.New(),
		"one thread": dedicated.New(1), "limited": limited.New(pool.New(), 8),
	} {
		t.Run(name, func(t *testing.T) {
			var f flight
			ctx := schedulers.With(context.Background(), s)
			err := job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
				s.Limit(3)
				for range 40 {
					assert.True(t, s.Go(f.yield))
					job.Spawn(s, func(ctx context.Context) (int, error) { return 0, f.yield(ctx) })
				}
				return nil
			})
			require.NoError(t, err)
			assert.EqualValues(t, 80, f.ran.Load())
			assert.LessOrEqual(t, f.most.Load(), int64(3))
			if e, ok := s.(schedulers.Shutdowner); ok {
				require.NoError(t, e.Shutdown(context.Background()))
			}
		})
	}
}

// A child that has suspended is in flight: its slot is not free.
func TestALimitCountsChildrenThatWait(t *testing.T) {
	const n = 5
	starts := map[string]func(s *job.Scope, fn func(context.Context) (job.Void, error)){
		"Spawn": func(s *job.Scope, fn func(context.Context) (job.Void, error)) { job.Spawn(s, fn) },
		"Go": func(s *job.Scope, fn func(context.Context) (job.Void, error)) {
			s.Go(func(ctx context.Context) error { _, err := fn(ctx); return err })
		},
	}
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			s := job.NewScope(context.Background(), job.On(inline.New()))
			s.Limit(2)
			var begun []int
			suspended := make(later[job.Void], n)
			for i := range n {
				start(s, func(ctx context.Context) (job.Void, error) {
					begun = append(begun, i)
					return suspended.fn(ctx)
				})
			}
			for i := range n {
				assert.Len(t, begun, min(i+2, n))
				(<-suspended).Return(job.Void{}, nil).Deliver(nil)
			}
			require.NoError(t, s.Wait())
			assert.Equal(t, []int{0, 1, 2, 3, 4}, begun, "in the order in which they were started")
		})
	}
}

// held returns a scope with one slot, which is taken until release is called.
func held(t *testing.T, opts ...job.Option) (s *job.Scope, release func()) {
	t.Helper()
	gate := make(chan struct{})
	s = job.NewScope(context.Background(), append(opts, job.On(goroutine.New()))...)
	s.Limit(1)
	require.True(t, s.Go(func(context.Context) error { <-gate; return nil }))
	return s, func() { close(gate) }
}

func TestAChildThatIsCanceledInLineTakesNoSlot(t *testing.T) {
	s, release := held(t)
	never := job.Spawn(s, func(context.Context) (int, error) { t.Error("it was canceled"); return 0, nil })
	ran := job.Spawn(s, func(context.Context) (int, error) { return 7, nil })
	assert.Equal(t, job.WaitingForActivation, never.Status())
	assert.True(t, never.Cancel())
	assert.Equal(t, job.Canceled, never.Status())
	release()
	n, err := ran.Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	require.NoError(t, s.Wait())
}

// The slot is taken for a long time. Canceled children are dropped nevertheless, and the
// others keep their order.
func TestChildrenThatAreCanceledInLineAreForgotten(t *testing.T) {
	s, release := held(t)
	var freed atomic.Int64
	var order []int
	var kept []*job.Job[int]
	for i := range 1000 {
		j := job.Spawn(s, func(context.Context) (int, error) { order = append(order, i); return i, nil })
		runtime.AddCleanup(j, func(int) { freed.Add(1) }, 0)
		if i%100 == 0 {
			kept = append(kept, j)
		} else {
			j.Cancel()
		}
	}
	require.Eventually(t, func() bool { runtime.GC(); return freed.Load() >= 950 }, 10*time.Second, time.Millisecond)
	release()
	require.NoError(t, s.Wait())
	assert.Equal(t, []int{0, 100, 200, 300, 400, 500, 600, 700, 800, 900}, order)
	for _, j := range kept {
		assert.Equal(t, job.Completed, j.Status())
	}
}

func TestTheEndOfTheScopeReachesTheLine(t *testing.T) {
	boom := errors.New("boom")
	s, release := held(t)
	var ran atomic.Int64
	for range 3 {
		s.Go(func(context.Context) error { ran.Add(1); return nil })
	}
	j := job.Spawn(s, func(context.Context) (int, error) { ran.Add(1); return 0, nil })
	s.Cancel(boom)
	release()
	require.ErrorIs(t, s.Wait(), boom)
	assert.Equal(t, job.Canceled, j.Status())
	assert.Zero(t, ran.Load())
}

func TestALimitThatIsRaisedLetsTheLineIn(t *testing.T) {
	for _, n := range []int{2, 0, -1} {
		s, release := held(t)
		j := job.Spawn(s, func(context.Context) (int, error) { return 1, nil })
		s.Limit(n)
		_, err := j.Wait(context.Background())
		require.NoError(t, err)
		release()
		require.NoError(t, s.Wait())
	}
}

// A refusal gives the slot back; a long queue of refusals takes no deep stack.
func TestALineWhoseSchedulerRefuses(t *testing.T) {
	p := pool.New()
	s := job.NewScope(context.Background(), job.On(p), job.Supervisor())
	s.Limit(1)
	gate := make(chan struct{})
	require.True(t, s.Go(func(context.Context) error { <-gate; return nil }))
	for range 100_000 {
		s.Go(func(context.Context) error { return nil })
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.Shutdown(ctx)
	close(gate)
	require.ErrorIs(t, s.Wait(), job.ErrShutdown)
}

// deferring is a scheduler that keeps its first work item, and runs all later ones in
// Submit, after calling during.
type deferring struct {
	first  schedulers.Work
	during func()
}

func (d *deferring) Submit(w schedulers.Work, _ schedulers.Hint) error {
	if d.first == nil {
		d.first = w
		return nil
	}
	if d.during != nil {
		d.during()
	}
	w.Run(nil)
	return nil
}

// A scheduler that runs work in Submit would run each child of the line inside the
// previous one.
func TestALineIsServedInALoop(t *testing.T) {
	d := &deferring{}
	s := job.NewScope(context.Background(), job.On(d))
	s.Limit(1)
	s.Go(func(context.Context) error { return nil })
	var depths []int
	for range 20 {
		s.Go(func(context.Context) error {
			depths = append(depths, runtime.Callers(0, make([]uintptr, 1000)))
			return nil
		})
	}
	d.first.Run(nil)
	require.NoError(t, s.Wait())
	require.Len(t, depths, 20)
	assert.Equal(t, depths[0], depths[19])
}

// The child ends the goroutine that serves the line, by runtime.Goexit.
func TestAnExitOfAChildDoesNotStopTheLine(t *testing.T) {
	d := &deferring{}
	s := job.NewScope(context.Background(), job.On(d), job.Supervisor())
	s.Limit(1)
	s.Go(func(context.Context) error { return nil })
	s.Go(func(context.Context) error { runtime.Goexit(); return nil })
	last := job.Spawn(s, func(context.Context) (int, error) { return 7, nil })
	go d.first.Run(nil)
	n, err := last.Wait(context.Background())
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	require.ErrorIs(t, s.Wait(), job.ErrGoexit)
}

// A child that is started while another child of the line is submitted finds a free
// slot, and still waits behind the line.
func TestANewcomerDoesNotOvertakeTheLine(t *testing.T) {
	d := &deferring{}
	s := job.NewScope(context.Background(), job.On(d))
	var order []int
	child := func(n int) func(context.Context) error {
		return func(context.Context) error { order = append(order, n); return nil }
	}
	s.Limit(1)
	s.Go(child(0))
	s.Go(child(1))
	s.Go(child(2))
	d.during = func() {
		d.during = nil
		s.Go(child(3))
	}
	s.Limit(3)
	d.first.Run(nil)
	require.NoError(t, s.Wait())
	assert.Equal(t, []int{1, 2, 3, 0}, order)
}
