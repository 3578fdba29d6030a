package workloads

import (
	"context"
	"sync"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// spawn is W1: the cost of starting something and of noticing its end.
func spawn() *suite.Work {
	return &suite.Work{
		ID:        "W1",
		Title:     "start a million empty jobs and wait for all of them",
		Op:        "job",
		N:         1_000_000,
		Producers: true,
		Workers:   true,
		Bases:     []string{goroutines, spawnFuture},
		Guarded:   []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: append([]suite.Contender{
			suite.Plain(goroutines, "no result", spawnGoroutines),
			suite.Plain(spawnFuture, "", spawnFutures),
		}, append(append(spawnOurs(), spawnParallel()...), spawnPeers()...)...),
	}
}

const spawnFuture = "goroutine + channel"

func spawnOurs() []suite.Contender {
	places := []suite.Place{suite.Default, suite.Stealing, suite.Dedicated, suite.Goroutine}
	return suite.On(places, "", "", func(ctx context.Context, s suite.Setting) suite.Run {
		return func(_ *suite.Meter, n int) error {
			jobs := make([]*job.Job[int], n)
			s.Produce(n, func(from, to int) {
				for i := from; i < to; i++ {
					jobs[i] = job.Run(ctx, one)
				}
			})
			return sumOf(jobs, n)
		}
	})
}

// sumOf waits for the jobs one after the other and checks their sum.
func sumOf(jobs []*job.Job[int], want int) error {
	sum := 0
	for _, j := range jobs {
		v, err := j.Wait(context.Background())
		if err != nil {
			return err
		}
		sum += v
	}
	return suite.Check(sum, want)
}

func spawnGoroutines(s suite.Setting) suite.Run {
	return func(_ *suite.Meter, n int) error {
		var wg sync.WaitGroup
		wg.Add(n)
		s.Produce(n, func(from, to int) {
			for range to - from {
				go wg.Done()
			}
		})
		wg.Wait()
		return nil
	}
}

func spawnFutures(s suite.Setting) suite.Run {
	return func(_ *suite.Meter, n int) error {
		futures := make([]*future, n)
		s.Produce(n, func(from, to int) {
			for i := from; i < to; i++ {
				futures[i] = start(returnOne)
			}
		})
		sum := 0
		for _, f := range futures {
			sum += f.await()
		}
		return suite.Check(sum, n)
	}
}
