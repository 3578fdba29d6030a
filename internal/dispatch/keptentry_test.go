package dispatch_test

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// calls is work that is a function.
type calls func()

func (f calls) Run(schedulers.Worker) { f() }
func (calls) Abandon(error)           {}

// bench is a worker with a number.
type bench struct{ n int }

func (*bench) Scheduler() schedulers.Scheduler { return nil }
func (b *bench) ID() int                       { return b.n }

// keeper is a worker that keeps an entry.
type keeper struct {
	bench
	entry dispatch.KeptEntry
}

func (k *keeper) KeptEntry() *dispatch.KeptEntry { return &k.entry }

func TestAWorkerOnTopIsFoundInTheEntryThatTheOneBeneathKeeps(t *testing.T) {
	beneath, first, second, inner := new(keeper), &bench{1}, &bench{2}, &bench{3}
	dispatch.RunOnTop(calls(func() { assert.Same(t, first, schedulers.Here()) }), first, beneath)
	assert.Nil(t, schedulers.Here(), "the entry is kept, but no work runs in it")
	dispatch.RunOnTop(calls(func() {
		assert.Same(t, second, schedulers.Here())
		dispatch.RunOnTop(calls(func() {
			assert.Same(t, inner, schedulers.Here(), "the kept entry is in use, and this is another")
		}), inner, beneath)
		assert.Same(t, second, schedulers.Here())
	}), second, beneath)
	beneath.entry.Release()
	beneath.entry.Release()
	dispatch.RunOnTop(calls(func() { assert.Same(t, first, schedulers.Here(), "and again") }), first, beneath)
	beneath.entry.Release()
}

func TestAKeptEntryIsLeftByAPanicAndByGoexit(t *testing.T) {
	beneath, on := new(keeper), &bench{1}
	for _, end := range []func(){func() { panic(1) }, runtime.Goexit} {
		var wait sync.WaitGroup
		wait.Go(func() {
			defer func() {
				_ = recover()
				assert.Nil(t, schedulers.Here())
			}()
			dispatch.RunOnTop(calls(end), on, beneath)
		})
		wait.Wait()
		dispatch.RunOnTop(calls(func() { assert.Same(t, on, schedulers.Here()) }), on, beneath)
	}
	beneath.entry.Release()
}

// occupy calls f while n workers are in entries, as far as there are any. Worker i of them has
// the ID i, from n down.
func occupy(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	schedulers.RunOn(calls(func() { occupy(n-1, f) }), &bench{n})
}

// Of all entries one is kept, until it is released.
func TestAReleasedEntryCanBeTaken(t *testing.T) {
	const all = 16 * 16 * 16
	beneath, on := new(keeper), &bench{all + 1}
	dispatch.RunOnTop(calls(func() {}), on, beneath)
	occupy(all, func() { assert.Equal(t, 2, schedulers.Here().ID(), "the last has found no entry") })
	beneath.entry.Release()
	occupy(all, func() { assert.Equal(t, 1, schedulers.Here().ID()) })
}

func TestAKeptEntryIsUsedAgain(t *testing.T) {
	beneath, on := new(keeper), &bench{}
	dispatch.RunOnTop(calls(func() {}), on, beneath)
	occupy(16*16*16, func() { // no other entry is free
		dispatch.RunOnTop(calls(func() { assert.Same(t, on, schedulers.Here()) }), on, beneath)
	})
	beneath.entry.Release()
}

func TestWithoutAKeptEntryAWorkerOnTopIsFoundToo(t *testing.T) {
	on := &bench{1}
	for _, beneath := range []schedulers.Worker{nil, &bench{2}, (*unkept)(nil)} {
		dispatch.RunOnTop(calls(func() { assert.Same(t, on, schedulers.Here()) }), on, beneath)
	}
}

func TestAReleasedEntryKeepsNoWorkerOnTop(t *testing.T) {
	beneath := new(keeper)
	room := dispatch.TopOf(beneath)
	assert.Nil(t, *room)
	*room = &bench{1}
	assert.Same(t, room, dispatch.TopOf(beneath))
	beneath.entry.Release()
	assert.Nil(t, *room)
	for _, other := range []schedulers.Worker{nil, &bench{2}, (*unkept)(nil)} {
		assert.Nil(t, dispatch.TopOf(other))
	}
}

// unkept is a worker whose work may be on another goroutine.
type unkept struct{ bench }

func (*unkept) KeptEntry() *dispatch.KeptEntry { return nil }

func BenchmarkRunOnTop(b *testing.B) {
	beneath, on := new(keeper), &bench{1}
	w := calls(func() {})
	for b.Loop() {
		dispatch.RunOnTop(w, on, beneath)
	}
	beneath.entry.Release()
}
