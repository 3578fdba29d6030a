package coord

import (
	"math"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// Channel passes elements from senders to receivers; each element goes to one receiver.
// The zero Channel is a rendezvous: it holds nothing, and a send waits for a receiver.
//
//	NewBounded     first in, first out; a mode selects what happens when it is full
//	NewUnbounded   first in, first out; sends never wait
//	NewPriority    lowest rank first; sends never wait
//	NewRendezvous  holds nothing; both sides wait for each other
//
// Closing a channel ends sending at once, and receiving when nothing is left. Unlike a
// Go channel it may be closed more than once and by any goroutine: a send to a closed
// channel returns an error instead of panicking.
//
// It is .NET's System.Threading.Channels in one type.
type Channel[T any] struct{ hiddenChannel[T] }

// channel is a Channel as its entries see it; see entered.go for the two names.
type channel[T any] struct {
	// Set when the channel is made.
	capacity int
	full     FullMode
	onDrop   schedulers.Hook[T]
	rank     func(T) int64 // nil: first in, first out

	mu        interleave.Mutex
	fifo      ring[T]
	ranked    ranks[T] // instead of fifo, if the channel has a rank
	receivers queue
	senders   queue
	closed    error // nil: open

	// How a single waiter waits without the lock; see channel_single.go.
	level    interleave.Uint32
	receiver seat
	sender   seat
}

type hiddenChannel[T any] = channel[T]

// ChannelOption configures a [Channel] or a [Broadcast] of T.
type ChannelOption[T any] func(*channelOptions[T])

type channelOptions[T any] struct{ onDrop schedulers.Hook[T] }

// Dropped sets fn to be called with each element that a full channel drops. The send
// that causes the drop calls it before it returns, holding no lock. A panic in fn is
// contained: see [schedulers.Hook].
func Dropped[T any](fn func(T)) ChannelOption[T] {
	return func(o *channelOptions[T]) { o.onDrop = schedulers.NewHook("coord.Dropped", fn) }
}

func merge[T any](opts []ChannelOption[T]) (all channelOptions[T]) {
	for _, set := range opts {
		if set != nil {
			set(&all)
		}
	}
	return all
}

// NewBounded returns a channel that holds at most capacity elements; full selects what
// happens to further ones. With a capacity of 0 an element gets through only if a
// receiver waits for it; otherwise the channel is full. Memory is allocated when it is
// needed. NewBounded panics if capacity is negative or full is unknown.
func NewBounded[T any](capacity int, full FullMode, opts ...ChannelOption[T]) *Channel[T] {
	if capacity < 0 {
		panic("coord: channel of negative capacity")
	}
	full.mustBeKnown()
	return &Channel[T]{channel[T]{capacity: capacity, full: full, onDrop: merge(opts).onDrop}}
}

// NewUnbounded returns a channel that holds any number of elements.
func NewUnbounded[T any]() *Channel[T] { return &Channel[T]{channel[T]{capacity: math.MaxInt}} }

// NewRendezvous returns a channel that holds nothing: a send and a receive complete together.
func NewRendezvous[T any]() *Channel[T] { return new(Channel[T]) }

// NewPriority returns a channel that holds any number of elements and delivers the element
// of lowest rank first, and among equal ranks the oldest. It panics if rank is nil.
//
// A send calls rank once for its element, before it takes any lock. A comparison
// function, the usual design, would have to be called under the lock, and could panic
// there or send to the same channel.
//
// It is not bounded: behind a full buffer the most urgent element would wait in a
// queue that is served in order of arrival. To bound it, acquire a [Semaphore]
// for each element before sending.
func NewPriority[T any](rank func(T) int64) *Channel[T] {
	if rank == nil {
		panic("coord: priority channel without a rank")
	}
	return &Channel[T]{channel[T]{capacity: math.MaxInt, rank: rank}}
}

// Len returns the number of elements that the channel holds now, not counting those of
// waiting senders.
func (c *Channel[T]) Len() int { return (*channelReport[T])(&c.hiddenChannel).Len() }

// Cap returns the number of elements that the channel can hold; math.MaxInt means
// unbounded.
func (c *Channel[T]) Cap() int { return c.capacity }

// Close is [Channel.CloseCause] without a cause.
func (c *Channel[T]) Close() { c.CloseCause(nil) }

// CloseCause closes the channel. From now on sends fail with an error that matches
// [ErrClosed] and cause, including sends that wait: their elements remain with the
// senders. Receives return the elements that the channel holds, and then the same error.
// Closing again does nothing.
func (c *Channel[T]) CloseCause(cause error) {
	err := closedError(cause)
	c.mu.Lock()
	var decided outcomes
	if c.closed == nil {
		c.leaveFastPath()
		c.setNonEmpty()
		c.closed = err
		decided = c.senders.serveAll(err)
		decided.append(c.receivers.serveAll(err))
	}
	c.mu.Unlock()
	decided.deliver(nil)
}

// channelReport is a channel as reports describe it.
type channelReport[T any] channel[T]

// Len is [Channel.Len].
func (c *channelReport[T]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return (*channel[T])(c).len()
}

// Cap is [Channel.Cap].
func (c *channelReport[T]) Cap() int { return c.capacity }

func (c *channel[T]) len() int {
	if c.rank != nil {
		return c.ranked.Len()
	}
	return c.fifo.len()
}

func (c *channel[T]) push(v T, rank int64) {
	c.setNonEmpty()
	if c.rank != nil {
		c.ranked.push(v, rank)
	} else {
		c.fifo.push(v)
	}
}

// unpop undoes pop: v is the next to be received.
func (c *channel[T]) unpop(v T) {
	c.setNonEmpty()
	if c.rank != nil {
		c.ranked.unpop(v)
	} else {
		c.fifo.unpop(v)
	}
}

func (c *channel[T]) pop() T {
	if c.rank != nil {
		return c.ranked.pop()
	}
	return c.fifo.pop()
}
