// Package rethrow continues a panic or a runtime.Goexit that has ended a job's function in
// the goroutine that takes the job's result.
package rethrow

import (
	"runtime"

	"github.com/movenext/movenext/job"
)

// From panics if err is a job's panic, calls runtime.Goexit if err is [job.ErrGoexit], and
// otherwise returns. It checks only err itself, not the errors that it wraps: a function may
// return an error that wraps the panic of another job. It does not block.
func From(err error) {
	if err == job.ErrGoexit {
		runtime.Goexit()
	}
	if p, ok := err.(*job.PanicError); ok {
		panic(p.Value)
	}
}
