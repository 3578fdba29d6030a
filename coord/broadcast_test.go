package coord

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// next requires that the subscription has an element, and returns it.
func next[T any](t *testing.T, s *Subscription[T]) T {
	t.Helper()
	v, err := s.TryReceive()
	require.NoError(t, err)
	return v
}

// nothing requires that the subscription has no element.
func nothing[T any](t *testing.T, s *Subscription[T]) {
	t.Helper()
	_, err := s.TryReceive()
	require.ErrorIs(t, err, ErrEmpty)
}

func TestEachSubscriptionGetsAllThatWasSentSinceItWasMade(t *testing.T) {
	b := NewBroadcast[int](10, WaitForRoom)
	a := b.Subscribe()
	require.NoError(t, b.Send(endless, 1))
	c := b.Subscribe()
	require.NoError(t, b.Send(endless, 2))
	assert.Equal(t, 2, a.Len())
	assert.Equal(t, 1, c.Len())
	assert.Equal(t, 1, next(t, a))
	assert.Equal(t, 2, next(t, a))
	assert.Equal(t, 2, next(t, c))
	nothing(t, a)
	nothing(t, c)
	assert.Zero(t, b.kept.len())
}

func TestWithoutSubscriptionsNothingIsKept(t *testing.T) {
	b := NewBroadcast[int](1, WaitForRoom)
	for i := range 10 {
		require.NoError(t, b.Send(endless, i))
	}
	assert.Zero(t, b.kept.len())
	s := b.Subscribe()
	nothing(t, s)
	require.NoError(t, b.TrySend(10))
	assert.Equal(t, 10, next(t, s))
}

func TestTheSlowestHoldsUpTheSender(t *testing.T) {
	b := NewBroadcast[int](2, WaitForRoom)
	fast, slow := b.Subscribe(), b.Subscribe()
	require.NoError(t, b.TrySend(1))
	require.NoError(t, b.TrySend(2))
	third, fourth := b.SendAsync(endless, 3), b.SendAsync(endless, 4)
	for want := 1; want <= 2; want++ {
		assert.Equal(t, want, next(t, fast))
	}
	waits := fast.ReceiveAsync(endless)
	pending(t, waits)
	pending(t, third, fourth)

	assert.Equal(t, 1, next(t, slow))
	completed(t, third)
	pending(t, fourth)
	assert.Equal(t, 3, value(t, waits))

	assert.Equal(t, 2, next(t, slow))
	completed(t, fourth)
	assert.Equal(t, []int{3, 4}, []int{next(t, slow), next(t, slow)})
	assert.Equal(t, 4, next(t, fast))
}

func TestAWaiterIsHandedTheElementWhileOthersLag(t *testing.T) {
	b := NewBroadcast[int](3, WaitForRoom)
	lags, waits := b.Subscribe(), b.Subscribe()
	for v := range 3 {
		j := waits.ReceiveAsync(endless)
		require.NoError(t, b.TrySend(v))
		assert.Equal(t, v, value(t, j))
	}
	assert.Equal(t, 3, lags.Len())
	assert.Zero(t, waits.Len())
	for v := range 3 {
		assert.Equal(t, v, next(t, lags))
	}
}

func TestReceiversOfOneSubscriptionShareItsElements(t *testing.T) {
	b := NewBroadcast[int](1, WaitForRoom)
	s := b.Subscribe()
	x, y := s.ReceiveAsync(endless), s.ReceiveAsync(endless)
	require.NoError(t, b.TrySend(1))
	assert.Equal(t, 1, value(t, x))
	pending(t, y)
	require.NoError(t, b.TrySend(2))
	assert.Equal(t, 2, value(t, y))
}

func TestASlowSubscriptionMissesWhatWasDropped(t *testing.T) {
	var dropped []int
	b := NewBroadcast(2, DropOldest, Dropped(func(v int) { dropped = append(dropped, v) }))
	slow, fast := b.Subscribe(), b.Subscribe()
	for v := 1; v <= 5; v++ {
		require.NoError(t, b.Send(endless, v))
		assert.Equal(t, v, next(t, fast))
	}
	assert.Equal(t, []int{1, 2, 3}, dropped)
	assert.Equal(t, 2, slow.Len())
	j := slow.ReceiveAsync(endless)
	missed, ok := errors.AsType[*MissedError](j.Err())
	require.True(t, ok)
	assert.EqualValues(t, 3, missed.Count)
	assert.EqualError(t, missed, "coord: missed 3 elements")
	assert.Equal(t, []int{4, 5}, []int{next(t, slow), next(t, slow)})
	nothing(t, slow)
}

func TestAFullBroadcastThatDoesNotWait(t *testing.T) {
	var dropped []int
	newest := NewBroadcast(1, DropNewest, Dropped(func(v int) { dropped = append(dropped, v) }))
	reject := NewBroadcast[int](1, Reject)
	a, b := newest.Subscribe(), reject.Subscribe()
	require.NoError(t, newest.TrySend(1))
	require.NoError(t, newest.TrySend(2))
	assert.Equal(t, []int{2}, dropped)
	require.NoError(t, reject.TrySend(1))
	require.ErrorIs(t, reject.Send(endless, 2), ErrFull)
	assert.Equal(t, 1, next(t, a))
	assert.Equal(t, 1, next(t, b))
	nothing(t, a)
	nothing(t, b)
	waiting := NewBroadcast[int](1, WaitForRoom)
	waiting.Subscribe()
	require.NoError(t, waiting.TrySend(1))
	require.ErrorIs(t, waiting.TrySend(2), ErrFull)
}

