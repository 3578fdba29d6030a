package workloads

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/suite"
)

// lateness is L2: how late a sleeper wakes up among a million others that stay asleep.
func lateness() *suite.Work {
	return &suite.Work{
		ID:    "L2",
		Title: "wake up in time among a million others that sleep on; the time is the mean lateness",
		Op:    "awakening",
		N:     1_000_000,
		Size:  func(n int) (arg, ops int) { return n, awakenings(n) },
		Once:  true,
		Bases: []string{goroutines},
		Contenders: append([]suite.Contender{
			{Name: goroutines, Most: 2_000_000, Start: still(among(sleepingGoroutines, func() error {
				time.Sleep(nod)
				return nil
			}))},
			{Name: "time.AfterFunc", Most: 2_000_000, Note: "callbacks: there is no function that goes on", Start: still(among(sleepingCallbacks, func() error {
				awake := make(chan struct{})
				time.AfterFunc(nod, func() { close(awake) })
				<-awake
				return nil
			}))},
		}, suite.On(everywhere(), "", "", func(ctx context.Context, _ suite.Setting) suite.Run {
			return among(func(n int) func() error { return sleepingJobs(ctx, n) }, func() error {
				_, err := job.SleepAsync(ctx, nod).Wait(ctx)
				return err
			})
		})...),
	}
}

const (
	nod   = time.Millisecond // duration of the measured sleeps
	night = time.Hour        // of the others, until they are woken
)

// awakenings returns how many sleepers are timed among n others: enough for the last percentile
// at full scale.
func awakenings(n int) int { return min(max(10, n/500), 2000) }

// among measures how late nods end while n others sleep. sleep starts the others, and returns the
// function that wakes them.
func among(sleep func(n int) (wake func() error), nap func() error) suite.Run {
	return func(m *suite.Meter, n int) error {
		began := time.Now()
		wake := sleep(n)
		late := make([]time.Duration, awakenings(n))
		for i := range late {
			at := time.Now()
			if err := nap(); err != nil {
				return err
			}
			late[i] = time.Since(at) - nod
		}
		if err := wake(); err != nil {
			return err
		}
		report(m, began, late)
		return nil
	}
}

func sleepingGoroutines(n int) func() error {
	woken := make(chan struct{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			timer := time.NewTimer(night)
			defer timer.Stop()
			select {
			case <-timer.C:
			case <-woken:
			}
		})
	}
	return func() error {
		close(woken)
		all.Wait()
		return nil
	}
}

func sleepingCallbacks(n int) func() error {
	timers := make([]*time.Timer, n)
	for i := range timers {
		timers[i] = time.AfterFunc(night, func() {})
	}
	return func() error {
		for _, t := range timers {
			t.Stop()
		}
		return nil
	}
}

func sleepingJobs(ctx context.Context, n int) func() error {
	ctx, cancel := context.WithCancel(ctx)
	jobs := make([]*job.Job[job.Void], n)
	for i := range jobs {
		jobs[i] = napAsync(ctx, night, nil)
	}
	return func() error {
		cancel()
		for _, j := range jobs {
			if _, err := j.Wait(context.Background()); !errors.Is(err, context.Canceled) {
				return suite.Check(err, context.Canceled)
			}
		}
		return nil
	}
}
