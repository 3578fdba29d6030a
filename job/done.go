package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

var closedChannel = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// done returns the channel that says that the job has ended. Closing it is one
// more continuation, so it has no race of its own.
//
// A job that has ended gets no channel of its own: a completed job is shared by all
// callers that want the same result, and a channel made inside a synctest bubble cannot
// be shared.
func (c *core) done() <-chan struct{} {
	if c.isCompleted() && c.rare.Load() == nil {
		return closedChannel
	}
	r := c.extras()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.done == nil && c.isCompleted() {
		return closedChannel
	}
	if r.done == nil {
		r.done = make(chan struct{})
		d := &closer{c: r.done}
		d.node.Prepare(d)
		if !c.waiting.Add(&d.node) {
			close(r.done)
		}
	}
	return r.done
}

// closer closes a channel when a job has ended.
type closer struct {
	node continuation.Node
	c    chan struct{}
}

func (d *closer) waitingJob() (*core, string) { return nil, "Done channel" }

// Completed implements continuation.Target.
func (d *closer) Completed(schedulers.Worker) continuation.Chain {
	close(d.c)
	return continuation.Chain{}
}
