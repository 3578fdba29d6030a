// Package rethrow lets what has ended a job's function continue in the goroutine that
// takes the result: a panic, or runtime.Goexit.
package rethrow

import (
	"runtime"

	"github.com/movenext/movenext/job"
)

// From panics if err is a job's panic, calls runtime.Goexit if err is [job.ErrGoexit], and
// otherwise returns. It looks at err itself, not at what that wraps: a function may return
// an error that wraps the panic of another job. It does not block.
func From(err error) {
	if err == job.ErrGoexit {
		runtime.Goexit()
	}
	if p, ok := err.(*job.PanicError); ok {
		panic(p.Value)
	}
}
