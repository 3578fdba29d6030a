// A library that must be opened, used and closed by one thread, called from anywhere.
package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// handle is the handle that a C library gives its callers.
type handle struct {
	thread int
	calls  int
}

func open() *handle { return &handle{thread: dedicated.ThreadID()} }

// call fails on any thread except the one that called open.
func (h *handle) call() error {
	if dedicated.ThreadID() != h.thread {
		return fmt.Errorf("opened on thread %d, called on %d", h.thread, dedicated.ThreadID())
	}
	h.calls++ // no lock: there is one thread
	return nil
}

// Library is the interface for the rest of the program: calls from any goroutine, or awaited by a
// machine.
type Library struct{ thread *dedicated.Threads }

// NewLibrary opens the library on its own thread.
func NewLibrary() *Library {
	return &Library{dedicated.New(1, dedicated.WithState(open, func(h *handle) {
		fmt.Println("closed after", h.calls, "calls")
	}))}
}

// CallAsync calls the library on its thread.
func (l *Library) CallAsync(ctx context.Context) *job.Job[job.Void] {
	return job.Go(ctx, func(ctx context.Context) error {
		h, _ := dedicated.State[*handle](ctx)
		return h.call()
	}, job.On(l.thread))
}

// Close waits for the calls that have been made and closes the library on its thread.
func (l *Library) Close(ctx context.Context) error { return l.thread.Shutdown(ctx) }

func main() {
	ctx, library := context.Background(), NewLibrary()
	var callers sync.WaitGroup
	for range 10 {
		callers.Go(func() {
			if _, err := library.CallAsync(ctx).Wait(ctx); err != nil {
				fmt.Println(err)
			}
		})
	}
	callers.Wait()
	if err := library.Close(ctx); err != nil {
		fmt.Println(err)
	}
}
