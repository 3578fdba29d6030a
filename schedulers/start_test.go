package schedulers_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// announcing is work that says when it runs.
type announcing chan struct{}

func (a announcing) Run(schedulers.Worker) { a <- struct{}{} }
func (a announcing) Abandon(error)         {}

// A server whose events come one by one starts a worker for each.
func TestStartingAWorkerAllocatesNothing(t *testing.T) {
	for _, s := range []interface {
		schedulers.Scheduler
		schedulers.Shutdowner
		schedulers.Meter
	}{
		pool.New(),
		workstealing.New(workstealing.Patience(0)),
	} {
		var work schedulers.Work = make(announcing, 1)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			if s.Submit(work, schedulers.Hint{}) != nil {
				t.Error("refused")
			}
			<-work.(announcing)
			for s.Metrics().Workers > 0 {
				runtime.Gosched()
			}
		}), "%T", s)
		require.NoError(t, s.Shutdown(context.Background()))
	}
}
