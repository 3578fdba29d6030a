package parallel

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// effortFunc is an effort that never has work left.
type effortFunc func()

func (f effortFunc) help(schedulers.Worker) { f() }
func (f effortFunc) hasWork() bool          { return false }

func TestAHelperThatComesAfterTheEndGoesAway(t *testing.T) {
	s := &held{}
	c := new(helperGroup)
	c.open(s, nil, 1, effortFunc(func() { t.Error("must not help") }))
	c.invite()
	late := s.take()
	c.dismiss()
	late.Run(nil)
}

func TestDismissWaitsForAHelperInside(t *testing.T) {
	s := &held{}
	begun, end := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	c := new(helperGroup)
	c.open(s, nil, 1, effortFunc(func() {
		close(begun)
		<-end
		ended.Store(true)
	}))
	c.invite()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.take().Run(nil)
	}()
	<-begun
	go func() {
		for !c.waitedFor() {
			runtime.Gosched()
		}
		close(end)
	}()
	c.dismiss()
	assert.True(t, ended.Load())
	<-gone
}

// waitedFor reports whether a goroutine sleeps until the group is empty.
func (g *helperGroup) waitedFor() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.empty != nil
}

func TestAHelperThatExitsIsCountedOut(t *testing.T) {
	s := &held{}
	c := new(helperGroup)
	c.open(s, nil, 1, effortFunc(runtime.Goexit))
	c.invite()
	assert.True(t, exits(func() { s.take().Run(nil) }))
	c.dismiss()
}

func TestOneCallAtATimeAndNoMoreHelpersThanTheLimit(t *testing.T) {
	s := &held{}
	c := new(helperGroup)
	inside, end := make(chan struct{}), make(chan struct{})
	c.open(s, nil, 2, effortFunc(func() {
		inside <- struct{}{}
		<-end
	}))
	for range 2 {
		c.invite()
		c.invite()
		require.Equal(t, 1, s.len(), "the second call waits for the first to be answered")
		go s.take().Run(nil)
		<-inside
	}
	c.invite()
	assert.Zero(t, s.len(), "two are inside, and two is the limit")
	close(end)
	c.dismiss()
}

// A call of an operation with a higher limit is answered in an operation with a lower
// limit, which is full.
func TestAHelperTooManyIsNotLetIn(t *testing.T) {
	s, c := &held{}, new(helperGroup)
	inside, end, gone := make(chan struct{}), make(chan struct{}), make(chan struct{})
	c.open(s, nil, 1, effortFunc(func() {
		inside <- struct{}{}
		<-end
	}))
	c.invite()
	go func() {
		defer close(gone)
		s.take().Run(nil)
	}()
	<-inside
	c.Run(nil) // would wait in inside forever
	close(end)
	<-gone
	c.dismiss()
}

func TestAnUnansweredCallHelpsTheNextOperation(t *testing.T) {
	s := &held{}
	c := new(helperGroup)
	c.open(s, nil, 1, effortFunc(func() { t.Error("this operation is over") }))
	c.invite()
	c.close()
	helped := false
	c.open(s, nil, 1, effortFunc(func() { helped = true }))
	c.invite()
	require.Equal(t, 1, s.len(), "the call under way is as good as another")
	s.take().Run(nil)
	assert.True(t, helped)
	c.close()
}

func TestACallUnderWayElsewhereKeepsAGroupFromAnotherScheduler(t *testing.T) {
	s := &held{}
	c := new(helperGroup)
	nothing := effortFunc(func() {})
	c.open(s, nil, 1, nothing)
	c.invite()
	c.close()
	assert.False(t, c.fits(each{}))
	assert.True(t, c.fits(s))
	s.take().Abandon(schedulers.ErrShutdown)
	assert.True(t, c.fits(each{}))
}

func TestAnAbandonedCallIsNotRepeatedInThatOperation(t *testing.T) {
	s := &held{}
	c := new(helperGroup)
	c.open(s, nil, 1, effortFunc(func() {}))
	c.invite()
	s.take().Abandon(schedulers.ErrShutdown)
	c.invite()
	assert.Zero(t, s.len())
	c.close()
	c.open(s, nil, 1, effortFunc(func() {}))
	c.invite()
	assert.Equal(t, 1, s.len())
	c.close()
}

