package job_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// shelf is a scheduler that accepts work and never runs it. It is also a worker, which
// refuses each wait for work of the shelf and records all other waits.
type shelf struct {
	works []schedulers.Work
	waits int
}

func (s *shelf) Submit(w schedulers.Work, _ schedulers.Hint) error {
	s.works = append(s.works, w)
	return nil
}

func (s *shelf) Scheduler() schedulers.Scheduler { return s }
func (s *shelf) ID() int                         { return 1 }

func (s *shelf) Block() (func(), error) {
	s.waits++
	return func() {}, nil
}

func (s *shelf) BlockFor(home schedulers.Scheduler, _ <-chan struct{}) (func(), error) {
	if home == schedulers.Scheduler(s) {
		return nil, schedulers.ErrWouldDeadlock
	}
	return s.Block()
}

func (s *shelf) context() context.Context {
	return context.WithValue(context.Background(), contract.WorkerKey, schedulers.Worker(s))
}

func one(context.Context) (int, error) { return 1, nil }

func TestAWaitForAQueuedJobSaysWhoseItIs(t *testing.T) {
	s := &shelf{}
	queued := job.Run(context.Background(), one, job.On(s))
	_, err := queued.Wait(s.context())
	require.ErrorIs(t, err, schedulers.ErrWouldDeadlock)
	var wait *job.WaitError
	require.ErrorAs(t, err, &wait, "the wait has failed, not the job")
	assert.Equal(t, job.Scheduled, queued.Status())
	for _, w := range s.works {
		w.Run(s)
	}
	assert.Equal(t, job.Completed, queued.Status())
}

func TestAWaitThatMayEndOtherwiseIsAnyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a real deadline may pass too early
		s := &shelf{}
		queued := job.Run(context.Background(), one, job.On(s))
		bounded, cancel := context.WithTimeout(s.context(), time.Millisecond)
		defer cancel()
		_, err := queued.Wait(bounded)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 1, s.waits, "a wait with a deadline")

		source := job.NewSource[int]()
		go source.TrySetResult(1)
		_, err = source.Job().Wait(s.context())
		require.NoError(t, err)
		assert.LessOrEqual(t, s.waits, 2, "a job that others complete; it may be complete before the wait")

		began, release := make(chan struct{}), make(chan struct{})
		aside := job.New(context.Background(), func(context.Context) (int, error) {
			close(began)
			<-release
			return 1, nil
		}, job.On(s))
		go func() { assert.NoError(t, aside.RunSynchronously()) }()
		<-began
		before := s.waits
		go close(release)
		_, err = aside.Wait(s.context())
		require.NoError(t, err, "a job that its maker runs on another goroutine")
		assert.LessOrEqual(t, s.waits, before+1)
		for _, w := range s.works {
			w.Abandon(schedulers.ErrShutdown)
		}
	})
}
