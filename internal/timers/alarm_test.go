package timers

import (
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bell is a timer that counts its expiries and then calls a function.
type bell struct {
	alarm
	times int
}

func newBell(then func()) *bell {
	b := new(bell)
	b.alarm.at = func() {
		if b.times++; then != nil {
			then()
		}
	}
	b.OnExpire = &b.alarm
	return b
}

// A timer that ends its goroutine has expired, and the timers after it still expire: in its
// batch, in the next one, and later.
func TestTimersAfterOneThatCallsGoexitExpireOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		var all []*bell
		for i := range 3 * batch {
			var b *bell
			b = newBell(func() {
				if i%100 == 0 && b.times == 1 {
					runtime.Goexit()
				}
			})
			all = append(all, b)
			q.StartTimer(&b.Timer, time.Second)
		}
		late := newBell(nil)
		q.StartTimer(&late.Timer, time.Minute)
		time.Sleep(time.Hour)
		synctest.Wait()
		for i, b := range append(all, late) {
			require.Equal(t, 1, b.times, "timer %d", i)
		}
	})
}

func TestAQueueWithoutTimersHasNoAlarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		a, b := newBell(nil), newBell(nil)
		q.StartTimer(&a.Timer, time.Hour)
		q.StartTimer(&b.Timer, time.Minute)
		assert.Equal(t, int64(time.Minute), q.alarmTime)
		assert.True(t, q.StopTimer(&b.Timer))
		assert.True(t, q.StopTimer(&a.Timer))
		assert.False(t, q.alarm.Stop(), "the last timer that was stopped has left the alarm set")

		q.StartTimer(&a.Timer, time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, 1, a.times)
		assert.False(t, q.alarm.Stop(), "the last timer that has expired has left the alarm set")
	})
}

func TestADurationBelowZeroIsAsLongAsZero(t *testing.T) {
	inBubble(t, func(c *crowd) {
		var got []int
		for i, d := range []time.Duration{0, -time.Hour, math.MinInt64, 0} {
			m := newAlarm(func() { got = append(got, i) })
			c.q.StartTimer(&m.Timer, d)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []int{0, 1, 2, 3}, got, "the first armed is the first")
	})
}

func TestADurationBeyondTheClockEndsAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		first, endless := newBell(nil), newBell(nil)
		q.StartTimer(&first.Timer, time.Second)
		time.Sleep(time.Minute) // the clock is no longer at its beginning
		q.StartTimer(&endless.Timer, math.MaxInt64)
		q.StartTimer(&first.Timer, time.Second)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 2, first.times)
		assert.Zero(t, endless.times)
		assert.True(t, q.StopTimer(&endless.Timer))
	})
}

// There is a long fifo, and timers that are too early for its end. Of two timers of the same
// time, the one armed first expires first, wherever it is.
func TestTimersOfTheSameTimeInLineAndHeapKeepTheirOrder(t *testing.T) {
	inBubble(t, func(c *crowd) {
		early := c.arm(10 * time.Millisecond)
		for range 2 * maxMove {
			c.arm(20 * time.Millisecond)
		}
		for range 30 {
			c.arm(10 * time.Millisecond)
			c.arm(15 * time.Millisecond)
		}
		for range 3 * maxMove {
			c.arm(20 * time.Millisecond)
		}
		assert.Negative(t, early.Slot, "it is in the fifo")
		_, heap, _ := c.lengths()
		assert.Equal(t, 60, heap)
	})
}

func TestATimerThatIsALittleEarlierIsEarlier(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for i := range 4 * maxMove {
			c.arm(time.Second - time.Duration(i))
		}
		c.arm(2 * time.Second)
		c.arm(2*time.Second - 1)
	})
}

// While many timers expire, the queue is not locked for longer than a batch takes: a timer
// beyond the first batch can still be stopped.
func TestATimerBehindAThousandThatExpireCanBeStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		last := newBell(nil)
		stopped := false
		first := newBell(func() { stopped = q.StopTimer(&last.Timer) })
		q.StartTimer(&first.Timer, time.Second)
		for range 1000 {
			q.StartTimer(&newBell(nil).Timer, time.Second)
		}
		q.StartTimer(&last.Timer, time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.True(t, stopped)
		assert.Zero(t, last.times)
	})
}

func TestAQueueDoesNotKeepStoppedTimersAlive(t *testing.T) {
	var q Queue
	for range 2 * maxMove {
		q.StartTimer(&newBell(nil).Timer, time.Hour)
	}
	var gone []weak.Pointer[bell]
	for i := range 8 { // in the heap, each later than the one before
		b := newBell(nil)
		q.StartTimer(&b.Timer, time.Minute+time.Duration(i))
		if i > 0 {
			gone = append(gone, weak.Make(b))
		}
	}
	for _, w := range gone {
		assert.True(t, q.StopTimer(&w.Value().Timer))
	}
	runtime.GC()
	for _, w := range gone {
		assert.Nil(t, w.Value())
	}
	q.mu.Lock()
	q.alarm.Stop()
	q.mu.Unlock()
}
