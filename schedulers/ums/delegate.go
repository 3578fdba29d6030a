package ums

import (
	"fmt"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// Delegate runs f on a worker that is dedicated to such functions: one after the
// other, in the order of the calls. It is for policies and observers. They must not wait
// for locks that workers use, including hidden ones; f may wait for them, in a marked
// call. It does not block. It returns nil, or [schedulers.ErrShutdown] after Shutdown
// unless that worker still runs, or [schedulers.ErrRejected] if f is nil.
//
// An accepted function runs before Shutdown returns nil. It is dropped by a Shutdown
// that gives up before the worker has begun.
func (s *Scheduler) Delegate(f func(*Worker)) error {
	if f == nil {
		return fmt.Errorf("ums: function is nil: %w", schedulers.ErrRejected)
	}
	return s.delegate.add(f)
}

// delegate is a work item that runs functions until none is left. At most one is
// submitted or running at a time. No function runs under its lock.
type delegate struct {
	scheduler *Scheduler

	mu     sync.Mutex
	queue  []func(*Worker)
	active bool // submitted, or running and about to check the queue again
}

// add queues f. The lock is held during the submission so that a work item that begins at
// once finds f.
func (d *delegate) add(f func(*Worker)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.active {
		if err := d.scheduler.Submit(d, schedulers.Hint{}); err != nil {
			return err
		}
		d.active = true
	}
	d.queue = append(d.queue, f)
	return nil
}

// next removes and returns the oldest function, or ends the activity and returns nil.
func (d *delegate) next() func(*Worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) == 0 {
		d.active = false
		return nil
	}
	f := d.queue[0]
	d.queue = d.queue[1:]
	return f
}

// Run implements [schedulers.Work]. If a function panics or exits, those behind it still
// run, in a deferred call, before the panic or exit ends the worker's function.
func (d *delegate) Run(worker schedulers.Worker) {
	empty := false
	defer func() {
		if !empty {
			d.Run(worker)
		}
	}()
	for f := d.next(); f != nil; f = d.next() {
		f(worker.(*Worker))
	}
	empty = true
}

// Abandon implements [schedulers.Work].
func (d *delegate) Abandon(error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue, d.active = nil, false
}
