package coord

import (
	"context"
	"math"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

func TestAnAutoResetEventRemembersOneSet(t *testing.T) {
	var e AutoResetEvent
	e.Set()
	e.Set()
	require.NoError(t, e.Wait(endless))
	assert.False(t, e.TryWait())
	e.Set()
	e.Reset()
	pending(t, e.WaitAsync(endless))
}

func TestEachSetReleasesOneWaiter(t *testing.T) {
	var e AutoResetEvent
	a, b := e.WaitAsync(endless), e.WaitAsync(endless)
	e.Set()
	completed(t, a)
	pending(t, b)
	e.Set()
	completed(t, b)
	assert.False(t, e.TryWait(), "both were used")
}

func TestASetIsNotLostOnAWaiterThatGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e AutoResetEvent
		ctx, cancel := context.WithCancel(endless)
		j := e.WaitAsync(ctx)
		cancel()
		synctest.Wait()
		e.Set()
		assert.Equal(t, job.Canceled, j.Status())
		assert.True(t, e.TryWait())
	})
}

func TestSetAndResetAtOnceReleasesAllWaiters(t *testing.T) {
	var e ManualResetEvent
	a, b := e.WaitAsync(endless), e.WaitAsync(endless)
	e.Set()
	e.Reset()
	completed(t, a, b)
	assert.False(t, e.IsSet())
	pending(t, e.WaitAsync(endless))
}

func TestAnOpenGateDelaysNoWaiter(t *testing.T) {
	var e ManualResetEvent
	e.Set()
	require.NoError(t, e.Wait(endless))
	require.NoError(t, e.Wait(endless))
	assert.True(t, e.IsSet())
}

func TestACountdownIsOverWhenAllIsDone(t *testing.T) {
	var c Countdown
	require.NoError(t, c.Wait(endless), "nothing is to be done yet")
	c.Add(2)
	a, b := c.WaitAsync(endless), c.WaitAsync(endless)
	c.Done()
	pending(t, a, b)
	c.Done()
	completed(t, a, b)
}

func TestACountdownIsUsedAgain(t *testing.T) {
	c := NewCountdown(1)
	first := c.WaitAsync(endless)
	c.Done()
	c.Add(1)
	completed(t, first)
	pending(t, c.WaitAsync(endless))
	assert.EqualValues(t, 1, c.Left())
}

func TestMoreDoneThanThereWas(t *testing.T) {
	c := NewCountdown(1)
	assert.PanicsWithValue(t, "coord: countdown of 1 changed by -2", func() { c.Add(-2) })
	c.Done()
	assert.Panics(t, c.Done)
	assert.Panics(t, func() { NewCountdown(-1) })
	c.Add(math.MaxInt64)
	assert.Panics(t, func() { c.Add(1) }, "the sum would overflow")
	assert.Equal(t, int64(math.MaxInt64), c.Left())
}

func TestABarrierEndsAPhaseWithTheLastToCome(t *testing.T) {
	b := NewBarrier(3)
	for phase := range uint64(3) {
		x, y := b.WaitAsync(endless), b.WaitAsync(endless)
		pending(t, x, y)
		assert.Equal(t, phase, b.Phase())
		leader, err := b.Wait(endless)
		require.NoError(t, err)
		assert.True(t, leader)
		assert.False(t, value(t, x))
		assert.False(t, value(t, y))
	}
	assert.EqualValues(t, 3, b.Phase())
}

func TestAParticipantThatGivesUpAtABarrierHasNotArrived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBarrier(2)
		ctx, cancel := context.WithCancel(endless)
		gone := b.WaitAsync(ctx)
		cancel()
		synctest.Wait()
		assert.Equal(t, job.Canceled, gone.Status())
		first := b.WaitAsync(endless)
		pending(t, first)
		assert.True(t, value(t, b.WaitAsync(endless)))
		assert.False(t, value(t, first))
	})
}

func TestTheLastToComeLeads(t *testing.T) {
	// The caller finds that it is not the last, but is the last when it is admitted: a
	// participant has left meanwhile.
	b := NewBarrier(3)
	first := b.WaitAsync(endless)
	require.False(t, b.isLast())
	b.Add(-1)
	assert.True(t, value(t, waitAsync[bool](endless, b, job.Void{})))
	assert.False(t, value(t, first))
}

func TestAParticipantLeavesWhileTheOthersWait(t *testing.T) {
	b := NewBarrier(3)
	x, y := b.WaitAsync(endless), b.WaitAsync(endless)
	b.Add(-1)
	assert.False(t, value(t, x))
	assert.True(t, value(t, y), "the last to arrive leads")
	assert.EqualValues(t, 1, b.Phase())
	b.Add(-2)
	assert.EqualValues(t, 1, b.Phase(), "without waiters no phase ends")
}

func TestAParticipantJoinsWhileTheOthersWait(t *testing.T) {
	b := NewBarrier(2)
	x := b.WaitAsync(endless)
	b.Add(1)
	y := b.WaitAsync(endless)
	pending(t, x, y)
	assert.True(t, value(t, b.WaitAsync(endless)))
	assert.False(t, value(t, x))
	assert.False(t, value(t, y))
}

func TestBarriersThatCanNotBe(t *testing.T) {
	assert.Panics(t, func() { NewBarrier(0) })
	b := NewBarrier(2)
	assert.Panics(t, func() { b.Add(-3) })
	pending(t, b.WaitAsync(endless))
	assert.PanicsWithValue(t, "coord: barrier of 2 participants, 1 of them waiting, changed by -2", func() { b.Add(-2) })

	var none Barrier
	leader, err := none.Wait(endless)
	require.NoError(t, err)
	assert.True(t, leader)
}

func TestNoParticipantIsAPhaseAhead(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			const parties, phases = 4, 100
			b := NewBarrier(parties)
			leaders := new(Countdown)
			leaders.Add(phases)
			all := NewCountdown(parties)
			for i := range parties {
				go func() {
					defer all.Done()
					for phase := range uint64(phases) {
						wait := b.Wait
						if i%2 == 0 {
							wait = func(ctx context.Context) (bool, error) { return b.WaitAsync(ctx).Wait(endless) }
						}
						leader, err := wait(endless)
						assert.NoError(t, err)
						if leader {
							leaders.Done()
						}
						now := b.Phase()
						assert.True(t, now == phase+1 || now == phase+2, "%d after phase %d", now, phase)
					}
				}()
			}
			require.NoError(t, all.Wait(endless))
			require.NoError(t, leaders.Wait(endless))
		})
	}
}
