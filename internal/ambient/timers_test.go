package ambient

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestATimerThatIsArmedAgainDoesNotExpireEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		expired := make(chan time.Duration, 2)
		begin := time.Now()
		var timer schedulers.Timer
		timer.OnExpire = expirer(func() { expired <- time.Since(begin) })
		var rt runtimeTimers
		rt.StartTimer(&timer, time.Second)
		first, _ := foreign.Load(&timer)
		assert.True(t, rt.StopTimer(&timer))
		assert.False(t, rt.StopTimer(&timer))
		rt.StartTimer(&timer, time.Minute)
		expire(&timer, first.(*time.Timer)) // as if it had expired just before the stop
		assert.Empty(t, expired)
		assert.Equal(t, time.Minute, <-expired)
		time.Sleep(time.Hour)
		assert.Empty(t, expired)
		assert.Zero(t, Armed())
	})
}

type expirer func()

func (e expirer) Expire(*schedulers.Timer) { e() }
