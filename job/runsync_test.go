package job

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"github.com/movenext/movenext/schedulers"
)

func TestRunSynchronouslyRunsOnTheCallersGoroutine(t *testing.T) {
	m := &manual{}
	j := New(m.ctx(), func(ctx context.Context) (int, error) {
		assert.Same(t, m, schedulers.FromContext(ctx), "what it starts goes to its scheduler")
		return 3, nil
	})
	assert.NoError(t, j.RunSynchronously())
	v, err := j.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	assert.Empty(t, m.hints)
	assert.Equal(t, ErrStarted, j.RunSynchronously())
}

func TestRunSynchronouslyOfWhatIsNotCreated(t *testing.T) {
	m := &manual{}
	assert.Equal(t, ErrStarted, Run(m.ctx(), constant(1, nil)).RunSynchronously())
	assert.Equal(t, ErrStarted, NewSource[int]().Job().RunSynchronously())
	assert.Equal(t, ErrNilJob, (*Job[int])(nil).RunSynchronously())
	canceled := New(m.ctx(), constant(1, nil))
	canceled.Cancel()
	assert.Equal(t, ErrStarted, canceled.RunSynchronously())
	m.all()
}

func TestRunSynchronouslyInAContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel((&manual{}).ctx())
	cancel()
	j := New(ctx, func(context.Context) (int, error) { t.Error("ran"); return 0, nil })
	assert.NoError(t, j.RunSynchronously())
	assert.Equal(t, Canceled, j.Status())
}

func TestPanicAndGoexitInRunSynchronously(t *testing.T) {
	ctx := (&manual{}).ctx()
	j := New(ctx, func(context.Context) (int, error) { return explode("ouch") })
	assert.NoError(t, j.RunSynchronously(), "the panic is the job's")
	var p *PanicError
	assert.ErrorAs(t, j.Err(), &p)

	leaving := New(ctx, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
	cameBack := false
	onItsOwnGoroutine(func() { _ = leaving.RunSynchronously(); cameBack = true })
	assert.False(t, cameBack)
	assert.Equal(t, ErrGoexit, leaving.Err())
}

func TestAWaiterClaimsBetweenTheTwoStepsOfRunSynchronously(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		gate := make(chan struct{})
		j := New(m.ctx(), func(context.Context) (int, error) { <-gate; return 1, nil })
		assert.True(t, j.core.state.start()) // RunSynchronously has got this far
		go j.core.work().Run(nil)            // a waiter runs the job in place
		synctest.Wait()
		back := make(chan struct{})
		go func() { j.core.finishSynchronously(); close(back) }()
		synctest.Wait()
		assert.Equal(t, Running, j.Status())
		close(gate)
		<-back
		assert.True(t, j.IsCompleted())
	})
}
