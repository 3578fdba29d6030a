package timers

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crowd arms timers one after the other, and records which of them are still to expire.
type crowd struct {
	q     Queue
	start time.Time
	armed []*member
	got   []int
}

type member struct {
	alarm
	no    int
	at    time.Duration
	stops bool
}

func (c *crowd) arm(d time.Duration) *member {
	m := &member{no: len(c.armed), at: time.Since(c.start) + d}
	m.alarm.at = func() { c.got = append(c.got, m.no) }
	m.OnExpire = &m.alarm
	c.armed = append(c.armed, m)
	c.q.StartTimer(&m.Timer, d)
	return m
}

func (c *crowd) stop(t *testing.T, m *member) {
	t.Helper()
	require.True(t, c.q.StopTimer(&m.Timer))
	require.False(t, c.q.StopTimer(&m.Timer))
	m.stops = true
}

// want returns the numbers of the timers that were not stopped, in the order of their
// times.
func (c *crowd) want() (want []int) {
	left := slices.DeleteFunc(slices.Clone(c.armed), func(m *member) bool { return m.stops })
	slices.SortStableFunc(left, func(a, b *member) int { return cmp.Compare(a.at, b.at) })
	for _, m := range left {
		want = append(want, m.no)
	}
	return want
}

// lengths returns how many entries the fifo (including gaps) and the heap have, and how many
// chunks the fifo has.
func (c *crowd) lengths() (fifo, heap, chunks int) {
	c.q.mu.Lock()
	defer c.q.mu.Unlock()
	return c.q.fifo.n, c.q.heap.n, len(c.q.fifo.chunks)
}

func inBubble(t *testing.T, f func(c *crowd)) {
	synctest.Test(t, func(t *testing.T) {
		c := &crowd{start: time.Now()}
		f(c)
		time.Sleep(48 * time.Hour)
		synctest.Wait()
		assert.Equal(t, c.want(), c.got)
		fifo, heap, chunks := c.lengths()
		assert.Zero(t, fifo+heap)
		assert.LessOrEqual(t, chunks, 2, "a crowd's memory is given back")
	})
}

func TestEquallyLongTimersAreInTheFifo(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range 10_000 {
			c.arm(time.Second)
			time.Sleep(time.Microsecond)
		}
		_, heap, _ := c.lengths()
		assert.Zero(t, heap)
	})
}

func TestStoppedTimersLeaveAFifoAtMostTwiceItsTimers(t *testing.T) {
	inBubble(t, func(c *crowd) {
		rnd := rand.New(rand.NewPCG(1, 2))
		var left []*member
		for range 20_000 {
			left = append(left, c.arm(time.Minute))
			time.Sleep(time.Microsecond)
			for len(left) > 200 {
				i := rnd.IntN(len(left))
				c.stop(t, left[i])
				left = slices.Delete(left, i, i+1)
			}
			fifo, _, chunks := c.lengths()
			require.LessOrEqual(t, fifo, 2*200+fifoSize)
			require.LessOrEqual(t, chunks, (2*200+fifoSize)/fifoSize+3)
		}
	})
}

func TestATimerOfTheNextDayDoesNotKeepTheLineForItself(t *testing.T) {
	inBubble(t, func(c *crowd) {
		c.arm(24 * time.Hour)
		for range 1000 {
			c.arm(time.Second)
		}
		fifo, heap, _ := c.lengths()
		assert.Equal(t, []int{1000, 1}, []int{fifo, heap})
	})
}

func TestALongLineStaysWhereATimerComesOutOfOrder(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range 1000 {
			c.arm(time.Second)
		}
		c.arm(time.Millisecond)
		c.arm(time.Second) // equal times, in both queues
		time.Sleep(time.Millisecond / 2)
		c.arm(time.Second - time.Millisecond/2)
		_, heap, _ := c.lengths()
		assert.Equal(t, 1, heap)
	})
}

func TestEqualTimesBeforeAndAfterTheEndOfALineWasStopped(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range 1000 {
			c.arm(time.Second)
		}
		end := c.arm(3 * time.Second)
		c.arm(2 * time.Second)
		c.stop(t, end)
		c.arm(2 * time.Second)
		_, heap, _ := c.lengths()
		assert.Equal(t, 2, heap)
	})
}

func TestALineThatGivesUpItsTimersGivesThemUpInOrder(t *testing.T) {
	inBubble(t, func(c *crowd) {
		for range maxMove {
			c.arm(time.Second) // all at the same time
		}
		c.stop(t, c.armed[1])
		c.arm(time.Millisecond)
		c.arm(time.Second)
		fifo, heap, _ := c.lengths()
		assert.Equal(t, []int{2, maxMove - 1}, []int{fifo, heap})
	})
}

func TestLineAndHeapTogetherKeepTheOrder(t *testing.T) {
	inBubble(t, func(c *crowd) {
		rnd := rand.New(rand.NewPCG(5, 6))
		pauses := []time.Duration{time.Millisecond, 50 * time.Millisecond, time.Second, time.Second}
		for i := range 20_000 {
			m := c.arm(pauses[rnd.IntN(len(pauses))])
			if rnd.IntN(3) == 0 {
				c.stop(t, m)
			} else if other := c.armed[rnd.IntN(i+1)]; rnd.IntN(2) == 0 && c.q.StopTimer(&other.Timer) {
				other.stops = true
			}
			time.Sleep(time.Duration(rnd.IntN(3)) * 100 * time.Microsecond)
		}
	})
}

func TestPositionsBeginAgain(t *testing.T) {
	inBubble(t, func(c *crowd) {
		c.q.fifo.origin = positions - 2*fifoSize
		var all []*member
		for range 1000 {
			all = append(all, c.arm(time.Second))
		}
		for i := 0; i < len(all); i += 3 {
			c.stop(t, all[i])
		}
	})
}
