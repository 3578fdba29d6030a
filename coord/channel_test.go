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

func TestElementsComeOutInTheOrderOfSending(t *testing.T) {
	for name, c := range map[string]*Channel[int]{
		"bounded":   NewBounded[int](100, WaitForRoom),
		"unbounded": NewUnbounded[int](),
		"priority":  NewPriority(func(int) int64 { return 0 }), // all of one rank
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 100 {
				require.NoError(t, c.Send(endless, i))
			}
			assert.Equal(t, 100, c.Len())
			for i := range 100 {
				v, err := c.Receive(endless)
				require.NoError(t, err)
				require.Equal(t, i, v)
			}
		})
	}
}

func TestTheLowestRankComesOutFirst(t *testing.T) {
	c := NewPriority(func(s string) int64 { return int64(len(s)) })
	for _, s := range []string{"ccc", "a", "bb", "dddd", "b", "aa"} {
		require.NoError(t, c.TrySend(s))
	}
	var got []string
	for range 6 {
		v, err := c.TryReceive()
		require.NoError(t, err)
		got = append(got, v)
	}
	assert.Equal(t, []string{"a", "b", "bb", "aa", "ccc", "dddd"}, got)
}

func TestAnElementGoesPastTheBufferToAWaiter(t *testing.T) {
	c := NewPriority(func(v int) int64 { return int64(-v) })
	a, b := c.ReceiveAsync(endless), c.ReceiveAsync(endless)
	require.NoError(t, c.TrySend(1))
	require.NoError(t, c.TrySend(2))
	assert.Equal(t, 1, value(t, a), "the first receiver gets the first element")
	assert.Equal(t, 2, value(t, b))
	assert.Zero(t, c.Len())
}

func TestASenderThatWaitsGetsTheRoomThatAReceiveMakes(t *testing.T) {
	c := NewBounded[int](2, WaitForRoom)
	require.NoError(t, c.TrySend(1))
	require.NoError(t, c.TrySend(2))
	third, fourth := c.SendAsync(endless, 3), c.SendAsync(endless, 4)
	pending(t, third, fourth)
	require.ErrorIs(t, c.TrySend(5), ErrFull)
	for want := 1; want <= 4; want++ {
		v, err := c.TryReceive()
		require.NoError(t, err)
		assert.Equal(t, want, v)
	}
	completed(t, third, fourth)
	_, err := c.TryReceive()
	require.ErrorIs(t, err, ErrEmpty)
}

func TestARendezvousHoldsNothing(t *testing.T) {
	for _, c := range []*Channel[int]{NewRendezvous[int](), new(Channel[int])} {
		require.ErrorIs(t, c.TrySend(1), ErrFull)
		s := c.SendAsync(endless, 2)
		pending(t, s)
		assert.Zero(t, c.Len())
		assert.Equal(t, 2, value(t, c.ReceiveAsync(endless)))
		completed(t, s)
		r := c.ReceiveAsync(endless)
		require.NoError(t, c.TrySend(3))
		assert.Equal(t, 3, value(t, r))
	}
}

func TestEachWayToBeFull(t *testing.T) {
	for _, c := range []struct {
		full     FullMode
		capacity int
		err      error
		left     []int
		dropped  []int
	}{
		{DropNewest, 2, nil, []int{1, 2}, []int{3, 4}},
		{DropOldest, 2, nil, []int{3, 4}, []int{1, 2}},
		{Reject, 2, ErrFull, []int{1, 2}, nil},
		{DropNewest, 0, nil, nil, []int{1, 2, 3, 4}},
		{DropOldest, 0, nil, nil, []int{1, 2, 3, 4}},
		{Reject, 0, ErrFull, nil, nil},
	} {
		t.Run(c.full.String(), func(t *testing.T) {
			var dropped, left []int
			ch := NewBounded(c.capacity, c.full, Dropped(func(v int) { dropped = append(dropped, v) }))
			assert.Equal(t, c.capacity, ch.Cap())
			for v := 1; v <= 4; v++ {
				err := [](func() error){
					func() error { return ch.Send(endless, v) },
					func() error { return ch.TrySend(v) },
					func() error { return ch.SendAsync(endless, v).Err() },
				}[v%3]()
				if v > c.capacity {
					require.Equal(t, c.err, err)
				} else {
					require.NoError(t, err)
				}
			}
			for {
				v, err := ch.TryReceive()
				if err != nil {
					break
				}
				left = append(left, v)
			}
			assert.Equal(t, c.left, left)
			assert.Equal(t, c.dropped, dropped)
		})
	}
}

