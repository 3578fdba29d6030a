package job

import (
	"context"
	"io"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// threes is a stream of 1, an error, and 3, that records when it has ended.
func threes(ended *bool) *Stream[int] {
	return StreamOf(func(yield func(int, error) bool) {
		defer func() { *ended = true }()
		_ = yield(1, nil) && yield(2, errBoom) && yield(3, nil)
	})
}

func TestAPullerHandsOutOneValueAfterTheOther(t *testing.T) {
	var ended bool
	p := threes(&ended).Pull()
	v, err := p.Next(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, 1, v)
	v, err = p.NextAsync(t.Context()).Wait(t.Context())
	assert.Equal(t, errBoom, err, "is a value like others")
	assert.Equal(t, 2, v)
	v, err = p.Next(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	assert.False(t, ended)
	for range 2 {
		_, err = p.Next(t.Context())
		assert.Equal(t, io.EOF, err)
	}
	assert.True(t, ended)
	assert.NoError(t, p.Stop(t.Context()))
}

func TestAPullerThatIsStoppedRunsTheDeferredCalls(t *testing.T) {
	var ended bool
	p := threes(&ended).Pull()
	_, err := p.Next(t.Context())
	assert.NoError(t, err)
	for range 2 {
		assert.NoError(t, p.Stop(t.Context()))
		assert.True(t, ended)
	}
	_, err = p.Next(t.Context())
	assert.Equal(t, io.EOF, err)
}

func TestAPullerThatIsStoppedBeforeItHasBegunRunsNothing(t *testing.T) {
	p := StreamOf(func(func(int, error) bool) { assert.Fail(t, "has begun") }).Pull()
	assert.NoError(t, p.Stop(t.Context()))
	_, err := p.Next(t.Context())
	assert.Equal(t, io.EOF, err)
}

func TestAPullerOfNothing(t *testing.T) {
	for _, s := range []*Stream[int]{nil, StreamOf[int](nil)} {
		p := s.Pull()
		_, err := p.Next(t.Context())
		assert.Equal(t, ErrNilFunc, err)
		_, err = p.Next(t.Context())
		assert.Equal(t, io.EOF, err)
	}
}

// held is a stream that yields the values of a channel.
func held(values <-chan int) *Puller[int] {
	return StreamOf(func(yield func(int, error) bool) {
		for v := range values {
			if !yield(v, nil) {
				return
			}
		}
	}).Pull()
}

func TestAValueThatComesAfterTheEndOfTheWaitIsForTheNextCall(t *testing.T) {
	values := make(chan int)
	p := held(values)
	ctx, cancel := context.WithCancel(t.Context())
	first := p.NextAsync(ctx)
	cancel()
	_, err := first.Wait(t.Context())
	var ended *WaitError
	require.ErrorAs(t, err, &ended)
	assert.ErrorIs(t, err, context.Canceled)
	values <- 7
	v, err := p.Next(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, 7, v)
	_, err = p.Next(ctx)
	assert.ErrorIs(t, err, context.Canceled, "a wait that has ended before does not begin a step")
	close(values)
	_, err = p.Next(t.Context())
	assert.Equal(t, io.EOF, err)
}

func TestASecondNextIsRefusedWhileTheFirstWaits(t *testing.T) {
	values := make(chan int, 1)
	p := held(values)
	first := p.NextAsync(t.Context())
	_, err := p.Next(t.Context())
	assert.Equal(t, ErrPulling, err)
	values <- 1
	v, err := first.Wait(t.Context())
	assert.NoError(t, err)
	assert.Equal(t, 1, v)
	assert.NoError(t, p.Stop(t.Context()))
}

// The step continues to its value, and its caller gets it; then the stream ends.
func TestStopWhileAStepIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		values := make(chan int)
		p := held(values)
		ctx := onPool(t, 1)
		asked := p.NextAsync(ctx)
		ended := p.StopAsync(ctx)
		synctest.Wait()
		assert.False(t, ended.IsCompleted())
		values <- 1
		v, err := asked.Wait(ctx)
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
		_, err = ended.Wait(ctx)
		assert.NoError(t, err)
	})
}

func TestAPanicOfAPulledStreamContinuesInTheCaller(t *testing.T) {
	p := StreamOf(func(yield func(int, error) bool) {
		defer func() { panic("at the end") }()
		yield(1, nil)
	}).Pull()
	_, err := p.Next(t.Context())
	assert.NoError(t, err)
	assert.PanicsWithValue(t, "at the end", func() { _, _ = p.Next(t.Context()) })
	_, err = p.Next(t.Context())
	assert.Equal(t, io.EOF, err)

	p = StreamOf(func(yield func(int, error) bool) {
		defer func() { panic("on the way") }()
		yield(1, nil)
	}).Pull()
	_, err = p.Next(t.Context())
	assert.NoError(t, err)
	var panicked *PanicError
	_, err = p.StopAsync(t.Context()).Wait(t.Context())
	assert.ErrorAs(t, err, &panicked)
	assert.PanicsWithValue(t, "on the way", func() { _ = p.Stop(t.Context()) })
}

func TestGoexitOfAPulledStreamContinuesInTheCaller(t *testing.T) {
	p := StreamOf(func(func(int, error) bool) { runtime.Goexit() }).Pull()
	returned, over := false, make(chan struct{})
	go func() {
		defer close(over)
		_, _ = p.Next(context.Background())
		returned = true
	}()
	<-over
	assert.False(t, returned)
	_, err := p.Next(t.Context())
	assert.Equal(t, io.EOF, err)
}

func TestGoexitOfAPulledStreamContinuesBehindItsPanic(t *testing.T) {
	for how, call := range map[string]func(*Puller[int]){
		"Next": func(p *Puller[int]) { _, _ = p.Next(context.Background()) },
		"Stop": func(p *Puller[int]) { _ = p.Stop(context.Background()) },
	} {
		p := StreamOf(func(yield func(int, error) bool) {
			defer func() { panic("while exiting") }()
			yield(1, nil)
			runtime.Goexit()
		}).Pull()
		_, err := p.Next(t.Context())
		require.NoError(t, err)
		var recovered any
		returned, over := false, make(chan struct{})
		go func() {
			defer close(over)
			func() {
				defer func() { recovered = recover() }()
				call(p)
			}()
			returned = true
		}()
		<-over
		assert.Equal(t, "while exiting", recovered, how)
		assert.False(t, returned, how)
	}
}

func TestAStreamThatDoesNotStopIsFoundOut(t *testing.T) {
	p := StreamOf(func(yield func(int, error) bool) {
		for yield(1, nil) || true {
		}
	}).Pull()
	_, err := p.Next(t.Context())
	assert.NoError(t, err)
	_, err = p.StopAsync(t.Context()).Wait(t.Context())
	var panicked *PanicError
	require.ErrorAs(t, err, &panicked)
	assert.ErrorContains(t, err, "yield")
}
