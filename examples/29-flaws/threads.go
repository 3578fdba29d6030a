package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// modelThread is a scheduler with one thread, as the document's listing has it. Its thread is the
// caller of loop.
type modelThread struct{ jobs []*threadJob }

// threadJob is a job of that scheduler.
type threadJob struct {
	status job.Status
	fn     func()
	next   *threadJob
}

func (t *modelThread) queueJob(j *threadJob) {
	t.jobs = append(t.jobs, j) // flaw: the job is still Created
}

// await is what the awaiter does first: it starts a job that nobody has started.
func (t *modelThread) await(j *threadJob) {
	if j.status == job.Created {
		t.queueJob(j)
	}
}

// loop is the thread, until its queue is empty. A continuation goes to current.
func (t *modelThread) loop(current *modelThread) (died bool) {
	defer func() { died = recover() != nil }()
	for len(t.jobs) > 0 {
		j := t.jobs[0]
		t.jobs = t.jobs[1:]
		j.status = job.Running
		j.fn() // flaw: a panic ends the thread
		j.status = job.Completed
		if j.next != nil {
			current.queueJob(j.next) // flaw: current may be another scheduler than the job's
		}
	}
	return false
}

// threads shows what happens on a thread of the model, and on one of package dedicated.
func threads() error {
	own, other := dedicated.New(1), dedicated.New(1)
	ctx := schedulers.With(context.Background(), own)
	awaitedTwice(ctx)
	panicOnAThread(ctx)
	continuedElsewhere(ctx, own, other)
	return errors.Join(own.Shutdown(context.Background()), other.Shutdown(context.Background()))
}

// awaitedTwice awaits a job that is queued.
func awaitedTwice(ctx context.Context) {
	fmt.Println("a job is started on a thread, and awaited before it runs")
	runs := 0
	var t modelThread
	m := &threadJob{fn: func() { runs++ }}
	t.queueJob(m)
	t.await(m)
	t.loop(&t)
	fmt.Printf("  model: it runs %d times\n", runs)

	runs = 0
	free := make(chan struct{})
	busy := job.Go(ctx, func(context.Context) error { <-free; return nil })
	j := job.Go(ctx, func(context.Context) error { runs++; return nil })
	status := j.Status()
	j.GetAwaiter()
	close(free)
	_, err := job.WhenAll(busy, j).Wait(context.Background())
	fmt.Printf("  here:  %v, it runs %d time, %v\n", status, runs, err)
}

// panicOnAThread runs a job that panics, and one behind it.
func panicOnAThread(ctx context.Context) {
	fmt.Println("a job panics on a thread")
	ran := false
	var t modelThread
	t.queueJob(&threadJob{fn: func() { panic("no such page") }})
	t.queueJob(&threadJob{fn: func() { ran = true }})
	died := t.loop(&t)
	fmt.Printf("  model: the thread dies: %t, the job behind it runs: %t\n", died, ran)

	on := func(context.Context) (int, error) { return dedicated.ThreadID(), nil }
	before, _ := job.Run(ctx, on).Wait(context.Background())
	failed := job.Go(ctx, func(context.Context) error { panic("no such page") })
	after, err := job.Run(ctx, on).Wait(context.Background())
	fmt.Printf("  here:  the thread dies: %t, the job behind it runs: %t; the one that panics is %v\n", before != after, err == nil, failed.Status())
}

// continuedElsewhere continues a job of one scheduler while another one is the current one.
func continuedElsewhere(ctx context.Context, own, other schedulers.Scheduler) {
	fmt.Println("a job of one thread is continued, while the default is another thread")
	var ownModel, current modelThread
	ran := false
	ownModel.queueJob(&threadJob{fn: func() {}, next: &threadJob{fn: func() { ran = true }}})
	ownModel.loop(&current)
	fmt.Printf("  model: the continuation runs on the job's thread: %t\n", ran)

	job.SetDefaultScheduler(other)
	defer job.SetDefaultScheduler(nil)
	j := job.Go(ctx, func(context.Context) error { return nil })
	on, err := job.ContinueWith(ctx, j, func(ctx context.Context, _ *job.Job[job.Void]) (bool, error) {
		return schedulers.FromContext(ctx) == own, nil
	}).Wait(context.Background())
	fmt.Printf("  here:  the continuation runs on the job's thread: %t, %v\n", on, err)
}
