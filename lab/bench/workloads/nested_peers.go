package workloads

import (
	"math"
	"sync"

	"github.com/alitto/pond/v2"
	"github.com/bytedance/gopkg/util/gopool"
	"github.com/panjf2000/ants/v2"
	"github.com/samber/mo"
	"github.com/sourcegraph/conc"
	"golang.org/x/sync/errgroup"

	"github.com/movenext/movenext/lab/bench/suite"
)

// A bounded pool whose workers wait for work queued behind them deadlocks. So here a pool has no
// bound, or its roots do not wait.

func nestedPeers() []suite.Contender {
	return []suite.Contender{
		{Name: "ants unlimited", Note: "bounded it deadlocks", Most: 2_000_000, Start: nestedAnts},
		{Name: "pond", Note: "roots do not wait, the caller waits for all", Start: nestedPond},
		{Name: "conc WaitGroup", Most: 2_000_000, Start: still(nestedConc)},
		{Name: "errgroup", Most: 2_000_000, Start: still(nestedErrgroup)},
		{Name: "gopool", Note: "roots do not wait, the caller waits for all", Start: nestedGopool},
		{Name: "mo", Most: 2_000_000, Start: still(nestedMo)},
	}
}

func nestedAnts(suite.Setting) (suite.Run, func()) {
	p, err := ants.NewPool(math.MaxInt32)
	if err != nil {
		return broken(err)
	}
	return func(_ *suite.Meter, n int) error {
		sums := make([]int, n)
		var roots sync.WaitGroup
		roots.Add(n)
		for i := range sums {
			accept(p.Submit(func() {
				results := make([]int, n)
				var kids sync.WaitGroup
				kids.Add(n)
				for j := range results {
					accept(p.Submit(func() {
						results[j] = 1
						kids.Done()
					}))
				}
				kids.Wait()
				sums[i] = total(results)
				roots.Done()
			}))
		}
		roots.Wait()
		return suite.Check(total(sums), n*n)
	}, func() { release(p) }
}

func nestedPond(s suite.Setting) (suite.Run, func()) {
	p := pond.NewPool(s.Width())
	return func(_ *suite.Meter, n int) error {
		var all sync.WaitGroup
		all.Add(n * n)
		for range n {
			accept(p.Go(func() {
				for range n {
					accept(p.Go(all.Done))
				}
			}))
		}
		all.Wait()
		return nil
	}, p.StopAndWait
}

func nestedGopool(s suite.Setting) (suite.Run, func()) {
	p := gopool.NewPool("nested", gopoolCap(s), gopool.NewConfig())
	return func(_ *suite.Meter, n int) error {
		var all sync.WaitGroup
		all.Add(n * n)
		for range n {
			p.Go(func() {
				for range n {
					p.Go(all.Done)
				}
			})
		}
		all.Wait()
		return nil
	}, func() {}
}

func nestedConc(_ *suite.Meter, n int) error {
	sums := make([]int, n)
	var roots conc.WaitGroup
	for i := range sums {
		roots.Go(func() {
			results := make([]int, n)
			var kids conc.WaitGroup
			for j := range results {
				kids.Go(func() { results[j] = 1 })
			}
			kids.Wait()
			sums[i] = total(results)
		})
	}
	roots.Wait()
	return suite.Check(total(sums), n*n)
}

func nestedErrgroup(_ *suite.Meter, n int) error {
	sums := make([]int, n)
	var roots errgroup.Group
	for i := range sums {
		roots.Go(func() error {
			results := make([]int, n)
			var kids errgroup.Group
			for j := range results {
				kids.Go(func() error {
					results[j] = 1
					return nil
				})
			}
			err := kids.Wait()
			sums[i] = total(results)
			return err
		})
	}
	if err := roots.Wait(); err != nil {
		return err
	}
	return suite.Check(total(sums), n*n)
}

func nestedMo(_ *suite.Meter, n int) error {
	roots := make([]*mo.Future[int], n)
	for i := range roots {
		roots[i] = mo.NewFuture(func(resolve func(int), reject func(error)) {
			kids := make([]*mo.Future[int], n)
			for j := range kids {
				kids[j] = mo.NewFuture(resolveOne)
			}
			sum := 0
			for _, kid := range kids {
				v, err := kid.Collect()
				if err != nil {
					reject(err)
					return
				}
				sum += v
			}
			resolve(sum)
		})
	}
	return sumOfMo(roots, n*n)
}

func sumOfMo(futures []*mo.Future[int], want int) error {
	sum := 0
	for _, f := range futures {
		v, err := f.Collect()
		if err != nil {
			return err
		}
		sum += v
	}
	return suite.Check(sum, want)
}
