package parallel

import (
	"context"
	"iter"
	"runtime"

	"github.com/movenext/movenext/schedulers"
)

// stream is an operation over a sequence.
//
// The caller and its helpers do the same: take the baton, take items, pass the baton on,
// and run the body for each item. A helper that does not get the baton leaves, so no
// worker waits for a slow sequence; a participant that got items calls the next helper.
// So at most one helper and the caller wait for the sequence at a time.
//
// Items are taken one at a time. It is tempting to take more while bodies are short,
// since the baton costs a lock and two channel operations for each item. But an item
// that waits for its neighbours waits forever if the bodies feed the sequence. So the
// user has to choose larger chunks explicitly ([Chunk]).
type stream[T any] struct {
	operation
	group *helperGroup // nil: no helpers
	items *sequence[T]
	body  func(ctx context.Context, i int, item T) error
	chunk int // items to take at a time
}

// forSequence runs body for each item of seq, with the index of the item.
func forSequence[T any](ctx context.Context, seq iter.Seq[T], body func(ctx context.Context, i int, item T) error, opts []Option) error {
	o, err := settingsOf(opts)
	if err != nil {
		return err
	}
	if seq == nil {
		return ErrNilFunc
	}
	s := &stream[T]{body: body, chunk: max(1, o.chunk)}
	if err := s.begin(ctx); err != nil {
		return err
	}
	if s.machine {
		return runSequenceForMachine(s, seq, o.members())
	}
	if helpers := o.helpers(s.home.Scheduler, s.caller); helpers > 0 {
		s.carryOut(seq, helpers)
	} else {
		s.alone(seq)
	}
	goexit, err := s.outcome()
	if goexit {
		runtime.Goexit()
	}
	return err
}

// carryOut runs the caller's part. When it returns, or when the caller's goroutine
// exits, all bodies and the sequence have ended.
func (s *stream[T]) carryOut(seq iter.Seq[T], helpers int) {
	defer s.endForCaller()
	s.items = newSequence(&s.operation, seq, s.chunk)
	defer s.items.stop()
	s.group = closedGroup(s.home.Scheduler)
	s.group.open(s.home.Scheduler, s.caller, helpers, s)
	defer s.group.dismiss()
	s.protect(s.caller, (*stream[T]).awaitBaton)
}

// alone runs everything on the caller's goroutine, including the sequence.
func (s *stream[T]) alone(seq iter.Seq[T]) {
	defer s.endForCaller()
	s.protect(s.caller, func(s *stream[T], on schedulers.Worker) {
		ctx, i := &bodyContext{&s.operation, on}, 0
		for item := range seq {
			if !s.continues() || !s.step(ctx, i, item) {
				return
			}
			i++
		}
	})
}

// help implements effort.
func (s *stream[T]) help(on schedulers.Worker) {
	s.label()
	defer s.unlabel()
	s.protect(on, (*stream[T]).passBy)
}

// hasWork implements effort. It returns false: a helper leaves if there are no items at the
// moment, and the participant that gets the next items calls it again.
func (s *stream[T]) hasWork() bool { return false }

// protect runs one goroutine's part and turns its failure into a failure of the operation.
func (s *stream[T]) protect(on schedulers.Worker, part func(*stream[T], schedulers.Worker)) {
	s.contained(func() { part(s, on) })
}

// awaitBaton is the caller's part: it waits for the baton.
func (s *stream[T]) awaitBaton(on schedulers.Worker) {
	s.work(on, func() bool {
		if !s.tryBaton() {
			defer announceBlock(on)()
			s.items.baton.Lock()
		}
		return true
	})
}

// passBy is a helper's part.
func (s *stream[T]) passBy(on schedulers.Worker) { s.work(on, s.tryBaton) }

// tryBaton takes the baton if it is free soon.
func (s *stream[T]) tryBaton() bool {
	for range spins {
		if s.items.baton.TryLock() {
			return true
		}
		runtime.Gosched()
	}
	return false
}

func (s *stream[T]) work(on schedulers.Worker, baton func() bool) {
	ctx := &bodyContext{&s.operation, on}
	buf := make([]T, 0, min(s.chunk, 1024)) // a larger chunk may be more than the sequence has
	for s.continues() && baton() {
		items, before := s.items.take(buf, on)
		s.items.baton.Unlock()
		if len(items) == 0 {
			return
		}
		s.group.invite()
		for i, item := range items {
			if !s.continues() || !s.step(ctx, before+i, item) {
				return
			}
		}
		clear(items)
		buf = items[:0]
	}
}

// step runs the body for one item and reports whether it succeeded.
func (s *stream[T]) step(ctx context.Context, i int, item T) bool {
	if err := s.body(ctx, i, item); err != nil {
		s.fail(err)
		return false
	}
	return true
}
