// Package dns turns the lookups of a C library with callbacks into jobs. Without a C compiler a
// stand-in in Go replaces the library.
package dns

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/movenext/movenext/job"
)

var (
	errStopped  = errors.New("dns: stopped")
	errNoThread = errors.New("dns: no thread")
)

// inC are the lookups for which the library will call back.
var inC sync.WaitGroup

// LookupAsync resolves a name, which takes the given time. If ctx ends, so does the job, and the
// library is asked to stop.
func LookupAsync(ctx context.Context, name string, takes time.Duration) *job.Job[string] {
	a := begin(name, takes)
	unwatch := context.AfterFunc(ctx, func() {
		a.TrySetCanceledCause(context.Cause(ctx)) // before the library says that it has stopped
		a.stop()
	})
	return job.Finally(context.WithoutCancel(ctx), a.Job(), func(context.Context) error {
		unwatch() // or ctx would keep all this alive
		return nil
	})
}

// Lookup is the plain form of LookupAsync. It blocks.
func Lookup(ctx context.Context, name string, takes time.Duration) (string, error) {
	return LookupAsync(ctx, name, takes).Wait(ctx)
}

// Drain waits until the library has called back for each lookup. A canceled job has ended
// before that. It blocks; do not start lookups meanwhile.
func Drain() { inC.Wait() }