func TestAFullChannelWithoutRoomStillHandsOver(t *testing.T) {
	for _, full := range []FullMode{DropNewest, DropOldest, Reject} {
		c := NewBounded[int](0, full)
		r := c.ReceiveAsync(endless)
		require.NoError(t, c.TrySend(7))
		assert.Equal(t, 7, value(t, r))
	}
}

func TestTheHookOfADropMaySendAgain(t *testing.T) {
	var c *Channel[int]
	c = NewBounded(1, DropOldest, Dropped(func(v int) {
		if v == 1 {
			assert.NoError(t, c.TrySend(10))
		}
	}))
	require.NoError(t, c.TrySend(1))
	require.NoError(t, c.TrySend(2)) // drops 1, whose hook sends 10, which drops 2
	v, err := c.TryReceive()
	require.NoError(t, err)
	assert.Equal(t, 10, v)
}

func TestARankThatPanicsHarmsNothing(t *testing.T) {
	c := NewPriority(func(v int) int64 { return int64(10 / v) })
	assert.Panics(t, func() { _ = c.TrySend(0) })
	require.NoError(t, c.TrySend(1))
	assert.Equal(t, 1, c.Len())
}

func TestAClosedChannelGivesWhatItHolds(t *testing.T) {
	c := NewBounded[int](2, WaitForRoom)
	require.NoError(t, c.TrySend(1))
	require.NoError(t, c.TrySend(2))
	waiting := c.SendAsync(endless, 3)
	c.CloseCause(errReason)
	c.Close()
	require.ErrorIs(t, waiting.Err(), ErrClosed)
	require.ErrorIs(t, waiting.Err(), errReason)
	assert.Equal(t, job.Faulted, waiting.Status())
	for _, err := range []error{c.TrySend(4), c.Send(endless, 4), c.SendAsync(endless, 4).Err()} {
		require.EqualError(t, err, "coord: closed: the reason")
	}
	for want := 1; want <= 2; want++ {
		v, err := c.Receive(endless)
		require.NoError(t, err)
		assert.Equal(t, want, v)
	}
	_, errTry := c.TryReceive()
	_, errPlain := c.Receive(endless)
	for _, err := range []error{errTry, errPlain, c.ReceiveAsync(endless).Err()} {
		require.ErrorIs(t, err, ErrClosed)
		require.ErrorIs(t, err, errReason)
	}
}

func TestClosingEndsTheWaitsForAnElement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewUnbounded[int]()
		j := c.ReceiveAsync(endless)
		plain := make(chan error, 1)
		go func() {
			_, err := c.Receive(endless)
			plain <- err
		}()
		synctest.Wait()
		c.Close()
		assert.Equal(t, ErrClosed, j.Err())
		assert.Equal(t, ErrClosed, <-plain)
	})
}

func TestClosingForTheErrorOfAContextIsNoCancellation(t *testing.T) {
	c := NewUnbounded[int]()
	slow := &slowContext{Context: endless, ended: make(chan struct{})}
	j := c.ReceiveAsync(slow)
	slow.end()
	c.CloseCause(context.Canceled)
	slow.tell()
	assert.Equal(t, job.Faulted, j.Status(), "it was served with this error, it did not give up")
	require.ErrorIs(t, j.Err(), ErrClosed)
}

