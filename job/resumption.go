package job

import (
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/schedulers"
)

// resumption lets a foreign continuation wait for a job.
type resumption struct {
	node continuation.Node
	k    continuation.Continuation
}

// Completed implements continuation.Target.
func (r *resumption) Completed(schedulers.Worker) continuation.Chain {
	r.k.Resume()
	return continuation.Chain{}
}
