// Package rethrow continues a panic or a runtime.Goexit that has ended a job's function in
// the goroutine that takes the job's result.
package rethrow

import (
	"runtime"

	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// From panics if err is a job's panic, calls runtime.Goexit if err is [job.ErrGoexit], does
// both if the panic began during a Goexit, and otherwise returns. It checks only err itself,
// not the errors that it wraps: a function may return an error that wraps the panic of another
// job. It does not block.
func From(err error) {
	p, panicked := err.(*job.PanicError)
	switch {
	case err == job.ErrGoexit:
		runtime.Goexit()
	case panicked && promise.Exits(err):
		defer panic(p.Value)
		runtime.Goexit()
	case panicked:
		panic(p.Value)
	}
}
