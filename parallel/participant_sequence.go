package parallel

import (
	"context"
	"iter"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// runSequenceForMachine runs the stream for a machine: see [forSequence]. The sequence has its own
// goroutine, which may block where the machine's worker must not. The caller takes no
// part, since the first item may take a long time.
func runSequenceForMachine[T any](s *stream[T], seq iter.Seq[T], degree int) error {
	t := newParticipants(&s.operation)
	items := &sequenceItems[T]{participants: t, stream: s, seq: seq}
	items.idle.quota = degree
	t.items = items
	t.live.Store(2) // the goroutine, and the caller
	go items.run()
	return t.run(nil)
}

// sequenceItems runs a sequence and gives its items to participants, as [feeder] does
// for lanes.
type sequenceItems[T any] struct {
	participants *participants
	stream       *stream[T]
	seq          iter.Seq[T]
	idle         idleList[*participant]
}

// run is the sequence's goroutine. A failure of the sequence stops the operation.
func (i *sequenceItems[T]) run() {
	defer func() { i.participants.leave().Deliver(nil) }()
	i.participants.contained(i.give)
}

func (i *sequenceItems[T]) give() {
	p, before := i.participant(), 0
	if p == nil {
		return
	}
	var items []T
	for item := range i.seq {
		if items = append(items, item); len(items) < i.stream.chunk {
			continue
		}
		i.submitItems(p, items, before)
		before, items = before+len(items), nil
		if p = i.participant(); p == nil {
			return
		}
	}
	if len(items) > 0 {
		i.submitItems(p, items, before)
	}
}

// submitItems gives items to a participant.
func (i *sequenceItems[T]) submitItems(p *participant, items []T, before int) {
	p.lo, p.hi = 0, len(items)
	p.body = func(ctx context.Context, n, _ int) error { return i.stream.body(ctx, before+n, items[n]) }
	i.participants.live.Add(1)
	p.began = true
	p.submit(nil)
}

// participant returns a participant that wants items, or nil if the operation has
// stopped.
func (i *sequenceItems[T]) participant() *participant {
	p, _ := i.idle.get(i.participants.continues, func() *participant { return &participant{participants: i.participants} })
	return p
}

// next takes a participant that wants items. The participant is submitted when there are
// items for it.
func (i *sequenceItems[T]) next(p *participant) bool {
	p.body = nil
	i.idle.put(p)
	return false
}

func (i *sequenceItems[T]) beforeBody(schedulers.Worker) {}

func (i *sequenceItems[T]) afterBodies() { i.idle.wake() }

// idleList holds the participants of an operation that want items of a sequence. The
// goroutine of the sequence sleeps while all have bodies under way, and is woken by the
// first one that has none:
//
//	the sequence                            a participant
//	  F1 none is idle: make ready, under mu   L1 be idle, under mu, or stop the operation
//	  F2 stopped: end                         L2 close ready if there is one, under mu
//	  F3 sleep on ready
//
// If L2 comes before F1, so does L1, and F1 finds the participant or F2 finds the stop.
// Otherwise L2 closes the channel that F3 sleeps on. A stop from elsewhere ends the
// bodies' context, and so brings participants to L2.
type idleList[P any] struct {
	quota int // how many may still be made; used only by the sequence

	mu    sync.Mutex
	idle  []P
	ready chan struct{} // nil while the sequence is awake
}

// get returns an idle participant or a new one, and waits for one if need be. It
// returns false if the operation has stopped.
func (i *idleList[P]) get(continues func() bool, create func() P) (p P, ok bool) {
	for continues() {
		p, ok, ready := i.take(create)
		if ok {
			return p, true
		}
		if continues() {
			<-ready
		}
	}
	return p, false
}

// take returns a participant, or a channel that closes when one is idle.
func (i *idleList[P]) take(create func() P) (p P, ok bool, ready <-chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if n := len(i.idle); n > 0 {
		p = i.idle[n-1]
		i.idle = i.idle[:n-1]
		return p, true, nil
	}
	if i.quota > 0 {
		i.quota--
		return create(), true, nil
	}
	i.ready = make(chan struct{})
	return p, false, i.ready
}

func (i *idleList[P]) put(p P) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.idle = append(i.idle, p)
}

func (i *idleList[P]) wake() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ready != nil {
		close(i.ready)
		i.ready = nil
	}
}
