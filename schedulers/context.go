package schedulers

import (
	"context"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/labels"
)

// With returns a copy of ctx that carries s as the ambient scheduler: jobs started with
// that context run on it, and machines that receive the context resume on it. A nil s
// hides the scheduler of ctx. A nil ctx counts as context.Background.
func With(ctx context.Context, s Scheduler) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if s == nil {
		return context.WithValue(ctx, contract.SchedulerKey, nil)
	}
	return &ambient{ctx, homeFor(s), labels.Has(ctx)}
}

// FromContext returns the ambient scheduler of ctx, or nil if it has none. A nil
// ctx has none.
func FromContext(ctx context.Context) Scheduler {
	if ctx == nil {
		return nil
	}
	switch v := ctx.Value(contract.SchedulerKey).(type) {
	case *Home:
		if v != nil {
			return v.Scheduler
		}
	case Scheduler:
		return v
	}
	return nil
}

// WorkerFrom returns the worker whose work was given ctx, or nil. It is a hint: the
// caller may have received ctx from a goroutine that runs on that worker without
// running on any worker itself.
func WorkerFrom(ctx context.Context) Worker {
	if ctx == nil {
		return nil
	}
	w, _ := ctx.Value(contract.WorkerKey).(Worker)
	return w
}

// ambient is the context of [With].
type ambient struct {
	context.Context
	home  *Home
	label bool
}

// Value implements context.Context.
func (a *ambient) Value(key any) any {
	if key == contract.SchedulerKey {
		return a.home
	}
	return a.Context.Value(key)
}

// HasLabels reports to [labels.Has].
func (a *ambient) HasLabels() bool { return a.label }
