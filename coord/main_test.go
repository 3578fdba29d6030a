package coord

import (
	"context"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// RaceDetector is raceDetector for the tests of a user's program.
const RaceDetector = raceDetector

// endless is a context that never ends.
var endless = context.Background()

// ended returns a context that has ended for a cause.
func ended(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	return ctx
}

// procs is a number of threads that run Go code.
type procs int

// manyProcs are numbers of threads for tests of real concurrency: a race that needs a
// preempted goroutine shows on one thread, a race of two CPUs on many.
var manyProcs = []procs{1, 2, 8}

func (p procs) String() string { return "GOMAXPROCS=" + strconv.Itoa(int(p)) }

// use runs the rest of the test on p threads.
func (p procs) use(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(int(p))
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// withPool returns a context whose scheduler is a pool of this test alone, as a bubble needs.
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

// completed requires that all jobs have succeeded.
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

// whenEnded calls then when the job has ended.
func whenEnded[T any](t *testing.T, j *job.Job[T], then func()) {
	t.Helper()
	c := &calling{then: then}
	c.node.Prepare(c)
	require.True(t, j.Register(&c.node), "the job has ended")
}
