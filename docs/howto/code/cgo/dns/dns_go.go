//go:build !cgo

package dns

import (
	"time"

	"github.com/movenext/movenext/job"
)

// Library says what answers.
const Library = "Go"

// answer is where the answer of a lookup goes.
type answer struct {
	job.Source[string]

	timer *time.Timer
}

// begin starts a lookup.
func begin(name string, takes time.Duration) *answer {
	a := &answer{}
	inC.Add(1)
	a.timer = time.AfterFunc(takes, func() {
		defer inC.Done()
		a.TrySetResult("address of " + name)
	})
	return a
}

// stop makes the stand-in give up, unless it has called back.
func (a *answer) stop() {
	if a.timer.Stop() {
		a.TrySetError(errStopped)
		inC.Done()
	}
}
