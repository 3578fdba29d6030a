package nanos_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable/internal/nanos"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestATimeBeyondTheRangeIsItsNearestEnd(t *testing.T) {
	first, last := time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64)
	for _, c := range []struct {
		at   time.Time
		want int64
	}{
		{time.Time{}, math.MinInt64},
		{first.Add(-1), math.MinInt64},
		{first, math.MinInt64},
		{first.Add(1), math.MinInt64 + 1},
		{time.Unix(0, -1), -1},
		{time.Unix(0, 0), 0},
		{time.Unix(1_800_000_000, 5), 1_800_000_000_000_000_005},
		{last.Add(-1), math.MaxInt64 - 1},
		{last, math.MaxInt64},
		{last.Add(1), math.MaxInt64},
		{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), math.MaxInt64},
	} {
		assert.Equal(t, c.want, nanos.Of(c.at), "%v", c.at)
		assert.Equal(t, c.want, nanos.Of(c.at.In(time.FixedZone("east", 3600))), "%v elsewhere", c.at)
	}
}

func TestANullableTimeComesBackUnchanged(t *testing.T) {
	for _, want := range []time.Time{{}, time.Unix(0, 0).UTC(), time.Unix(1_800_000_000, 5).UTC()} {
		assert.Equal(t, want, nanos.Time(nanos.Nullable(want)))
	}
	assert.Nil(t, nanos.Nullable(time.Time{}))
}

func ExampleNullable() {
	fmt.Println(nanos.Nullable(time.Time{}) == nil, *nanos.Nullable(time.Unix(1, 5)))
	// Output: true 1000000005
}

func ExampleTime() {
	n := int64(1_000_000_005)
	fmt.Println(nanos.Time(&n), nanos.Time(nil).IsZero())
	// Output: 1970-01-01 00:00:01.000000005 +0000 UTC true
}

func ExampleOf() {
	fmt.Println(nanos.Of(time.Unix(1, 5)), nanos.Of(time.Date(2500, 1, 1, 0, 0, 0, 0, time.UTC)) == math.MaxInt64)
	// Output: 1000000005 true
}
