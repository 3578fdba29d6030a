package job

import (
	"context"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// view is a scope's context as children on one worker see it. Children without a handle
// share it: a context of its own for each would cost more than the child.
type view struct {
	context.Context // the scope's
	scope           *Scope
	worker          schedulers.Worker
}

// Value implements context.Context.
func (v *view) Value(key any) any {
	switch key {
	case jobKey{}:
		return v.scope.promise.job.base()
	case schedulers.SchedulerKey:
		return v.scope.home
	case schedulers.WorkerKey:
		return v.worker
	}
	return v.Context.Value(key)
}

// HasLabels is asked by [schedulers.HasLabels].
func (v *view) HasLabels() bool { return v.scope.mode&labeled != 0 }

// views keeps the views that were made last. A worker whose slot is taken by
// another gets a new one: views are equal in all but identity.
type views [8]atomic.Pointer[view]

// of returns the view of on.
func (v *views) of(s *Scope, on schedulers.Worker) *view {
	slot := &v[0]
	if on != nil {
		slot = &v[uint(on.ID())%uint(len(v))]
	}
	if found := slot.Load(); found != nil && found.worker == on {
		return found
	}
	made := &view{s.ctx, s, on}
	slot.Store(made)
	return made
}
