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
	resume.Call(r.k)
	return continuation.Chain{}
}

// resume calls a Resume that is not ours. A panic that escaped from it would surface in
// the completer of the job, which may well recover, and the rest of the chain would
// never be told.
var resume = schedulers.NewHook("continuation.Continuation.Resume", continuation.Continuation.Resume)
