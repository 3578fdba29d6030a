package jobtest_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

// The program of the search has functions without a context, so its simulation stands in for the
// default scheduler. That must not affect the jobs that another goroutine starts in the middle of
// each schedule, as a parallel test would.
func TestASearchLeavesTestsBesideItAlone(t *testing.T) {
	usual, begun, started := job.DefaultScheduler(), make(chan struct{}), make(chan struct{})
	var beside sync.WaitGroup
	beside.Go(func() {
		for range begun {
			gate, none := make(chan struct{}), context.Background()
			blocked := job.Go(none, func(context.Context) error {
				<-gate
				assert.Same(t, usual, job.DefaultScheduler())
				return nil
			})
			s := &shop{stock: 1, lock: new(coord.Mutex)}
			locked := togetherAsync(none, s.buyAsync, s.buyAsync)
			started <- struct{}{}
			go close(gate)
			_, err := locked.Wait(none)
			assert.NoError(t, err)
			_, err = blocked.Await()
			assert.NoError(t, err)
		}
	})
	w := explored(t, func(ctx context.Context) error {
		begun <- struct{}{}
		<-started
		return petersonRight(ctx)
	}, jobtest.Schedules(50))
	close(begun)
	beside.Wait()
	assert.Empty(t, w.failures)
}
