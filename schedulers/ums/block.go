package ums

import (
	"context"
	"sync"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/shim"
	"github.com/movenext/movenext/schedulers"
)

// Block calls f, which blocks: in a system call, on a channel, on a lock. If ctx names
// a worker of this package, Block activates its thread before the call, so that the thread
// runs another worker meanwhile. Block then returns after f has returned and the worker
// was picked again. Otherwise it only calls f. Panics of f pass through.
func Block(ctx context.Context, f func()) {
	if w, ok := shim.Find[*Worker](schedulers.WorkerFrom(ctx)); ok && w != nil {
		w.Call(f)
		return
	}
	f()
}

// Yield lets other workers run first, if ctx names a worker of this package, and
// returns when the worker was picked again. The entry point receives param. Otherwise
// it does nothing.
func Yield(ctx context.Context, param any) {
	if w, ok := shim.Find[*Worker](schedulers.WorkerFrom(ctx)); ok && w != nil {
		w.Yield(param)
	}
}

// Call is [Block] for a caller that has the worker. With a nil f it returns when the worker
// was picked again.
func (w *Worker) Call(f func()) {
	if probe.On(probe.Events) {
		defer dispatch.TellWait(w)()
	}
	w.leaveThread(InCall)
	defer w.awaitPick()
	if f != nil {
		f()
	}
}

// Yield parks the worker and activates its thread with [WorkerYielded], w and param. It
// returns when w was executed again. If w is not running, it does nothing.
func (w *Worker) Yield(param any) {
	left, wake := w.yield()
	left.activate(Activation{Reason: WorkerYielded, Worker: w, Param: param})
	if wake != nil {
		w.watchIfBusy()
		<-wake
	}
}

// Block implements [schedulers.Blocker] for callers that wait on the worker's behalf,
// as a job's Wait does; others use [Worker.Call]. The returned function blocks until
// the worker is executed again. The error is always nil.
func (w *Worker) Block() (unblock func(), err error) {
	w.leaveThread(InWait)
	return sync.OnceFunc(w.awaitPick), nil
}

func (w *Worker) leaveThread(cause Cause) {
	w.block().activate(Activation{Reason: WorkerBlocked, Cause: cause})
}

func (w *Worker) awaitPick() {
	if wake := w.unblock(); wake != nil {
		w.watchIfBusy()
		<-wake
	}
}
