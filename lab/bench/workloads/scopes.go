package workloads

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

const group = "errgroup"

// scopes is V9: the children of scopes, a hundred each.
func scopes() *suite.Work {
	return &suite.Work{
		ID:      "V9",
		Title:   "start a hundred empty children of a scope and wait for them",
		Op:      "child",
		N:       1_000_000,
		Size:    hundreds,
		Bases:   []string{group, group + ": WithContext"},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: append([]suite.Contender{
			{Name: group, Note: "its zero value: nothing is cancelled when a child fails", Start: still(groups(func(context.Context) (*errgroup.Group, context.Context) {
				return new(errgroup.Group), context.Background()
			}))},
			{Name: group + ": WithContext", Start: still(groups(errgroup.WithContext))},
		}, underConditions("", scopesUnder)...),
	}
}

const children = 100

func hundreds(n int) (arg, ops int) {
	arg = max(1, n/children)
	return arg, arg * children
}

func groups(make func(context.Context) (*errgroup.Group, context.Context)) suite.Run {
	return func(_ *suite.Meter, n int) error {
		return cancellable(context.Background(), func(ctx context.Context) error {
			for range n {
				g, ctx := make(ctx)
				for range children {
					g.Go(func() error { return ctx.Err() })
				}
				if err := g.Wait(); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

func scopesUnder(ctx context.Context, n int) error {
	for range n {
		s := job.NewScope(ctx)
		for range children {
			s.Go(context.Context.Err)
		}
		if err := s.Wait(); err != nil {
			return err
		}
	}
	return nil
}
