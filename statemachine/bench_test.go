package statemachine_test

import (
	"context"
	"testing"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/statemachine"
)

// yieldFrame is a loop of n yields.
type yieldFrame struct {
	statemachine.Frame
	left int
}

func (f *yieldFrame) MoveNext(r *statemachine.Run) bool {
	if f.left == 0 {
		return true
	}
	f.left--
	return r.Yield()
}

type yieldMachine struct {
	statemachine.Builder[job.Void]
	yieldFrame
}

// Root is for the runtime.
func (m *yieldMachine) Root() (statemachine.Root, statemachine.Location) {
	return m.Chain.Root(&m.Promise.Job), statemachine.Location{}
}

func (m *yieldMachine) MoveNext(r *statemachine.Run) bool {
	if !m.yieldFrame.MoveNext(r) {
		return false
	}
	m.SetResult(r, job.Void{}, nil)
	return true
}

func yieldAsync(ctx context.Context, n int) (result *job.Job[job.Void]) {
	var r statemachine.Run
	frame := yieldFrame{left: n}
	defer statemachine.Catch(&r, &result)
	if frame.MoveNext(&r) {
		return statemachine.Completed(ctx, job.Void{}, nil)
	}
	m := &yieldMachine{yieldFrame: frame}
	m.Chain.Start(&m.Promise.Job, ctx, &r, m, &m.Frame)
	return &m.Promise.Job
}

func BenchmarkSuspendAndResume(b *testing.B) {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	b.ReportAllocs()
	_, _ = yieldAsync(ctx, b.N).Wait(context.Background())
	_ = p.Shutdown(context.Background())
}

func BenchmarkCallThatDoesNotSuspend(b *testing.B) {
	ctx := context.Background()
	j := job.FromResult(0)
	f := &sumFrame{ctx: ctx, jobs: make([]*job.Job[int], b.N), end: nothing}
	for i := range f.jobs {
		f.jobs[i] = j
	}
	var r statemachine.Run
	b.ReportAllocs()
	b.ResetTimer()
	f.MoveNext(&r)
}

// BenchmarkAwaitOfAQueuedJob measures a machine that runs the jobs that it awaits.
func BenchmarkAwaitOfAQueuedJob(b *testing.B) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	ctx := schedulers.With(context.Background(), p)
	fn := func(context.Context) (int, error) { return 1, nil }
	b.ReportAllocs()
	_, _ = roundsAsync(ctx, fn, times(b.N)).Wait(context.Background())
	_ = p.Shutdown(context.Background())
}

// BenchmarkMachineWithAJob measures a root that suspends once, and ends.
func BenchmarkMachineWithAJob(b *testing.B) {
	p := pool.New(pool.Workers(1, 1), pool.AddAfter(0))
	ctx := schedulers.With(context.Background(), p)
	b.ReportAllocs()
	jobs := make([]*job.Job[job.Void], 1024)
	for b.Loop() {
		for i := range jobs {
			jobs[i] = yieldAsync(ctx, 1)
		}
		for _, j := range jobs {
			<-j.Done()
		}
	}
	_ = p.Shutdown(context.Background())
}

// BenchmarkReturnThroughFrames measures 64 nested calls that return after a suspension.
func BenchmarkReturnThroughFrames(b *testing.B) {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = nestedAsync(ctx, 64).Wait(context.Background())
	}
	_ = p.Shutdown(context.Background())
}

// nested suspends n calls deep.
//
//movenext:async
func nested(ctx context.Context, n int) int {
	if n == 0 {
		job.Yield()
		return 0
	}
	return nested(ctx, n-1) + 1
}
