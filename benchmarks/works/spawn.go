package works

import (
	"context"
	"sync"

	"github.com/movenext/movenext/benchmarks/contest"
	"github.com/movenext/movenext/job"
)

// spawn is W1: the cost of starting something and of noticing its end.
func spawn() *contest.Work {
	return &contest.Work{
		ID:        "W1",
		Title:     "start a million empty jobs and wait for all of them",
		Op:        "job",
		N:         1_000_000,
		Producers: true,
		Workers:   true,
		Bases:     []string{goroutines, spawnFuture},
		Guarded:   []contest.Measure{contest.Bytes, contest.Allocs},
		Contenders: append([]contest.Contender{
			contest.Plain(goroutines, "no result", spawnGoroutines),
			contest.Plain(spawnFuture, "", spawnFutures),
		}, append(append(spawnOurs(), spawnParallel()...), spawnPeers()...)...),
	}
}

const spawnFuture = "goroutine + channel"

func spawnOurs() []contest.Contender {
	places := []contest.Place{contest.Default, contest.Stealing, contest.Dedicated, contest.Goroutine}
	return contest.On(places, "", "", func(ctx context.Context, s contest.Setting) contest.Run {
		return func(_ *contest.Meter, n int) error {
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
	return contest.Check(sum, want)
}

func spawnGoroutines(s contest.Setting) contest.Run {
	return func(_ *contest.Meter, n int) error {
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

func spawnFutures(s contest.Setting) contest.Run {
	return func(_ *contest.Meter, n int) error {
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
		return contest.Check(sum, n)
	}
}