func TestTheSlowestLeaves(t *testing.T) {
	b := NewBroadcast[int](2, WaitForRoom)
	slow, stays := b.Subscribe(), b.Subscribe()
	require.NoError(t, b.TrySend(1))
	require.NoError(t, b.TrySend(2))
	third := b.SendAsync(endless, 3)
	assert.Equal(t, 1, next(t, stays))
	pending(t, third)
	slow.Close()
	slow.Close()
	completed(t, third)
	assert.Equal(t, 1, b.Subscriptions())
	assert.Zero(t, slow.Len())
	_, err := slow.TryReceive()
	require.ErrorIs(t, err, ErrClosed)
	assert.Equal(t, []int{2, 3}, []int{next(t, stays), next(t, stays)})
	assert.Zero(t, b.kept.len())
}

func TestASubscriptionIsClosedDuringAReceive(t *testing.T) {
	b := NewBroadcast[int](1, WaitForRoom)
	s := b.Subscribe()
	j := s.ReceiveAsync(endless)
	s.Close()
	assert.Equal(t, ErrClosed, j.Err())
	require.NoError(t, b.TrySend(1))
	require.NoError(t, b.TrySend(2))
}

func TestASubscriptionThatMissedSomethingLeaves(t *testing.T) {
	b := NewBroadcast[int](2, DropOldest)
	slow, other := b.Subscribe(), b.Subscribe()
	for v := range 4 {
		require.NoError(t, b.TrySend(v))
	}
	slow.Close()
	_, err := other.TryReceive()
	require.Error(t, err)
	assert.Equal(t, []int{2, 3}, []int{next(t, other), next(t, other)})
	assert.Zero(t, b.kept.len())
}

func TestAClosedBroadcastGivesWhatIsUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBroadcast[int](1, WaitForRoom)
		slow, waits := b.Subscribe(), b.Subscribe()
		x := waits.ReceiveAsync(endless)
		require.NoError(t, b.TrySend(1))
		assert.Equal(t, 1, value(t, x))
		waiting := b.SendAsync(endless, 2)
		x = waits.ReceiveAsync(endless)
		b.CloseCause(errReason)
		b.Close()
		for _, err := range []error{waiting.Err(), x.Err(), b.TrySend(3)} {
			require.ErrorIs(t, err, ErrClosed)
			require.ErrorIs(t, err, errReason)
		}
		assert.Equal(t, 1, next(t, slow))
		_, err := slow.Receive(endless)
		require.ErrorIs(t, err, ErrClosed)
		_, err = b.Subscribe().Receive(endless)
		require.ErrorIs(t, err, ErrClosed)
	})
}

func TestABroadcastThatWasNotSentIsStillTheSenders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBroadcast[int](1, WaitForRoom)
		s := b.Subscribe()
		require.NoError(t, b.TrySend(1))
		ctx, cancel := context.WithCancel(endless)
		gone, stays := b.SendAsync(ctx, 2), b.SendAsync(endless, 3)
		cancel()
		synctest.Wait()
		assert.Equal(t, job.Canceled, gone.Status())
		assert.Equal(t, 1, next(t, s))
		completed(t, stays)
		assert.Equal(t, 3, next(t, s))
	})
}

func TestTheZeroBroadcastKeepsOneElement(t *testing.T) {
	var b Broadcast[int]
	s := b.Subscribe()
	require.NoError(t, b.TrySend(1))
	second := b.SendAsync(endless, 2)
	pending(t, second)
	assert.Equal(t, 1, next(t, s))
	completed(t, second)
	assert.Equal(t, 2, next(t, s))
}

func TestBroadcastsThatCanNotBe(t *testing.T) {
	assert.Panics(t, func() { NewBroadcast[int](0, WaitForRoom) })
	assert.Panics(t, func() { NewBroadcast[int](1, 9) })
}

func TestLastingSubscribersGetAllElementsInOneOrder(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			const senders, each = 3, 100
			b := NewBroadcast[int](4, WaitForRoom)
			var (
				sending, receiving sync.WaitGroup
				got                [3][]int
			)
			for i := range got {
				s := b.Subscribe()
				receiving.Go(func() {
					for k := i; ; k++ {
						ctx, cancel := context.WithCancel(endless)
						j := s.ReceiveAsync(ctx)
						if k%3 == 0 {
							cancel() // what was handed over meanwhile is not lost
						}
						v, err := j.Wait(endless)
						cancel()
						switch {
						case err == nil:
							got[i] = append(got[i], v)
						case errors.Is(err, ErrClosed):
							return
						}
					}
				})
			}
			for i := range senders {
				sending.Go(func() {
					for v := range each {
						assert.NoError(t, b.Send(endless, i*each+v))
					}
				})
				sending.Go(func() { // subscribes and closes, and reads nothing
					for range each {
						b.Subscribe().Close()
					}
				})
			}
			sending.Wait()
			b.Close()
			receiving.Wait()
			for i := range got {
				assert.Len(t, got[i], senders*each)
				assert.Equal(t, got[0], got[i])
			}
		})
	}
}
