package coord

import (
	"context"
	"reflect"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

func TestUncontendedOperationsAllocateNothing(t *testing.T) {
	if raceDetector {
		t.Log("the race detector allocates; the costs of a normal build are checked only")
		return
	}
	var (
		m    Mutex
		rw   RWMutex
		km   KeyedMutex[int]
		s    = NewSemaphore(3)
		auto AutoResetEvent
		gate ManualResetEvent
		down Countdown
		solo = NewBarrier(1)
		ch   = NewBounded[int](4, WaitForRoom)
		many = NewUnbounded[int]()
		rank = NewPriority(func(v int) int64 { return int64(v) })
		b    = NewBroadcast[int](4, WaitForRoom)
		sub  = b.Subscribe()
		lazy = NewLazy(func(context.Context) (int, error) { return 1, nil })
	)
	ctx, cancel := context.WithCancel(endless)
	defer cancel()
	gate.Set()
	_, err := lazy.Get(ctx)
	require.NoError(t, err)
	var failed error
	note := func(err error) {
		if err != nil {
			failed = err
		}
	}
	cases := []Case{OnReceive(ch, new(int)), OnAcquire(s, 1), Default()}
	end := func(j *job.Job[job.Void]) {
		_, err := j.Await()
		note(err)
	}
	for name, f := range map[string]func(){
		"Mutex.Lock":                 func() { note(m.Lock(ctx)); m.Unlock() },
		"Mutex.LockAsync":            func() { end(m.LockAsync(ctx)); m.Unlock() },
		"RWMutex.Lock":               func() { note(rw.Lock(ctx)); rw.Unlock() },
		"RWMutex.LockAsync":          func() { end(rw.LockAsync(ctx)); rw.Unlock() },
		"RWMutex.RLock":              func() { note(rw.RLock(ctx)); rw.RUnlock() },
		"RWMutex.RLockAsync":         func() { end(rw.RLockAsync(ctx)); rw.RUnlock() },
		"KeyedMutex.Lock":            func() { note(km.Lock(ctx, 1)); km.Unlock(1) },
		"KeyedMutex.LockAsync":       func() { end(km.LockAsync(ctx, 1)); km.Unlock(1) },
		"Semaphore.Acquire":          func() { note(s.Acquire(ctx, 2)); s.Release(2) },
		"Semaphore.AcquireAsync":     func() { end(s.AcquireAsync(ctx, 2)); s.Release(2) },
		"AutoResetEvent.Wait":        func() { auto.Set(); note(auto.Wait(ctx)) },
		"AutoResetEvent.WaitAsync":   func() { auto.Set(); end(auto.WaitAsync(ctx)) },
		"ManualResetEvent.Wait":      func() { note(gate.Wait(ctx)) },
		"ManualResetEvent.WaitAsync": func() { end(gate.WaitAsync(ctx)) },
		"Countdown.Wait":             func() { down.Add(1); down.Done(); note(down.Wait(ctx)) },
		"Countdown.WaitAsync":        func() { end(down.WaitAsync(ctx)) },
		"Barrier.Wait":               func() { _, err := solo.Wait(ctx); note(err) },
		"Channel.Send, Receive":      func() { note(ch.Send(ctx, 1)); _, err := ch.Receive(ctx); note(err) },
		"Channel.SendAsync":          func() { end(ch.SendAsync(ctx, 1)); _, err := ch.TryReceive(); note(err) },
		"Channel.Send/unbounded":     func() { note(many.Send(ctx, 1)); _, err := many.Receive(ctx); note(err) },
		"Channel.Send/priority":      func() { note(rank.Send(ctx, 1)); _, err := rank.Receive(ctx); note(err) },
		"Broadcast.Send, Receive":    func() { note(b.Send(ctx, 1)); _, err := sub.Receive(ctx); note(err) },
		"Broadcast.SendAsync":        func() { end(b.SendAsync(ctx, 1)); _, err := sub.TryReceive(); note(err) },
		"Select":                     func() { _, err := Select(ctx, cases...); note(err); s.Release(1) },
		"SelectAsync":                func() { _, err := SelectAsync(ctx, cases...).Await(); note(err); s.Release(1) },
		"Lazy.Get":                   func() { _, err := lazy.Get(ctx); note(err) },
		"Lazy.GetAsync":              func() { _, err := lazy.GetAsync(ctx).Await(); note(err) },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, f), name)
	}
	require.NoError(t, failed)
}

func TestAWaitingJobIsOneAllocation(t *testing.T) {
	if raceDetector {
		return
	}
	var m Mutex
	m.TryLock()
	const runs = 100
	jobs := make([]*job.Job[job.Void], 0, runs+1)
	each := testing.AllocsPerRun(runs, func() { jobs = append(jobs, m.LockAsync(endless)) })
	assert.Equal(t, 1, int(each))
	assert.Zero(t, testing.AllocsPerRun(runs-1, m.Unlock), "handing over costs nothing")
	runtime.KeepAlive(jobs)
	c := NewUnbounded[int]()
	cases := []Case{OnLock(&m), OnReceive[int](c, nil)}
	m.TryLock()
	each = testing.AllocsPerRun(runs, func() { SelectAsync(endless, cases...); _ = c.TrySend(1) })
	assert.Equal(t, 4, int(each), "the select, its list of cases and a waiter for each")
	assert.LessOrEqual(t, reflect.TypeFor[call[job.Void, job.Void]]().Size(), uintptr(256))
}
