package coord

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// Between finding that it must wait and being admitted, the caller may be overtaken by
// any change: these tests enter the slow path with the primitive in the state after such
// a change.

func TestItGetsFreeBetweenTheFastPathAndAdmission(t *testing.T) {
	var (
		m      Mutex
		rw     RWMutex
		km     KeyedMutex[int]
		s      = NewSemaphore(1)
		auto   AutoResetEvent
		gate   ManualResetEvent
		down   Countdown
		full   = NewBounded[int](1, WaitForRoom)
		filled = NewBounded[int](1, WaitForRoom)
		news   Broadcast[int]
		sub    = news.Subscribe()
	)
	auto.Set()
	gate.Set()
	require.NoError(t, filled.TrySend(7))
	completed(t,
		waitAsync[job.Void](endless, &m, job.Void{}),
		waitAsync[job.Void](endless, &rw, write),
		waitAsync[job.Void](endless, keyHostOf(&km.hiddenKeyedMutex), 1),
		waitAsync[job.Void](endless, s, int64(1)),
		waitAsync[job.Void](endless, &auto, job.Void{}),
		waitAsync[job.Void](endless, &gate, job.Void{}),
		waitAsync[job.Void](endless, &down, job.Void{}),
		waitAsync[job.Void](endless, full.senderHost(), 7),
		waitAsync[job.Void](endless, &news, 7),
	)
	assert.False(t, m.TryLock() || rw.TryRLock() || km.TryLock(1) || s.TryAcquire(1) || auto.TryWait(), "it was taken")
	assert.Equal(t, 7, value(t, waitAsync[int](endless, filled.receiverHost(), job.Void{})))
	assert.Equal(t, 7, value(t, waitAsync[int](endless, sub, job.Void{})))
	assert.Equal(t, 7, value(t, full.ReceiveAsync(endless)))
}

func TestTheKeyIsLockedAgainBetweenFastPathAndAdmission(t *testing.T) {
	var m KeyedMutex[int]
	require.True(t, m.TryLock(1))
	first, second := waitAsync[job.Void](endless, keyHostOf(&m.hiddenKeyedMutex), 1), waitAsync[job.Void](endless, keyHostOf(&m.hiddenKeyedMutex), 1)
	pending(t, first, second)
	m.Unlock(1)
	completed(t, first)
	pending(t, second)
}

func TestItIsClosedBetweenTheFastPathAndAdmission(t *testing.T) {
	c := NewRendezvous[int]()
	var news Broadcast[int]
	sub := news.Subscribe()
	c.Close()
	news.Close()
	assert.Equal(t, ErrClosed, waitAsync[job.Void](endless, c.senderHost(), 1).Err())
	assert.Equal(t, ErrClosed, waitAsync[int](endless, c.receiverHost(), job.Void{}).Err())
	assert.Equal(t, ErrClosed, waitAsync[job.Void](endless, &news, 1).Err())
	assert.Equal(t, ErrClosed, waitAsync[int](endless, sub, job.Void{}).Err())
}

func TestAReceiverArrivesBetweenASendersFastPathAndAdmission(t *testing.T) {
	c := NewRendezvous[int]()
	r := c.ReceiveAsync(endless)
	var order []string
	whenEnded(t, r, func() { order = append(order, "receiver") })
	completed(t, waitAsync[job.Void](endless, c.senderHost(), 5))
	order = append(order, "sender")
	assert.Equal(t, 5, value(t, r))
	assert.Equal(t, []string{"receiver", "sender"}, order)
}
