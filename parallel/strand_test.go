package parallel

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// sleeper is a body that suspends until the test lets it continue.
type sleeper[T any] struct {
	of    *sleepers[T]
	value T
	err   error
	end   suspension.Completer[T]
}

// sleepers are the bodies that are asleep.
type sleepers[T any] struct {
	mu   sync.Mutex
	full []*sleeper[T]
	most int
	left chan struct{} // one for each body that has gone to sleep
}

func newSleepers[T any]() *sleepers[T] { return &sleepers[T]{left: make(chan struct{}, 1000)} }

func (b *sleepers[T]) sleep(v T, err error) error { return &sleeper[T]{of: b, value: v, err: err} }

func (*sleeper[T]) Error() string { return "asleep" }

func (s *sleeper[T]) GoOn(end any, _ schedulers.Worker, _ uint8) {
	s.end = end.(suspension.Completer[T])
	b := s.of
	b.mu.Lock()
	b.full = append(b.full, s)
	b.most = max(b.most, len(b.full))
	b.mu.Unlock()
	b.left <- struct{}{}
}

// wake ends the oldest sleeping body, once there is one.
func (b *sleepers[T]) wake() {
	<-b.left
	b.mu.Lock()
	s := b.full[0]
	b.full = b.full[1:]
	b.mu.Unlock()
	var waiters continuation.Chain
	var p *job.PanicError
	if errors.As(s.err, &p) || errors.Is(s.err, job.ErrGoexit) {
		waiters = s.end.Fault(s.err)
	} else {
		waiters = s.end.Return(s.value, s.err)
	}
	waiters.Deliver(nil)
}

// machineHomes are schedulers on which a machine may call an operation.
var machineHomes = map[string]schedulers.Scheduler{"each": each{}, "inline": inline{}, "refusing": refusing{}, "uncomparable": uncomparable{}}

func machineOn(t *testing.T, s schedulers.Scheduler) context.Context {
	return byMachine{schedulers.With(t.Context(), s)}
}

// endOf waits for the operation that a machine waits for.
func endOf(t *testing.T, err error) error {
	t.Helper()
	var p *paused
	switch err := err.(type) {
	case *paused:
		p = err
	case *pausedValue[int]:
		p = &err.paused
	case *pausedValue[[]int]:
		p = &err.paused
	}
	require.NotNil(t, p, "%v is not an operation under way", err)
	end, err := p.job.Wait(t.Context())
	require.NoError(t, err)
	if end.goexit {
		return job.ErrGoexit
	}
	return end.err
}

func TestBodiesThatSuspendAreAsManyAsTheDegreeSays(t *testing.T) {
	for name, s := range machineHomes {
		for what, opts := range map[string][]Option{"stealing": {Degree(3)}, "chunk": {Degree(3), Chunk(2)}, "range": {Degree(3), Range()}, "one": {Degree(1)}} {
			t.Run(name+" "+what, func(t *testing.T) {
				b := newSleepers[job.Void]()
				var ran [20]atomic.Int32
				err := For(machineOn(t, s), 5, 25, func(_ context.Context, i int) error {
					ran[i-5].Add(1)
					return b.sleep(job.Void{}, nil)
				}, opts...)
				for range ran {
					b.wake()
				}
				assert.NoError(t, endOf(t, err))
				for i := range ran {
					assert.EqualValues(t, 1, ran[i].Load(), i)
				}
				assert.LessOrEqual(t, b.most, 3)
			})
		}
	}
}

func TestASequencesItemsAreGivenToBodiesThatSuspend(t *testing.T) {
	for name, s := range machineHomes {
		for _, chunk := range []int{0, 1, 3} {
			t.Run(name, func(t *testing.T) {
				b := newSleepers[int]()
				items := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}
				_, err := Map(machineOn(t, s), maps.Keys(items), func(_ context.Context, i int) (int, error) { return 0, b.sleep(i*i, nil) }, Degree(2), Chunk(chunk))
				for range items {
					b.wake()
				}
				assert.NoError(t, endOf(t, err))
				out, err := err.(*pausedValue[[]int]).value(nil)
				slices.Sort(out)
				assert.Equal(t, []int{1, 4, 9, 16, 25, 36, 49}, out)
				assert.NoError(t, err)
				assert.LessOrEqual(t, b.most, 2)
			})
		}
	}
}

