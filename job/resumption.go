package job

import (
	"fmt"

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
	defer crashAlone()
	r.k.Resume()
	return continuation.Chain{}
}

// crashAlone moves a panic of a Resume that is not ours to a goroutine of its own. It is a
// programmer's error and ends the program, as each panic of a goroutine does. Let through, it
// would end in whoever completed the job, who may well recover, and all that
// stands behind it in the chain would never be told.
func crashAlone() {
	if v := recover(); v != nil {
		p := NewPanicError(v)
		go func() { panic(fmt.Sprintf("%v\n\nraised by a continuation's Resume:\n%s", p, p.Stack)) }()
	}
}
