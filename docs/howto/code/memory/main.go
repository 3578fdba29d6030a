// A program with many suspended machines, and how to find out which of them need the
// memory.
package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// upload has the head of a file in its frame while it waits.
//
//movenext:async frame=4160
func upload(ctx context.Context, ready *coord.ManualResetEvent) (byte, error) {
	head := readHead()
	if err := ready.Wait(ctx); err != nil {
		return 0, err
	}
	return head[0], nil
}

func readHead() (head [4096]byte) { return head }

// poll has next to nothing.
//
//movenext:async
func poll(ctx context.Context, ready *coord.ManualResetEvent) error {
	return ready.Wait(ctx)
}

func main() {
	stop := inspect.Track() // at the start of the program
	defer stop()

	var ready coord.ManualResetEvent
	var jobs []job.Handle
	for range 1000 {
		jobs = append(jobs, pollAsync(context.Background(), &ready))
	}
	for range 100 {
		jobs = append(jobs, uploadAsync(context.Background(), &ready))
	}

	groups := inspect.Snapshot().Groups
	slices.SortFunc(groups, func(a, b inspect.Group) int {
		return cmp.Compare(b.Bytes*int64(b.Count), a.Bytes*int64(a.Count))
	})
	for _, g := range groups {
		fmt.Println(g.Count, "in", g.Stack[0].Function, g.Stack[0].Line, "more than 300 KB:", g.Bytes*int64(g.Count) > 300_000)
	}

	ready.Set()
	for _, j := range jobs {
		<-j.Done()
	}
}
