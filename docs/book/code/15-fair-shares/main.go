// Fair shares: a queue for each batch, over a scheduler that is unaware of them.
package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// pile is a scheduler that runs its work on request, on the caller's goroutine.
type pile struct {
	works       []schedulers.Work
	newestFirst bool
}

// Submit implements schedulers.Scheduler.
func (p *pile) Submit(w schedulers.Work, _ schedulers.Hint) error {
	p.works = append(p.works, w)
	return nil
}

func (p *pile) run() {
	for len(p.works) > 0 {
		at := 0
		if p.newestFirst {
			at = len(p.works) - 1
		}
		w := p.works[at]
		p.works = slices.Delete(p.works, at, at+1)
		w.Run(nil)
	}
}

// story starts six jobs of a large batch, then two of a small one, and three of a third,
// and returns the order in which they run on p.
func story(p *pile, large, small, third schedulers.Scheduler) string {
	var order strings.Builder
	start := func(on schedulers.Scheduler, name byte, n int) {
		for range n {
			job.Go(context.Background(), func(context.Context) error { return order.WriteByte(name) }, job.On(on))
		}
	}
	start(large, 'L', 6)
	start(small, 's', 2)
	start(third, 't', 3)
	p.run()
	return order.String()
}

func main() {
	one := &pile{}
	fmt.Println("one queue:                  ", story(one, one, one, one))
	for _, newestFirst := range []bool{false, true} {
		p := &pile{newestFirst: newestFirst}
		r := &Ring{under: p}
		fmt.Printf("in turn, newest first %-5t: %s\n", newestFirst, story(p, r.CreateQueue(), r.CreateQueue(), r.CreateQueue()))
	}
}
