package workloads

import (
	"math"

	"github.com/panjf2000/ants/v2"
	"github.com/samber/mo"
	"github.com/sourcegraph/conc"
	"golang.org/x/sync/errgroup"

	"github.com/movenext/movenext/lab/bench/suite"
)

func skynetPeers() []suite.Contender {
	return []suite.Contender{
		{Name: "ants unlimited", Note: "bounded it deadlocks", Most: 2_000_000, Start: skynetAnts},
		{Name: "conc WaitGroup", Most: 2_000_000, Start: still(func(_ *suite.Meter, n int) error {
			return suite.Check(skynetConc(0, n), skynetSum(n))
		})},
		{Name: "errgroup", Most: 2_000_000, Start: still(func(_ *suite.Meter, n int) error {
			v, err := skynetErrgroup(0, n)
			if err != nil {
				return err
			}
			return suite.Check(v, skynetSum(n))
		})},
		{Name: "mo", Most: 2_000_000, Start: still(func(_ *suite.Meter, n int) error {
			v, err := skynetMo(0, n)
			if err != nil {
				return err
			}
			return suite.Check(v, skynetSum(n))
		})},
	}
}

func skynetAnts(suite.Setting) (suite.Run, func()) {
	p, err := ants.NewPool(math.MaxInt32)
	if err != nil {
		return broken(err)
	}
	return func(_ *suite.Meter, n int) error {
		result := make(chan int, 1)
		skynetAnt(p, result, 0, n)
		return suite.Check(<-result, skynetSum(n))
	}, func() { release(p) }
}

func skynetAnt(p *ants.Pool, result chan<- int, first, size int) {
	accept(p.Submit(func() {
		if size == 1 {
			result <- first
			return
		}
		kids := make(chan int, 10)
		for i := range 10 {
			skynetAnt(p, kids, first+i*(size/10), size/10)
		}
		sum := 0
		for range 10 {
			sum += <-kids
		}
		result <- sum
	}))
}

func skynetConc(first, size int) int {
	if size == 1 {
		return first
	}
	var results [10]int
	var kids conc.WaitGroup
	for i := range results {
		kids.Go(func() { results[i] = skynetConc(first+i*(size/10), size/10) })
	}
	kids.Wait()
	return total(results[:])
}

func skynetErrgroup(first, size int) (int, error) {
	if size == 1 {
		return first, nil
	}
	var results [10]int
	var kids errgroup.Group
	for i := range results {
		kids.Go(func() (err error) {
			results[i], err = skynetErrgroup(first+i*(size/10), size/10)
			return err
		})
	}
	err := kids.Wait()
	return total(results[:]), err
}

func skynetMo(first, size int) (int, error) {
	if size == 1 {
		return first, nil
	}
	var kids [10]*mo.Future[int]
	for i := range kids {
		kids[i] = mo.NewFuture(func(resolve func(int), reject func(error)) {
			v, err := skynetMo(first+i*(size/10), size/10)
			if err != nil {
				reject(err)
				return
			}
			resolve(v)
		})
	}
	sum := 0
	for _, kid := range kids {
		v, err := kid.Collect()
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}
