// A job that starts its successor, which starts its successor, and so on, would have a
// processor for itself forever: the job that it starts goes into the processor's own
// queue, which comes before the queue of work from outside. So every 61st time the
// outside queue comes first. The same program runs on a processor without that rule, on
// one with it, and on the library's scheduler, whose trace shows the rule at work.
//
// The document behind it, step by step: docs/sources/go.md.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

const steps = 600

// processor is one processor with its own queue and the queue of work from outside. It
// runs its work when run is called. It is its own worker.
type processor struct {
	every      int // how often the outside queue comes first; 0: only if its own is empty
	own, outer []schedulers.Work
}

func (p *processor) Scheduler() schedulers.Scheduler { return p }
func (p *processor) ID() int                         { return 1 }

func (p *processor) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if hint.From == schedulers.Worker(p) {
		p.own = append(p.own, w)
	} else {
		p.outer = append(p.outer, w)
	}
	return nil
}

func (p *processor) run() {
	for tick := 1; len(p.own)+len(p.outer) > 0; tick++ {
		from := &p.own
		outerFirst := p.every > 0 && tick%p.every == 0 && len(p.outer) > 0
		if outerFirst || len(p.own) == 0 {
			from = &p.outer
		}
		w := (*from)[0]
		*from = (*from)[1:]
		w.Run(p)
	}
}

// story starts the job that feeds itself, and then three jobs from outside. It lets the
// scheduler begin, and returns how many steps had run before each of the three.
func story(s schedulers.Scheduler, begin func()) (before []int, err error) {
	ctx := schedulers.With(context.Background(), s)
	ran := 0
	var step func(context.Context) error
	step = func(ctx context.Context) error {
		if ran++; ran < steps {
			_ = job.Go(ctx, step) // feeds itself
		}
		return nil
	}
	_ = job.Go(ctx, step)
	before = make([]int, 3)
	var outside []*job.Job[job.Void]
	for i := range before {
		outside = append(outside, job.Go(ctx, func(context.Context) error { before[i] = ran; return nil }))
	}
	begin()
	_, err = job.WhenAll(outside...).Wait(context.Background())
	return before, err
}

func main() {
	fmt.Println("steps of the job that feeds itself, before each of three jobs from outside:")
	show("without the rule:", 0)
	show("with it:         ", 61)
	library()
}

func show(name string, every int) {
	p := &processor{every: every}
	before, err := story(p, p.run)
	fmt.Println(" ", name, before, err)
}

func library() {
	fair := 0 // only the one running worker writes it
	s := workstealing.New(workstealing.Processors(1), workstealing.Patience(0), workstealing.Trace(func(e workstealing.Event) {
		if e.Decision == workstealing.TookGlobalFirst {
			fair++
		}
	}))
	begun, open := make(chan struct{}), make(chan struct{}) // hold it until all is queued
	_ = job.Go(schedulers.With(context.Background(), s), func(context.Context) error { close(begun); <-open; return nil })
	<-begun
	before, err := story(s, func() { close(open) })
	if err == nil {
		err = s.Shutdown(context.Background())
	}
	fmt.Println("the library's scheduler:", err)
	for i, n := range before {
		fmt.Printf("  job %d had to wait for no more than %d steps: %t\n", i+1, 61*(i+1), n <= 61*(i+1))
	}
	fmt.Println("  the queue from outside came first:", fair, "times")
}
