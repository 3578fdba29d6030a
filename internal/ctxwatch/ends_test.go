package ctxwatch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
)

// steps is a scheduler that delivers the ends of its contexts.
type steps struct {
	*inline.Scheduler
	ends Ends
}

func (s *steps) ContextEnds(Key) *Ends { return &s.ends }

// calls is a listener that is a function.
type calls struct {
	Watch
	f func()
}

func (c *calls) ContextEnded(*Watch) { c.f() }

func watching(ctx context.Context, f func()) *calls {
	c := &calls{f: f}
	c.Start(ctx, c)
	return c
}

// silent is a context that ends and calls nobody: the goroutine of package context is late.
type silent struct {
	context.Context
	done chan struct{}
}

func newSilent(parent context.Context) (ctx *silent, end func()) {
	ctx = &silent{parent, make(chan struct{})}
	return ctx, func() { close(ctx.done) }
}

func (s *silent) Done() <-chan struct{} { return s.done }

func (*silent) AfterFunc(func()) (stop func() bool) { return func() bool { return true } }

func TestEndsAreDeliveredTheOldestFirst(t *testing.T) {
	s := &steps{Scheduler: inline.New()}
	var order []string
	root := schedulers.With(t.Context(), s)
	ctxA, endA := newSilent(root)
	ctxB, endB := newSilent(schedulers.With(t.Context(), limited.New(s, 1)))
	ctxC, endC := newSilent(root)
	watching(ctxA, func() { order = append(order, "a") })
	watching(ctxB, func() { order = append(order, "b"); endC() })
	watching(ctxC, func() { order = append(order, "c") })
	assert.Equal(t, 3, s.ends.Len())
	assert.True(t, s.ends.Deliver(), "there are none")
	assert.Empty(t, order)
	endB()
	endA()
	assert.True(t, s.ends.Deliver())
	assert.Equal(t, []string{"a", "b", "c"}, order)
	assert.Zero(t, s.ends.Len())
	assert.Zero(t, groupsLeft())
}

// An end is told once, whoever delivers it.
func TestAnEndIsToldOnceByWhoeverIsFaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 1000 {
			s := &steps{Scheduler: inline.New()}
			ctx, end := context.WithCancel(schedulers.With(t.Context(), s))
			var all [3]told
			for i := range all {
				all[i].Start(ctx, &all[i])
			}
			end()
			s.ends.Deliver()
			synctest.Wait()
			assert.True(t, s.ends.Deliver())
			for i := range all {
				assert.Equal(t, 1, all[i].times)
			}
			assert.Zero(t, s.ends.Len())
		}
	})
}

func TestAStoppedWatchIsNoEnd(t *testing.T) {
	s := &steps{Scheduler: inline.New()}
	ctx, end := context.WithCancel(schedulers.With(context.Background(), s))
	first, second := watching(ctx, func() {}), watching(ctx, func() {})
	assert.Equal(t, 1, s.ends.Len())
	first.Stop()
	second.Stop()
	assert.Zero(t, s.ends.Len())
	end()
	assert.True(t, s.ends.Deliver())
}

// The goroutine of package context has been faster, and its listener is still at it.
func TestAGroupOfASimulationIsNotUsedAgain(t *testing.T) {
	s := &steps{Scheduler: inline.New()}
	for range 10 * shards {
		for _, parent := range []context.Context{schedulers.With(t.Context(), s), t.Context()} {
			ctx, end := context.WithCancel(parent)
			watching(ctx, func() {}).Stop()
			end()
		}
	}
	assert.Zero(t, s.ends.Len())
}

func TestADeliveryThatIsUnderWayIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &steps{Scheduler: inline.New()}
		ctx, end := context.WithCancel(schedulers.With(t.Context(), s))
		gate := make(chan struct{})
		watching(ctx, func() { <-gate })
		end()
		synctest.Wait()
		assert.Equal(t, 1, s.ends.Len())
		assert.False(t, s.ends.Deliver())
		close(gate)
		synctest.Wait()
		assert.True(t, s.ends.Deliver())
	})
}

func TestAListenerThatPanicsLeavesNoDeliveryUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &steps{Scheduler: inline.New()}
		ctx, end := newSilent(schedulers.With(t.Context(), s))
		told := 0
		for range 3 {
			watching(ctx, func() {
				if told++; told == 2 {
					panic("on purpose")
				}
			})
		}
		end()
		assert.Panics(t, func() { s.ends.Deliver() })
		synctest.Wait() // for the goroutine that tells the others
		assert.Equal(t, 3, told)
		assert.True(t, s.ends.Deliver())
		assert.Zero(t, groupsLeft())
	})
}

func TestADeadlineOfTheRealClockIsTold(t *testing.T) {
	real, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	at, _ := real.Deadline()
	assert.False(t, EndsInRealTime(context.Background()))
	assert.True(t, EndsInRealTime(real))
	assert.False(t, EndsInRealTime(context.WithValue(real, DeadlineKey{}, at)), "it is that of another clock")
	assert.True(t, EndsInRealTime(context.WithValue(real, DeadlineKey{}, at.Add(1))), "the real one is earlier")

	s := &steps{Scheduler: inline.New()}
	defer watching(schedulers.With(t.Context(), s), func() {}).Stop()
	assert.False(t, s.ends.InRealTime())
	w := watching(schedulers.With(real, s), func() {})
	assert.True(t, s.ends.InRealTime())
	w.Stop()
	assert.False(t, s.ends.InRealTime())
}
