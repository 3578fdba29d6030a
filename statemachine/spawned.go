package statemachine

import (
	"context"

	"github.com/movenext/movenext/internal/suspension"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// # Functions that the runtime calls
//
// job.Run, a scope's Go, coord.Lazy and the like take functions. A function that is a
// machine has the type of a plain one. When it suspends, it returns early with a special
// error; its caller then passes it the right to complete the job that it has begun. See
// package internal/suspension.

// Spawned is the part of a root machine that completes a job that the runtime has begun.
// It corresponds to the [Builder] of an async function. Generated roots of function
// literals that the runtime calls have it before their frame.
//
// The job of a literal exists before the literal runs, since it has to wait in a queue.
// The machine is made only if the literal suspends, which is rare where workers run
// awaited jobs themselves.
type Spawned[T any] struct{ Chain spawnedChain }

// spawnedChain is the part of a [Spawned] that does not depend on the type of the results.
type spawnedChain struct {
	chain chain
	end   suspension.Faulter // a Completer of that type
}

// Suspend takes over a chain of frames that suspended in the first step of a function: r
// is the run of that step, m the promoted root, f its frame. It returns the error that the
// function has to return.
func (s *spawnedChain) Suspend(ctx context.Context, r *Run, m rootMachine, f *Frame) error {
	r.Push(ctx, m, f)
	p := r.keepFirstStep(ctx, &s.chain, f)
	p.spawned = s
	return (*firstStepError)(p)
}

// keepFirstStep takes over the chain c, whose first step r has run.
func (r *Run) keepFirstStep(ctx context.Context, c *chain, f *Frame) *pooledRun {
	c.takeOver(ctx, r, f)
	r.labels = nil
	p, _ := pooledRuns.Get().(*pooledRun)
	p.firstChain, p.firstFrame = c, f
	p.exiting, p.runs = r.exiting, r.runs
	p.top, p.awaiting, p.holder, p.ready = r.top, r.awaiting, r.holder, r.ready
	p.clock, p.pause = r.clock, r.pause
	return p
}

// firstStepError is a chain that has suspended in its first step, before it is registered,
// as the error of that step. It is the pooledRun itself under another type: a struct that
// points to it would be one more allocation for each function that suspends.
type firstStepError pooledRun

// Error implements error. User code never sees it.
func (*firstStepError) Error() string { return "statemachine: the function has suspended" }

// GoOn implements suspension.Suspended. In contrast to a hot start, the first step was
// taken by a worker that has nothing else to do: the chain may run the job that it
// awaits, or continue here, if the frame to resume is at home here. But if the worker's
// goroutine exits (see onstack.go), the chain continues elsewhere.
func (b *firstStepError) GoOn(end any, worker schedulers.Worker, spent uint8) {
	p := (*pooledRun)(b)
	p.spawned.end = end.(suspension.Faulter)
	c, first := p.firstChain, p.firstFrame
	p.firstChain, p.firstFrame, p.spawned = nil, nil, nil
	if p.exiting {
		p.exiting, p.runs, p.labels = false, 0, p.top.home.Labels
		c.begin(&p.Run)
		p.giveBack()
		return
	}
	r := p.moveOn(worker, spent)
	r.applyHomeLabels()
	if r.register(c) {
		r.giveBack()
		return
	}
	r.awaiting = nil
	if !sameHome(r.top, first) {
		r.goHome(c, r.leaving())
		r.giveBack()
		return
	}
	r.runAndGiveBack(c)
}

// SetResult completes the job with the results of the function. r is the argument of the
// last MoveNext.
func (s *Spawned[T]) SetResult(r *Run, v T, err error) {
	r.unwatch()
	s.Chain.end.(suspension.Returner[T]).Return(v, err).Deliver(r.leaving())
}

// Root returns the root of a chain with the job that the runtime has begun.
func (s *spawnedChain) Root() Root {
	h, _ := s.end.Handle().(job.Handle)
	return Root{h, s}
}

func (s *spawnedChain) fail(_ job.Handle, f *failure, worker schedulers.Worker) {
	s.end.Fault(f.err()).Deliver(worker)
}

// Fail is deferred by the first step of a function that the runtime calls, with that
// step's run: a panic that is raised again keeps its first stack. A panic that a machine has
// kept while the goroutine exits is raised.
func Fail(r *Run) {
	if !r.keepsPanic() {
		return
	}
	if v := recover(); v != nil {
		panic(r.failureOf(v).err())
	}
	r.raiseKept()
}

// keepsPanic is the part of Fail before its recover. It returns false if the panic, if there is
// any, is the one that reports a suspension, or keeps its stack by itself.
func (r *Run) keepsPanic() bool {
	r.removeLabels()
	return !r.exiting && (r.raised != nil || r.failure != nil)
}

// raiseKept is the part of Fail after its recover.
func (r *Run) raiseKept() {
	if f := r.exited(); f.value != nil {
		panic(f.err())
	}
}

// raiseOnExit is for native code whose call of a machine's frame has not returned: if the
// goroutine exits, it raises the panic that the frame has kept.
func (r *Run) raiseOnExit() {
	if r.failure == nil {
		return
	}
	if f := r.exited(); f.value != nil {
		r.raised = f
		panic(f.value)
	}
}
