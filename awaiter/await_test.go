package awaiter_test

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// light is a user-defined operation: it is on or off.
type light struct {
	mu      sync.Mutex
	on      bool
	waiting []continuation.Continuation
	err     error
}

func (l *light) GetAwaiter() awaiter.Awaiter[string] { return l }

func (l *light) IsCompleted() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.on
}

func (l *light) OnCompleted(k continuation.Continuation) {
	l.mu.Lock()
	on := l.on
	if !on {
		l.waiting = append(l.waiting, k)
	}
	l.mu.Unlock()
	if on {
		k.Resume()
	}
}

func (l *light) GetResult() (string, error) { return "light", l.err }

func (l *light) switchOn() {
	l.mu.Lock()
	l.on = true
	waiting := l.waiting
	l.waiting = nil
	l.mu.Unlock()
	for _, k := range waiting {
		k.Resume()
		k.Resume() // an awaiter that calls back twice
	}
}

func TestAwaitOfWhatHasCompletedLeavesNoContinuation(t *testing.T) {
	l := &light{on: true}
	v, err := awaiter.Await(l)
	assert.NoError(t, err)
	assert.Equal(t, "light", v)
	assert.Empty(t, l.waiting)
}

func TestAwaitBlocksUntilTheContinuationIsResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &light{err: errors.New("dim")}
		begin := time.Now()
		go func() { time.Sleep(time.Second); l.switchOn() }()
		v, err := awaiter.Await(l)
		assert.Equal(t, time.Second, time.Since(begin))
		assert.Equal(t, "light", v)
		assert.EqualError(t, err, "dim")
	})
}

// hasty resumes its continuation before OnCompleted returns.
type hasty struct{ light }

func (h *hasty) GetAwaiter() awaiter.Awaiter[string] { return h }
func (h *hasty) IsCompleted() bool                   { return false }

func (h *hasty) OnCompleted(k continuation.Continuation) {
	k.Resume()
	k.Resume()
}

func TestCompletionDuringRegistration(t *testing.T) {
	v, err := awaiter.Await(&hasty{})
	assert.NoError(t, err)
	assert.Equal(t, "light", v)
}

func TestManyAwaitOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &light{}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { _, _ = awaiter.Await(l) })
		}
		synctest.Wait()
		assert.Len(t, l.waiting, 8)
		l.switchOn()
		wg.Wait()
	})
}

type empty struct{}

func (empty) GetAwaiter() awaiter.Awaiter[int] { return nil }

func TestNilAwaitableAndNilAwaiter(t *testing.T) {
	_, err := awaiter.Await[int](nil)
	assert.Equal(t, awaiter.ErrNilAwaitable, err)
	_, err = awaiter.Await(empty{})
	assert.Equal(t, awaiter.ErrNilAwaitable, err)
}

func TestAwaitOfWhatHasCompletedAllocatesNothing(t *testing.T) {
	l := &light{on: true}
	assert.Zero(t, testing.AllocsPerRun(100, func() { _, _ = awaiter.Await(l) }))
}
