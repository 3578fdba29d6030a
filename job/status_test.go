package job

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
)

var errBoom = errors.New("boom")

// life lists the statuses that a job of one kind goes through, in order. Its function
// makes the job, advances it, and calls see after each step.
type life struct {
	name string
	live func(m *manual, see see)
	want []Status
}

type see = func(*Job[int])

func TestEachKindOfJobGoesThroughItsStatusesInOrder(t *testing.T) {
	for _, l := range append(livesOfFunctions(t), livesOfOthers(t)...) {
		t.Run(l.name, func(t *testing.T) {
			var got []Status
			l.live(&manual{}, func(j *Job[int]) { got = append(got, j.Status()) })
			assert.Equal(t, l.want, got)
		})
	}
}

// livesOfFunctions are those of jobs whose function is called.
func livesOfFunctions(t *testing.T) []life {
	return []life{
		{"New, Start, a result", func(m *manual, see see) {
			var j *Job[int]
			j = New(m.ctx(), func(context.Context) (int, error) { see(j); return 1, nil })
			see(j)
			assert.NoError(t, j.Start())
			see(j)
			m.all()
			see(j)
		}, []Status{Created, Scheduled, Running, Completed}},
		{"Run, an error", func(m *manual, see see) {
			j := Run(m.ctx(), constant(0, errBoom))
			see(j)
			m.all()
			see(j)
		}, []Status{Scheduled, Faulted}},
		{"Run, a panic", func(m *manual, see see) {
			j := Run(m.ctx(), func(context.Context) (int, error) { panic("ouch") })
			see(j)
			m.all()
			see(j)
		}, []Status{Scheduled, Faulted}},
		{"Run, a Goexit", func(m *manual, see see) {
			j := Run(m.ctx(), func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
			see(j)
			onItsOwnGoroutine(m.all)
			see(j)
		}, []Status{Scheduled, Faulted}},
		{"New, canceled", func(m *manual, see see) {
			j := New(m.ctx(), constant(1, nil))
			see(j)
			assert.True(t, j.Cancel())
			see(j)
		}, []Status{Created, Canceled}},
		{"Run, canceled in the queue", func(m *manual, see see) {
			j := Run(m.ctx(), constant(1, nil))
			see(j)
			assert.True(t, j.Cancel())
			see(j)
			m.all()
			see(j)
		}, []Status{Scheduled, Canceled, Canceled}},
		{"Run, canceled while running", func(m *manual, see see) {
			var j *Job[int]
			j = Run(m.ctx(), func(ctx context.Context) (int, error) {
				assert.True(t, j.Cancel())
				see(j)
				return 0, ctx.Err()
			})
			m.all()
			see(j)
		}, []Status{Running, Canceled}},
	}
}

// livesOfOthers are those of jobs whose function is not called, or that have none.
func livesOfOthers(t *testing.T) []life {
	return []life{
		{"Run, its context ends in the queue", func(m *manual, see see) {
			ctx, cancel := context.WithCancel(m.ctx())
			j := Run(ctx, constant(1, nil))
			cancel()
			see(j)
			m.all()
			see(j)
		}, []Status{Scheduled, Canceled}},
		{"Run, refused", func(m *manual, see see) {
			m.refuse = ErrRejected
			see(Run(m.ctx(), constant(1, nil)))
		}, []Status{Faulted}},
		{"Run, abandoned", func(m *manual, see see) {
			j := Run(m.ctx(), constant(1, nil))
			see(j)
			m.take(t).Abandon(ErrShutdown)
			see(j)
		}, []Status{Scheduled, Faulted}},
		{"a source", func(_ *manual, see see) {
			s := NewSource[int]()
			see(s.Job())
			s.TrySetResult(1)
			see(s.Job())
		}, []Status{WaitingForActivation, Completed}},
		{"a continuation", func(m *manual, see see) {
			s := NewSource[int]()
			j := ContinueWith(m.ctx(), s.Job(), func(context.Context, *Job[int]) (int, error) { return 1, nil })
			see(j)
			s.TrySetResult(1)
			see(j)
			m.all()
			see(j)
		}, []Status{WaitingForActivation, Scheduled, Completed}},
		{"from a result, an error, a cancellation", func(_ *manual, see see) {
			see(FromResult(1))
			see(FromError[int](errBoom))
			see(FromCanceled[int](nil))
		}, []Status{Completed, Faulted, Canceled}},
	}
}

// onItsOwnGoroutine runs f to its end, be it a return or a Goexit.
func onItsOwnGoroutine(f func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		f()
	}()
	<-ended
}

func TestStatusesHaveNames(t *testing.T) {
	want := []string{"Created", "WaitingForActivation", "Scheduled", "Running", "Completed", "Canceled", "Faulted"}
	for i, name := range want {
		assert.Equal(t, name, Status(i).String())
		assert.Equal(t, i >= int(Completed), Status(i).IsFinal(), name)
	}
	assert.Equal(t, "Status(7)", Status(7).String())
}
