package ums_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/ums"
)

// On a single thread, a job blocks in a marked call. The thread runs the other job meanwhile.
func Example() {
	s := ums.New(1)
	ctx := schedulers.With(context.Background(), s)

	answer := make(chan string)
	reader := job.Run(ctx, func(ctx context.Context) (text string, err error) {
		fmt.Println("the reader asks")
		ums.Block(ctx, func() { text = <-answer })
		return text, nil
	})
	writer := job.Go(ctx, func(context.Context) error {
		fmt.Println("the writer answers, on the same thread")
		answer <- "forty-two"
		return nil
	})
	fmt.Println(reader.Wait(context.Background()))
	fmt.Println(writer.Wait(context.Background()))
	fmt.Println(s.Shutdown(context.Background()))
	// Output:
	// the reader asks
	// the writer answers, on the same thread
	// forty-two <nil>
	// {} <nil>
	// <nil>
}

// The mechanism without the ready-made scheduler: an entry point decides, and receives
// the reason for each call.
func ExampleEnterSchedulingMode() {
	list := ums.NewCompletionList()
	for _, name := range []string{"ann", "bob"} {
		list.NewWorker(func(w *ums.Worker) {
			fmt.Println("  ", name, "begins")
			w.Yield(name + " steps back")
			fmt.Println("  ", name, "ends")
		})
	}

	var ready []*ums.Worker
	entry := func(t *ums.Thread, a ums.Activation) {
		fmt.Println(a.Reason, a.Param)
		if a.Reason == ums.WorkerYielded {
			ready = append(ready, a.Worker)
		}
		for _, w := range list.Dequeue(0) {
			if w.State() != ums.Terminated {
				ready = append(ready, w)
			}
		}
		if len(ready) > 0 { // otherwise the thread leaves the scheduling mode
			next := ready[0]
			ready = ready[1:]
			if err := t.Execute(next); err != nil {
				fmt.Println(err)
			}
		}
	}
	fmt.Println(ums.EnterSchedulingMode(list, entry, "on processor 0"))
	// Output:
	// startup on processor 0
	//    ann begins
	// yielded ann steps back
	//    bob begins
	// yielded bob steps back
	//    ann ends
	// blocked <nil>
	//    bob ends
	// blocked <nil>
	// <nil>
}

// shortestFirst is a policy. The user part of a worker is the length of its work.
type shortestFirst struct{ ready []*ums.Worker }

func (p *shortestFirst) Ready(w *ums.Worker) { p.ready = append(p.ready, w) }

func (p *shortestFirst) Next() *ums.Worker {
	best := -1
	for i, w := range p.ready {
		if best < 0 || length(w) < length(p.ready[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	w := p.ready[best]
	p.ready = append(p.ready[:best], p.ready[best+1:]...)
	return w
}

func length(w *ums.Worker) int {
	n, _ := w.Information().User.(int)
	return n
}

func ExampleDecide() {
	s := ums.New(1, ums.Decide(&shortestFirst{}))
	ctx := context.Background()

	gate := make(chan struct{})
	jobs := []*job.Job[job.Void]{job.Go(ctx, func(context.Context) error { <-gate; return nil }, job.On(s))}
	for _, n := range []int{30, 10, 20} {
		jobs = append(jobs, job.Go(ctx, func(context.Context) error {
			fmt.Println("a job of length", n)
			return nil
		}, job.On(s.Class(n))))
	}
	close(gate)
	if _, err := job.WhenAll(jobs...).Wait(ctx); err != nil {
		fmt.Println(err)
	}
	fmt.Println(s.Shutdown(ctx))
	// Output:
	// a job of length 10
	// a job of length 20
	// a job of length 30
	// <nil>
}

// A worker waits for a channel in an unmarked call. Its thread is taken from it and runs the
// worker that is ready.
func ExampleNotice() {
	s := ums.New(1, ums.Notice(time.Millisecond))
	ctx := schedulers.With(context.Background(), s)

	answer := make(chan string)
	reader := job.Run(ctx, func(context.Context) (string, error) { return <-answer, nil })
	writer := job.Go(ctx, func(context.Context) error { answer <- "forty-two"; return nil })
	fmt.Println(reader.Wait(context.Background()))
	fmt.Println(writer.Wait(context.Background()))
	fmt.Println(s.Shutdown(context.Background()))
	// Output:
	// forty-two <nil>
	// {} <nil>
	// <nil>
}

// Two threads, each bound to its own processor if the system supports that.
func ExampleAffinity() {
	s := ums.New(2, ums.Affinity(0, 1), ums.Observe(func(e ums.Event) {
		if e.Step == ums.Pinned && e.Err != nil && !errors.Is(e.Err, errors.ErrUnsupported) {
			log.Println(e) // the process may not use that processor
		}
	}))
	sum := job.Run(schedulers.With(context.Background(), s), func(context.Context) (int, error) { return 40 + 2, nil })
	fmt.Println(sum.Wait(context.Background()))
	fmt.Println(s.Shutdown(context.Background()))
	// Output:
	// 42 <nil>
	// <nil>
}
