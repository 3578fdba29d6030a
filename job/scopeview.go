package job

import (
	"context"
	"time"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// view is a scope's context as children on one worker see it. Children without a handle
// share it: a separate context for each would cost more than the child. It does not embed the
// context, for the reason of realContext.
type view struct {
	ctx    context.Context // the scope's
	scope  *Scope
	worker schedulers.Worker
}

// Deadline implements context.Context.
func (v *view) Deadline() (time.Time, bool) { return v.ctx.Deadline() }

// Done implements context.Context.
func (v *view) Done() <-chan struct{} { return v.ctx.Done() }

// Err implements context.Context.
func (v *view) Err() error { return v.ctx.Err() }

// Value implements context.Context.
func (v *view) Value(key any) any {
	switch key {
	case jobKey{}:
		return &v.scope.promise.job.core
	case contract.SchedulerKey:
		return v.scope.home
	case contract.WorkerKey:
		return v.worker
	}
	return v.ctx.Value(key)
}

// HasLabels reports to [labels.Has].
func (v *view) HasLabels() bool { return v.scope.mode&labeled != 0 }

// views caches the latest views. A worker whose entry is taken by another worker gets a
// new view: views of one worker differ only in identity.
type views [8]interleave.Pointer[view]

// forWorker returns the view of worker.
func (v *views) forWorker(s *Scope, worker schedulers.Worker) *view {
	slot := &v[0]
	if worker != nil {
		slot = &v[uint(worker.ID())%uint(len(v))]
	}
	if found := interleave.LoadPointer(slot); found != nil && found.worker == worker {
		return found
	}
	made := &view{s.ctx, s, worker}
	interleave.StorePointer(slot, made)
	return made
}