func TestASchedulerThatRunsWorkInPlaceIsNotAsked(t *testing.T) {
	c, helped := new(helperGroup), 0
	c.open(inline{}, nil, 1, effortFunc(func() { helped++ }))
	c.invite()
	assert.Zero(t, helped)
	c.close()
	c.open(prompt{}, nil, 1, effortFunc(func() { helped++ }))
	c.invite()
	assert.Equal(t, 1, helped, "the next operation has another scheduler")
	c.close()
}

// silent is a scheduler that runs work in Submit without declaring it.
type silent struct{}

func (silent) Submit(w schedulers.Work, on schedulers.Hint) error { return inline{}.Submit(w, on) }

func TestAnUndeclaredInPlaceSchedulerDoesNoHarm(t *testing.T) {
	c, helped := new(helperGroup), 0
	c.open(silent{}, nil, 2, effortFunc(func() {
		if helped++; helped < 100 {
			c.invite()
		}
	}))
	c.invite()
	assert.Equal(t, 2, helped, "helpers inside of helpers, up to the limit")
	c.close()
}

// more is an effort with something left when the first helper has gone.
type more struct{ helped int }

func (m *more) help(schedulers.Worker) { m.helped++ }
func (m *more) hasWork() bool          { return m.helped < 3 }

func TestAHelperThatLeavesWhileSomethingTurnsUpComesBack(t *testing.T) {
	s := &held{}
	c, e := new(helperGroup), &more{}
	c.open(s, nil, 1, e)
	c.invite()
	s.take().Run(nil)
	assert.Equal(t, 3, e.helped)
	c.close()
}

func TestInnerLoopsLeaveNoHeapOfCallsBehind(t *testing.T) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	ctx := schedulers.With(context.Background(), p)
	begun, end := make(chan struct{}), make(chan struct{})
	require.NoError(t, p.Submit(task(func(schedulers.Worker) {
		close(begun)
		<-end
	}), schedulers.Hint{}))
	<-begun
	before := p.Metrics().Submitted
	for range 10_000 {
		require.NoError(t, For(ctx, 0, 4, func(context.Context, int) error { return nil }, Degree(2)))
	}
	calls := p.Metrics().Submitted - before
	close(end)
	require.NoError(t, p.Shutdown(context.Background()))
	// Each garbage collection may drop a group, and the race detector drops some on
	// purpose.
	assert.Less(t, calls, uint64(6000))
}

func TestACallerInsideOfItsSchedulerAsksForOneWorkerLess(t *testing.T) {
	p := pool.New(pool.Workers(2, 3))
	w := worker{p}
	assert.Equal(t, 2, settings{degree: 10}.helpers(p, w))
	assert.Equal(t, 3, settings{degree: 10}.helpers(p, nil))
	assert.Equal(t, 1, settings{degree: 2}.helpers(p, nil))
	assert.Equal(t, 9, settings{degree: 10}.helpers(each{}, w), "no limit is known")
	assert.Equal(t, 9, settings{degree: 10}.helpers(uncomparable{}, worker{uncomparable{}}))
	require.NoError(t, p.Shutdown(context.Background()))
}

// worker is a worker of some scheduler.
type worker struct{ of schedulers.Scheduler }

func (w worker) Scheduler() schedulers.Scheduler { return w.of }
func (w worker) ID() int                         { return 1 }

// prompt is a scheduler whose worker has finished before Submit returns.
type prompt struct{}

func (prompt) Submit(w schedulers.Work, _ schedulers.Hint) error {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		w.Run(nil)
	}()
	<-gone
	return nil
}

func TestAHelperThatHasGoneBeforeSubmitReturnsIsCalledAgain(t *testing.T) {
	c, helped := new(helperGroup), 0
	c.open(prompt{}, nil, 1, effortFunc(func() { helped++ }))
	c.invite()
	c.invite()
	assert.Equal(t, 2, helped)
	c.close()
}
