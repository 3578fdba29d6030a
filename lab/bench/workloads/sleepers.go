package workloads

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// sleepers is W5: a million functions asleep at once. Its time is the excess over the requested
// sleep: the time to start them all, and the delay of their wake-ups.
func sleepers() *suite.Work {
	return &suite.Work{
		ID:      "W5",
		Title:   "a million asynchronous functions asleep at once; the time is what is beyond the sleep",
		Op:      "sleeper",
		N:       1_000_000,
		Once:    true,
		Bases:   []string{goroutines},
		Guarded: []suite.Measure{suite.Bytes, suite.Allocs, suite.Memory},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Most: 2_000_000, Start: napping(goroutineNaps)},
			{Name: "time.AfterFunc", Note: "callbacks: there is no function that goes on", Start: napping(callbackNaps)},
		}, sleepersOurs()...),
	}
}

// bed starts n sleepers and returns when all are awake.
type bed func(n int, nap time.Duration, awake *atomic.Int64) error

// napping turns a bed into a contender's Start.
func napping(sleep bed) func(suite.Setting) (suite.Run, func()) {
	return func(s suite.Setting) (suite.Run, func()) { return asleep(s, sleep), func() {} }
}

// asleep runs a bed, checks that each sleeper woke up, and subtracts the nap from its time.
func asleep(s suite.Setting, sleep bed) suite.Run {
	return func(m *suite.Meter, n int) error {
		var awake atomic.Int64
		if err := sleep(n, s.Nap, &awake); err != nil {
			return err
		}
		m.Exclude(s.Nap)
		return suite.Check(awake.Load(), int64(n))
	}
}

func sleepersOurs() []suite.Contender {
	places := everywhere()
	return suite.On(places, "", "", func(ctx context.Context, s suite.Setting) suite.Run {
		return asleep(s, func(n int, d time.Duration, awake *atomic.Int64) error {
			jobs := make([]*job.Job[job.Void], n)
			for i := range jobs {
				jobs[i] = napAsync(ctx, d, awake)
			}
			for _, j := range jobs {
				if _, err := j.Wait(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func goroutineNaps(n int, d time.Duration, awake *atomic.Int64) error {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			time.Sleep(d)
			awake.Add(1)
		})
	}
	wg.Wait()
	return nil
}

func callbackNaps(n int, d time.Duration, awake *atomic.Int64) error {
	var wg sync.WaitGroup
	wg.Add(n)
	for range n {
		time.AfterFunc(d, func() {
			awake.Add(1)
			wg.Done()
		})
	}
	wg.Wait()
	return nil
}
