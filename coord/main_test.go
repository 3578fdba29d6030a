package coord

import (
	"context"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endless is a context that never ends.
var endless = context.Background()

// ended returns a context that has ended for a cause.
func ended(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	return ctx
}

// inBubble runs the test in a synctest bubble. What watches contexts runs on goroutines of its
// own; synctest.Wait waits until they have done what there is to do.
func inBubble(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// onManyProcs runs a test of real concurrency with few and with many threads: a race that
// needs a goroutine to be preempted shows on one, a race of two CPUs on many.
func onManyProcs(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 8} {
		runtime.GOMAXPROCS(n)
		t.Run("GOMAXPROCS="+strconv.Itoa(n), test)
	}
}

// withPool returns a context whose scheduler is a pool of the test's own, which a bubble needs.
func withPool(t *testing.T) context.Context {
	t.Helper()
	p := pool.New()
	t.Cleanup(func() { require.NoError(t, p.Shutdown(context.Background())) })
	return schedulers.With(context.Background(), p)
}

// pending requires that none of the jobs has ended.
func pending[T any](t *testing.T, jobs ...*job.Job[T]) {
	t.Helper()
	for i, j := range jobs {
		require.False(t, j.IsCompleted(), "job %d has ended: %v", i, j.Err())
	}
}

// completed requires that all jobs have ended well.
func completed[T any](t *testing.T, jobs ...*job.Job[T]) {
	t.Helper()
	for i, j := range jobs {
		require.Equal(t, job.Completed, j.Status(), "job %d: %v", i, j.Err())
	}
}

// value requires that the job has completed, and returns its result.
func value[T any](t *testing.T, j *job.Job[T]) T {
	t.Helper()
	completed(t, j)
	v, err := j.GetResult()
	require.NoError(t, err)
	return v
}

// calling is a continuation that calls a function when a job has ended, on the
// completer's stack.
type calling struct {
	node continuation.Node
	then func()
}

func (c *calling) Completed(schedulers.Worker) continuation.Chain {
	c.then()
	return continuation.Chain{}
}

// whenEnded has then called when the job has ended.
func whenEnded[T any](t *testing.T, j *job.Job[T], then func()) {
	t.Helper()
	c := &calling{then: then}
	c.node.Prepare(c)
	require.True(t, j.Register(&c.node), "the job has ended")
}
