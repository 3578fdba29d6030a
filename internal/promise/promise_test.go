package promise_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is an operation and its job in one allocation.
type answer struct {
	promise promise.Promise[int]
}

func ExamplePromise() {
	a := &answer{}
	promise.Init(&a.promise.Job)
	j := &a.promise.Job

	waiters, ok := promise.TryComplete(&a.promise, context.Background(), 42, nil)
	waiters.Deliver(nil) // the completer notifies the waiters
	fmt.Println(ok)
	fmt.Println(j.GetResult())
	// Output:
	// true
	// 42 <nil>
}

func ExamplePanic() {
	err := func() (err error) {
		defer func() { err = promise.Panic(recover()) }()
		panic("ouch")
	}()
	fmt.Println(err)
	// Output: job: panic: ouch
}

func TestTheContextOfTheOperationSaysHowItsJobHasEnded(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	other := errors.New("other")
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want job.Status
	}{
		{nil, nil, job.Completed},
		{nil, context.Canceled, job.Faulted},
		{context.Background(), context.Canceled, job.Faulted},
		{ended, nil, job.Completed},
		{ended, other, job.Faulted},
		{ended, context.Canceled, job.Canceled},
	} {
		var p promise.Promise[int]
		promise.Init(&p.Job)
		_, first := promise.TryComplete(&p, c.ctx, 7, c.err)
		_, second := promise.TryComplete(&p, c.ctx, 8, nil)
		assert.True(t, first)
		assert.False(t, second)
		v, err := p.Job.GetResult()
		assert.Equal(t, 7, v)
		assert.Equal(t, c.err, err)
		assert.Equal(t, c.want, p.Job.Status())
	}
}

func TestAnOperationThatNeverBeganIsCanceledOnlyByItsOwnContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	j := promise.Failed[int](ctx, context.Canceled)
	assert.Equal(t, job.Canceled, j.Status())
	assert.ErrorIs(t, j.Err(), context.Canceled)
	assert.Equal(t, job.Faulted, promise.Failed[int](context.Background(), context.Canceled).Status())
}
