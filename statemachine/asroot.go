package statemachine

import (
	"context"
	"sync"

	"github.com/movenext/movenext/job"
)

// # Entries as roots
//
// A function that calls what it is given several times at once, like parallel.For, has an entry
// with a companion, as has one that calls it in its own chain. But each of these calls is a chain
// of its own. FuncAsRoot and ActionAsRoot make it: they call the companion, and report a
// suspension as functions that become jobs do.

// Callee is what a companion returns for a callee that has suspended: the results are called for
// once, by the machine that continues.
type Callee[T any] = interface{ Results(r *Run) (T, error) }

// ActionCallee is [Callee] for a function whose only result is an error.
type ActionCallee = interface{ Results(r *Run) error }

// FuncAsRoot calls enter, which enters a function, as the root of a chain. It returns the
// function's results, or an error that reports its suspension, to pass on to a parameter of the
// type job.Func or to an operation of package parallel. ctx is the function's context, or nil.
// enter gets a run that it must not keep. A panic in it continues in the caller.
func FuncAsRoot[T any](ctx context.Context, enter func(r *Run) (Callee[T], T, error)) (T, error) {
	s := firstStep{firstRuns.Get().(*Run)}
	defer s.fail()
	callee, v, err := enter(s.run)
	if callee != nil {
		m := &funcRoot[T]{callee: callee}
		err = m.builder.Chain.Suspend(ctx, s.run, m, &m.frame)
	}
	s.end()
	return v, err
}

// ActionAsRoot is [FuncAsRoot] for a function whose only result is an error.
func ActionAsRoot(ctx context.Context, enter func(r *Run) (ActionCallee, error)) error {
	s := firstStep{firstRuns.Get().(*Run)}
	defer s.fail()
	callee, err := enter(s.run)
	if callee != nil {
		m := &actionRoot{callee: callee}
		err = m.builder.Chain.Suspend(ctx, s.run, m, &m.frame)
	}
	s.end()
	return err
}

// firstRuns are runs for first steps that have no stack of generated code to be on.
var firstRuns = sync.Pool{New: func() any { return new(Run) }}

// firstStep is the first step of a root that calls an entry.
type firstStep struct {
	run *Run // nil: the entry has returned
}

// end gives the run back. A chain that has suspended has taken what it needs.
func (s *firstStep) end() {
	r := s.run
	s.run = nil
	r.unwatch()
	r.removeLabels()
	*r = Run{}
	firstRuns.Put(r)
}

// fail is [Fail] for an entry that has not returned.
func (s *firstStep) fail() {
	if s.run == nil || !s.run.keepsPanic() {
		return
	}
	if v := recover(); v != nil {
		panic(s.run.failureOf(v).err())
	}
	s.run.raiseKept()
}

// funcRoot is the root of a chain above a callee.
type funcRoot[T any] struct {
	builder Spawned[T]
	frame   Frame
	callee  Callee[T]
}

// MoveNext implements [StateMachine]: the callee has ended.
func (m *funcRoot[T]) MoveNext(r *Run) bool {
	v, err := m.callee.Results(r)
	m.frame.State = Finished
	m.builder.SetResult(r, v, err)
	return true
}

// Root implements rootMachine. It has no line of its own.
func (m *funcRoot[T]) Root() (Root, Location) { return m.builder.Chain.Root(), Location{} }

// actionRoot is [funcRoot] for a function whose only result is an error.
type actionRoot struct {
	builder Spawned[job.Void]
	frame   Frame
	callee  ActionCallee
}

// MoveNext implements [StateMachine]: the callee has ended.
func (m *actionRoot) MoveNext(r *Run) bool {
	err := m.callee.Results(r)
	m.frame.State = Finished
	m.builder.SetResult(r, job.Void{}, err)
	return true
}

// Root implements rootMachine. It has no line of its own.
func (m *actionRoot) Root() (Root, Location) { return m.builder.Chain.Root(), Location{} }
