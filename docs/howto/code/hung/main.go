// A program that hangs, and how to find out where.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

//movenext:async
func load(page *job.Job[string]) (string, error) { return page.Await() }

//movenext:async
func render(page *job.Job[string]) (string, error) {
	text, err := load(page)
	return "<p>" + text, err
}

func main() {
	page := job.NewSource[string]() // it is never completed
	response := renderAsync(page.Job())

	fmt.Println(response.Status())
	for _, frame := range job.AsyncStack(page.Job()) {
		fmt.Println(frame.What, frame.Function, frame.Line)
	}

	a := job.NewSource[*job.Job[int]]()
	circle := job.Unwrap(context.Background(), a.Job())
	a.TrySetResult(circle)
	_, err := circle.Wait(context.Background())
	fmt.Println(errors.Is(err, job.ErrCycle))
}
