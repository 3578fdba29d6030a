package coord

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// slowContext is a context that notifies its watchers when tell is called, not when it
// ends.
type slowContext struct {
	context.Context
	ended chan struct{}
	err   error
	f     func()
}

func (c *slowContext) Done() <-chan struct{} { return c.ended }
func (c *slowContext) Err() error            { return c.err }

func (c *slowContext) end() {
	c.err = context.Canceled
	close(c.ended)
}

func (c *slowContext) tell() {
	if c.f != nil {
		c.f()
	}
}

// AfterFunc is the method that package context looks for before it starts a goroutine.
func (c *slowContext) AfterFunc(f func()) (stop func() bool) {
	c.f = f
	return func() bool {
		was := c.f != nil
		c.f = nil
		return was
	}
}

func TestServingBetweenTheEndOfTheContextAndGivingUp(t *testing.T) {
	// The context has ended, and its watcher has not run yet: the waiter is served.
	onAllSubjects(t, func(s subject) {
		slow := &slowContext{Context: endless, ended: make(chan struct{})}
		j := s.waitAsync(slow)
		slow.end()
		s.serve()
		slow.tell()
		synctest.Wait()
		assert.Equal(s, job.Completed, j.Status())
	})
}

func TestNothingIsWatchedAfterServing(t *testing.T) {
	onAllSubjects(t, func(s subject) {
		slow := &slowContext{Context: endless, ended: make(chan struct{})}
		s.waitAsync(slow)
		require.NotNil(s, slow.f)
		s.serve()
		assert.Nil(s, slow.f)
	})
}

// curious is a context that checks the state of a mutex inside its methods.
type curious struct {
	slowContext
	m     *Mutex
	after int // how often it was asked when the waiter had left the queue
}

func (c *curious) Err() error {
	if c.err != nil && c.m.queue.count == 0 {
		c.after++
	}
	return c.slowContext.Err()
}

func TestTheContextIsNotAskedOnceItIsDecided(t *testing.T) {
	m := new(Mutex)
	m.TryLock()
	ctx := &curious{slowContext: slowContext{Context: endless, ended: make(chan struct{})}, m: m}
	j := m.LockAsync(ctx)
	ctx.end()
	ctx.tell()
	<-j.Done()
	assert.Equal(t, job.Canceled, j.Status())
	assert.Zero(t, ctx.after)
}

func TestAContextThatIsDoneAndHasNoErrorEndsAWait(t *testing.T) {
	m := new(Mutex)
	m.TryLock()
	broken := &slowContext{Context: endless, ended: make(chan struct{})}
	close(broken.ended)
	require.ErrorIs(t, m.Lock(broken), context.Canceled)
	assert.Zero(t, m.queue.count)

	gate := new(ManualResetEvent)
	l := NewLazy(func(ctx context.Context) (int, error) { return 1, gate.Wait(ctx) })
	_, err := l.Get(broken)
	require.ErrorIs(t, err, context.Canceled)
	gate.Set()
	_, err = l.Get(endless)
	require.NoError(t, err)
}

func TestTheErrorOfAContextWithACause(t *testing.T) {
	alive, cancel := context.WithCancel(endless)
	defer cancel()
	for _, c := range []struct {
		ctx  context.Context
		want string
	}{
		{ended(nil), "context canceled"},
		{ended(errReason), "context canceled: the reason"},
		{ended(fmt.Errorf("because: %w", context.Canceled)), "because: context canceled"},
		{&slowContext{Context: alive, err: context.Canceled}, "context canceled"},
	} {
		assert.EqualError(t, endReason(c.ctx), c.want)
	}
}
