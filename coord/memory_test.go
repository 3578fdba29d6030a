package coord

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// payload is large enough to get its own allocation.
type payload [1 << 12]byte

// collected reports whether the object that p points to was collected. A test makes that
// object in a separate function, so that no variable of the test keeps it.
func collected[T any](p weak.Pointer[T]) bool {
	runtime.GC()
	return p.Value() == nil
}

func TestAKeptJobDoesNotKeepWhatItSent(t *testing.T) {
	c := NewRendezvous[*payload]()
	j, sent := func() (*job.Job[job.Void], weak.Pointer[payload]) {
		p := new(payload)
		return c.SendAsync(endless, p), weak.Make(p)
	}()
	require.False(t, collected(sent))
	_, err := c.TryReceive()
	require.NoError(t, err)
	assert.True(t, collected(sent))
	runtime.KeepAlive(j)
}

func TestAKeptJobOfASelectDoesNotKeepItsCases(t *testing.T) {
	full, c := NewRendezvous[*payload](), NewUnbounded[*payload]()
	j, kept := func() (*job.Job[int], [2]weak.Pointer[payload]) {
		var to *payload
		sent, received := new(payload), new(payload)
		j := SelectAsync(endless, OnSend(full, sent), OnReceive(c, &to))
		_ = c.TrySend(received)
		return j, [2]weak.Pointer[payload]{weak.Make(sent), weak.Make(received)}
	}()
	assert.True(t, collected(kept[0]))
	assert.True(t, collected(kept[1]))
	i, err := j.GetResult()
	require.NoError(t, err)
	assert.Equal(t, 1, i)
}

func TestAKeptJobDoesNotKeepThoseThatWereToldWithIt(t *testing.T) {
	var e ManualResetEvent
	first := e.WaitAsync(endless)
	second := func() weak.Pointer[job.Job[job.Void]] { return weak.Make(e.WaitAsync(endless)) }()
	require.False(t, collected(second))
	e.Set()
	assert.True(t, collected(second))
	completed(t, first)
}

func TestAKeptJobDoesNotKeepItsContext(t *testing.T) {
	var e ManualResetEvent
	j, inner := func() (*job.Job[job.Void], weak.Pointer[payload]) {
		p := new(payload)
		slow := &slowContext{Context: context.WithValue(endless, &e, p), ended: make(chan struct{})}
		return e.WaitAsync(slow), weak.Make(p)
	}()
	require.False(t, collected(inner))
	e.Set()
	assert.True(t, collected(inner))
	completed(t, j)
}

func TestAWaiterThatGaveUpIsNotKeptByTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Mutex
		m.TryLock()
		before := m.LockAsync(endless)
		gone := func() weak.Pointer[job.Job[job.Void]] {
			ctx, cancel := context.WithCancel(endless)
			j := m.LockAsync(ctx)
			cancel()
			<-j.Done()
			return weak.Make(j)
		}()
		synctest.Wait() // the goroutine on which it gave up has ended
		after := m.LockAsync(endless)
		assert.True(t, collected(gone))
		pending(t, before, after)
	})
}
