package coord

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// alone is a machine that waits at a channel with a context that cannot end.
type alone struct {
	*machineNode
	run statemachine.Run
	e   *statemachine.Waiting[int]
	w   *waiter
}

func enterAlone(t *testing.T, c *Channel[int]) *alone {
	a := &alone{machineNode: newMachineNode()}
	var err error
	a.e, _, err = c.ReceiveEnter(&a.run, endless)
	require.NoError(t, err)
	require.NotNil(t, a.e)
	a.w = singleOf(&a.run)
	return a
}

// singleOf returns the waiter of a machine that has entered a receive with a context
// that cannot end.
func singleOf(run *statemachine.Run) *waiter {
	return &run.Kept().(*singleReceiver[int]).waiter
}

func (a *alone) join() bool { return a.machineNode.join(&a.run) }

// late seats a, as step 3 of a does, whatever the level is. The level has
// changed since step 1.
func (a *alone) late(t *testing.T, c *Channel[int]) {
	a.w.node = &a.Node
	require.True(t, c.receiver.put(a.w))
}

// aloneSender is a machine that sends to a rendezvous with a context that cannot end.
type aloneSender struct {
	*machineNode
	run statemachine.Run
	e   *statemachine.WaitingVoid[job.Void]
	w   *waiter
}

func sendAlone(t *testing.T, c *Channel[int], v int) *aloneSender {
	a := &aloneSender{machineNode: newMachineNode()}
	var err error
	a.e, err = c.SendEnter(&a.run, endless, v)
	require.NoError(t, err)
	require.NotNil(t, a.e)
	if single, is := a.run.Kept().(*singleSender[int]); is { // not if the channel holds elements
		a.w = &single.waiter
	}
	return a
}

func (a *aloneSender) join() bool { return a.machineNode.join(&a.run) }

// late does for a sender what alone.late does for a receiver.
func (a *aloneSender) late(t *testing.T, c *Channel[int]) {
	a.w.node = &a.Node
	require.True(t, c.sender.put(a.w))
}

func (a *aloneSender) ended(t *testing.T) error {
	t.Helper()
	assert.Equal(t, 1, a.heard)
	return a.e.Results(&a.run)
}

func (a *alone) got(t *testing.T, want int) {
	t.Helper()
	assert.Equal(t, 1, a.heard)
	v, err := a.e.Results(&a.run)
	require.NoError(t, err)
	assert.Equal(t, want, v)
}

func TestASingleWaiterIsServedWithoutTheLock(t *testing.T) {
	var c Channel[int]
	a := enterAlone(t, &c)
	require.True(t, a.join())
	c.mu.Lock()
	require.NoError(t, c.TrySend(1))
	c.mu.Unlock()
	a.got(t, 1)
}

func TestASecondReceiverWaitsBehindTheFirst(t *testing.T) {
	var c Channel[int]
	first, second := enterAlone(t, &c), enterAlone(t, &c)
	require.True(t, first.join())
	require.True(t, second.join())
	require.Nil(t, interleave.LoadPointer(&c.receiver.waiter), "the first has moved to the queue")
	require.NoError(t, c.TrySend(1))
	require.NoError(t, c.TrySend(2))
	first.got(t, 1)
	second.got(t, 2)
}

func TestAReceiverDoesNotWaitAloneBesideAQueue(t *testing.T) {
	var c Channel[int]
	first := c.ReceiveAsync(endless)
	second := enterAlone(t, &c)
	require.True(t, second.join())
	require.Nil(t, interleave.LoadPointer(&c.receiver.waiter))
	require.NoError(t, c.TrySend(1))
	assert.Equal(t, 1, value(t, first))
	require.NoError(t, c.TrySend(2))
	second.got(t, 2)

	third := enterAlone(t, &c)
	require.True(t, third.join())
	assert.NotNil(t, interleave.LoadPointer(&c.receiver.waiter), "the queue has no waiter any more")
	c.Close()
	assert.Equal(t, 1, third.heard)
}

func TestAnotherOperationMovesASingleWaiterToTheQueue(t *testing.T) {
	for name, disturb := range map[string]func(*Channel[int]){
		"a receiver with a job": func(c *Channel[int]) { c.ReceiveAsync(endless) },
		"a sender":              func(c *Channel[int]) { c.mu.Lock(); c.leaveFastPath(); c.mu.Unlock() },
	} {
		t.Run(name, func(t *testing.T) {
			var c Channel[int]
			a := enterAlone(t, &c)
			require.True(t, a.join())
			disturb(&c)
			assert.Same(t, a.w, c.receivers.first)
			require.NoError(t, c.TrySend(1))
			a.got(t, 1)
		})
	}
}

