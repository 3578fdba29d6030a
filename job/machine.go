package job

import (
	"context"

	"github.com/movenext/movenext/schedulers"
)

// Machine is a job whose function runs in steps, together with the right to complete it: what a
// generated state machine is started as in place of [Run]. It is for generated code and its runtime.
//
// The function's first step is begin, which is called by whoever claimed the job. If the function ends
// there, begin says how and the job is complete; nothing else was made. If it suspends, begin
// returns the Rest, and the right to complete the job goes on with that:
//
//	claim ──▶ begin ──Return, Fault──▶ complete
//	            └──Rest──▶ GoOn ──▶ … ──Return, Fault──▶ End ──▶ complete
//
// GoOn is the last thing that the worker does with the job, since it may be complete before GoOn returns.
// Begin itself must not register what has suspended: begin runs below a deferred function, which completes the job
// of a function that does not return, and a job that others may complete at that moment can not be told from one that
// nobody will.
//
// The other way to make a job of a machine is [RunTwin], for a twin that is known by its job alone: a
// fork took 531 bytes in three to four objects that way, and the machine did not know its worker, so that it never
// ran the jobs that it awaited.
type Machine[T any] struct {
	task[T]
	begin func(*Machine[T], context.Context) Rest
}

// Rest is what is left of a function that has suspended.
type Rest interface {
	// GoOn registers the function with what it waits for, or goes on with it. It runs on the worker on; for spent see
	// [Awaited.Run]. If that is 0, it is all that is left of the worker's current work.
	GoOn(on schedulers.Worker, spent uint8)
}

// RunMachine is [Run] for a function whose first step is begin. A nil begin makes a job that has faulted with
// [ErrNilFunc]. It does not block.
func RunMachine[T any](ctx context.Context, begin func(*Machine[T], context.Context) Rest, opts ...Option) *Job[T] {
	m := &Machine[T]{begin: begin}
	if err := m.prepare(m, ctx, opts, forJob, begin == nil); err != nil {
		return m.failed(err)
	}
	m.mode |= dependent
	_ = m.submit(m.home, m.flags) // the job carries the refusal
	return &m.Job
}

// NewMachine is [New] for a function whose first step is begin: [RunMachine], not started.
func NewMachine[T any](ctx context.Context, begin func(*Machine[T], context.Context) Rest, opts ...Option) *Job[T] {
	m := &Machine[T]{begin: begin}
	if err := m.prepare(m, ctx, opts, forJob, begin == nil); err != nil {
		return m.failed(err)
	}
	m.mode |= dependent
	m.state.set(Created)
	return &m.Job
}

// Return says what the function has returned. It returns nil, so that a begin can return it.
func (m *Machine[T]) Return(value T, err error) Rest {
	m.value = value
	m.setErr(err)
	return nil
}

// Fault says that the function has not returned, and why: the job will be Faulted with err.
func (m *Machine[T]) Fault(err error) {
	var none T
	m.value, m.final = none, uint8(Faulted)
	if k, ok := m.owner.(keeper); ok {
		err = k.crashed(err)
	}
	m.setErr(err)
}

// Worker returns where begin runs, and what is spent there: what [Rest].GoOn will be told.
func (m *Machine[T]) Worker() (on schedulers.Worker, spent uint8) { return m.worker, m.spent }

// End completes the job after Return or Fault, on the worker on (nil: on none). It is called once, and
// only for a function that has suspended. It calls methods of the error that was returned; if one of them
// panics, the job is not complete, and Fault and End can be called.
func (m *Machine[T]) End(on schedulers.Worker) {
	final := m.outcome(m.err())
	m.endOwn()
	m.publish(final).Deliver(on)
}

// Run implements schedulers.Work.
func (m *Machine[T]) Run(on schedulers.Worker) {
	if m.state.claim() {
		m.step(on, true)
	}
}

func (m *Machine[T]) runClaimed(on schedulers.Worker) { m.step(on, false) }

// step takes the first step. last says that the worker has nothing else to do in its current work.
func (m *Machine[T]) step(on schedulers.Worker, last bool) {
	m.worker = on
	spent := m.spent
	final, rest, returned := m.first()
	switch {
	case !returned: // and so it is complete
	case rest != nil:
		rest.GoOn(on, spent)
	default:
		m.complete(final, nil, last)
	}
}

// first is task.call for the first step.
func (m *Machine[T]) first() (final Status, rest Rest, returned bool) {
	defer func() {
		if !returned {
			m.crash(recover(), nil)
		}
	}()
	if m.body.Err() != nil {
		m.setErr(contextError(&m.body))
		return Canceled, nil, true
	}
	begin := m.begin
	m.begin = nil // what suspends keeps what it needs
	if m.mode&(labeled|traced) != 0 {
		rest = m.followed(begin)
	} else {
		rest = begin(m, &m.body)
	}
	if rest != nil {
		return Running, rest, true
	}
	return m.outcome(m.err()), nil, true
}

// followed calls begin as the profiler and the tracer want to see it.
func (m *Machine[T]) followed(begin func(*Machine[T], context.Context) Rest) Rest {
	defer m.follow()()
	return begin(m, &m.body)
}

func (m *Machine[T]) drop() { m.begin = nil }
