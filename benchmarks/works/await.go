package works

import (
	"context"

	"github.com/alitto/pond/v2"
	"github.com/samber/mo"

	"github.com/movenext/movenext/benchmarks/contest"
	"github.com/movenext/movenext/job"
)

// completed is how many completed jobs W6a has; they are awaited over and over.
const completed = 1000

// awaitCompleted is W6a: the path of an await that has nothing to wait for.
func awaitCompleted() *contest.Work {
	return &contest.Work{
		ID:      "W6a",
		Title:   "await jobs that have completed",
		Op:      "await",
		N:       1_000_000,
		Size:    thousands,
		Bases:   []string{goroutines},
		Guarded: []contest.Measure{contest.Bytes, contest.Allocs},
		Contenders: []contest.Contender{
			contest.Plain(goroutines, "receive from a closed channel", awaitFutures),
			contest.Plain("movenext", "", awaitJobs(func(jobs []*job.Job[int]) (int, error) {
				return sumAsync(jobs).Wait(context.Background())
			})),
			contest.Plain("movenext: plain", "the plain form of the same function, where an await would block", awaitJobs(sum)),
			{Name: "pond result", Start: awaitPond},
			contest.Plain("mo", "", awaitMo),
		},
	}
}

// thousands is a Size of whole rounds over the completed jobs.
func thousands(n int) (arg, ops int) {
	arg = max(1, n/completed)
	return arg, arg * completed
}

func awaitJobs(sum func([]*job.Job[int]) (int, error)) func(contest.Setting) contest.Run {
	return func(contest.Setting) contest.Run {
		jobs := make([]*job.Job[int], completed)
		for i := range jobs {
			jobs[i] = job.FromResult(1)
		}
		return func(_ *contest.Meter, n int) error {
			for range n {
				v, err := sum(jobs)
				if err != nil {
					return err
				}
				if v != completed {
					return contest.Check(v, completed)
				}
			}
			return nil
		}
	}
}

func awaitFutures(contest.Setting) contest.Run {
	futures := make([]*future, completed)
	for i := range futures {
		futures[i] = start(returnOne)
		futures[i].await()
	}
	return func(_ *contest.Meter, n int) error {
		for range n {
			v := 0
			for _, f := range futures {
				v += f.await()
			}
			if v != completed {
				return contest.Check(v, completed)
			}
		}
		return nil
	}
}

func awaitPond(s contest.Setting) (contest.Run, func()) {
	p := pond.NewResultPool[int](s.Width())
	tasks := make([]pond.ResultTask[int], completed)
	for i := range tasks {
		tasks[i] = p.Submit(returnOne)
	}
	return func(_ *contest.Meter, n int) error {
		for range n {
			if err := sumOfPond(tasks, completed); err != nil {
				return err
			}
		}
		return nil
	}, p.StopAndWait
}

func awaitMo(contest.Setting) contest.Run {
	futures := make([]*mo.Future[int], completed)
	for i := range futures {
		futures[i] = mo.NewFuture(resolveOne)
	}
	return func(_ *contest.Meter, n int) error {
		for range n {
			if err := sumOfMo(futures, completed); err != nil {
				return err
			}
		}
		return nil
	}
}
