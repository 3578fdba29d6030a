package pool

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// recorder is a pool whose work items record that they have begun.
type recorder struct {
	*Pool
	t    *testing.T
	all  sync.WaitGroup // work items that have not ended
	mu   sync.Mutex
	seen []string
}

func newRecorder(t *testing.T, opts ...Option) *recorder {
	t.Helper()
	return &recorder{t: t, Pool: New(append(opts, AddAfter(0))...)}
}

// submit submits work that records its name and then calls f, if f is not nil.
func (d *recorder) submit(name string, hint schedulers.Hint, f func(self schedulers.Worker)) {
	d.t.Helper()
	d.all.Add(1)
	assert.NoError(d.t, d.Submit(do(func(self schedulers.Worker) {
		defer d.all.Done()
		d.mu.Lock()
		d.seen = append(d.seen, name)
		d.mu.Unlock()
		if f != nil {
			f(self)
		}
	}), hint))
}

func (d *recorder) end() []string {
	d.t.Helper()
	d.all.Wait()
	require.NoError(d.t, d.Shutdown(context.Background()))
	return d.seen
}

// t1 and t2 are nested, and so are t3 and t4, with PreferFairness.
func TestNestedWorkIsLastInFirstOutUnlessItAsksForFairness(t *testing.T) {
	d := newRecorder(t, Workers(1, 1))
	d.submit("outer", schedulers.Hint{}, func(self schedulers.Worker) {
		local := schedulers.Hint{From: self}
		fair := schedulers.Hint{From: self, Flags: schedulers.PreferFairness}
		d.submit("t1", local, nil)
		d.submit("t2", local, nil)
		d.submit("t3", fair, nil)
		d.submit("t4", fair, nil)
	})
	assert.Equal(t, []string{"outer", "t2", "t1", "t3", "t4"}, d.end())
}

func TestGlobalQueueBeforeStealingOldestFirst(t *testing.T) {
	d := newRecorder(t, Workers(2, 2))
	busy, free, loaded := make(chan struct{}), make(chan struct{}), make(chan struct{})
	d.submit("thief", schedulers.Hint{}, func(schedulers.Worker) { close(busy); <-free })
	<-busy
	d.submit("owner", schedulers.Hint{}, func(self schedulers.Worker) {
		local := schedulers.Hint{From: self}
		var stolen sync.WaitGroup
		stolen.Add(3)
		take := func(schedulers.Worker) { stolen.Done() }
		d.submit("oldest", local, take)
		d.submit("older", local, take)
		d.submit("newest", local, take)
		d.submit("global", schedulers.Hint{}, nil)
		close(loaded)
		stolen.Wait() // holds its worker, so that the other one has to run them all
	})
	<-loaded
	close(free)
	assert.Equal(t, []string{"thief", "owner", "global", "oldest", "older", "newest"}, d.end())
	assert.Equal(t, uint64(3), d.Metrics().Stolen)
}

func TestWorkThatFeedsItselfStarvesNoOther(t *testing.T) {
	d := newRecorder(t, Workers(1, 1))
	begun := make(chan struct{})
	var feed func(left int) func(schedulers.Worker)
	feed = func(left int) func(schedulers.Worker) {
		return func(self schedulers.Worker) {
			if left > 0 {
				d.submit("feeds", schedulers.Hint{From: self}, feed(left-1))
			}
		}
	}
	d.submit("first", schedulers.Hint{}, func(self schedulers.Worker) {
		<-begun
		d.submit("buried", schedulers.Hint{From: self}, nil) // below the work that feeds itself
		feed(500)(self)
	})
	d.submit("global", schedulers.Hint{}, nil)
	close(begun)
	at := map[string]int{}
	for i, name := range d.end() {
		if name != "feeds" {
			at[name] = i
		}
	}
	assert.LessOrEqual(t, at["global"], 61)
	assert.LessOrEqual(t, at["buried"], 2*61, "the oldest of its own has its turn after the global queue")
}

func TestAWorkerThatSaysThatItBlocksIsReplacedForAsLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newRecorder(t, Workers(1, 1))
		var unblock func()
		hold := make(chan struct{})
		d.submit("blocks", schedulers.Hint{}, func(self schedulers.Worker) {
			var err error
			unblock, err = self.(schedulers.Blocker).Block()
			assert.NoError(t, err)
			<-hold
			unblock()
			unblock() // twice is once
		})
		d.submit("meanwhile", schedulers.Hint{}, nil)
		synctest.Wait()
		assert.Equal(t, []string{"blocks", "meanwhile"}, d.seen)
		close(hold)
		synctest.Wait()
		_, _, now := d.WorkerLimits()
		assert.Equal(t, 1, now)
		d.mu.Lock()
		d.seen = nil
		d.mu.Unlock()
		held := make(chan struct{})
		d.submit("alone", schedulers.Hint{}, func(schedulers.Worker) { <-held })
		d.submit("waits", schedulers.Hint{}, nil)
		synctest.Wait()
		assert.Equal(t, []string{"alone"}, d.seen, "the room has been given back")
		close(held)
		d.end()
	})
}

func TestLongRunningWorkIsNoneOfTheWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newRecorder(t, Workers(1, 1))
		long := schedulers.Hint{Flags: schedulers.LongRunning}
		for range 3 {
			d.submit("long", long, func(self schedulers.Worker) {
				assert.Nil(t, self)
				time.Sleep(time.Hour)
			})
		}
		d.submit("short", schedulers.Hint{}, nil)
		synctest.Wait()
		assert.ElementsMatch(t, []string{"long", "long", "long", "short"}, d.seen)
		m := d.Metrics()
		assert.Equal(t, uint64(3), m.Running)
		assert.Equal(t, uint64(1), m.Completed)
		assert.Zero(t, m.Workers)
		d.end()
		assert.Equal(t, uint64(4), d.Metrics().Completed)
	})
}

// While no work changes state, the pool's metrics add up, whatever that state is.
func TestMetricsAddUpAtEveryStandstill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newRecorder(t, Workers(2, 2))
		balanced := func() schedulers.Metrics {
			synctest.Wait()
			m := d.Metrics()
			assert.Equal(t, m.Submitted, m.Completed+m.Abandoned+m.Queued+m.Running)
			return m
		}
		for i := range 50 {
			flags := schedulers.Flags(0)
			if i%10 == 0 {
				flags = schedulers.LongRunning
			}
			d.submit("work", schedulers.Hint{Flags: flags}, func(self schedulers.Worker) {
				time.Sleep(time.Second)
				d.submit("child", schedulers.Hint{From: self}, nil)
				if i%7 == 0 {
					panic("deliberate")
				}
			})
			balanced()
		}
		for range 10 {
			time.Sleep(1500 * time.Millisecond)
			balanced()
		}
		d.all.Wait()
		m := balanced()
		assert.Equal(t, uint64(100), m.Completed)
		assert.Equal(t, uint64(8), m.Panicked)
		d.end()
	})
}
