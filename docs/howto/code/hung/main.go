// A program that hangs, and how to find out where.
package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// transfer locks two accounts. Two transfers in opposite directions wait for each
// other.
//
//movenext:async
func transfer(ctx context.Context, from, to *coord.Mutex, both *coord.Barrier) error {
	if err := from.Lock(ctx); err != nil {
		return err
	}
	defer from.Unlock()
	if _, err := both.Wait(ctx); err != nil {
		return err
	}
	if err := to.Lock(ctx); err != nil {
		return err
	}
	to.Unlock()
	return nil
}

//movenext:async
func load(page *job.Job[string]) (string, error) { return page.Await() }

//movenext:async
func render(page *job.Job[string]) (string, error) {
	text, err := load(page)
	return "<p>" + text, err
}

func main() {
	stop := inspect.Track() // at the start of the program
	defer stop()

	ctx := context.Background()
	var a, b coord.Mutex
	both := coord.NewBarrier(2)
	transferAsync(ctx, &a, &b, both)
	transferAsync(ctx, &b, &a, both)

	page := job.NewSource[string]() // it is never completed
	response := renderAsync(page.Job())

	for len(inspect.Snapshot().Cycles) == 0 {
		runtime.Gosched() // the transfers are under way
	}
	report := inspect.Snapshot()
	for _, g := range report.Groups {
		fmt.Println(g.Count, "wait for", g.Waits, "in", g.Stack[0].Function, g.Stack[0].Line)
	}
	for _, l := range report.Cycles[0] {
		fmt.Println("in a cycle:", l.Waits, "in", l.Place.Function, l.Place.Line)
	}

	for _, w := range inspect.WaitsFor(response) {
		fmt.Println("a job that is", w.Is)
		for _, at := range w.Stack {
			fmt.Println("  in", at.Function, at.Line)
		}
	}
	for _, frame := range job.AsyncStack(page.Job()) {
		fmt.Println(frame.What, frame.Function, frame.Line)
	}

	first := job.NewSource[*job.Job[int]]()
	cycle := job.Unwrap(ctx, first.Job())
	first.TrySetResult(cycle)
	_, err := cycle.Wait(ctx)
	fmt.Println(errors.Is(err, job.ErrCycle))
}
