package job_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/movenext/movenext/job"
)

func ExampleJob() {
	ctx := context.Background()
	gate := make(chan struct{})
	j := job.New(ctx, func(context.Context) (string, error) { <-gate; return "done", nil }, job.Named("gated"))
	fmt.Println(j.Name(), j.Status(), j.IsCompleted(), j.ID() != 0)
	fmt.Println(j.Start(), j.Start())
	close(gate)
	for range 2 { // the result can be read many times
		fmt.Println(j.Wait(ctx))
	}
	fmt.Println(j.Status(), j.Err())
	// Output:
	// gated Created false true
	// <nil> job: already started
	// done <nil>
	// done <nil>
	// Completed <nil>
}

func ExampleStatus() {
	for s := job.Created; s <= job.Faulted; s++ {
		fmt.Println(s, s.IsFinal())
	}
	// Output:
	// Created false
	// WaitingForActivation false
	// Scheduled false
	// Running false
	// Completed true
	// Canceled true
	// Faulted true
}

func ExampleWaitError() {
	never := job.NewSource[int]()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err := never.Job().Wait(ctx)
	var w *job.WaitError
	fmt.Println(errors.As(err, &w), errors.Is(err, context.DeadlineExceeded), never.Job().Status())
	// Output: true true WaitingForActivation
}

func ExampleTuple2() {
	// func minMax(list []int) (int, int) has a twin that returns a
	// *job.Job[job.Tuple2[int, int]].
	j := job.FromResult(job.Tuple2[int, int]{V1: 1, V2: 9})
	both, _ := j.Await()
	fmt.Println(both.V1, both.V2)
	// Output: 1 9
}

func ExampleFrame() {
	f := job.Frame{What: "async function", Job: `"import"`, Function: "shop.fetch", File: "shop/fetch.go", Line: 7}
	fmt.Println(strings.ReplaceAll(f.String(), "\t", "    "))
	// Output:
	// async function "import" in shop.fetch
	//     shop/fetch.go:7
}

func ExampleTuple3() {
	t := job.Tuple3[string, int, bool]{V1: "a", V2: 2, V3: true}
	fmt.Println(t.V1, t.V2, t.V3)
	// Output: a 2 true
}

func ExampleVoid() {
	j := job.Go(context.Background(), func(context.Context) error { return nil })
	nothing, err := j.Await()
	fmt.Println(nothing == job.Void{}, err)
	// Output: true <nil>
}

func ExampleJobStatus() {
	s := job.FromResult(1).Status()
	fmt.Println(s, s == job.Completed)
	// Output: Completed true
}

func ExampleOption() {
	long := []job.Option{job.Named("import"), job.LongRunning()}
	j := job.Go(context.Background(), func(context.Context) error { return nil }, long...)
	_, err := j.Await()
	fmt.Println(j.Name(), err)
	// Output: import <nil>
}
