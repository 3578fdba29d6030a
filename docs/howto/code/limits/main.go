// Three kinds of limit: operations in flight, operations in flight for each tenant, and operations
// per second.
package main

//go:generate go tool movenext .

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/coord/rate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// gauge counts the requests in flight.
type gauge struct{ now, most atomic.Int64 }

// request takes a second.
//
//movenext:async
func request(ctx context.Context, g *gauge) error {
	n := g.now.Add(1)
	g.most.Store(max(g.most.Load(), n)) // a simulation runs one job at a time
	err := job.Sleep(ctx, time.Second)
	g.now.Add(-1)
	return err
}

// inScope is an errgroup with SetLimit.
//
//movenext:async
func inScope(ctx context.Context, g *gauge) error {
	return job.InScope(ctx, func(_ context.Context, s *job.Scope) error {
		s.Limit(3)
		for range 9 {
			s.Go(func(ctx context.Context) error { return request(ctx, g) })
		}
		return nil
	})
}

// byTenant is a request of a tenant, under a limit that all requests share.
//
//movenext:async
func byTenant(ctx context.Context, l *coord.Limiter[string], tenant string, g *gauge) error {
	if err := l.Acquire(ctx, tenant); err != nil {
		return err
	}
	defer l.Release(tenant)
	return request(ctx, g)
}

// paced makes requests at a rate, each of which may take as long as it likes.
//
//movenext:async
func paced(ctx context.Context, l *rate.Limiter, n int) error {
	for range n {
		if err := l.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	// A simulation has its own clock, so the program takes no time.
	s := simulation.New(1)
	ctx := schedulers.With(context.Background(), s)
	show := func(what string, g *gauge, run func() *job.Job[job.Void]) {
		began := s.Now()
		j := run()
		err := errors.Join(s.Run(), j.Err())
		fmt.Printf("%s: %v, %d in flight, %v\n", what, (s.Now() - began).Round(time.Second), g.most.Load(), err)
	}

	var g gauge
	show("nine requests, three in flight", &g, func() *job.Job[job.Void] { return inScopeAsync(ctx, &g) })

	var all gauge
	l := coord.NewLimiter[string](4, coord.PerKey(1))
	show("four of one tenant, one each", &all, func() *job.Job[job.Void] {
		var jobs []job.Handle
		for range 4 {
			jobs = append(jobs, byTenantAsync(ctx, l, "ann", &all))
		}
		jobs = append(jobs, byTenantAsync(ctx, l, "bob", &all))
		return job.WhenAllOf(jobs...)
	})

	tenASecond := rate.NewLimiter(10, 1, rate.On(s))
	show("fifty-one, ten a second", &gauge{}, func() *job.Job[job.Void] { return pacedAsync(ctx, tenASecond, 51) })
}
