package timers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type alarm struct {
	schedulers.Timer
	at func()
}

func (a *alarm) Expire(*schedulers.Timer) { a.at() }

func newAlarm(f func()) *alarm {
	a := &alarm{at: f}
	a.OnExpire = a
	return a
}

func TestTimersExpireAtTheirTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		start := time.Now()
		var got []time.Duration
		for _, ms := range []int{30, 10, 20, 10} {
			q.StartTimer(&newAlarm(func() { got = append(got, time.Since(start)) }).Timer, time.Duration(ms)*time.Millisecond)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		want := []time.Duration{10 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond, 30 * time.Millisecond}
		assert.Equal(t, want, got)
	})
}

func TestNoTimerExpiresEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		start := time.Now()
		var got []time.Duration
		want := []time.Duration{time.Second, time.Second + 1, time.Second + 2}
		for _, d := range want {
			q.StartTimer(&newAlarm(func() { got = append(got, time.Since(start)) }).Timer, d)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, want, got)
	})
}

// TestATimerForTheEndOfTimeIsStopped has no other timer before it, so the
// runtime's timer was never needed.
func TestATimerForTheEndOfTimeIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		last := newAlarm(func() { t.Error("the end of time has come") })
		q.StartTimer(&last.Timer, math.MaxInt64)
		assert.True(t, q.StopTimer(&last.Timer))
		assert.False(t, q.StopTimer(&last.Timer))

		q.StartTimer(&last.Timer, math.MaxInt64)
		rang := false
		q.StartTimer(&newAlarm(func() { rang = true }).Timer, time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.True(t, rang)
		assert.True(t, q.StopTimer(&last.Timer))
	})
}

// TestAHundredThousandTimersStartedAndStoppedAtRandom compares the timers that expire with
// the timers that should.
func TestAHundredThousandTimersStartedAndStoppedAtRandom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 100_000
		var q Queue
		rnd := rand.New(rand.NewPCG(3, 4))
		var got, want []int
		alarms := make([]*alarm, n)
		for i := range alarms {
			d := rnd.IntN(1_000_000)
			alarms[i] = newAlarm(func() { got = append(got, d) })
			q.StartTimer(&alarms[i].Timer, time.Duration(d)*time.Microsecond)
			if i%3 == 2 {
				require.True(t, q.StopTimer(&alarms[i-1].Timer))
				require.False(t, q.StopTimer(&alarms[i-1].Timer))
				want = want[:len(want)-1]
			}
			want = append(want, d)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		slices.Sort(want)
		assert.Equal(t, want, got)
		assert.LessOrEqual(t, len(q.heap.chunks), 1, "a crowd's memory is given back")
	})
}

func TestATimerStartedByAnExpiryForTheSameMomentExpiresToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		rang := false
		second := newAlarm(func() { rang = true })
		q.StartTimer(&newAlarm(func() { q.StartTimer(&second.Timer, 0) }).Timer, time.Hour)
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.True(t, rang)
	})
}
