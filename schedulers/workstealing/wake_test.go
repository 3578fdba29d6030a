package workstealing_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// Work that computes for long has put other work into its own queue, or into the global one.
// The other processor is idle, and must run it. No other mechanism would: no watch is set, no
// worker searches for work, and the worker does not announce a wait.
func TestWorkOfABusyProcessorWakesAnIdleOne(t *testing.T) {
	for name, hint := range map[string]func(on schedulers.Worker) schedulers.Hint{
		"own queue": func(on schedulers.Worker) schedulers.Hint { return schedulers.Hint{From: on} },
		"global":    func(schedulers.Worker) schedulers.Hint { return schedulers.Hint{} },
	} {
		t.Run(name, func(t *testing.T) {
			s := workstealing.New(workstealing.Processors(2), workstealing.Patience(0))
			for range 20 {
				ended := make(chan bool, 1)
				require.NoError(t, s.Submit(do(func(on schedulers.Worker) {
					for s.Metrics().Workers > 1 { // until the started worker ends
						runtime.Gosched()
					}
					ran := make(chan struct{})
					if s.Submit(do(func(schedulers.Worker) { close(ran) }), hint(on)) != nil {
						return
					}
					select {
					case <-ran:
						ended <- true
					case <-time.After(20 * time.Second):
						ended <- false
					}
				}), schedulers.Hint{}))
				require.True(t, <-ended, "no processor was woken")
			}
			require.NoError(t, s.Shutdown(t.Context()))
		})
	}
}
