package workloads

import (
	"context"
	"sync/atomic"

	"github.com/movenext/movenext/lab/bench/suite"
	"github.com/movenext/movenext/parallel"
)

// The forms of workloads W1 to W4 in package parallel: the handles of its forks cannot leave the
// function that made them, and so cost no allocation.

// everywhere returns the schedulers that can help with parallel work.
func everywhere() []suite.Place {
	return []suite.Place{suite.Default, suite.Stealing, suite.Dedicated}
}

func spawnParallel() []suite.Contender {
	return suite.On(everywhere(), "parallel.Invoke", "no result; in chunks", func(ctx context.Context, s suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			var count atomic.Int64
			functions := make([]func(context.Context) error, n)
			for i := range functions {
				functions[i] = func(context.Context) error {
					count.Add(1)
					return nil
				}
			}
			s.Produce(n, func(from, to int) { accept(parallel.Invoke(ctx, functions[from:to]...)) })
			return suite.Check(count.Load(), int64(n))
		}
	})
}

// width limits how many bodies may run at a time: the default, unless the setting says otherwise.
func width(s suite.Setting) parallel.Option { return parallel.Degree(s.Workers) }

func nestedParallel() []suite.Contender {
	forks := suite.On(everywhere(), "parallel.Fork", "handles, which stay in the function", func(ctx context.Context, s suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			return checkRun(ctx, s, n*n, func(w *parallel.Worker) int { return forkAll(w, forkFamily, n, n) })
		}
	})
	scope := suite.On(everywhere(), "parallel scope", "no handles: the function that forks ends when all have", func(ctx context.Context, s suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			return checkRun(ctx, s, n*n, func(w *parallel.Worker) int { return forkAll(w, scopedFamily, n, n) })
		}
	})
	loops := suite.On(everywhere(), "parallel.For", "two loops, in chunks", func(ctx context.Context, s suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			sums := make([]int, n)
			err := parallel.For(ctx, 0, n, func(ctx context.Context, i int) error {
				results := make([]int, n)
				err := parallel.For(ctx, 0, n, func(_ context.Context, j int) error {
					results[j] = 1
					return nil
				}, width(s))
				sums[i] = total(results)
				return err
			}, width(s))
			if err != nil {
				return err
			}
			return suite.Check(total(sums), n*n)
		}
	})
	return append(append(forks, scope...), loops...)
}

// checkRun runs a body that forks and checks its result.
func checkRun(ctx context.Context, s suite.Setting, want int, body func(*parallel.Worker) int) error {
	v, err := parallel.Run(ctx, func(w *parallel.Worker) (int, error) { return body(w), nil }, width(s))
	if err != nil {
		return err
	}
	return suite.Check(v, want)
}

// forkAll forks f(arg) n times and adds up the results.
func forkAll(w *parallel.Worker, f func(*parallel.Worker, int) int, arg, n int) int {
	forks := make([]parallel.Forked[int, int], n)
	for i := range forks {
		forks[i] = parallel.Fork(w, f, arg)
	}
	sum := 0
	for _, fork := range forks {
		sum += fork.Join(w)
	}
	return sum
}

func forkFamily(w *parallel.Worker, n int) int { return forkAll(w, forkedOne, 1, n) }

func forkedOne(_ *parallel.Worker, v int) int { return v }

// scopedFamily is forkFamily without handles: children are joined when the call that made them
// ends.
func scopedFamily(w *parallel.Worker, n int) int {
	results := make([]int, n)
	parallel.Fork(w, forkKids, results).Join(w)
	return total(results)
}

func forkKids(w *parallel.Worker, results []int) struct{} {
	for i := range results {
		parallel.Fork(w, writeOne, &results[i])
	}
	return struct{}{}
}

func writeOne(_ *parallel.Worker, to *int) struct{} {
	*to = 1
	return struct{}{}
}

func forkJoinParallel() []suite.Contender {
	return suite.On(everywhere(), "parallel.Join", "", func(ctx context.Context, s suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			return checkRun(ctx, s, fibonacci(n), func(w *parallel.Worker) int { return fibJoin(w, n) })
		}
	})
}

func fibJoin(w *parallel.Worker, n int) int {
	if n < 2 {
		return n
	}
	a, b := parallel.Join(w, fibJoin, n-1, n-2)
	return a + b
}

func skynetParallel() []suite.Contender {
	return suite.On(everywhere(), "parallel.Fork", "", func(ctx context.Context, s suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			return checkRun(ctx, s, skynetSum(n), func(w *parallel.Worker) int { return skynetFork(w, node{0, n}) })
		}
	})
}

// node is a tree of skynet's: the leaves from first on.
type node struct{ first, size int }

func skynetFork(w *parallel.Worker, n node) int {
	if n.size == 1 {
		return n.first
	}
	var kids [10]parallel.Forked[node, int]
	for i := range kids {
		kids[i] = parallel.Fork(w, skynetFork, node{n.first + i*(n.size/10), n.size / 10})
	}
	sum := 0
	for _, kid := range kids {
		sum += kid.Join(w)
	}
	return sum
}
