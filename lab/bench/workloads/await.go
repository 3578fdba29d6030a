package workloads

import (
	"context"

	"github.com/alitto/pond/v2"
	"github.com/samber/mo"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// completed is how many completed jobs W6a has; they are awaited over and over.
const completed = 1000

// awaitCompleted is W6a: the path of an await that has nothing to wait for.
func awaitCompleted() *suite.Work {
	return &suite.Work{
		ID:      "W6a",
		Title:   "await jobs that have completed",
		Op:      "await",
		N:       1_000_000,
		Size:    thousands,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs},
		Contenders: []suite.Contender{
			suite.Plain(goroutines, "receive from a closed channel", awaitFutures),
			suite.Plain("movenext", "", awaitJobs(func(jobs []*job.Job[int]) (int, error) {
				return sumAsync(jobs).Wait(context.Background())
			})),
			suite.Plain("movenext: plain", "the plain form of the same function, where an await would block", awaitJobs(sum)),
			{Name: "pond result", Start: awaitPond},
			suite.Plain("mo", "", awaitMo),
		},
	}
}

// thousands is a Size of whole rounds over the completed jobs.
func thousands(n int) (arg, ops int) {
	arg = max(1, n/completed)
	return arg, arg * completed
}

func awaitJobs(sum func([]*job.Job[int]) (int, error)) func(suite.Setting) suite.Run {
	return func(suite.Setting) suite.Run {
		jobs := make([]*job.Job[int], completed)
		for i := range jobs {
			jobs[i] = job.FromResult(1)
		}
		return func(_ *suite.Meter, n int) error {
			for range n {
				v, err := sum(jobs)
				if err != nil {
					return err
				}
				if v != completed {
					return suite.Check(v, completed)
				}
			}
			return nil
		}
	}
}

func awaitFutures(suite.Setting) suite.Run {
	futures := make([]*future, completed)
	for i := range futures {
		futures[i] = start(returnOne)
		futures[i].await()
	}
	return func(_ *suite.Meter, n int) error {
		for range n {
			v := 0
			for _, f := range futures {
				v += f.await()
			}
			if v != completed {
				return suite.Check(v, completed)
			}
		}
		return nil
	}
}

func awaitPond(s suite.Setting) (suite.Run, func()) {
	p := pond.NewResultPool[int](s.Width())
	tasks := make([]pond.ResultTask[int], completed)
	for i := range tasks {
		tasks[i] = p.Submit(returnOne)
	}
	return func(_ *suite.Meter, n int) error {
		for range n {
			if err := sumOfPond(tasks, completed); err != nil {
				return err
			}
		}
		return nil
	}, p.StopAndWait
}

func awaitMo(suite.Setting) suite.Run {
	futures := make([]*mo.Future[int], completed)
	for i := range futures {
		futures[i] = mo.NewFuture(resolveOne)
	}
	return func(_ *suite.Meter, n int) error {
		for range n {
			if err := sumOfMo(futures, completed); err != nil {
				return err
			}
		}
		return nil
	}
}
