package vclock

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTimersBecomeDueInOrder(t *testing.T) {
	var c Clock
	late, early, twin := new(schedulers.Timer), new(schedulers.Timer), new(schedulers.Timer)
	c.StartTimer(late, 3*time.Second)
	c.StartTimer(early, time.Second)
	c.StartTimer(twin, time.Second)

	assert.Nil(t, c.Due(time.Second-1))
	assert.Equal(t, time.Second-1, c.Now())
	next, ok := c.Next()
	assert.True(t, ok)
	assert.Equal(t, time.Second, next)

	assert.Same(t, early, c.Due(time.Hour))
	assert.Equal(t, time.Second, c.Now(), "the clock shows the time of the timer that is due, not the limit")
	assert.Same(t, twin, c.Due(time.Hour), "of equal times, the one armed first")
	assert.Same(t, late, c.Due(time.Hour))
	assert.Nil(t, c.Due(time.Hour))
	assert.Equal(t, time.Hour, c.Now())
	_, ok = c.Next()
	assert.False(t, ok)
}

func TestATimerArmedDuringAnExpiryHasItsTurnBeforeTheLimit(t *testing.T) {
	var c Clock
	first, second, third := new(schedulers.Timer), new(schedulers.Timer), new(schedulers.Timer)
	c.StartTimer(first, time.Second)
	c.StartTimer(third, 3*time.Second)
	require.Same(t, first, c.Due(time.Hour))
	c.StartTimer(second, time.Second)
	assert.Same(t, second, c.Due(time.Hour))
	assert.Equal(t, 2*time.Second, c.Now())
	assert.Same(t, third, c.Due(time.Hour))
}

func TestExtremeDurations(t *testing.T) {
	var c Clock
	require.Nil(t, c.Due(time.Second))
	past, never := new(schedulers.Timer), new(schedulers.Timer)
	c.StartTimer(never, math.MaxInt64)
	c.StartTimer(past, math.MinInt64)
	assert.Same(t, past, c.Due(time.Second))
	assert.Equal(t, time.Second, c.Now())
	assert.Nil(t, c.Due(0), "the clock does not go back")
	assert.Equal(t, time.Second, c.Now())
	assert.Same(t, never, c.Due(math.MaxInt64))
}

// The test arms and stops timers at random, and compares the clock with a plain list.
func TestStoppedTimersNeverBecomeDue(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var c Clock
		armed := map[*schedulers.Timer]bool{}
		var all []*schedulers.Timer
		for range 50 {
			tm := new(schedulers.Timer)
			c.StartTimer(tm, time.Duration(random.IntN(10)))
			all, armed[tm] = append(all, tm), true
			if random.IntN(3) == 0 {
				victim := all[random.IntN(len(all))]
				assert.Equal(t, armed[victim], c.StopTimer(victim))
				armed[victim] = false
			}
		}
		last := time.Duration(-1)
		for tm := c.Due(100); tm != nil; tm = c.Due(100) {
			require.True(t, armed[tm], "stopped, or due twice")
			armed[tm] = false
			require.GreaterOrEqual(t, time.Duration(tm.When), last)
			last = time.Duration(tm.When)
			require.False(t, c.StopTimer(tm))
		}
		for _, left := range armed {
			require.False(t, left, "a timer was lost")
		}
		require.Zero(t, c.Armed())
	}
}

func TestTimersOfTheSameTimeExpireInTheOrderOfArming(t *testing.T) {
	var c Clock
	timers := make([]schedulers.Timer, 100)
	for i := range timers {
		c.StartTimer(&timers[i], time.Second)
	}
	for i := range timers {
		require.Same(t, &timers[i], c.Due(time.Second))
	}
}

func TestAStoppedTimerIsNotKeptAlive(t *testing.T) {
	var c Clock
	var first schedulers.Timer
	c.StartTimer(&first, time.Second)
	gone := func() weak.Pointer[schedulers.Timer] {
		last := new(schedulers.Timer)
		c.StartTimer(last, time.Minute)
		assert.True(t, c.StopTimer(last))
		return weak.Make(last)
	}()
	runtime.GC()
	assert.Nil(t, gone.Value())
	assert.Equal(t, 1, c.Armed())
}

// Timers are armed at an instant at which some have expired and most were stopped.
func TestAnInstantInUseTakesMoreTimers(t *testing.T) {
	var c Clock
	timers := make([]schedulers.Timer, 100)
	for i := range timers {
		c.StartTimer(&timers[i], time.Second)
	}
	for i := range 20 {
		require.Same(t, &timers[i], c.Due(time.Second))
	}
	for i := 20; i < 90; i++ {
		require.True(t, c.StopTimer(&timers[i]))
	}
	more := make([]schedulers.Timer, 200)
	for i := range more {
		c.StartTimer(&more[i], 0)
	}
	for i := 90; i < 100; i++ {
		require.Same(t, &timers[i], c.Due(time.Second))
	}
	for i := range more {
		require.Same(t, &more[i], c.Due(time.Second))
	}
	require.Zero(t, c.Armed())
}

// A loop arms a timeout and stops it, while another timer of the same time stays armed.
func TestStoppedTimersOfOneInstantTakeNoMemory(t *testing.T) {
	var c Clock
	var stays, timeout schedulers.Timer
	c.StartTimer(&stays, time.Second)
	for range 10_000 {
		c.StartTimer(&timeout, time.Second)
		require.True(t, c.StopTimer(&timeout))
	}
	assert.LessOrEqual(t, cap(c.clock.at[int64(time.Second)].timers), 8)
	assert.Same(t, &stays, c.Due(time.Minute))
	assert.Nil(t, c.Due(time.Minute))
}

// A crowd that ticks uses the memory of its last instant. When it has left, that is freed.
func TestTheMemoryOfACrowdIsUsedAgainForAsLongAsItTicks(t *testing.T) {
	var c Guarded
	tick := func(crowd int) (capacity int) {
		for range crowd {
			c.StartTimer(new(schedulers.Timer), time.Second)
		}
		capacity = cap(c.instants.First().timers)
		for c.Armed() > 0 {
			c.Due(c.Now() + time.Second)
		}
		return capacity
	}
	large := tick(5_000)
	first := &c.spare.timers[:1][0]
	assert.Equal(t, large, tick(3_000))
	assert.Same(t, first, &c.spare.timers[:1][0])
	for range patience {
		assert.Equal(t, large, tick(100))
	}
	tick(100)
	assert.Less(t, tick(100), 1_000)
}
