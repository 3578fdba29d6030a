package timers

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
)

// sleeper is a member of a crowd that needs no timer.
type sleeper struct {
	c  *crowd
	no int
}

func (s *sleeper) Expire(*schedulers.Timer) { s.c.got = append(s.c.got, s.no) }

func (*sleeper) NewSleepers() Sleepers { return new(SleepersOf[*sleeper]) }

// stranger is a sleeper of another type.
type stranger struct{ sleeper }

func (*stranger) NewSleepers() Sleepers { return new(SleepersOf[*stranger]) }

// sleep makes a sleeper of either type sleep.
func (c *crowd) sleep(d time.Duration, strange bool) {
	s := sleeper{c, len(c.armed)}
	c.armed = append(c.armed, &member{no: s.no, at: time.Since(c.start) + d})
	if strange {
		c.q.StartSleep(&stranger{s}, d)
	} else {
		c.q.StartSleep(&s, d)
	}
}

// blocks returns how many blocks are in the fifo, and how many sleepers are in them.
func (c *crowd) blocks() (n, sleepers int) {
	c.q.mu.Lock()
	defer c.q.mu.Unlock()
	for i := range c.q.fifo.n {
		if t := *c.q.fifo.slot(i); t != nil {
			if b, is := t.OnExpire.(*block); is {
				n++
				sleepers += int(b.n - b.next)
			}
		}
	}
	return n, sleepers
}

func TestSleepersInARowShareBlocks(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range row + 2*blockSize + 1 {
			c.sleep(time.Second, false)
			time.Sleep(time.Microsecond)
		}
		n, sleepers := c.blocks()
		assert.Equal(t, []int{3, 2*blockSize + 1}, []int{n, sleepers})
		fifo, heap, _ := c.lengths()
		assert.Equal(t, []int{row + 3, 0}, []int{fifo, heap})
	})
}

func TestSleepersBetweenTimersHaveTimersOfTheirOwn(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for i := range 10 * row {
			c.sleep(time.Second, false)
			if i%row == row-1 {
				c.arm(time.Second)
			}
		}
		n, _ := c.blocks()
		assert.Zero(t, n)
	})
}

// A timer that is put into the heap does not come between two sleepers.
func TestTimersOutOfOrderLeaveARowTogether(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range row {
			c.sleep(time.Second, false)
		}
		for range maxMove {
			c.arm(time.Second)
		}
		for range row + 5 {
			c.sleep(time.Second, false)
			c.arm(time.Second / 2)
		}
		n, sleepers := c.blocks()
		assert.Equal(t, []int{1, 5}, []int{n, sleepers})
	})
}

func TestASleeperOfAnotherTypeDoesNotShareABlock(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for i := range row + 10 {
			c.sleep(time.Second, i >= row+4)
		}
		n, sleepers := c.blocks()
		assert.Equal(t, []int{2, 10}, []int{n, sleepers})
	})
}

// A fifo that moves its timers to the heap moves blocks too, and the times of their sleepers
// stay apart.
func TestABlockInTheHeapExpiresSleeperBySleeper(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range row + 20 {
			c.sleep(time.Hour, false)
			time.Sleep(time.Second)
		}
		c.sleep(time.Minute, false) // the others are few enough to move
		for i := range 30 {
			c.arm(time.Hour - time.Duration(i)*time.Second) // between them, and at the same times
		}
		n, _ := c.blocks()
		assert.Zero(t, n)
		_, heap, _ := c.lengths()
		assert.Equal(t, row+1+1+29, heap, "all but the first that was out of order")
	})
}

// borrower is a sleeper with the array of another type, as a type that embeds a sleeper has them.
type borrower struct{ sleeper }

func TestASleeperWithTheArrayOfAnotherTypeWakesUp(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range row + 2 {
			b := &borrower{sleeper{c, len(c.armed)}}
			c.armed = append(c.armed, &member{no: b.no, at: time.Since(c.start) + time.Second})
			c.q.StartSleep(b, time.Second)
		}
	})
}

func TestASleeperAloneWakesUp(t *testing.T) {
	inBubble(t, func(c *crowd) { c.sleep(time.Second, false) })
}

func TestABlockIsFilled(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range row + 2*blockSize {
			c.sleep(time.Second, false)
		}
		n, sleepers := c.blocks()
		assert.Equal(t, []int{2, 2 * blockSize}, []int{n, sleepers})
	})
}

func TestTheAlarmIsThatOfTheNextSleeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		var got []time.Duration
		start := time.Now()
		for i := range row + 3 {
			q.StartSleep(&calls{func() { got = append(got, time.Since(start)) }}, time.Duration(i)*time.Minute)
		}
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		assert.Len(t, got, row+3)
		for i, at := range got {
			assert.Equal(t, time.Duration(i)*time.Minute, at)
		}
	})
}

// calls is a sleeper that calls a function.
type calls struct{ f func() }

func (c *calls) Expire(*schedulers.Timer) { c.f() }
func (*calls) NewSleepers() Sleepers      { return new(SleepersOf[*calls]) }

func TestTimersAndSleepersKeepTheirOrder(t *testing.T) {
	inBubble(t, func(c *crowd) {
		rnd := rand.New(rand.NewPCG(7, 8))
		pauses := []time.Duration{50 * time.Millisecond, time.Second, time.Second, time.Second}
		sleeping := true
		for range 40_000 {
			if rnd.IntN(100) == 0 {
				sleeping = !sleeping
			}
			d := pauses[rnd.IntN(len(pauses))]
			switch {
			case sleeping:
				c.sleep(d, rnd.IntN(200) == 0)
			default:
				c.arm(d)
			}
			if m := c.armed[rnd.IntN(len(c.armed))]; m.OnExpire != nil && c.q.StopTimer(&m.Timer) {
				m.stops = true
			}
			time.Sleep(time.Duration(rnd.IntN(3)) * 100 * time.Microsecond)
		}
	})
}

func TestABlockForgetsItsSleepersAndIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		for range row {
			q.StartSleep(&calls{func() {}}, time.Second)
		}
		first := &calls{func() {}}
		gone := weak.Make(first)
		q.StartSleep(first, time.Second)
		q.StartSleep(&calls{func() {}}, time.Hour)
		time.Sleep(time.Minute)
		synctest.Wait()
		first = nil
		runtime.GC()
		assert.Nil(t, gone.Value(), "it has expired, and another one in its block has not")
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Zero(t, q.fifo.n)
		assert.Nil(t, q.scratch)
		assert.False(t, q.alarm.Stop())
	})
}

func TestABlockFitsItsSizeClasses(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 {
		assert.Equal(t, uintptr(504), unsafe.Sizeof(block{}))
		assert.Equal(t, uintptr(448), unsafe.Sizeof(SleepersOf[*sleeper]{}))
	}
}