func TestABodyThatSuspendedAndFailsStopsItsOperation(t *testing.T) {
	boom := &job.PanicError{Value: "boom"}
	for _, fails := range []error{errBody, boom, job.ErrGoexit} {
		b := newSleepers[job.Void]()
		var ended atomic.Pointer[context.Context]
		calls := 0
		err := For(machineOn(t, each{}), 0, 10, func(ctx context.Context, i int) error {
			calls++
			ended.Store(&ctx)
			if i == 1 {
				return b.sleep(job.Void{}, fails)
			}
			return b.sleep(job.Void{}, nil)
		}, Degree(1))
		b.wake()
		b.wake()
		assert.ErrorIs(t, endOf(t, err), fails)
		assert.Equal(t, 2, calls)
		assert.Error(t, (*ended.Load()).Err())
	}
}

func TestABodyThatSuspendedAndPanicsWhileItExitsEndsTheCaller(t *testing.T) {
	var failures []error
	before := job.OnUnobserved(func(f job.Failure) { failures = append(failures, f.Err) })
	defer job.OnUnobserved(before)
	b := newSleepers[job.Void]()
	fails := promise.Exiting(&job.PanicError{Value: "while exiting"})
	err := For(machineOn(t, each{}), 0, 1, func(context.Context, int) error { return b.sleep(job.Void{}, fails) })
	b.wake()
	assert.Equal(t, job.ErrGoexit, endOf(t, err))
	job.ReportUnobserved()
	assert.Equal(t, []error{fails}, failures, "the caller, which exits, cannot get it")
}

func TestAMachinesCallerIsToldAtOnceWhereNothingSuspends(t *testing.T) {
	for name, s := range machineHomes {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int32
			err := For(machineOn(t, s), 0, 1, func(context.Context, int) error { n.Add(1); return nil })
			assert.NoError(t, err)
			assert.EqualValues(t, 1, n.Load())
			assert.ErrorIs(t, Invoke(machineOn(t, s), func(context.Context) error { return errBody }), errBody)
			var p *job.PanicError
			assert.ErrorAs(t, ForEach(machineOn(t, s), []int{1}, func(context.Context, int) error { panic("now") }), &p)
			v, err := Run(machineOn(t, s), func(w *Worker) (int, error) { return sum(w, 10), nil })
			assert.Equal(t, 45, v)
			assert.NoError(t, err)
		})
	}
}

// sum adds the numbers below n by forks.
func sum(w *Worker, n int) int {
	if n < 2 {
		return 0
	}
	f := Fork(w, sum, n-1)
	return n - 1 + f.Join(w)
}

func TestAWorkerGoesWithABodyThatSuspends(t *testing.T) {
	for name, s := range machineHomes {
		t.Run(name, func(t *testing.T) {
			b := newSleepers[int]()
			late := 0
			_, err := Run(machineOn(t, s), func(w *Worker) (int, error) {
				assert.Equal(t, 45, sum(w, 10))
				_ = Fork(w, func(*Worker, int) int { late++; return 0 }, 1)
				return 0, b.sleep(7, errBody)
			})
			b.wake()
			assert.NoError(t, endOf(t, err))
			v, err := err.(*pausedValue[int]).value(nil)
			assert.Equal(t, 7, v)
			assert.ErrorIs(t, err, errBody)
			assert.Equal(t, 1, late, "what was forked is joined")
		})
	}
}

// The body may write the results while the caller returns that it has suspended.
func TestABodyMayEndWhileItsCallerReturns(t *testing.T) {
	for name, s := range machineHomes {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				b := newSleepers[int]()
				go b.wake()
				v, err := Run(machineOn(t, s), func(*Worker) (int, error) { return 0, b.sleep(7, nil) })
				if p, ok := err.(*pausedValue[int]); ok {
					v, err = p.value(endOf(t, err))
				}
				require.NoError(t, err)
				require.Equal(t, 7, v)
			}
		})
	}
}

func TestAGoexitOnTheCallersGoroutineLeavesNoBodyBehind(t *testing.T) {
	b := newSleepers[job.Void]()
	exited := make(chan struct{})
	var begun atomic.Int32
	go func() {
		defer close(exited)
		_ = For(machineOn(t, each{}), 0, 2, func(_ context.Context, i int) error {
			begun.Add(1)
			if i == 1 {
				return b.sleep(job.Void{}, nil)
			}
			for begun.Load() < 2 {
				runtime.Gosched()
			}
			runtime.Goexit()
			return nil
		}, Degree(2), Chunk(1))
	}()
	select {
	case <-exited:
		t.Error("a body was left behind")
	case b.left <- <-b.left:
	}
	b.wake()
	<-exited
}
