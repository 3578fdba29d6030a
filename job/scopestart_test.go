package job

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// started makes sources, and starts their jobs as children of a scope.
type started struct {
	scope   *Scope
	sources []*Source[Void]
}

func (d *started) start() bool {
	return d.scope.Start(func(context.Context) *Job[Void] {
		d.sources = append(d.sources, NewSource[Void]())
		return d.sources[len(d.sources)-1].Job()
	})
}

func TestChildrenOfStartBeginAtOnceAndInOrder(t *testing.T) {
	m := &manual{}
	d := started{scope: NewScope(m.ctx())}
	for i := range 3 {
		assert.True(t, d.start())
		assert.Len(t, d.sources, i+1)
	}
	assert.Empty(t, m.queue, "the scheduler has nothing to do with it")
	j := d.scope.WaitAsync()
	for _, s := range d.sources {
		assert.False(t, j.IsCompleted())
		s.TrySetResult(Void{})
	}
	assert.Equal(t, Completed, j.Status())
	assert.False(t, d.start(), "the scope has ended")
}

func TestAStartedChildIsNoObjectBesideItsJob(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	var last *Source[Void]
	child := func(context.Context) *Job[Void] { last = NewSource[Void](); return last.Job() }
	assert.Equal(t, 1.0, testing.AllocsPerRun(100, func() {
		s.Start(child)
		last.TrySetResult(Void{})
	}))
	var sources []*Source[Void]
	for range 1000 {
		s.Start(child)
		sources = append(sources, last)
	}
	for i := range sources { // in another order
		sources[(i*7)%len(sources)].TrySetResult(Void{})
	}
	s.Start(func(context.Context) *Job[Void] { return FromError[Void](errors.New("the last one")) })
	assert.EqualError(t, s.Wait(), "the last one")
}

func TestAStartedChildHasTheContextOfItsScope(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	s.Start(func(ctx context.Context) *Job[Void] {
		assert.Same(t, m, homeOf(ctx).Scheduler)
		s.Cancel(nil)
		assert.Error(t, ctx.Err())
		return FromCanceled[Void](ctx.Err())
	})
	assert.False(t, s.Start(func(context.Context) *Job[Void] { panic("unreachable: it is canceled") }))
	require.ErrorIs(t, s.Wait(), context.Canceled)
}

func TestAStartedChildThatFailsCancelsTheOthersUnlessTheScopeSupervises(t *testing.T) {
	ReportUnobserved() // what earlier tests have left
	for _, opts := range [][]Option{nil, {Supervisor()}} {
		d := started{scope: NewScope(context.Background(), opts...)}
		require.True(t, d.start())
		require.True(t, d.start())
		d.sources[0].TrySetError(errBoom)
		if len(opts) == 0 {
			require.Error(t, d.scope.Context().Err())
		} else {
			require.NoError(t, d.scope.Context().Err())
		}
		d.sources[1].TrySetResult(Void{})
		require.ErrorIs(t, d.scope.Wait(), errBoom)
	}
	assert.Zero(t, ReportUnobserved(), "the failure was the scope's")
}

func TestAStartedChildWithoutAJobHasFailed(t *testing.T) {
	boom := func(context.Context) *Job[Void] { panic(errBoom) }
	for want, fn := range map[error]func(context.Context) *Job[Void]{
		ErrNilJob:  func(context.Context) *Job[Void] { return nil },
		errBoom:    boom,
		ErrNilFunc: nil,
	} {
		s := NewScope(context.Background())
		assert.Equal(t, fn != nil, s.Start(fn))
		err := s.Wait()
		require.ErrorIs(t, err, want)
		var p *PanicError
		assert.Equal(t, want == errBoom, errors.As(err, &p))
	}
}

func TestAStartedChildThatCallsGoexitEndsItsCaller(t *testing.T) {
	s := NewScope(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.Start(func(context.Context) *Job[Void] { runtime.Goexit(); return nil })
		t.Error("it continues")
	}()
	<-gone
	require.ErrorIs(t, s.Wait(), ErrGoexit)
}

func TestAStartedChildTakesASlotAndDoesNotWaitForOne(t *testing.T) {
	m := &manual{}
	d := started{scope: NewScope(m.ctx())}
	d.scope.Limit(1)
	d.start()
	d.start()
	d.scope.Go(doNothing)
	for _, s := range d.sources {
		require.Empty(t, m.queue)
		s.TrySetResult(Void{})
	}
	m.all()
	require.NoError(t, d.scope.Wait())
}

func TestAStartedChildNamesItsScopeInTheAsyncStack(t *testing.T) {
	d := started{scope: NewScope(context.Background(), Named("upload"))}
	d.start()
	stack := AsyncStack(d.sources[0].Job())
	require.Len(t, stack, 2) // the job is the first
	assert.Equal(t, `scope "upload"`, stack[1].What+" "+stack[1].Job)
	d.sources[0].TrySetResult(Void{})
	require.NoError(t, d.scope.Wait())
}
