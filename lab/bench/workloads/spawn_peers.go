package workloads

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/alitto/pond/v2"
	"github.com/bytedance/gopkg/util/gopool"
	"github.com/gammazero/workerpool"
	"github.com/panjf2000/ants/v2"
	"github.com/samber/mo"
	"github.com/sourcegraph/conc"
	concpool "github.com/sourcegraph/conc/pool"
	"golang.org/x/sync/errgroup"

	"github.com/movenext/movenext/lab/bench/suite"
)

func spawnPeers() []suite.Contender {
	return []suite.Contender{
		{Name: "ants", Note: "no result", Start: spawnAnts},
		{Name: "ants unlimited", Note: "no result", Start: func(s suite.Setting) (suite.Run, func()) {
			s.Workers = math.MaxInt32
			return spawnAnts(s)
		}},
		{Name: "pond", Note: "no result", Start: spawnPond},
		{Name: "pond result", Start: spawnPondResult},
		suite.Plain("conc WaitGroup", "no result", spawnConc),
		suite.Plain("conc pool", "no result", spawnConcPool),
		suite.Plain("errgroup", "no result but an error", spawnErrgroup),
		suite.Plain("gopool", "no result", spawnGopool),
		{Name: "workerpool", Note: "no result", Start: spawnWorkerpool},
		suite.Plain("mo", "", spawnMo),
	}
}

func spawnAnts(s suite.Setting) (suite.Run, func()) {
	p, err := ants.NewPool(s.Width())
	if err != nil {
		return broken(err)
	}
	return func(_ *suite.Meter, n int) error {
		var wg sync.WaitGroup
		wg.Add(n)
		s.Produce(n, func(from, to int) {
			for range to - from {
				accept(p.Submit(wg.Done))
			}
		})
		wg.Wait()
		return nil
	}, func() { release(p) }
}

// release ends a pool and waits for its goroutines. It fails only for a pool that has already
// been released.
func release(p *ants.Pool) { _ = p.ReleaseContext(context.Background()) }

// broken is a contender whose preparation failed.
func broken(err error) (suite.Run, func()) {
	return func(*suite.Meter, int) error { return err }, func() {}
}

// accept is for pools whose submissions never fail as used here. If one failed, the waiter would
// wait forever.
func accept(err error) {
	if err != nil {
		panic(err)
	}
}

func spawnPond(s suite.Setting) (suite.Run, func()) {
	p := pond.NewPool(s.Width())
	return func(_ *suite.Meter, n int) error {
		var wg sync.WaitGroup
		wg.Add(n)
		s.Produce(n, func(from, to int) {
			for range to - from {
				accept(p.Go(wg.Done))
			}
		})
		wg.Wait()
		return nil
	}, p.StopAndWait
}

func spawnPondResult(s suite.Setting) (suite.Run, func()) {
	p := pond.NewResultPool[int](s.Width())
	return func(_ *suite.Meter, n int) error {
		tasks := make([]pond.ResultTask[int], n)
		s.Produce(n, func(from, to int) {
			for i := from; i < to; i++ {
				tasks[i] = p.Submit(returnOne)
			}
		})
		return sumOfPond(tasks, n)
	}, p.StopAndWait
}

func sumOfPond(tasks []pond.ResultTask[int], want int) error {
	sum := 0
	for _, t := range tasks {
		v, err := t.Wait()
		if err != nil {
			return err
		}
		sum += v
	}
	return suite.Check(sum, want)
}

func spawnConc(s suite.Setting) suite.Run {
	return func(_ *suite.Meter, n int) error {
		var count atomic.Int64
		var wg conc.WaitGroup
		add := func() { count.Add(1) }
		s.Produce(n, func(from, to int) {
			for range to - from {
				wg.Go(add)
			}
		})
		wg.Wait()
		return suite.Check(count.Load(), int64(n))
	}
}

// spawnConcPool makes its pool for each run: a pool of this library cannot be used after it has
// been waited for.
func spawnConcPool(s suite.Setting) suite.Run {
	return func(_ *suite.Meter, n int) error {
		var count atomic.Int64
		p := concpool.New().WithMaxGoroutines(s.Width())
		add := func() { count.Add(1) }
		s.Produce(n, func(from, to int) {
			for range to - from {
				p.Go(add)
			}
		})
		p.Wait()
		return suite.Check(count.Load(), int64(n))
	}
}

func spawnErrgroup(s suite.Setting) suite.Run {
	return func(_ *suite.Meter, n int) error {
		var count atomic.Int64
		var g errgroup.Group
		add := func() error {
			count.Add(1)
			return nil
		}
		s.Produce(n, func(from, to int) {
			for range to - from {
				g.Go(add)
			}
		})
		if err := g.Wait(); err != nil {
			return err
		}
		return suite.Check(count.Load(), int64(n))
	}
}

func spawnGopool(s suite.Setting) suite.Run {
	p := gopool.NewPool("spawn", gopoolCap(s), gopool.NewConfig())
	return func(_ *suite.Meter, n int) error {
		var wg sync.WaitGroup
		wg.Add(n)
		s.Produce(n, func(from, to int) {
			for range to - from {
				p.Go(wg.Done)
			}
		})
		wg.Wait()
		return nil
	}
}

// gopoolCap is the library's default, no limit, unless a width is set.
func gopoolCap(s suite.Setting) int32 {
	if s.Workers > 0 {
		return int32(s.Workers)
	}
	return math.MaxInt32
}

func spawnWorkerpool(s suite.Setting) (suite.Run, func()) {
	p := workerpool.New(s.Width())
	return func(_ *suite.Meter, n int) error {
		var wg sync.WaitGroup
		wg.Add(n)
		s.Produce(n, func(from, to int) {
			for range to - from {
				p.Submit(wg.Done)
			}
		})
		wg.Wait()
		return nil
	}, p.StopWait
}

func spawnMo(s suite.Setting) suite.Run {
	return func(_ *suite.Meter, n int) error {
		futures := make([]*mo.Future[int], n)
		s.Produce(n, func(from, to int) {
			for i := from; i < to; i++ {
				futures[i] = mo.NewFuture(resolveOne)
			}
		})
		return sumOfMo(futures, n)
	}
}

func resolveOne(resolve func(int), _ func(error)) { resolve(1) }
