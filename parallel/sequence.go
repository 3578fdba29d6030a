package parallel

import (
	"iter"
	"runtime"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// sequence distributes the items of an iter.Seq to several goroutines.
//
// # The easy way that does not work
//
// An iter.Seq calls its consumer. For several goroutines to pull from it, it has to be
// inverted, as iter.Pull does. But a coroutine of iter.Pull may only be resumed by
// goroutines whose thread locking matches its creator's, and the workers of some
// schedulers are locked to threads. A mismatch is a fatal error, not a panic. So the
// sequence runs on a goroutine, and serves requests over channels.
//
// # One request at a time
//
// A participant that wants items takes the baton, sends an empty buffer and
// receives it filled: a chunk of items, or fewer at the end. A sequence never
// runs ahead of the requests, since an item that it has produced is lost to other
// readers (a channel's elements, lines of a file).
//
//	taker, with the baton            generator
//	  T1 send a buffer     ────────▶   G1 receive it, or the end: go to G4
//	                                   G2 the sequence fills it
//	  T2 receive it        ◀────────   G3 send it; if empty, at the end: go to G4
//	  closed: it has ended             G4 close fill
//
// T1 is always followed by T2, because nothing between them can fail, so G3 never waits
// forever. After all takers have gone, stop ends G1 and waits for G4: by then the
// sequence has finished its own cleanup after the break.
type sequence[T any] struct {
	op    *operation
	seq   iter.Seq[T]
	chunk int // how many items are taken at a time
	ask   chan []T
	fill  chan []T

	baton sync.Mutex
	taken int  // how many items have been taken; under the baton
	ended bool // under the baton
}

func newSequence[T any](op *operation, seq iter.Seq[T], chunk int) *sequence[T] {
	s := &sequence[T]{op: op, seq: seq, chunk: chunk, ask: make(chan []T), fill: make(chan []T)}
	go s.generate()
	return s
}

// generate runs the sequence. A failure of the sequence stops the operation.
func (s *sequence[T]) generate() {
	defer close(s.fill)
	s.op.contained(func() {
		if buf, wanted := <-s.ask; wanted {
			s.walk(buf)
		}
	})
}

func (s *sequence[T]) walk(buf []T) {
	var wanted bool
	for item := range s.seq {
		buf = append(buf, item)
		if len(buf) < s.chunk {
			continue
		}
		s.fill <- buf
		if buf, wanted = <-s.ask; !wanted {
			return
		}
	}
	if len(buf) > 0 {
		s.fill <- buf
	}
}

// take returns the next items, in buf if it has room (buf is empty), and the
// number of items taken before. It returns none at the end. The caller has the
// baton and is on that worker.
func (s *sequence[T]) take(buf []T, on schedulers.Worker) (items []T, before int) {
	before = s.taken
	if !s.ended {
		select {
		case s.ask <- buf:
			items = s.receive(on)
		case <-s.fill: // closed: it ended with the last items, and receives no more requests
		}
		s.taken += len(items)
		s.ended = items == nil
	}
	return items, before
}

// receive waits for the requested items; nil: the sequence has ended.
func (s *sequence[T]) receive(on schedulers.Worker) []T {
	for range spins {
		select {
		case items := <-s.fill:
			return items
		default:
			runtime.Gosched()
		}
	}
	defer announceBlock(on)()
	return <-s.fill
}

// stop ends the sequence and blocks until it has ended. No participant takes from it
// after that.
func (s *sequence[T]) stop() {
	close(s.ask)
	<-s.fill
}