func TestAnElementThatWasNotSentIsStillTheSenders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewBounded[int](1, WaitForRoom)
		require.NoError(t, c.TrySend(1))
		ctx, cancel := context.WithCancel(endless)
		gone := c.SendAsync(ctx, 2)
		next := c.SendAsync(endless, 3)
		cancel()
		synctest.Wait()
		assert.Equal(t, job.Canceled, gone.Status())
		assert.Equal(t, 1, value(t, c.ReceiveAsync(endless)))
		completed(t, next)
		assert.Equal(t, 3, value(t, c.ReceiveAsync(endless)))
	})
}

func TestAllEndsWithTheChannel(t *testing.T) {
	c := NewUnbounded[int]()
	for i := range 3 {
		require.NoError(t, c.TrySend(i))
	}
	c.Close()
	var got []int
	for v, err := range c.All(endless) {
		require.NoError(t, err)
		got = append(got, v)
	}
	assert.Equal(t, []int{0, 1, 2}, got)
}

func TestAllEndsWithAnError(t *testing.T) {
	for want, end := range map[error]func(*Channel[int]) context.Context{
		errReason: func(c *Channel[int]) context.Context {
			c.CloseCause(errReason)
			return endless
		},
		context.Canceled: func(*Channel[int]) context.Context { return ended(nil) },
	} {
		c := NewUnbounded[int]()
		ctx := end(c)
		var errs []error
		for _, err := range c.All(ctx) {
			errs = append(errs, err)
		}
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], want)
	}
}

func TestLeavingAllTakesNoMore(t *testing.T) {
	c := NewUnbounded[int]()
	require.NoError(t, c.TrySend(1))
	require.NoError(t, c.TrySend(2))
	for v, err := range c.All(endless) {
		require.NoError(t, err)
		assert.Equal(t, 1, v)
		break
	}
	assert.Equal(t, 1, c.Len())
}

func TestChannelsThatCanNotBe(t *testing.T) {
	assert.Panics(t, func() { NewBounded[int](-1, WaitForRoom) })
	assert.PanicsWithValue(t, "coord: unknown FullMode(4)", func() { NewBounded[int](1, 4) })
	assert.Panics(t, func() { NewPriority[int](nil) })
}

// Each element is received once or is still in the channel, no matter which callers give
// up meanwhile.
func TestNoElementIsLostOrDoubled(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			for name, c := range map[string]*Channel[int]{
				"rendezvous": NewRendezvous[int](),
				"bounded":    NewBounded[int](3, WaitForRoom),
				"unbounded":  NewUnbounded[int](),
			} {
				var (
					senders, receivers sync.WaitGroup
					mu                 sync.Mutex
					sent, got          = map[int]int{}, map[int]int{}
				)
				note := func(in map[int]int, v int) {
					mu.Lock()
					defer mu.Unlock()
					in[v]++
				}
				for s := range 3 {
					senders.Go(func() {
						for i := range 200 {
							v := s*1000 + i
							ctx, cancel := context.WithCancel(endless)
							j := c.SendAsync(ctx, v)
							if i%5 == 0 {
								cancel()
							}
							if _, err := j.Wait(endless); err == nil {
								note(sent, v)
							}
							cancel()
						}
					})
					receivers.Go(func() {
						for i := 0; ; i++ {
							ctx, cancel := context.WithCancel(endless)
							j := c.ReceiveAsync(ctx)
							if i%3 == 0 {
								cancel()
							}
							v, err := j.Wait(endless)
							cancel()
							switch {
							case err == nil:
								note(got, v)
							case errors.Is(err, ErrClosed):
								return
							}
						}
					})
				}
				senders.Wait()
				c.Close()
				receivers.Wait()
				assert.Equal(t, sent, got, name)
				assert.Zero(t, c.Len(), name)
			}
		})
	}
}

// A cause that matches ErrClosed may say more.
func TestACauseThatMatchesErrClosedIsKept(t *testing.T) {
	cause := errors.Join(ErrClosed, errors.New("flush"))
	assert.Equal(t, cause, closedError(cause))
	assert.Equal(t, ErrClosed, closedError(ErrClosed))
	assert.Equal(t, ErrClosed, closedError(nil))
}
