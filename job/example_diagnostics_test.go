package job_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/movenext/movenext/job"
)

func ExamplePanicError() {
	ctx := context.Background()
	gate := make(chan struct{})
	j := job.Go(ctx, func(context.Context) error { <-gate; panic("ouch") }, job.Named("inner"))
	outer := job.ContinueWith(ctx, j, func(context.Context, *job.Job[job.Void]) (int, error) { return 0, nil },
		job.Named("outer"))
	close(gate)
	_, err := j.Await()
	var p *job.PanicError
	if errors.As(err, &p) {
		fmt.Println(p)
		fmt.Println(p.Async[0], "<-", p.Async[1])
	}
	_, _ = outer.Await()
	// Output:
	// job: panic: ouch
	// job "inner" <- continuation "outer"
}

func ExampleAsyncStack() {
	s := job.NewSource[int]()
	job.Race(s.Job())
	for _, frame := range job.AsyncStack(s.Job()) {
		fmt.Println(frame.What)
	}
	// Output:
	// job
	// Race
}

func ExampleCycleError() {
	var j *job.Job[int]
	set := make(chan struct{})
	j = job.Run(context.Background(), func(ctx context.Context) (int, error) {
		<-set
		return j.Wait(ctx)
	}, job.Named("ouroboros"))
	close(set)
	_, err := j.Await()
	fmt.Println(errors.Is(err, job.ErrCycle), err)
	// Output: true job: wait ended: job: "ouroboros" waits for itself
}

func ExampleOnUnobserved() {
	before := job.OnUnobserved(func(f job.Failure) {
		fmt.Println("unobserved:", f.Name, f.Err)
	})
	defer func() { job.OnUnobserved(before) }()
	j := job.Go(context.Background(), func(context.Context) error { return errors.New("lost") }, job.Named("cleanup"))
	<-j.Done()
	job.ReportUnobserved()
	// Output: unobserved: cleanup lost
}

func ExampleReportUnobserved() {
	before := job.OnUnobserved(func(f job.Failure) { fmt.Println(f.Err) })
	defer func() { job.OnUnobserved(before) }()
	seen, lost := job.FromError[int](errors.New("seen")), job.FromError[int](errors.New("lost"))
	_ = seen.Err()
	fmt.Println(job.ReportUnobserved() > 0)
	runtime.KeepAlive(lost)
	// Output:
	// lost
	// true
}

func ExampleSetDiagnostics() {
	defer job.SetDiagnostics(job.SetDiagnostics(job.RecordCreation))
	j := job.Go(context.Background(), func(context.Context) error { return nil })
	fmt.Println(filepath.Base(j.Creation().File), j.Creation().Line > 0)
	// Output: example_diagnostics_test.go true
}

func ExampleDiagnose() {
	j := job.Go(context.Background(), func(context.Context) error { return nil }, job.Diagnose(job.RecordCreation))
	fmt.Println(filepath.Base(j.Creation().File))
	// Output: example_diagnostics_test.go
}

func ExampleFailure() {
	f := job.Failure{Err: errors.New("lost"), ID: 7, Name: "cleanup"}
	fmt.Printf("job #%d %q: %v\n", f.ID, f.Name, f.Err)
	// Output: job #7 "cleanup": lost
}

func ExampleDiagnostics() {
	before := job.SetDiagnostics(job.RecordCreation | job.FollowLabels)
	fmt.Println(job.SetDiagnostics(before) == job.RecordCreation|job.FollowLabels)
	// Output: true
}
