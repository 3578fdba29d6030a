package statemachine

import (
	"context"
	"io"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/pullcontext"
	"github.com/movenext/movenext/job"
)

// Steps is called by job.Stream.Pull: next begins the step to the next value, and stop
// begins the ending. Each is called only when the job that the previous call returned
// has ended. No goroutine waits in between: the machine is suspended in its yield.
//
// The machine runs with a context of its own, which leave ends: so a machine that waits while
// its consumer leaves does not keep the consumer waiting.
func (s *machines[T]) Steps(consumer context.Context) (next func(context.Context) *job.Job[T], stop func(context.Context) *job.Job[job.Void], leave func()) {
	own := pullcontext.New(s.ctx, consumer)
	m := s.beginPulled(own)
	next = func(ctx context.Context) *job.Job[T] {
		if hasEnded(m) {
			return job.FromError[T](io.EOF)
		}
		return pull(ctx, m, own.Over, func() (T, error) {
			if hasEnded(m) {
				var zero T
				return zero, io.EOF
			}
			return m.current()
		})
	}
	stop = func(ctx context.Context) *job.Job[job.Void] {
		if m.base().State <= 0 { // it is not at a yield: it has not begun, or has ended
			m.base().State = Finished
			own.Over()
			return job.FromResult(job.Void{})
		}
		m.order().stopped = true
		return pull(ctx, m, own.Over, func() (job.Void, error) { return job.Void{}, nil })
	}
	return next, stop, own.Leave
}

// hasEnded reports whether m, which is not running, has ended. After a panic its state
// is still Running.
func hasEnded(m iteration) bool {
	s := m.base().State
	return s == Finished || s == Running
}

// pull runs m to its next stop, and returns the job of the results that arrive then
// returns. It starts hot, as a call of a twin does, until m has been at its home. over is called
// if m has ended.
func pull[T any](ctx context.Context, m iteration, over func(), arrive func() (T, error)) (j *job.Job[T]) {
	var r Run
	suspended := false
	defer Catch(&r, &j)
	defer func() {
		if !suspended && hasEnded(m) {
			over()
		}
	}()
	if f := m.base(); f.self != nil && !dispatch.Same(f.home, ambient.Home(ctx)) {
		r.Yield()
	} else if m.MoveNext(&r) {
		r.Rethrow()
		v, err := arrive()
		return Completed(context.Background(), v, err)
	}
	suspended = true
	r.Push(ctx, m, m.base())
	p := &pulledStep[T]{m: m, over: over, arrive: arrive}
	p.home = m.base().home
	p.Chain.Start(&p.Promise.Job, ctx, &r, p, &p.Frame)
	return &p.Promise.Job
}

// pulledStep is the root of a chain that runs to the next value of a stream.
type pulledStep[T any] struct {
	Builder[T]
	Frame
	m      iteration
	over   func()
	arrive func() (T, error)
}

// Root implements rootMachine.
func (p *pulledStep[T]) Root() (Root, Location) { return p.Chain.Root(&p.Promise.Job), Location{} }

// MoveNext implements StateMachine: the stream has reached a value or its end.
func (p *pulledStep[T]) MoveNext(r *Run) bool {
	if hasEnded(p.m) {
		p.over()
	}
	r.Rethrow()
	p.State = Finished
	v, err := p.arrive()
	p.SetResult(r, v, err)
	return true
}
