package coord_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// These functions wait and return the error that they get: a caller that gets an error
// must not hold anything.

// reading is a lock whose readers lock it.
type reading struct{ *coord.RWMutex }

// sending is a channel to send 8 to.
type sending struct{ *coord.Channel[int] }

// claims waits for one of these, and for two of a semaphore's permits.
//
//movenext:async
func claims(ctx context.Context, what any) (v int, err error) {
	switch p := what.(type) {
	case *coord.Mutex:
		err = p.Lock(ctx)
	case *coord.RWMutex:
		err = p.Lock(ctx)
	case reading:
		err = p.RLock(ctx)
	case *coord.KeyedMutex[string]:
		err = p.Lock(ctx, "a")
	case *coord.Limiter[string]:
		err = p.Acquire(ctx, "a")
	case *coord.Semaphore:
		err = p.Acquire(ctx, 2)
	case *coord.AutoResetEvent:
		err = p.Wait(ctx)
	case *coord.ManualResetEvent:
		err = p.Wait(ctx)
	case *coord.Channel[int]:
		v, err = p.Receive(ctx)
	case sending:
		err = p.Send(ctx, 8)
	case []coord.Case:
		v, err = coord.Select(ctx, p...)
	}
	return v, err
}

//movenext:async
func waitsOnCond(ctx context.Context, c *coord.Cond) error {
	if err := c.L.Lock(ctx); err != nil {
		return err
	}
	defer c.L.Unlock()
	err := c.Wait(ctx)
	return err
}

// The machines are made from the plain forms, which are not called here.
var _ = []any{claims, waitsOnCond}

// gone returns a context, and the function that shuts down its scheduler.
func gone(t *testing.T) (context.Context, func()) {
	p := pool.New(pool.Workers(1, 1))
	return schedulers.With(context.Background(), p), func() { require.NoError(t, p.Shutdown(context.Background())) }
}

func refused[T any](t *testing.T, j *job.Job[T]) {
	t.Helper()
	_, err := j.Await()
	require.ErrorIs(t, err, schedulers.ErrShutdown)
}

func served[T any](t *testing.T, j *job.Job[T]) {
	t.Helper()
	_, err := j.Await()
	require.NoError(t, err)
}

func TestALockThatAMachineWithoutAHomeWasGrantedGoesToTheNext(t *testing.T) {
	bg := context.Background()
	var (
		m coord.Mutex
		r coord.RWMutex
		k coord.KeyedMutex[string]
		s = coord.NewSemaphore(3)
	)
	for _, row := range []struct {
		name    string
		take    func() error
		what    any
		next    func() *job.Job[job.Void]
		release func()
		free    func() bool
	}{
		{"Mutex", func() error { return m.Lock(bg) }, &m,
			func() *job.Job[job.Void] { return m.LockAsync(bg) }, m.Unlock, m.TryLock},
		{"RWMutex, reader", func() error { return r.Lock(bg) }, reading{&r},
			func() *job.Job[job.Void] { return r.LockAsync(bg) }, r.Unlock, r.TryRLock},
		{"RWMutex, writer", func() error { r.RUnlock(); return r.Lock(bg) }, &r,
			func() *job.Job[job.Void] { return r.LockAsync(bg) }, r.Unlock, r.TryLock},
		{"KeyedMutex", func() error { return k.Lock(bg, "a") }, &k,
			func() *job.Job[job.Void] { return k.LockAsync(bg, "a") }, func() { k.Unlock("a") }, func() bool { return k.TryLock("a") }},
		{"Semaphore", func() error { return s.Acquire(bg, 3) }, s,
			func() *job.Job[job.Void] { return s.AcquireAsync(bg, 3) }, func() { s.Release(3) }, func() bool { return s.Free() == 3 }},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, end := gone(t)
			require.NoError(t, row.take())
			j, next := claimsAsync(ctx, row.what), row.next()
			end()
			row.release()
			refused(t, j)
			served(t, next)
			row.release()
			assert.True(t, row.free())
		})
	}
}

func TestASignalThatAMachineWithoutAHomeWasGivenGoesToTheNext(t *testing.T) {
	bg := context.Background()
	t.Run("AutoResetEvent", func(t *testing.T) {
		ctx, end := gone(t)
		var e coord.AutoResetEvent
		j, next := claimsAsync(ctx, &e), e.WaitAsync(bg)
		end()
		e.Set()
		refused(t, j)
		served(t, next)
		assert.False(t, e.TryWait())
	})
	t.Run("ManualResetEvent", func(t *testing.T) {
		ctx, end := gone(t)
		var e coord.ManualResetEvent
		j := claimsAsync(ctx, &e)
		end()
		e.Set()
		refused(t, j)
	})
	t.Run("Cond", func(t *testing.T) {
		ctx, end := gone(t)
		c := coord.NewCond(new(coord.Mutex))
		j := waitsOnCondAsync(ctx, c)
		require.NoError(t, c.L.Lock(bg))
		next := c.WaitAsync(bg)
		end()
		c.Signal()
		refused(t, j)
		served(t, next)
		c.L.Unlock()
		assert.True(t, c.L.TryLock())
	})
}

func TestAnElementThatAMachineWithoutAHomeWasHandedIsItsOwn(t *testing.T) {
	bg := context.Background()
	t.Run("received", func(t *testing.T) {
		ctx, end := gone(t)
		c := coord.NewRendezvous[int]()
		j := claimsAsync(ctx, c)
		end()
		require.NoError(t, c.Send(bg, 7))
		v, err := j.Await()
		require.NoError(t, err)
		assert.Equal(t, 7, v)
	})
	t.Run("sent", func(t *testing.T) {
		ctx, end := gone(t)
		c := coord.NewRendezvous[int]()
		j := claimsAsync(ctx, sending{c})
		end()
		v, err := c.Receive(bg)
		require.NoError(t, err)
		assert.Equal(t, 8, v)
		_, err = j.Await()
		require.NoError(t, err)
	})
}

func TestACaseThatWasChosenForAMachineWithoutAHomeIsItsOwn(t *testing.T) {
	c, s := coord.NewRendezvous[int](), coord.NewSemaphore(1)
	var m coord.Mutex
	require.True(t, m.TryLock() && s.TryAcquire(1))
	v := 0
	cases := []coord.Case{coord.OnReceive(c, &v), coord.OnLock(&m), coord.OnAcquire(s, 1)}
	for want, serve := range []func(){func() { _ = c.TrySend(7) }, m.Unlock, func() { s.Release(1) }} {
		ctx, end := gone(t)
		j := claimsAsync(ctx, cases)
		end()
		serve()
		i, err := j.Await()
		require.NoError(t, err)
		assert.Equal(t, want, i)
	}
	assert.Equal(t, 7, v)
	assert.False(t, m.TryLock() || s.TryAcquire(1))
	m.Unlock()
	s.Release(1)
	assert.True(t, m.TryLock() && s.TryAcquire(1))
}

// The wait ended because of its context, so nothing was granted, and nothing has to be
// given back.
func TestAMachineWithoutAHomeThatGaveUpGivesNothingBack(t *testing.T) {
	ctx, end := gone(t)
	ctx, cancel := context.WithCancel(ctx)
	var m coord.Mutex
	require.NoError(t, m.Lock(context.Background()))
	j := claimsAsync(ctx, &m)
	end()
	cancel()
	_, err := j.Await()
	require.ErrorIs(t, err, schedulers.ErrShutdown)
	assert.False(t, m.TryLock())
}
