package job

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func itoa(_ context.Context, v int) (string, error) { return strconv.Itoa(v), nil }

func TestThenRunsOnAResultOnly(t *testing.T) {
	m := &manual{}
	j := Then(m.ctx(), FromResult(7), itoa)
	m.all()
	v, err := j.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, "7", v)
}

func TestThenPassesFaultAndCancellationOnAsTheyAre(t *testing.T) {
	m := &manual{}
	faulted := Then(m.ctx(), FromError[int](errBoom), itoa)
	assert.Equal(t, Faulted, faulted.Status(), "no turn of the scheduler is needed")
	assert.Equal(t, errBoom, faulted.Err())

	canceled := Then(m.ctx(), FromCanceled[int](errBoom), itoa)
	assert.Equal(t, Canceled, canceled.Status())
	assert.ErrorIs(t, canceled.Err(), errBoom)
	assert.Empty(t, m.queue)
}

func TestCatchRunsOnAnErrorAndPutsAResultInItsPlace(t *testing.T) {
	m := &manual{}
	var seen error
	instead := func(_ context.Context, err error) (int, error) { seen = err; return 5, nil }
	for _, j := range []*Job[int]{FromError[int](errBoom), FromCanceled[int](errBoom)} {
		c := Catch(m.ctx(), j, instead)
		m.all()
		v, err := c.GetResult()
		assert.NoError(t, err)
		assert.Equal(t, 5, v)
		assert.ErrorIs(t, seen, errBoom)
	}
}

func TestCatchPassesOnWhatItIsNotFor(t *testing.T) {
	m := &manual{}
	never := func(context.Context, error) (int, error) { t.Error("called"); return 0, nil }
	result := Catch(m.ctx(), FromResult(3), never)
	v, err := result.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	assert.Equal(t, Canceled, Catch(m.ctx(), FromCanceled[int](nil), never, OnlyOnFaulted()).Status())
	assert.Equal(t, Faulted, Catch(m.ctx(), FromError[int](errBoom), never, OnlyOnCanceled()).Status())

	s := NewSource[int]()
	kept := Catch(m.ctx(), s.Job(), never, OnlyOnCanceled())
	s.TrySet(9, errBoom)
	v, err = kept.GetResult()
	assert.Equal(t, 9, v, "the value beside the error is kept")
	assert.Equal(t, errBoom, err)
	assert.Empty(t, m.queue)
}

func TestFinallyEndsAsItsAntecedentDid(t *testing.T) {
	runs := 0
	for _, j := range []*Job[int]{FromResult(3), FromError[int](errBoom), FromCanceled[int](errBoom)} {
		m := &manual{}
		f := Finally(m.ctx(), j, func(context.Context) error { runs++; return nil })
		m.all()
		v, err := f.GetResult()
		want, wantErr := j.GetResult()
		assert.Equal(t, want, v)
		assert.Equal(t, wantErr, err)
		assert.Equal(t, j.Status(), f.Status())
	}
	assert.Equal(t, 3, runs)
}

func TestAFailureInFinallyIsJoined(t *testing.T) {
	late := errors.New("close failed")
	fails := func(context.Context) error { return late }
	m := &manual{}
	good := Finally(m.ctx(), FromResult(3), fails)
	bad := Finally(m.ctx(), FromError[int](errBoom), fails)
	m.all()
	v, err := good.GetResult()
	assert.Equal(t, 3, v)
	assert.Equal(t, late, err)
	assert.ErrorIs(t, bad.Err(), errBoom)
	assert.ErrorIs(t, bad.Err(), late)
	assert.Equal(t, Faulted, good.Status())
}

func TestAPanicAndAGoexitInFinallyAreJoinedAndTheValueIsKept(t *testing.T) {
	for _, row := range []struct {
		name string
		fn   func(context.Context) error
		want error
	}{
		{"panic", func(context.Context) error { panic(errClose) }, errClose},
		{"Goexit", func(context.Context) error { runtime.Goexit(); return nil }, ErrGoexit},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx := onPool(t, 1)
			s := NewSource[int]()
			s.TrySet(3, errBoom)
			v, err := Finally(ctx, s.Job(), row.fn).Wait(ctx)
			assert.Equal(t, 3, v)
			assert.ErrorIs(t, err, errBoom)
			assert.ErrorIs(t, err, row.want)
			v, err = Finally(ctx, FromResult(4), row.fn).Wait(ctx)
			assert.Equal(t, 4, v)
			assert.ErrorIs(t, err, row.want)
		})
	}
}

