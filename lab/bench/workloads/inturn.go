package workloads

import (
	"context"

	"github.com/alitto/pond/v2"
	"github.com/panjf2000/ants/v2"
	"github.com/samber/mo"

	"github.com/movenext/movenext/lab/bench/suite"
)

// startAndAwait is W6c: start one job and await it, then the next.
func startAndAwait() *suite.Work {
	return &suite.Work{
		ID:      "W6c",
		Title:   "start one job and await it, in turn",
		Op:      "job",
		N:       1_000_000,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Note: "a goroutine and a channel for each", Start: still(futuresInTurn)},
			{Name: "ants", Start: antsInTurn},
			{Name: "pond result", Start: pondInTurn},
			{Name: "mo", Start: still(moInTurn)},
		}, suite.On(everywhere(), "", "", func(ctx context.Context, _ suite.Setting) suite.Run {
			return func(_ *suite.Meter, n int) error { return roundsUnder(ctx, n) }
		})...),
	}
}

func futuresInTurn(_ *suite.Meter, n int) error {
	sum := 0
	for range n {
		sum += start(returnOne).await()
	}
	return suite.Check(sum, n)
}

func antsInTurn(s suite.Setting) (suite.Run, func()) {
	p, err := ants.NewPool(s.Width())
	if err != nil {
		return broken(err)
	}
	return func(_ *suite.Meter, n int) error {
		sum := 0
		for range n {
			result := make(chan int, 1)
			accept(p.Submit(func() { result <- 1 }))
			sum += <-result
		}
		return suite.Check(sum, n)
	}, func() { release(p) }
}

func pondInTurn(s suite.Setting) (suite.Run, func()) {
	p := pond.NewResultPool[int](s.Width())
	return func(_ *suite.Meter, n int) error {
		sum := 0
		for range n {
			v, err := p.Submit(returnOne).Wait()
			if err != nil {
				return err
			}
			sum += v
		}
		return suite.Check(sum, n)
	}, p.StopAndWait
}

func moInTurn(_ *suite.Meter, n int) error {
	sum := 0
	for range n {
		v, err := mo.NewFuture(resolveOne).Collect()
		if err != nil {
			return err
		}
		sum += v
	}
	return suite.Check(sum, n)
}
