package workloads

import (
	"context"
	"sync"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// pingPong is W8: two functions pass a value back and forth, and each adds one to it.
func pingPong() *suite.Work {
	return &suite.Work{
		ID:      "W8",
		Title:   "two functions hand a value to and fro",
		Op:      "round trip",
		N:       1_000_000,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Note: "two unbuffered channels", Start: still(pingPongChannels)},
			{Name: "sync.Cond", Start: still(pingPongCond)},
		}, pingPongOurs()...),
	}
}

func pingPongOurs() []suite.Contender {
	places := everywhere()
	over := func(name, note string, channel func() *coord.Channel[int]) []suite.Contender {
		return suite.On(places, name, note, func(ctx context.Context, _ suite.Setting) suite.Run {
			return func(_ *suite.Meter, n int) error { return pingPongJobs(ctx, n, channel(), channel(), false) }
		})
	}
	return append(
		over("rendezvous", "coord.NewRendezvous: what the unbuffered channels do", coord.NewRendezvous[int]),
		over("buffered", "coord.NewBounded(1)", func() *coord.Channel[int] { return coord.NewBounded[int](1, coord.WaitForRoom) })...,
	)
}

// pingPongJobs plays over two channels. If reversed is set, the side that sends first is started
// first: it then waits for the receiver.
func pingPongJobs(ctx context.Context, n int, ping, pong *coord.Channel[int], reversed bool) error {
	var near *job.Job[int]
	if reversed {
		near = serverAsync(ctx, pong, ping, n)
	}
	far := playerAsync(ctx, ping, pong, n)
	if !reversed {
		near = serverAsync(ctx, pong, ping, n)
	}
	if _, err := far.Wait(ctx); err != nil {
		return err
	}
	return sumOf([]*job.Job[int]{near}, 2*n)
}

func pingPongChannels(_ *suite.Meter, n int) error {
	ping, pong := make(chan int), make(chan int)
	go func() {
		for v := range ping {
			pong <- v + 1
		}
	}()
	v := 0
	for range n {
		ping <- v + 1
		v = <-pong
	}
	close(ping)
	return suite.Check(v, 2*n)
}

func pingPongCond(_ *suite.Meter, n int) error {
	var mu sync.Mutex
	turn, value := 0, 0
	changed := sync.NewCond(&mu)
	play := func(me int) {
		mu.Lock()
		defer mu.Unlock()
		for range n {
			for turn != me {
				changed.Wait()
			}
			value++
			turn = 1 - me
			changed.Signal()
		}
	}
	var far sync.WaitGroup
	far.Go(func() { play(1) })
	play(0)
	far.Wait()
	return suite.Check(value, 2*n)
}
