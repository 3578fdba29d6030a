package coord

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// payload is large enough to have an allocation of its own.
type payload [1 << 12]byte

// collected reports whether what p points to is garbage.
func collected[T any](p weak.Pointer[T]) bool {
	runtime.GC()
	return p.Value() == nil
}

func TestAKeptJobDoesNotKeepWhatItSent(t *testing.T) {
	c := NewRendezvous[*payload]()
	sent := new(payload)
	was := weak.Make(sent)
	j := c.SendAsync(endless, sent)
	sent = nil
	require.False(t, collected(was))
	_, err := c.TryReceive()
	require.NoError(t, err)
	assert.True(t, collected(was))
	runtime.KeepAlive(j)
}

func TestAKeptJobDoesNotKeepThoseThatWereToldWithIt(t *testing.T) {
	var e ManualResetEvent
	first, second := e.WaitAsync(endless), e.WaitAsync(endless)
	was := weak.Make(second)
	e.Set()
	completed(t, first, second)
	second = nil
	assert.True(t, collected(was))
	runtime.KeepAlive(first)
}

func TestAKeptJobDoesNotKeepItsContext(t *testing.T) {
	var e ManualResetEvent
	inner := new(payload)
	was := weak.Make(inner)
	slow := &slowContext{Context: context.WithValue(endless, &e, inner), ended: make(chan struct{})}
	inner = nil
	j := e.WaitAsync(slow)
	require.False(t, collected(was))
	e.Set()
	completed(t, j)
	slow = nil
	assert.True(t, collected(was))
	runtime.KeepAlive(j)
}

func TestWhoGaveUpIsNotKeptByTheQueue(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		var m Mutex
		m.TryLock()
		before, stays := m.LockAsync(endless), weak.Pointer[job.Job[job.Void]]{}
		func() {
			ctx, cancel := context.WithCancel(endless)
			j := m.LockAsync(ctx)
			stays = weak.Make(j)
			cancel()
			<-j.Done()
		}()
		after := m.LockAsync(endless)
		assert.True(t, collected(stays))
		pending(t, before, after)
	})
}
