package manual_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
)

// expiries counts.
type expiries int

func (n *expiries) Expire(*schedulers.Timer) { *n++ }

func TestTheClockIsMovedToItsEnd(t *testing.T) {
	s := manual.New()
	s.Advance(time.Second)
	var n expiries
	s.StartTimer(&schedulers.Timer{OnExpire: &n}, time.Minute)
	assert.Equal(t, 1, s.Advance(math.MaxInt64), "beyond the end of the clock")
	assert.EqualValues(t, 1, n)
	assert.Equal(t, time.Duration(math.MaxInt64), s.Now())
	assert.Zero(t, s.Advance(time.Hour))
	assert.Equal(t, time.Duration(math.MaxInt64), s.Now())
}
