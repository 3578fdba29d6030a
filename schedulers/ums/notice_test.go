package ums_test

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers/ums"
)

// The second worker ends the blocking of the first, and keeps the thread until it has ended.
func TestUnmarkedBlockingIsNoticedAndComesBackAtTheNextYield(t *testing.T) {
	for name, comeBack := range map[string]func(*ums.Worker){
		"a yield":       func(w *ums.Worker) { w.Yield(nil) },
		"a marked call": func(w *ums.Worker) { w.Call(func() {}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, log := logged()
				gate := make(chan struct{})
				var order []string
				submit(t, s, func(w *ums.Worker) {
					<-gate
					order = append(order, "goes on beside the thread")
					comeBack(w)
					order = append(order, "goes on when it is picked")
				})
				synctest.Wait()
				submit(t, s, func(*ums.Worker) {
					close(gate)
					synctest.Wait()
					order = append(order, "the other one ends")
				})
				require.NoError(t, s.Shutdown(context.Background()))
				assert.Equal(t, []string{"goes on beside the thread", "the other one ends", "goes on when it is picked"}, order)
				assert.Contains(t, log(), "thread 1: worker 1 was noticed to block")
				assert.Contains(t, log(), "thread 1: from the completion list: worker 1, Ready")
				assert.NotContains(t, log(), "thread 1: worker 2 was noticed to block")
				assert.Empty(t, s.Workers())
			})
		})
	}
}

func TestAWorkerThatWasNoticedMayEndWithoutComingBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ums.New(2)
		gate := make(chan struct{})
		const n = 100
		var ended atomic.Int32
		for i := range n {
			submit(t, s, func(*ums.Worker) {
				defer ended.Add(1)
				<-gate
				if i%2 == 0 {
					runtime.Goexit()
				}
			})
		}
		submit(t, s, func(*ums.Worker) { close(gate) })
		require.NoError(t, s.Shutdown(context.Background()))
		assert.EqualValues(t, n, ended.Load())
		assert.Equal(t, uint64(n+1), s.Metrics().Completed)
	})
}

func TestWithoutNoticingUnmarkedBlockingHoldsTheThread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := logged(ums.Notice(0))
		gate, ran := make(chan struct{}), false
		submit(t, s, func(*ums.Worker) { <-gate })
		submit(t, s, func(*ums.Worker) { ran = true })
		time.Sleep(time.Hour)
		assert.False(t, ran)
		close(gate)
		require.NoError(t, s.Shutdown(context.Background()))
		assert.True(t, ran)
		assert.NotContains(t, log(), "thread 1: worker 1 was noticed to block")
	})
}

func TestAThreadThatIsNotNeededIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, log := logged()
		gate := make(chan struct{})
		submit(t, s, func(*ums.Worker) { <-gate })
		time.Sleep(time.Hour)
		close(gate)
		require.NoError(t, s.Shutdown(context.Background()))
		assert.NotContains(t, log(), "thread 1: worker 1 was noticed to block")
	})
}

// To Go, a waiting loop looks like work. Its worker is assumed to block when there was no
// progress for a while.
func TestALoopWaitingForAWorkerDoesNotHang(t *testing.T) {
	s := ums.New(1)
	var flag atomic.Bool
	submit(t, s, func(*ums.Worker) {
		for !flag.Load() {
			runtime.Gosched()
		}
	})
	submit(t, s, func(*ums.Worker) { flag.Store(true) })
	require.NoError(t, s.Shutdown(context.Background()))
}

// allowed returns the processors on which the calling thread may run.
func allowed() string {
	status, _ := os.ReadFile("/proc/thread-self/status")
	for line := range strings.Lines(string(status)) {
		if list, is := strings.CutPrefix(line, "Cpus_allowed_list:"); is {
			return strings.TrimSpace(list)
		}
	}
	return "unknown"
}

func TestAThreadIsBoundToItsProcessorAndSoAreItsWorkers(t *testing.T) {
	var pinned []error
	s := ums.New(1, ums.Affinity(0), ums.Observe(func(e ums.Event) {
		if e.Step == ums.Pinned {
			pinned = append(pinned, e.Err)
		}
	}))
	var seen []string
	for range 2 {
		submit(t, s, func(w *ums.Worker) {
			seen = append(seen, allowed())
			w.Call(func() {})
			seen = append(seen, allowed())
		})
	}
	require.NoError(t, s.Shutdown(context.Background()))
	require.NotEmpty(t, pinned)
	require.Len(t, seen, 4)
	for _, err := range pinned {
		if runtime.GOOS != "linux" {
			require.ErrorIs(t, err, errors.ErrUnsupported)
			return
		}
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"0", "0", "0", "0"}, seen)
}

func TestAThreadThatCanNotBeBoundRunsAllTheSame(t *testing.T) {
	s, log := logged(ums.Affinity(5000))
	ran := false
	submit(t, s, func(*ums.Worker) { ran = true })
	require.NoError(t, s.Shutdown(context.Background()))
	assert.True(t, ran)
	assert.Contains(t, log()[0], "thread 1: is bound to no processor: affinity: ")
}
