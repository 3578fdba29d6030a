package schedulers

import "context"

// Key is the type of the keys under which a context carries the values that this
// package defines. It is exported so that a context of another package (a job's own)
// can return the values itself, without a wrapper.
type Key int

// The keys of this package.
const (
	SchedulerKey Key = iota + 1 // a Scheduler, perhaps a *Home: use FromContext or HomeOf
	WorkerKey                   // a Worker
)

// With returns a copy of ctx that carries s as the ambient scheduler: jobs started with
// that context run on it, and machines that receive the context resume on it. A nil s
// hides the scheduler of ctx. A nil ctx counts as context.Background.
func With(ctx context.Context, s Scheduler) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if s == nil {
		return context.WithValue(ctx, SchedulerKey, nil)
	}
	return &ambient{ctx, HomeFor(s), HasLabels(ctx)}
}

// FromContext returns the ambient scheduler of ctx, or nil if it has none. A nil
// ctx has none.
func FromContext(ctx context.Context) Scheduler {
	if ctx == nil {
		return nil
	}
	switch v := ctx.Value(SchedulerKey).(type) {
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
	w, _ := ctx.Value(WorkerKey).(Worker)
	return w
}
