package job

import (
	"sync/atomic"

	"github.com/movenext/movenext/continuation"
)

// listing is a registration with a job that can be taken back at any time, by any
// goroutine, even while it is being made.
type listing[T any] struct {
	node   continuation.Node
	source *Job[T]                // until the node was delivered or taken back
	listed atomic.Pointer[Job[T]] // the same, once the node is there to be taken back
}

// enter registers t with j, to be told of j's end; false: j has ended, and source is
// set. A caller that may be told to leave while enter runs checks for that afterwards.
func (l *listing[T]) enter(j *Job[T], t continuation.Target) bool {
	l.source = j
	l.node.Prepare(t)
	if !j.waiting.Add(&l.node) {
		return false
	}
	l.listed.Store(j)
	return true
}

// leave takes the node back. Where that fails, it was not there, or is being delivered.
func (l *listing[T]) leave() {
	if j := l.listed.Swap(nil); j != nil && j.waiting.Remove(&l.node) {
		l.source = nil
	}
}

// delivered returns the job that has ended, and forgets it.
func (l *listing[T]) delivered() *Job[T] {
	j := l.source
	l.source = nil
	l.listed.Store(nil)
	return j
}
