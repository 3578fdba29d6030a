package job

import (
	"context"
	"runtime"
	"runtime/pprof"
	"runtime/trace"

	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/tracking"
)

// Diagnostics is a set of things to record about jobs, for debugging. While all are
// switched off, they cost one test.
type Diagnostics uint32

const (
	// RecordCreation makes each job remember where it was made, for [Job.Creation] and
	// asynchronous stacks. It costs an allocation and half a microsecond per job.
	RecordCreation Diagnostics = 1 << iota

	// FollowLabels adds the job's name, if it has one, to the profiler labels of its
	// function, under the key "job". The labels of the job's context
	// (runtime/pprof.WithLabels) are set in any case.
	FollowLabels

	// FollowTrace makes each job a task of the execution tracer (runtime/trace), below
	// the task of the context that it was made with, and each run of a function a
	// region. Nothing is recorded while the tracer is off.
	FollowTrace
)

// SetDiagnostics sets what is recorded about jobs that are made from now on, and returns
// the previous setting. See also [Diagnose]. It is safe for concurrent use.
func SetDiagnostics(d Diagnostics) (before Diagnostics) {
	return Diagnostics(probe.SetDiagnostics(uint32(d)))
}

// Diagnose makes the job record d in addition to what [SetDiagnostics] sets for all
// jobs.
func Diagnose(d Diagnostics) Option { return Option{diagnose: d} }

// record begins the recording that d requests, and returns the context to make the job
// with. It is called by prepare, which is called by the function that the user called.
func (c *core) record(ctx context.Context, d Diagnostics) context.Context {
	if d&RecordCreation != 0 {
		var pcs [1]uintptr
		runtime.Callers(4, pcs[:]) // above Callers, record, prepare, and the user's callee
		c.ensureExtra().ensureDiagnostics().creationPC = pcs[0]
	}
	if d&FollowLabels != 0 {
		c.mode |= labeled
		if name := c.name(); name != "" {
			ctx = pprof.WithLabels(ctx, pprof.Labels("job", name))
		}
	}
	if d&FollowTrace != 0 && trace.IsEnabled() {
		r := c.ensureExtra()
		ctx, r.ensureDiagnostics().task = trace.NewTask(ctx, r.nameOr("job"))
		c.mode |= traced
	}
	return ctx
}

// track tells listeners that the job was made, and enters it into the table, if either is
// wanted. The job is set up completely, but not shared yet: listeners may read its context.
func (c *core) track(d Diagnostics) {
	if d&(lifeTold|tracked) == 0 {
		return
	}
	h, _ := c.own.owner.completer().Handle().(Handle)
	if d&lifeTold != 0 && c.tellMade(h, nil) {
		c.mode |= traced
	}
	if d&tracked != 0 && tracking.WantsJob(h) {
		// Before the job is in the table, where others read this.
		r := c.ensureExtra().ensureDiagnostics()
		r.ticket = tracking.EnterJob(h)
	}
}

// record does the same for a scope, whose children have its labels. A scope is not a
// task of the tracer: a scope that is never waited for could not end its task.
func (s *Scope) record(d Diagnostics, depth int) {
	r := s.promise.job.core.ensureExtra()
	if d&RecordCreation != 0 {
		var pcs [1]uintptr
		runtime.Callers(depth, pcs[:])
		r.ensureDiagnostics().creationPC = pcs[0]
	}
	if d&FollowLabels != 0 {
		s.mode |= labeled
		if r.name != "" {
			s.ctx = pprof.WithLabels(s.ctx, pprof.Labels("job", r.name))
		}
	}
}

// invokeWithLabels calls a child's function under its profiler labels.
func (s *Scope) invokeWithLabels(ctx context.Context, fn func(context.Context) error) error {
	defer pprof.SetGoroutineLabels(context.Background()) // as for a job
	pprof.SetGoroutineLabels(ctx)
	return fn(ctx)
}

func (e *extra) nameOr(other string) string {
	if e.name != "" {
		return e.name
	}
	return other
}

// invokeWithDiagnostics calls the function under its profiler labels and in its tracer
// task.
func (c *core) invokeWithDiagnostics() error {
	defer c.beginDiagnostics()()
	return c.own.owner.invoke(c.own)
}

// beginDiagnostics sets the profiler labels and begins the tracer's region, and returns
// the function that ends both.
func (c *core) beginDiagnostics() (end func()) {
	var region *trace.Region
	if c.mode&traced != 0 {
		r := c.ensureExtra()
		if r.diagnostics.task != nil {
			region = trace.StartRegion(c.own, r.nameOr("run"))
		}
		r.tellStart()
	}
	if c.mode&labeled != 0 {
		pprof.SetGoroutineLabels(c.own)
	}
	return func() {
		if c.mode&labeled != 0 {
			// A worker has no labels that would have to be restored. A goroutine that
			// runs a job in place may have some, and restores them itself.
			pprof.SetGoroutineLabels(context.Background())
		}
		if region != nil {
			region.End()
		}
	}
}

// restoreLabels restores the labels of ctx on the goroutine that ran a job with mode m.
func (m mode) restoreLabels(ctx context.Context) {
	if m&labeled != 0 {
		pprof.SetGoroutineLabels(ctx)
	}
}

// endTask ends the task of the execution tracer, if there is one.
func (r *diagnostics) endTask() {
	if r.task != nil {
		r.task.End()
	}
}

// Creation returns where the job was made, if that was recorded ([RecordCreation]);
// else File is empty.
func (j *Job[T]) Creation() Frame {
	if j == nil {
		return Frame{}
	}
	return j.core.frame("job")
}
