// Small models of jobs and of fair queues are easy to write and to explain, and the articles that
// explain them stop there. This program forces seven of their flaws to happen, and does the same
// with this library: a continuation that is lost, a job that stays Running because its function
// panicked, a second continuation that gets the wrong handle; on a scheduler with a thread of its
// own a job that runs twice, a thread that a panic ends, a continuation that runs elsewhere; and
// an item that disappears because its queue was closed at that moment.
//
// The document behind it, step by step: docs/sources/job-model.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
)

func main() {
	ctx := schedulers.With(context.Background(), inline.New())
	addedTooLate(ctx)
	panicking(ctx)
	twice(ctx)
	if err := threads(); err != nil {
		fmt.Println(err)
	}
	fmt.Println("an item is queued while its queue is closed")
	fmt.Println("  model:", closedModel())
	fmt.Println("  here: ", closedHere(context.Background(), 1000))
}

// addedTooLate adds a continuation to a job that has ended.
func addedTooLate(ctx context.Context) {
	fmt.Println("a continuation is added to a job that has ended")
	ran := false
	m := newModel(func() {})
	m.run()
	m.continueWith(func(*model) { ran = true })
	fmt.Printf("  model: it runs: %t\n", ran)

	ran = false
	j := job.Go(ctx, func(context.Context) error { return nil })
	_ = job.ContinueWith(ctx, j, func(context.Context, *job.Job[job.Void]) (int, error) { ran = true; return 0, nil })
	fmt.Printf("  here:  it runs: %t\n", ran)
}

// panicking runs a job whose function panics, and a continuation behind it.
func panicking(ctx context.Context) {
	fmt.Println("the function of a job panics")
	ran := false
	m := newModel(func() { panic("no such page") })
	m.continueWith(func(*model) { ran = true })
	m.run()
	fmt.Printf("  model: %v, the continuation runs: %t\n", m.status, ran)

	ran = false
	j := job.New(ctx, func(context.Context) (int, error) { panic("no such page") })
	_ = job.ContinueWith(ctx, j, func(context.Context, *job.Job[int]) (int, error) { ran = true; return 0, nil })
	if err := j.Start(); err != nil {
		fmt.Println(err)
	}
	_, err := j.Wait(context.Background())
	var p *job.PanicError
	fmt.Printf("  here:  %v, the continuation runs: %t, the error has the panic: %t\n", j.Status(), ran, errors.As(err, &p))
}

// twice adds two continuations to one job.
func twice(ctx context.Context) {
	fmt.Println("a job has two continuations, and each prints the name of its antecedent")
	var log []string
	m := newModel(func() {})
	m.name = "first"
	one := m.continueWith(func(of *model) { log = append(log, of.name) })
	two := m.continueWith(func(of *model) { log = append(log, of.name) })
	m.run()
	fmt.Printf("  model: antecedents %s; the handles are different: %t\n", strings.Join(log, ", "), one != two)

	log = nil
	j := job.New(ctx, func(context.Context) (int, error) { return 0, nil }, job.Named("first"))
	add := func(_ context.Context, of *job.Job[int]) (int, error) {
		log = append(log, of.Name())
		return 0, nil
	}
	a, b := job.ContinueWith(ctx, j, add), job.ContinueWith(ctx, j, add)
	if err := j.Start(); err != nil {
		fmt.Println(err)
	}
	fmt.Printf("  here:  antecedents %s; the handles are different: %t\n", strings.Join(log, ", "), a != b)
}
