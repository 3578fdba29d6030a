package statemachine

import (
	"context"
	"iter"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/pullcontext"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Producer is the common part of the frames of streams: a [Frame], and the value that it
// yields. It is the first field in the frame of a function that returns a sequence.
type Producer[T any] struct {
	Frame
	value  T
	err    error
	wanted order
	pulled *pullcontext.Context // nil: it is ranged over
}

// Emit is the call of yield in a stream's function. The machine then stops there, and
// gets the result of yield from [Producer.Wanted] when it continues.
func (p *Producer[T]) Emit(value T, err error) {
	p.wanted.check()
	p.value, p.err = value, err
}

// Wanted returns the result of yield: whether the loop continues. It raises a panic of
// the loop's body.
func (p *Producer[T]) Wanted(r *Run) bool {
	_ = r.Refusal() // a lost home is reported at awaits only
	p.wanted.raise(r)
	return !p.wanted.stopped
}

func (p *Producer[T]) current() (T, error) {
	v, err := p.value, p.err
	var zero T
	p.value, p.err = zero, nil // the loop has them now; a suspended stream must not keep them
	return v, err
}

func (p *Producer[T]) order() *order { return &p.wanted }

func (p *Producer[T]) base() *Frame { return &p.Frame }

// runsIn notes the context of the pull that the machine runs in; nil: it is ranged over.
func (p *Producer[T]) runsIn(pulled *pullcontext.Context) { p.pulled = pulled }

// pull returns the context of the pull that the machine runs in, as a consumer's, or nil.
func (p *Producer[T]) pull() context.Context {
	if p.pulled == nil {
		return nil
	}
	return p.pulled
}

// check refuses a yield after one that returned false, as the Go runtime does, and with
// the same error.
func (o *order) check() {
	switch {
	case o.stopped:
		for range yieldForever {
			break
		}
	case o.failed:
		for range yieldAfterPanic {
			panic(o)
		}
	}
}

// raise raises the failure of the loop's body, once.
func (o *order) raise(r *Run) {
	if o.failure == nil {
		return
	}
	f := o.failure
	o.failure, o.failed = nil, true
	r.raise(f)
}

// yieldForever calls yield after it has returned false.
func yieldForever(yield func() bool) {
	for {
		yield()
	}
}

// yieldAfterPanic calls yield after the loop's body has panicked.
func yieldAfterPanic(yield func() bool) {
	func() {
		defer func() { _ = recover() }()
		yield()
	}()
	yield()
}

// swallowedPanic returns the value of the Go runtime's panic for an iterator that recovers a
// panic of the loop's body and then returns normally.
func swallowedPanic() (v any) {
	defer func() { v = recover() }()
	for range swallowing {
		panic("passing")
	}
	return nil
}

func swallowing(yield func() bool) {
	defer func() { _ = recover() }()
	yield()
}

// Stream returns the stream whose ranges run the machines that start makes. ctx is the
// function's first context parameter: its ambient scheduler is the machines' home. start gets
// the context that the machine uses in its place, which ends when a range is left.
func Stream[T any](ctx context.Context, start func(ctx context.Context) Iteration[T, error]) *job.Stream[T] {
	return promise.NewStream(&machines[T]{home: dispatch.HomeOf(ctx), ctx: ctx, start: start})
}

// TakesBack returns s, which was made by [Stream], with a function that takes a value back that
// was yielded for a consumer that had left.
func TakesBack[T any](s *job.Stream[T], putBack func(v T)) *job.Stream[T] {
	with := *promise.SourceOf(s).(*machines[T])
	with.putBack = putBack
	return promise.NewStream(&with)
}

// machines makes the machines of a stream.
type machines[T any] struct {
	home    *schedulers.Home
	ctx     context.Context // of the function; nil: it has none
	start   func(ctx context.Context) Iteration[T, error]
	putBack func(v T) // or nil
}

func (s *machines[T]) begin(ctx context.Context) Iteration[T, error] {
	m := s.start(ctx)
	m.base().home = s.home
	return m
}

// beginPulled is begin for a pull, in whose context the machine runs.
func (s *machines[T]) beginPulled(ctx *pullcontext.Context) Iteration[T, error] {
	m := s.begin(ctx)
	m.runsIn(ctx)
	return m
}

// PutBack takes back v, which no consumer has got. It is called by a job.Puller.
func (s *machines[T]) PutBack(v T) {
	if s.putBack != nil {
		s.putBack(v)
	}
}

// All makes machines the source of a job.Stream: the sequence for plain code runs a machine, and
// blocks where the machine suspends.
func (s *machines[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		m := s.begin(s.ctx)
		for {
			drive(m)
			if m.base().State == Finished {
				return
			}
			m.order().stopped = !passing(m, yield)
			if m.base().State == Finished {
				return // it has recovered a panic of the loop's body: the loop's code sees that
			}
		}
	}
}

// passing calls the loop's body with the value of m. A panic in it continues through m, and so
// does a runtime.Goexit.
func passing[T any](m Iteration[T, error], yield func(T, error) bool) (more bool) {
	var how *failure
	returned := false
	defer func() {
		if !returned {
			m.order().failure = how.exiting()
			drive(m)
		}
	}()
	more = callBody(m, yield, &how)
	returned = true
	if how != nil {
		m.order().failure = how
		drive(m)
	}
	return more
}

// callBody calls the loop's body with the value of m. It writes its panic to how.
func callBody[T any](m Iteration[T, error], yield func(T, error) bool, how **failure) bool {
	defer func() {
		if v := recover(); v != nil {
			*how = &failure{value: v, stack: stackOf(v)}
		}
	}()
	return yield(m.current())
}

// RangeStream begins a range over s.
func RangeStream[T any](s *job.Stream[T]) *Loop[T, error] {
	return rangeWithin(nil, s) //nolint:staticcheck // it has no context of its own
}

// RangeWithin is [RangeStream] for a machine that is a stream itself, f. If f is pulled and its
// consumer leaves while f waits for a value of s, s ends too.
func RangeWithin[T any](f interface{ pull() context.Context }, s *job.Stream[T]) *Loop[T, error] {
	return rangeWithin(f.pull(), s)
}

// rangeWithin begins a range for a consumer with a context, or nil.
func rangeWithin[T any](consumer context.Context, s *job.Stream[T]) *Loop[T, error] {
	switch source := promise.SourceOf(s).(type) {
	case *machines[T]:
		if consumer == nil {
			return &Loop[T, error]{iteration: source.begin(source.ctx)}
		}
		ctx := pullcontext.New(source.ctx, consumer)
		return &Loop[T, error]{iteration: source.beginPulled(ctx), pulled: ctx}
	case eacher[T]:
		return &Loop[T, error]{iteration: &each[T]{source: source, consumer: consumer}}
	case interface {
		AllWithin(consumer context.Context) iter.Seq2[T, error]
	}:
		if consumer != nil {
			return Range2(source.AllWithin(consumer))
		}
	}
	return Range2(s.All())
}
