package statemachine

import (
	"context"
	"iter"
	"runtime"

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
	if f.goexit {
		runtime.Goexit()
	}
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
// function's first context parameter: its ambient scheduler is the machines' home.
func Stream[T any](ctx context.Context, start func() Iteration[T, error]) *job.Stream[T] {
	return job.NewStream(&machines[T]{schedulers.HomeOf(ctx), start})
}

// machines makes the machines of a stream.
type machines[T any] struct {
	home  *schedulers.Home
	start func() Iteration[T, error]
}

func (s *machines[T]) begin() Iteration[T, error] {
	m := s.start()
	m.base().home = s.home
	return m
}

// All implements job.StreamSource: the sequence for plain code runs a machine, and
// blocks where the machine suspends.
func (s *machines[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		m := s.begin()
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

// passing calls the loop's body with the value of m. A panic in it continues through m.
func passing[T any](m Iteration[T, error], yield func(T, error) bool) bool {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			m.order().failure = &failure{value: v}
		} else {
			m.order().failure = &failure{goexit: true}
		}
		drive(m)
	}()
	more := yield(m.current())
	returned = true
	return more
}

// RangeStream begins a range over s.
func RangeStream[T any](s *job.Stream[T]) *Loop[T, error] {
	switch source := s.Source().(type) {
	case *machines[T]:
		return &Loop[T, error]{iteration: source.begin()}
	case eacher[T]:
		return &Loop[T, error]{iteration: &each[T]{source: source}}
	}
	return Range2(s.All())
}