func TestClosingEndsTheWaitOfASingleWaiter(t *testing.T) {
	var c Channel[int]
	a := enterAlone(t, &c)
	require.True(t, a.join())
	c.Close()
	assert.Equal(t, 1, a.heard)
	_, err := a.e.Results(&a.run)
	require.ErrorIs(t, err, ErrClosed)
}

func TestAReceiverThatComesTooLateIsRescued(t *testing.T) {
	t.Run("with what is held", func(t *testing.T) {
		c := NewBounded[int](1, WaitForRoom)
		a := enterAlone(t, c)
		require.NoError(t, c.TrySend(1))
		a.late(t, c)
		assert.ErrorIs(t, c.TrySend(2), ErrFull, "a send does not overtake what is held")
		c.rescue().Deliver(nil)
		a.got(t, 1)
	})
	t.Run("with what a sender waits with", func(t *testing.T) {
		var c Channel[int]
		a := enterAlone(t, &c)
		sent := c.SendAsync(endless, 1)
		a.late(t, &c)
		c.rescue().Deliver(nil)
		a.got(t, 1)
		completed(t, sent)
	})
	t.Run("with the end of the channel", func(t *testing.T) {
		var c Channel[int]
		a := enterAlone(t, &c)
		c.Close()
		a.late(t, &c)
		c.rescue().Deliver(nil)
		assert.Equal(t, 1, a.heard)
		_, err := a.e.Results(&a.run)
		require.ErrorIs(t, err, ErrClosed)
	})
	t.Run("into the queue", func(t *testing.T) {
		var c Channel[int]
		a := enterAlone(t, &c)
		before := c.ReceiveAsync(endless)
		a.late(t, &c)
		c.rescue().Deliver(nil)
		require.NoError(t, c.TrySend(1))
		require.NoError(t, c.TrySend(2))
		assert.Equal(t, 1, value(t, before))
		a.got(t, 2)
	})
	t.Run("not at all, if it is quiet again", func(t *testing.T) {
		var c Channel[int]
		a := enterAlone(t, &c)
		require.True(t, a.join())
		c.rescue().Deliver(nil)
		assert.Same(t, a.w, interleave.LoadPointer(&c.receiver.waiter))
		require.NoError(t, c.TrySend(1))
		a.got(t, 1)
		c.rescue().Deliver(nil)
	})
}

func received(t *testing.T, c *Channel[int], want int) {
	t.Helper()
	v, err := c.TryReceive()
	require.NoError(t, err)
	assert.Equal(t, want, v)
}

func TestASingleSenderIsServedWithoutTheLock(t *testing.T) {
	var c Channel[int]
	a := sendAlone(t, &c, 1)
	require.True(t, a.join())
	c.mu.Lock()
	received(t, &c, 1)
	c.mu.Unlock()
	require.NoError(t, a.ended(t))

	again := sendAlone(t, &c, 2)
	c.mu.Lock()
	require.True(t, again.join(), "the seat is free, and the level is the sender's")
	received(t, &c, 2)
	c.mu.Unlock()
	require.NoError(t, again.ended(t))
}

func TestASecondSenderWaitsBehindTheFirst(t *testing.T) {
	var c Channel[int]
	first, second := sendAlone(t, &c, 1), sendAlone(t, &c, 2)
	require.True(t, first.join())
	require.True(t, second.join())
	require.Nil(t, interleave.LoadPointer(&c.sender.waiter), "the first has moved to the queue")
	received(t, &c, 1)
	received(t, &c, 2)
	require.NoError(t, first.ended(t))
	require.NoError(t, second.ended(t))
}

func TestOnlyARendezvousSeatsASender(t *testing.T) {
	c := NewBounded[int](1, WaitForRoom)
	require.NoError(t, c.TrySend(1))
	sent := sendAlone(t, c, 2)
	require.True(t, sent.join())
	require.Nil(t, interleave.LoadPointer(&c.sender.waiter))
	received(t, c, 1)
	received(t, c, 2)
	require.NoError(t, sent.ended(t))
	assert.ErrorIs(t, NewBounded[int](0, Reject).TrySend(1), ErrFull)
}

