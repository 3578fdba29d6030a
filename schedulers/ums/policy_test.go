package ums_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers/ums"
)

// weighted is a policy as a user would write it: two classes, one of which gets three
// turns for each of the other's while both have workers.
type weighted struct {
	interactive, batch []*ums.Worker
	turn               int
}

func (p *weighted) Ready(w *ums.Worker) {
	if w.Information().User == "interactive" {
		p.interactive = append(p.interactive, w)
	} else {
		p.batch = append(p.batch, w)
	}
}

func (p *weighted) Next() *ums.Worker {
	from := &p.interactive
	if p.turn++; p.turn%4 == 0 && len(p.batch) > 0 || len(p.interactive) == 0 {
		from = &p.batch
	}
	if len(*from) == 0 {
		return nil
	}
	w := (*from)[0]
	*from = (*from)[1:]
	return w
}

// TestTwoWeightedClassesShareAThreadThreeToOne checks the turns during which both
// classes have work.
func TestTwoWeightedClassesShareAThreadThreeToOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ums.New(1, ums.Decide(&weighted{}))
		gate := make(chan struct{})
		submit(t, s.Class("interactive"), func(*ums.Worker) { <-gate })
		synctest.Wait()
		var order []any
		for _, class := range []string{"batch", "interactive"} { // the order has no effect
			for range 30 {
				submit(t, s.Class(class), func(w *ums.Worker) {
					order = append(order, w.Information().User)
					w.Yield(nil) // the policy gets the worker again
					order = append(order, w.Information().User)
				})
			}
		}
		close(gate)
		require.NoError(t, s.Shutdown(context.Background()))
		require.Len(t, order, 120)
		interactive := 0
		for _, class := range order[:80] {
			if class == "interactive" {
				interactive++
			}
		}
		assert.Equal(t, 60, interactive)
		assert.NotContains(t, order[80:], "interactive", "then the batch has the thread for itself")
	})
}

var errPlan = errors.New("no plan")

// TestAPolicyThatFailsIsReplacedAndNothingIsLost holds the threads until all work is
// queued, so that the policy has all of it when it fails.
func TestAPolicyThatFailsIsReplacedAndNothingIsLost(t *testing.T) {
	for name, c := range map[string]struct {
		with func() *ums.Worker
		want error
	}{
		"it panics with an error": {func() *ums.Worker { panic(errPlan) }, errPlan},
		"it exits":                {func() *ums.Worker { runtime.Goexit(); return nil }, ums.ErrPolicyExited},
		"it withholds":            {func() *ums.Worker { return nil }, ums.ErrPolicyWithheld},
		"it invents":              {func() *ums.Worker { return ums.NewCompletionList().NewWorker(nil) }, ums.ErrPolicyInvented},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 100
			var failures []error
			var lock sync.Mutex
			s := ums.New(2, ums.Decide(&failing{after: n / 2, with: c.with}), ums.OnPolicyFailure(func(e *ums.PolicyError) {
				lock.Lock()
				defer lock.Unlock()
				failures = append(failures, e)
			}))
			gate := make(chan struct{})
			ran := make(chan int, n)
			for i := range n {
				submit(t, s, func(w *ums.Worker) {
					<-gate
					w.Yield(nil)
					ran <- i
				})
			}
			close(gate)
			require.NoError(t, s.Shutdown(context.Background()))
			close(ran)
			var all []int
			for i := range ran {
				all = append(all, i)
			}
			slices.Sort(all)
			assert.Len(t, slices.Compact(all), n)
			require.Len(t, failures, 1, "told once")
			assert.ErrorIs(t, failures[0], c.want)
			assert.ErrorContains(t, failures[0], "ums: the policy was replaced by first in, first out: ")
		})
	}
}

func TestAfterAFailureTheLineIsServedFromItsHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ums.New(1, ums.Decide(&failing{after: 2}))
		gate := make(chan struct{})
		submit(t, s, func(*ums.Worker) { <-gate })
		synctest.Wait()
		var order []int
		for i := range 5 {
			submit(t, s, func(*ums.Worker) { order = append(order, i) })
		}
		close(gate)
		require.NoError(t, s.Shutdown(context.Background()))
		assert.Equal(t, []int{4, 0, 1, 2, 3}, order, "the newest first while the policy works")
	})
}

// deaf fails when Ready reports a worker.
type deaf struct{ newestFirst }

func (*deaf) Ready(*ums.Worker) { panic("not listening") }

func TestAPolicyThatFailsInReadyLosesNoWorker(t *testing.T) {
	var failure *ums.PolicyError
	s := ums.New(1, ums.Decide(&deaf{}), ums.OnPolicyFailure(func(e *ums.PolicyError) { failure = e }))
	ran := false
	submit(t, s, func(*ums.Worker) { ran = true })
	require.NoError(t, s.Shutdown(context.Background()))
	assert.True(t, ran)
	assert.EqualError(t, failure.Err, "panic: not listening")
	assert.Contains(t, string(failure.Stack), "deaf", "the stack shows where")
}

// leaving calls runtime.Goexit when Ready reports the third worker.
type leaving struct {
	newestFirst
	told int
}

func (p *leaving) Ready(w *ums.Worker) {
	if p.told++; p.told == 3 {
		runtime.Goexit()
	}
	p.newestFirst.Ready(w)
}

// TestAPolicyThatExitsLosesNoWorker dequeues ten
// workers at once; the policy ends the thread at the second of them.
func TestAPolicyThatExitsLosesNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ums.New(1, ums.Decide(&leaving{}))
		gate := make(chan struct{})
		submit(t, s, func(*ums.Worker) { <-gate })
		synctest.Wait()
		var order []int
		for i := range 10 {
			submit(t, s, func(*ums.Worker) { order = append(order, i) })
		}
		close(gate)
		require.NoError(t, s.Shutdown(context.Background()))
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, order)
		assert.Empty(t, s.Workers())
	})
}

// withLog is a policy that delegates writing to a log, under a lock that workers use.
type withLog struct {
	newestFirst
	s     *ums.Scheduler
	write func(*ums.Worker)
}

func (p *withLog) Ready(w *ums.Worker) {
	p.newestFirst.Ready(w)
	if w.State() == ums.Created && p.write != nil {
		write := p.write
		p.write = nil
		_ = p.s.Delegate(write)
	}
}

// TestWorkThatNeedsALockOfTheWorkersIsDelegated makes a worker hold the log's lock while it is
// blocked in a call, which ends when another caller waits for the lock. If the policy waited
// for the lock, the thread would hang.
func TestWorkThatNeedsALockOfTheWorkersIsDelegated(t *testing.T) {
	var lock ums.Mutex
	var lines []string
	wanted := make(chan struct{})
	p := &withLog{write: func(w *ums.Worker) {
		w.Call(func() {
			close(wanted)
			assert.NoError(t, lock.Lock(ums.WorkerSide))
		})
		defer lock.Unlock()
		lines = append(lines, "a worker is ready")
	}}
	p.s = ums.New(1, ums.Decide(p))
	began := make(chan struct{})
	submit(t, p.s, func(w *ums.Worker) {
		close(began)
		assert.NoError(t, lock.Lock(ums.WorkerSide))
		defer lock.Unlock()
		w.Call(func() { <-wanted })
		lines = append(lines, "the worker goes on")
	})
	<-began // the policy has delegated its writing
	require.NoError(t, p.s.Shutdown(context.Background()))
	assert.Equal(t, []string{"the worker goes on", "a worker is ready"}, lines)
	assert.ErrorIs(t, lock.Lock(ums.SchedulerSide), ums.ErrSharedLock)
}