var errClose = errors.New("close failed")

// A job's context takes its end from that of the enclosing job; Finally's context does not.
func TestFinallyInAJobRunsThoughTheContextOfThatHasEnded(t *testing.T) {
	m := &manual{}
	ctx, cancel := context.WithTimeout(m.ctx(), time.Hour)
	var f *Job[int]
	ran := 0
	Go(ctx, func(ctx context.Context) error {
		f = Finally(ctx, FromResult(3), func(ctx context.Context) error {
			ran++
			_, bounded := ctx.Deadline()
			assert.False(t, bounded)
			return ctx.Err()
		})
		cancel()
		return nil
	})
	m.all()
	v, err := f.GetResult()
	assert.NoError(t, err)
	assert.Equal(t, 3, v)
	assert.Equal(t, 1, ran)
}

func TestFinallyRunsThoughItsContextHasEndedAndRefusesCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &manual{}
		ctx, cancel := context.WithCancel(context.WithValue(m.ctx(), ctxKey{}, "v"))
		s := NewSource[int]()
		ran := false
		f := Finally(ctx, s.Job(), func(ctx context.Context) error {
			ran = true
			assert.NoError(t, ctx.Err())
			assert.Equal(t, "v", ctx.Value(ctxKey{}))
			return nil
		})
		cancel()
		synctest.Wait()
		assert.False(t, f.Cancel())
		s.TrySetCanceled()
		assert.False(t, f.Cancel())
		m.all()
		assert.True(t, ran)
		assert.Equal(t, Canceled, f.Status())
	})
}

func TestFinallySaysThatItCouldNotRun(t *testing.T) {
	m := &manual{refuse: ErrShutdown}
	f := Finally(m.ctx(), FromResult(1), func(context.Context) error { return nil })
	assert.ErrorIs(t, f.Err(), ErrShutdown)
}

func TestNilInCombinators(t *testing.T) {
	ctx := context.Background()
	for name, err := range map[string]error{
		"Then":        Then(ctx, nil, itoa).Err(),
		"Unwrap":      Unwrap[int](ctx, nil).Err(),
		"an inner":    Unwrap(ctx, FromResult[*Job[int]](nil)).Err(),
		"WaitAsync":   WaitAsync[int](ctx, nil).Err(),
		"WaitTimeout": WaitTimeout[int](ctx, nil, 1).Err(),
	} {
		assert.Equal(t, ErrNilJob, err, name)
	}
	for name, err := range map[string]error{
		"Catch":        errorOf(Catch(ctx, nil, func(_ context.Context, err error) (int, error) { return 0, err })),
		"Finally":      errorOf(Finally[int](ctx, nil, doNothing)),
		"ContinueWith": errorOf(ContinueWith(ctx, nil, func(_ context.Context, j *Job[int]) (int, error) { return j.GetResult() })),
		"the method":   errorOf((*Job[int])(nil).ContinueWith(ctx, func(_ context.Context, j *Job[int]) error { return j.Err() })),
	} {
		assert.Equal(t, ErrNilJob, err, "%s runs its function with a job that has failed", name)
	}
	n, err := Catch(ctx, nil, func(context.Context, error) (int, error) { return 7, nil }, OnlyOnFaulted()).Wait(ctx)
	assert.NoError(t, err)
	assert.Equal(t, 7, n)
	j := FromResult(1)
	for name, err := range map[string]error{
		"Then":    Then[int, int](ctx, j, nil).Err(),
		"Catch":   Catch(ctx, j, nil).Err(),
		"Finally": Finally(ctx, j, nil).Err(),
	} {
		assert.Equal(t, ErrNilFunc, err, name)
	}
}

// errorOf waits for a job and returns its error.
func errorOf[T any](j *Job[T]) error {
	_, err := j.Wait(context.Background())
	return err
}