func TestAnotherOperationMovesASingleSenderToTheQueue(t *testing.T) {
	for name, disturb := range map[string]func(*Channel[int]){
		"a sender with a job": func(c *Channel[int]) { c.SendAsync(endless, 2) },
		"a send that fails":   func(c *Channel[int]) { _ = c.TrySend(2) },
	} {
		t.Run(name, func(t *testing.T) {
			var c Channel[int]
			a := sendAlone(t, &c, 1)
			require.True(t, a.join())
			disturb(&c)
			assert.Same(t, a.w, c.senders.first)
			received(t, &c, 1)
			require.NoError(t, a.ended(t))
		})
	}
}

func TestASingleSenderServesASelect(t *testing.T) {
	for name, before := range map[string]func(*Channel[int]){
		"a fresh channel":             func(*Channel[int]) {},
		"after another single sender": func(c *Channel[int]) { sendAlone(t, c, 1).join(); received(t, c, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			var c Channel[int]
			before(&c)
			a, v := sendAlone(t, &c, 2), 0
			j := SelectAsync(endless, OnReceive(&c, &v))
			pending(t, j)
			require.False(t, a.join(), "it is served at once")
			require.NoError(t, a.e.Results(&a.run))
			completed(t, j)
			assert.Equal(t, 2, v)
		})
	}
}

func TestClosingEndsTheWaitOfASingleSender(t *testing.T) {
	var c Channel[int]
	a := sendAlone(t, &c, 1)
	require.True(t, a.join())
	c.Close()
	require.ErrorIs(t, a.ended(t), ErrClosed)
	_, err := c.TryReceive()
	require.ErrorIs(t, err, ErrClosed, "the element remains with its sender")
}

func TestASenderThatComesTooLateIsRescued(t *testing.T) {
	t.Run("by a receiver", func(t *testing.T) {
		var c Channel[int]
		a := sendAlone(t, &c, 1)
		got := c.ReceiveAsync(endless)
		a.late(t, &c)
		c.rescue().Deliver(nil)
		require.NoError(t, a.ended(t))
		assert.Equal(t, 1, value(t, got))
	})
	t.Run("by a seated receiver", func(t *testing.T) {
		var c Channel[int]
		a := sendAlone(t, &c, 1)
		receiver := enterAlone(t, &c)
		require.True(t, receiver.join())
		a.late(t, &c)
		c.rescue().Deliver(nil)
		require.NoError(t, a.ended(t))
		receiver.got(t, 1)
	})
	t.Run("by the end of the channel", func(t *testing.T) {
		var c Channel[int]
		a := sendAlone(t, &c, 1)
		c.Close()
		a.late(t, &c)
		_, err := c.TryReceive()
		require.ErrorIs(t, err, ErrClosed)
		c.rescue().Deliver(nil)
		require.ErrorIs(t, a.ended(t), ErrClosed)
	})
	t.Run("into the queue", func(t *testing.T) {
		var c Channel[int]
		a := sendAlone(t, &c, 2)
		before := c.SendAsync(endless, 1)
		a.late(t, &c)
		received(t, &c, 1) // a receiver does not let it overtake
		c.rescue().Deliver(nil)
		received(t, &c, 2)
		completed(t, before)
		require.NoError(t, a.ended(t))
	})
	t.Run("not at all, if it is quiet again", func(t *testing.T) {
		var c Channel[int]
		a := sendAlone(t, &c, 1)
		require.True(t, a.join())
		c.rescue().Deliver(nil)
		assert.Same(t, a.w, interleave.LoadPointer(&c.sender.waiter))
		received(t, &c, 1)
		require.NoError(t, a.ended(t))
		c.rescue().Deliver(nil)
	})
}

func TestASenderIsNotSeatedWhileALateOneIsInPassing(t *testing.T) {
	var c Channel[int]
	late, next := sendAlone(t, &c, 2), sendAlone(t, &c, 1)
	late.late(t, &c)
	require.True(t, next.join())
	assert.Equal(t, nonEmpty, c.level.Load())
	c.rescue().Deliver(nil)
	received(t, &c, 1)
	received(t, &c, 2)
	require.NoError(t, next.ended(t))
	require.NoError(t, late.ended(t))
}

func TestTheChannelIsNotCalmWhileALateReceiverIsInPassing(t *testing.T) {
	var c Channel[int]
	late, next := enterAlone(t, &c), enterAlone(t, &c)
	_, err := c.TryReceive()
	require.ErrorIs(t, err, ErrEmpty)
	c.mu.Lock()
	c.leaveFastPath()
	c.mu.Unlock()
	late.late(t, &c)
	require.True(t, next.join())
	assert.Equal(t, empty, c.level.Load())
	c.rescue().Deliver(nil)
	require.NoError(t, c.TrySend(1))
	require.NoError(t, c.TrySend(2))
	next.got(t, 1)
	late.got(t, 2)
}

