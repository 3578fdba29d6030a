package statemachine_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/awaiter"
	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// hasty is an awaiter that resumes its continuation, waits until the job has ended, and then does
// not return from OnCompleted.
type hasty struct {
	ended chan struct{}
	then  func()
}

func (h *hasty) GetAwaiter() awaiter.Awaiter[int] { return h }
func (*hasty) IsCompleted() bool                  { return false }
func (*hasty) GetResult() (int, error)            { return 1, nil }

func (h *hasty) OnCompleted(k continuation.Continuation) {
	k.Resume()
	<-h.ended
	h.then()
}

// awaitsHasty awaits it, but not on the goroutine of its caller.
//
//movenext:async
func awaitsHasty(ctx context.Context, h *hasty) (int, error) {
	job.Yield()
	return awaiter.Await(h)
}

// The machine has continued, so the panic belongs to no function, and nobody may look at the
// frames on its account: their goroutine clears them while the panic is on its way. The race
// detector sees that.
func TestAMachineThatHasContinuedIsNotAskedForItsCalls(t *testing.T) {
	for name, then := range map[string]func(){
		"panic": func() { panic("too late") },
		"exit":  runtime.Goexit,
		"panic while it exits": func() {
			defer panic("too late")
			runtime.Goexit()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := pool.New()
			h := &hasty{make(chan struct{}), then}
			v, err := awaitsHastyAsync(schedulers.With(t.Context(), p), h).Wait(context.Background())
			close(h.ended)
			require.NoError(t, err)
			require.Equal(t, 1, v)
			require.NoError(t, p.Shutdown(context.Background()))
		})
	}
}
