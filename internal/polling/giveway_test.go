package polling

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// yields replaces giving way in a test, and returns the times at which it begins.
func yields(t *testing.T, processors int, away time.Duration) *[]time.Time {
	t.Helper()
	var began []time.Time
	yield = func() {
		began = append(began, time.Now())
		spin(away)
	}
	before := runtime.GOMAXPROCS(processors)
	t.Cleanup(func() {
		yield = runtime.Gosched
		runtime.GOMAXPROCS(before)
	})
	return &began
}

func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}

// serve is a worker that runs items of that duration until done.
func serve(c *Countdown, item time.Duration, done func() bool) {
	for !done() {
		spin(item)
		c.Next()
	}
}

func TestABusyWorkerGivesWay(t *testing.T) {
	for name, item := range map[string]time.Duration{"short items": 0, "long items": 100 * time.Microsecond} {
		t.Run(name, func(t *testing.T) {
			began := yields(t, 1, 0)
			serve(new(Countdown), item, func() bool { return len(*began) == 5 })
			for i, at := range (*began)[1:] {
				assert.GreaterOrEqual(t, at.Sub((*began)[i]), turn)
			}
		})
	}
}

// Goroutines that compute take whole slices of the runtime, and so does the worker then.
func TestAWorkerRunsForAsLongAsItWasAway(t *testing.T) {
	const away = 20 * turn
	began := yields(t, 1, away)
	serve(new(Countdown), 0, func() bool { return len(*began) == 4 })
	for i, at := range (*began)[1:] {
		assert.GreaterOrEqual(t, at.Sub((*began)[i]), 2*away)
	}
}

func TestAWorkerStaysIfAProcessorIsIdle(t *testing.T) {
	began := yields(t, 64, 0)
	until := time.Now().Add(20 * turn)
	serve(new(Countdown), 0, func() bool { return time.Now().After(until) })
	assert.Empty(t, *began)
}

// They probably wait, and a worker that has waited has given way.
func TestAWorkerOfLongItemsStays(t *testing.T) {
	began := yields(t, 1, 0)
	items := 0
	serve(new(Countdown), 2*turn, func() bool { items++; return items == 20 })
	assert.Empty(t, *began)
}

func TestAWorkerOfALockedThreadStays(t *testing.T) {
	began := yields(t, 1, 0)
	until := time.Now().Add(20 * turn)
	serve(&Countdown{Stays: true}, 0, func() bool { return time.Now().After(until) })
	assert.Empty(t, *began)
}

// The runtime would preempt the worker after 10 ms, which are 500 of these items.
func TestAGoroutineRunsSoonBesideABusyWorker(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var c Countdown
	woken, ran := make(chan struct{}), make(chan struct{}, 1)
	go func() {
		for range woken {
			ran <- struct{}{}
		}
	}()
	items := make([]int, 9)
	for i := range items {
		woken <- struct{}{}
		serve(&c, 20*time.Microsecond, func() bool {
			items[i]++
			return len(ran) == 1
		})
		<-ran
	}
	close(woken)
	slices.Sort(items)
	assert.Less(t, items[len(items)/2], 100)
}