// handDriven receives as a machine does, on the calling goroutine.
type handDriven struct {
	node continuation.Node
	told chan struct{}
	run  statemachine.Run
}

// Completed implements continuation.Target.
func (h *handDriven) Completed(schedulers.Worker) continuation.Chain {
	h.told <- struct{}{}
	return continuation.Chain{}
}

func (h *handDriven) receive(ctx context.Context, c *Channel[[2]int]) ([2]int, error) {
	e, v, err := c.ReceiveEnter(&h.run, ctx)
	if e == nil {
		return v, err
	}
	h.node.PrepareAlone(h)
	if h.run.Kept().(statemachine.Pending).Join(&h.node, nil) {
		<-h.told
	}
	return e.Results(&h.run)
}

func (h *handDriven) send(ctx context.Context, c *Channel[[2]int], v [2]int) error {
	e, err := c.SendEnter(&h.run, ctx, v)
	if e == nil {
		return err
	}
	h.node.PrepareAlone(h)
	if h.run.Kept().(statemachine.Pending).Join(&h.node, nil) {
		<-h.told
	}
	return e.Results(&h.run)
}

func TestAllKindsOfSendersAndReceiversMeet(t *testing.T) {
	const each = 3000
	watched, cancel := context.WithCancel(endless)
	defer cancel()
	for name, c := range map[string]*Channel[[2]int]{
		"rendezvous": NewRendezvous[[2]int](),
		"bounded":    NewBounded[[2]int](2, WaitForRoom),
		"unbounded":  NewUnbounded[[2]int](),
	} {
		t.Run(name, func(t *testing.T) {
			const senders = 3
			var sending, receiving sync.WaitGroup
			for s := range senders {
				sending.Go(func() {
					h := &handDriven{told: make(chan struct{}, 1)}
					for i := range each {
						if s > 0 && i%3 == 0 {
							assert.NoError(t, h.send(endless, c, [2]int{s, i}))
							continue
						}
						for c.TrySend([2]int{s, i}) != nil {
							if i%2 == 0 {
								assert.NoError(t, c.Send(endless, [2]int{s, i}))
								break
							}
							runtime.Gosched()
						}
					}
				})
			}
			var seen [senders][each]int
			var mu sync.Mutex
			for _, ctx := range []context.Context{endless, endless, watched} {
				receiving.Go(func() {
					h := &handDriven{told: make(chan struct{}, 1)}
					var last [senders]int
					for {
						v, err := h.receive(ctx, c)
						if err != nil {
							assert.ErrorIs(t, err, ErrClosed)
							return
						}
						assert.GreaterOrEqual(t, v[1], last[v[0]], "of one sender's elements each receiver gets the older ones first")
						last[v[0]] = v[1]
						mu.Lock()
						seen[v[0]][v[1]]++
						mu.Unlock()
					}
				})
			}
			sending.Wait()
			c.Close()
			receiving.Wait()
			for s := range seen {
				for i, n := range seen[s] {
					if n != 1 {
						t.Errorf("element %d of sender %d was received %d times", i, s, n)
					}
				}
			}
		})
	}
}

func TestAReceiverAndASenderMeetOnAFreshChannel(t *testing.T) {
	const rounds = 20_000
	var channels [rounds]*Channel[[2]int]
	for i := range channels {
		channels[i] = NewBounded[[2]int](1, WaitForRoom)
	}
	var begun, received atomic.Int32 // rounds
	var receiver sync.WaitGroup
	receiver.Go(func() {
		h := &handDriven{told: make(chan struct{}, 1)}
		for round, c := range channels {
			for begun.Load() <= int32(round) {
				runtime.Gosched()
			}
			v, err := h.receive(endless, c)
			assert.NoError(t, err)
			assert.Equal(t, [2]int{round, 0}, v)
			received.Add(1)
		}
	})
	for round, c := range channels {
		begun.Add(1)
		for range round % 32 { // the sender starts a little later each time
			_ = c.Cap()
		}
		assert.NoError(t, c.TrySend([2]int{round, 0}))
		for received.Load() <= int32(round) {
			runtime.Gosched()
		}
	}
	receiver.Wait()
}
