package job

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// Start calls fn, on the calling goroutine, and makes the job that it returns a child of s,
// without a handle. It reports whether it called fn. Pass a twin, or a literal that calls one:
//
//	for d := range deliveries {
//		s.Start(func(ctx context.Context) *job.Job[job.Void] { return deliverAsync(ctx, d) })
//	}
//
// So each delivery runs up to its first wait before the next begins, and they queue for a lock,
// a [github.com/movenext/movenext/coord.Serial] or a channel in the order of the loop. [Scope.Go]
// submits its children, and several workers begin them in any order. A child of Start takes a slot
// of [Scope.Limit] and does not wait for one.
//
// The context of fn and the meaning of the job's outcome are as with Go. If fn panics or returns
// nil, the child has failed; if fn calls runtime.Goexit, that ends the caller's goroutine too.
// Start returns false where Go does, if the scheduler's refusal is not the reason. It blocks only
// as long as fn does.
func (s *Scope) Start(fn func(context.Context) *Job[Void]) (called bool) {
	if !s.enterStarted(fn == nil) {
		return false
	}
	called = true
	returned := false
	defer func() {
		if !returned {
			s.exitStarted(Faulted, s.crashError(recover(), s.from)).Deliver(s.from)
		}
	}()
	j := fn(s.views.forWorker(s, s.from))
	returned = true
	if j == nil {
		s.exitStarted(Faulted, ErrNilJob).Deliver(s.from)
		return called
	}
	if c := s.takeStarted(&j.core); !j.core.register(&c.node) {
		c.Completed(s.from).Deliver(s.from)
	}
	return called
}

// enterStarted counts one more child, which takes a slot even if none is free. It returns false if
// the child must not begin.
func (s *Scope) enterStarted(nilFunc bool) bool {
	s.mu.Lock()
	if s.left == 0 {
		s.mu.Unlock()
		return false
	}
	s.left++
	if nilFunc || s.ctx.Err() != nil {
		s.leaveUnstartedAndUnlock(nilFunc)
		return false
	}
	s.gate.inFlight++
	s.mu.Unlock()
	return true
}

func (s *Scope) exitStarted(final Status, err error) continuation.Chain {
	return s.exit(final, err, &childSlot{holds: true})
}

// startedChild is a child that a caller of [Scope.Start] has begun. When its job has ended, it is
// used again, so that a child is one object: its job. They are allocated in slabs of half as many
// as there are children, up to 16. In the free list the target of its node is the next one.
type startedChild struct {
	scope *Scope
	job   *core
	node  continuation.Node
}

// takeStarted returns a child for the job j.
func (s *Scope) takeStarted(j *core) *startedChild {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freeStarted == nil {
		slab := make([]startedChild, min(max(1, s.left/2), 16))
		for i := range slab {
			slab[i].scope = s
			s.giveBackStarted(&slab[i])
		}
	}
	c := s.freeStarted
	s.freeStarted, _ = c.node.Target().(*startedChild)
	c.job = j
	c.node.Prepare(c)
	return c
}

// giveBackStarted puts a child into the free list; mu is held.
func (s *Scope) giveBackStarted(c *startedChild) {
	c.job = nil
	c.node.Prepare(s.freeStarted)
	s.freeStarted = c
}

// Completed implements continuation.Target: the child's job has ended.
func (c *startedChild) Completed(schedulers.Worker) continuation.Chain {
	s, j := c.scope, c.job
	j.observe() // its failure is the scope's
	s.mu.Lock()
	s.giveBackStarted(c)
	return s.leaveAndUnlock(Status(j.final), j.err(), true)
}

func (c *startedChild) waitingJob() (*core, string) { return &c.scope.promise.job.core, "scope" }
