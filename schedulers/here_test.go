package schedulers_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// calls is work that is a function.
type calls func()

func (f calls) Run(schedulers.Worker) { f() }
func (calls) Abandon(error)           {}

// bench is a worker with a number.
type bench struct{ n int }

func (*bench) Scheduler() schedulers.Scheduler { return nil }
func (b *bench) ID() int                       { return b.n }

func TestWorkFindsItsWorkerWithoutAContext(t *testing.T) {
	outer, inner := &bench{1}, &bench{2}
	assert.Nil(t, schedulers.Here())
	schedulers.RunOn(calls(func() {
		assert.Same(t, outer, schedulers.Here())
		schedulers.RunOn(calls(func() { assert.Same(t, inner, schedulers.Here(), "the nearest") }), inner)
		assert.Same(t, outer, schedulers.Here())
		schedulers.RunOn(calls(func() { assert.Same(t, outer, schedulers.Here(), "a nil worker is not found") }), nil)
		elsewhere := make(chan schedulers.Worker)
		go func() { elsewhere <- schedulers.Here() }()
		assert.Nil(t, <-elsewhere, "another goroutine is elsewhere")
		assert.Same(t, outer, deep(3000), "however deep")
	}), outer)
	assert.Nil(t, schedulers.Here())
}

func deep(n int) schedulers.Worker {
	if n == 0 {
		return schedulers.Here()
	}
	on := deep(n - 1)
	runtime.KeepAlive(&n)
	return on
}

func TestASlotIsLeftByAPanicAndByGoexit(t *testing.T) {
	for _, end := range []func(){func() { panic(1) }, runtime.Goexit} {
		var wait sync.WaitGroup
		wait.Go(func() {
			defer func() {
				_ = recover()
				assert.Nil(t, schedulers.Here())
			}()
			schedulers.RunOn(calls(end), &bench{1})
		})
		wait.Wait()
	}
}

// Each slot has its own number, and work also runs when there are more items than slots.
func TestEveryNumberIsReadAsItWasWritten(t *testing.T) {
	const many = 5000
	var ready, done sync.WaitGroup
	ready.Add(many)
	found := make([]schedulers.Worker, many)
	for i := range many {
		done.Go(func() {
			schedulers.RunOn(calls(func() {
				ready.Done()
				ready.Wait()
				found[i] = schedulers.Here()
			}), &bench{i})
		})
	}
	done.Wait()
	n := 0
	for i, on := range found {
		if on != nil {
			n++
			require.Equal(t, i, on.ID())
		}
	}
	assert.Equal(t, 16*16*16, n, "as many as there are numbers")
}

// The search for a free slot begins at another slot each time, and skips slots that are
// taken.
func TestASlotIsFoundAsLongAsOneIsFree(t *testing.T) {
	outer, inner := &bench{1}, &bench{2}
	schedulers.RunOn(calls(func() {
		for range 16 * 16 * 16 {
			schedulers.RunOn(calls(func() { require.Same(t, inner, schedulers.Here()) }), inner)
		}
	}), outer)
}

func TestWorkFindsAWorkerFurtherOut(t *testing.T) {
	outer, inner := &bench{1}, &bench{2}
	is := func(n int) func(schedulers.Worker) bool {
		return func(on schedulers.Worker) bool { return on.ID() == n }
	}
	assert.Nil(t, dispatch.HereOn(is(1)))
	schedulers.RunOn(calls(func() {
		schedulers.RunOn(calls(func() {
			assert.Same(t, outer, dispatch.HereOn(is(1)))
			assert.Same(t, inner, dispatch.HereOn(is(2)))
			assert.Nil(t, dispatch.HereOn(is(3)))
		}), inner)
		assert.Nil(t, dispatch.HereOn(is(2)))
	}), outer)
}

func BenchmarkRunOn(b *testing.B) {
	on := &bench{1}
	w := calls(func() {})
	for b.Loop() {
		schedulers.RunOn(w, on)
	}
}

func BenchmarkHere(b *testing.B) {
	schedulers.RunOn(calls(func() {
		for b.Loop() {
			schedulers.Here()
		}
	}), &bench{1})
}
