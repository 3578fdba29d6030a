package workloads

import (
	"sync"

	"github.com/alitto/pond/v2"
	"github.com/bytedance/gopkg/util/gopool"
	"github.com/gammazero/workerpool"
	"github.com/panjf2000/ants/v2"
	concpool "github.com/sourcegraph/conc/pool"

	"github.com/movenext/movenext/lab/bench/suite"
)

// A job of W9 takes ten thousand times as long as its submission, so here the pools can share one
// loop and be called through a function.

// blockingWidth is the width of pools that are configured for blocking jobs.
const blockingWidth = 1000

func blockingPeers(block func()) []suite.Contender {
	return []suite.Contender{
		{Name: goroutines, Start: still(submitting(func(f func()) { go f() }, block))},
		{Name: "ants", Start: blockingAnts(suite.Setting.Width, block)},
		{Name: "ants 1000", Start: blockingAnts(wide, block)},
		{Name: "pond", Start: blockingPond(suite.Setting.Width, block)},
		{Name: "pond 1000", Start: blockingPond(wide, block)},
		{Name: "gopool", Start: func(s suite.Setting) (suite.Run, func()) {
			p := gopool.NewPool("blocking", gopoolCap(s), gopool.NewConfig())
			return submitting(p.Go, block), func() {}
		}},
		{Name: "workerpool 1000", Start: func(suite.Setting) (suite.Run, func()) {
			p := workerpool.New(blockingWidth)
			return submitting(p.Submit, block), p.StopWait
		}},
		{Name: "conc pool 1000", Start: still(func(_ *suite.Meter, n int) error {
			p := concpool.New().WithMaxGoroutines(blockingWidth)
			defer p.Wait()
			return submitting(p.Go, block)(nil, n)
		})},
	}
}

func wide(suite.Setting) int { return blockingWidth }

// submitting submits n jobs to a pool and waits for them.
func submitting(submit func(func()), block func()) suite.Run {
	return func(_ *suite.Meter, n int) error {
		var wg sync.WaitGroup
		wg.Add(n)
		for range n {
			submit(func() {
				block()
				wg.Done()
			})
		}
		wg.Wait()
		return nil
	}
}

func blockingAnts(width func(suite.Setting) int, block func()) func(suite.Setting) (suite.Run, func()) {
	return func(s suite.Setting) (suite.Run, func()) {
		p, err := ants.NewPool(width(s))
		if err != nil {
			return broken(err)
		}
		return submitting(func(f func()) { accept(p.Submit(f)) }, block), func() { release(p) }
	}
}

func blockingPond(width func(suite.Setting) int, block func()) func(suite.Setting) (suite.Run, func()) {
	return func(s suite.Setting) (suite.Run, func()) {
		p := pond.NewPool(width(s))
		return submitting(func(f func()) { accept(p.Go(f)) }, block), p.StopAndWait
	}
}
