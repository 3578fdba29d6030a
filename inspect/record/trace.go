package record

import (
	"context"
	"fmt"
	"runtime/trace"
	"sync"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Trace writes the work of schedulers and jobs into the execution trace of the program, while one
// is taken (runtime/trace). Each job is a task from its making to its end, each run of a work
// item is a region on the goroutine that runs it, and steals, injections and suspensions are
// messages. So go tool trace shows which goroutine ran what, along with the events of Go's
// scheduler. Trace covers all work and jobs, or those that [OneIn] and [Of] select; with Of a job
// is a task from its first run on. It does not block and is safe for concurrent use; stop may be
// called more than once.
//
// For programs with tasks of their own, job.FollowTrace makes jobs children of those tasks. The
// two are independent of each other.
func Trace(opts ...Option) (stop func()) {
	t := &tracer{tasks: map[uint64]*task{}, waiting: map[uint64]string{}, regions: map[spot][]*trace.Region{}}
	oneIn := 1
	for _, o := range opts {
		oneIn = max(oneIn, o.oneIn)
		t.schedulers = append(t.schedulers, o.schedulers...)
	}
	stopWork := schedulers.Observe(t.hearWork, schedulers.OneIn(oneIn))
	stopLife := inspect.Observe(t.hearLife, inspect.Sample(oneIn))
	return func() {
		stopWork()
		stopLife()
	}
}

// tracer holds open tasks and regions. A region ends on the goroutine that began it, which is the
// one that runs the work and reports both events.
type tracer struct {
	schedulers []schedulers.Scheduler

	mu    sync.Mutex
	tasks map[uint64]*task // by the ID of the job
	// With Of, the names of jobs that no selected scheduler has run yet.
	waiting map[uint64]string
	regions map[spot][]*trace.Region
}

type task struct {
	ctx context.Context
	end func()
}

// spot is where work runs, possibly nested within other work.
type spot struct {
	scheduler schedulers.Scheduler
	worker    int
}

func (t *tracer) hearWork(e schedulers.Event) {
	r := Recorder{schedulers: t.schedulers}
	if !trace.IsEnabled() || !r.wants(e.Scheduler) {
		return
	}
	switch e.Kind {
	case schedulers.Begun:
		_, is := subjectOf(e.Work)
		t.beginSelected(is.Job)
		t.begin(e, truncate.Text(is.Name, maxText), t.contextOf(is.Job))
	case schedulers.Ended:
		t.end(e)
	case schedulers.Stolen, schedulers.Moved, schedulers.Injected, schedulers.Refused:
		trace.Log(context.Background(), truncate.Text(schedulers.NameOf(e.Scheduler), maxText), e.String())
	default:
	}
}

func (t *tracer) begin(e schedulers.Event, name string, in context.Context) {
	if name == "" {
		name = "run"
	}
	region := trace.StartRegion(in, name)
	t.mu.Lock()
	defer t.mu.Unlock()
	at := spot{e.Scheduler, e.Worker}
	t.regions[at] = append(t.regions[at], region)
}

func (t *tracer) end(e schedulers.Event) {
	t.mu.Lock()
	at := spot{e.Scheduler, e.Worker}
	open := t.regions[at]
	if len(open) == 0 {
		t.mu.Unlock()
		return // it began before the trace
	}
	region := open[len(open)-1]
	if len(open) == 1 {
		delete(t.regions, at)
	} else {
		t.regions[at] = open[:len(open)-1]
	}
	t.mu.Unlock()
	region.End()
}

// contextOf returns the context of a job's task, or one without a task.
func (t *tracer) contextOf(id uint64) context.Context {
	t.mu.Lock()
	defer t.mu.Unlock()
	if of := t.tasks[id]; of != nil {
		return of.ctx
	}
	return context.Background()
}

func (t *tracer) hearLife(e inspect.Event) {
	id := e.Job.ID()
	switch e.Kind {
	case inspect.Made:
		if trace.IsEnabled() {
			t.addTask(id, taskName(e.Job, e.Place))
		}
	case inspect.Suspended:
		t.log(id, "suspended", "in "+e.Place.String()+", waits for "+e.Waits)
	case inspect.Ended:
		t.log(id, "ended", e.Status.String())
		t.endTask(id)
	case inspect.Started, inspect.Resumed:
	}
}

// log writes a message of a job, unless Of excludes it.
func (t *tracer) log(id uint64, category, text string) {
	in := t.contextOf(id)
	if len(t.schedulers) == 0 || in != context.Background() {
		trace.Log(in, category, truncate.Text(text, maxText))
	}
}

func taskName(h job.Handle, made schedulers.Place) string {
	switch {
	case h.Name() != "":
		return truncate.Text(h.Name(), maxText)
	case made.Function != "":
		return truncate.Text(made.Function, maxText)
	default:
		return fmt.Sprintf("job #%d", h.ID())
	}
}

// addTask makes a job a task. With Of it waits until one of the schedulers runs the job: until
// then it is not known which one will.
func (t *tracer) addTask(id uint64, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.schedulers) > 0 {
		t.waiting[id] = name
		return
	}
	t.beginTask(id, name)
}

// beginSelected begins the task of a job that a selected scheduler runs; 0: no job.
func (t *tracer) beginSelected(id uint64) {
	if id == 0 || len(t.schedulers) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if name, ok := t.waiting[id]; ok {
		delete(t.waiting, id)
		t.beginTask(id, name)
	}
}

// beginTask begins the task of a job; mu is held.
func (t *tracer) beginTask(id uint64, name string) {
	ctx, tt := trace.NewTask(context.Background(), name)
	t.tasks[id] = &task{ctx, tt.End}
}

func (t *tracer) endTask(id uint64) {
	t.mu.Lock()
	ended := t.tasks[id]
	delete(t.tasks, id)
	delete(t.waiting, id)
	t.mu.Unlock()
	if ended != nil {
		ended.end()
	}
}
