// A custom policy for user-mode scheduling, in two dozen lines: requests and batch work
// share one thread, three turns to one. The same jobs run without it, first in, first
// out; with it; and with a policy that panics in the middle, which is replaced by first
// in, first out, so no work is lost.
//
// The document behind it, step by step: docs/sources/ums.md.
package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/ums"
)

// weighted is the policy. Its methods are never called concurrently.
type weighted struct {
	requests, batch []*ums.Worker
	turn            int
}

func (p *weighted) Ready(w *ums.Worker) {
	if w.Information().User == "request" {
		p.requests = append(p.requests, w)
	} else {
		p.batch = append(p.batch, w)
	}
}

func (p *weighted) Next() *ums.Worker {
	p.turn++
	if len(p.requests) == 0 || p.turn%4 == 0 && len(p.batch) > 0 {
		return take(&p.batch)
	}
	return take(&p.requests)
}

func take(from *[]*ums.Worker) *ums.Worker {
	if len(*from) == 0 {
		return nil
	}
	w := (*from)[0]
	*from = (*from)[1:]
	return w
}

// failing is a policy that panics at its tenth call.
type failing struct {
	weighted
	asked int
}

func (p *failing) Next() *ums.Worker {
	if p.asked++; p.asked == 10 {
		panic("division by zero")
	}
	return p.weighted.Next()
}

// run queues twelve batch jobs and then twelve requests, and prints the order in which
// they run, b and r, and how many turns it took until all requests were served.
func run(name string, opts ...ums.Option) {
	ctx := context.Background()
	s := ums.New(1, append(opts, ums.OnPolicyFailure(func(err *ums.PolicyError) { fmt.Println("              ", err) }))...)
	var order strings.Builder
	begun, open := make(chan struct{}), make(chan struct{}) // hold the thread until all is queued
	held := job.Go(ctx, func(context.Context) error { close(begun); <-open; return nil }, job.On(s))
	<-begun
	jobs := []*job.Job[job.Void]{held}
	for _, class := range []string{"batch", "request"} {
		for range 12 {
			jobs = append(jobs, job.Go(ctx, func(context.Context) error {
				order.WriteByte(class[0])
				return nil
			}, job.On(s.Class(class))))
		}
	}
	close(open)
	_, err := job.WhenAll(jobs...).Wait(ctx)
	if err == nil {
		err = s.Shutdown(ctx)
	}
	served := strings.LastIndex(order.String(), "r") + 1
	fmt.Printf("%-14s %s  all requests are served after %d turns, %v\n", name, order.String(), served, err)
}

func main() {
	fmt.Println("twelve batch jobs (b) are queued, then twelve requests (r); the order in which they run:")
	run("no policy:", ums.Notice(0))
	run("three to one:", ums.Notice(0), ums.Decide(&weighted{}))
	run("failing:", ums.Notice(0), ums.Decide(&failing{}))
}
