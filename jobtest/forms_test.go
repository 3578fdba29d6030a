package jobtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

func TestBothFormsRunInVirtualTime(t *testing.T) {
	began := time.Now()
	lock := new(coord.Mutex)
	jobtest.BothForms(t, func(ctx context.Context) error { return sells(ctx, lock) }, func(ctx context.Context) *job.Job[job.Void] {
		return sellsAsync(ctx, lock)
	})
	assert.Less(t, time.Since(began), time.Hour)
}

// The plain form runs once, in a bubble; the machine runs in each schedule.
func TestBothFormsRunsEach(t *testing.T) {
	plain, machines, year := 0, 0, 0
	jobtest.BothForms(t, func(context.Context) error {
		plain++
		year = time.Now().Year()
		return nil
	}, func(ctx context.Context) *job.Job[job.Void] {
		machines++
		return sellsAsync(ctx, new(coord.Mutex))
	}, jobtest.Schedules(5), jobtest.Random)
	assert.Equal(t, 1, plain)
	assert.Equal(t, 2000, year, "the clock of a bubble")
	assert.GreaterOrEqual(t, machines, 5)
}
