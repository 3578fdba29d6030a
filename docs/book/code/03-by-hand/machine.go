package main

import (
	"context"

	"github.com/movenext/movenext/job"
)

// resumable is the common part of all machines: how they continue. It is the machine's
// continuation.
type resumable struct {
	machine interface{ MoveNext() }
}

// Resume implements continuation.Continuation. It is called by the code that completes
// the awaited operation, perhaps deep inside something else. So it does not call
// MoveNext, which is the user's code: it lets a scheduler do that.
func (r *resumable) Resume() {
	job.Go(context.Background(), func(context.Context) error {
		r.machine.MoveNext()
		return nil
	})
}
