package workloads

import (
	"context"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// moment is how long each job of W9 blocks.
const moment = time.Millisecond

// blockInGo is W9a: jobs that block where the Go runtime sees it.
func blockInGo() *suite.Work {
	places := []suite.Place{suite.Default, suite.Stealing, suite.Goroutine}
	return blocking("W9a", "ten thousand jobs that block for a millisecond on a Go primitive", append(append(
		blockingOurs(places, func() { time.Sleep(moment) }),
		suite.On(places, "job.Sleep", "the job tells its worker that it blocks", func(ctx context.Context, _ suite.Setting) suite.Run {
			return runJobs(func() *job.Job[int] {
				return job.Run(ctx, func(ctx context.Context) (int, error) { return 1, job.Sleep(ctx, moment) })
			})
		})...),
		blockingPeers(func() { time.Sleep(moment) })...))
}

// blockInSystemCall is W9b: jobs that hold their thread.
func blockInSystemCall() *suite.Work {
	places := []suite.Place{suite.Default, suite.Stealing, suite.Goroutine}
	return blocking("W9b", "ten thousand jobs that block for a millisecond in a system call",
		append(blockingOurs(places, sleepThread), blockingPeers(sleepThread)...))
}

func blocking(id, title string, contenders []suite.Contender) *suite.Work {
	return &suite.Work{
		ID:         id,
		Title:      title,
		Op:         "job",
		N:          10_000,
		Once:       true,
		Bases:      []string{goroutines},
		Contenders: contenders,
	}
}

func blockingOurs(places []suite.Place, block func()) []suite.Contender {
	run := suite.On(places, "", "", func(ctx context.Context, _ suite.Setting) suite.Run {
		return runJobs(func() *job.Job[int] {
			return job.Run(ctx, func(context.Context) (int, error) {
				block()
				return 1, nil
			})
		})
	})
	lane := suite.On([]suite.Place{suite.Default}, "job.Blocking", "a lane of its own for what blocks", func(ctx context.Context, _ suite.Setting) suite.Run {
		return runJobs(func() *job.Job[int] {
			return job.Blocking(ctx, func(context.Context) (int, error) {
				block()
				return 1, nil
			})
		})
	})
	return append(run, lane...)
}

// runJobs starts n jobs and waits for them.
func runJobs(start func() *job.Job[int]) suite.Run {
	return func(_ *suite.Meter, n int) error {
		jobs := make([]*job.Job[int], n)
		for i := range jobs {
			jobs[i] = start()
		}
		return sumOf(jobs, n)
	}
}
