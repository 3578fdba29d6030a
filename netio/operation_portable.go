//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd) || netio_portable

package netio

import (
	"context"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// operation is a transfer that a machine waits for: a goroutine performs it.
type operation struct {
	socket *socket
	transfer
	job    *job.Job[job.Void]
	handle statemachine.Waiting[int] // for generated code
}

// enter performs tr for the machine of r, until ctx ends (nil: never).
func (s *socket) enter(r *statemachine.Run, ctx context.Context, tr *transfer) *operation {
	if ctx == nil {
		ctx = context.Background()
	}
	o := &operation{socket: s, transfer: *tr}
	o.handle.Init(o)
	turn := s.queue(ctx, tr.kind)
	o.job = startJob(func() (job.Void, error) {
		s.perform(ctx, &o.transfer, turn)
		return job.Void{}, nil
	})
	r.Suspend(o)
	return o
}

// Join implements [statemachine.Pending].
func (o *operation) Join(n *continuation.Node, _ schedulers.Worker) bool {
	n.Prepare(n.Target()) // for a list
	return o.job.Register(n)
}

// Results implements [statemachine.Outcome].
func (o *operation) Results(r *statemachine.Run) (int, error) {
	tr := o.results(r)
	return tr.n, tr.err
}

// results returns the outcome of an operation when its machine resumes.
func (o *operation) results(r *statemachine.Run) transfer {
	_ = r.Refusal() // the operation has ended before it
	if err := o.job.Err(); err != nil {
		o.n, o.err = 0, err // a connection that was adopted is of a user's type, and its method has panicked
	}
	return o.transfer
}
