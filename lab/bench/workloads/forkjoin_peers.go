package workloads

import (
	"math"

	"github.com/panjf2000/ants/v2"
	"github.com/samber/mo"
	"github.com/sourcegraph/conc"
	"golang.org/x/sync/errgroup"

	"github.com/movenext/movenext/lab/bench/suite"
)

func forkJoinPeers() []suite.Contender {
	return []suite.Contender{
		{Name: "ants unlimited", Note: "bounded it deadlocks", Start: forkJoinAnts},
		{Name: "conc WaitGroup", Start: still(func(_ *suite.Meter, n int) error {
			return suite.Check(fibConc(n), fibonacci(n))
		})},
		{Name: "errgroup", Start: still(func(_ *suite.Meter, n int) error {
			v, err := fibErrgroup(n)
			if err != nil {
				return err
			}
			return suite.Check(v, fibonacci(n))
		})},
		{Name: "mo", Start: still(func(_ *suite.Meter, n int) error {
			v, err := fibMo(n)
			if err != nil {
				return err
			}
			return suite.Check(v, fibonacci(n))
		})},
	}
}

func forkJoinAnts(suite.Setting) (suite.Run, func()) {
	p, err := ants.NewPool(math.MaxInt32)
	if err != nil {
		return broken(err)
	}
	return func(_ *suite.Meter, n int) error { return suite.Check(fibAnts(p, n), fibonacci(n)) }, func() { release(p) }
}

func fibAnts(p *ants.Pool, n int) int {
	if n < 2 {
		return n
	}
	fork := make(chan int, 1)
	accept(p.Submit(func() { fork <- fibAnts(p, n-1) }))
	b := fibAnts(p, n-2)
	return <-fork + b
}

func fibConc(n int) int {
	if n < 2 {
		return n
	}
	var a int
	var fork conc.WaitGroup
	fork.Go(func() { a = fibConc(n - 1) })
	b := fibConc(n - 2)
	fork.Wait()
	return a + b
}

func fibErrgroup(n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	var a int
	var fork errgroup.Group
	fork.Go(func() (err error) {
		a, err = fibErrgroup(n - 1)
		return err
	})
	b, err := fibErrgroup(n - 2)
	if failed := fork.Wait(); failed != nil {
		err = failed
	}
	return a + b, err
}

func fibMo(n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	fork := mo.NewFuture(func(resolve func(int), reject func(error)) {
		v, err := fibMo(n - 1)
		if err != nil {
			reject(err)
			return
		}
		resolve(v)
	})
	b, err := fibMo(n - 2)
	if err != nil {
		return 0, err
	}
	a, err := fork.Collect()
	return a + b, err
}
