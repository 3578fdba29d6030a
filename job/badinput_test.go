package job

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// Every mistake that a program can make returns a documented error at once; nothing hangs.
func TestBadInputIsAnErrorThatIsDocumented(t *testing.T) {
	ctx := onPool(t, 1)
	outcome := func(j Handle) error {
		<-j.Done()
		return j.Err()
	}
	var noFunc func(context.Context) (int, error)
	for _, row := range []struct {
		name string
		want error
		do   func() error
	}{
		{"a nil function of Run", ErrNilFunc, func() error { return outcome(Run(ctx, noFunc)) }},
		{"a nil function of New", ErrNilFunc, func() error { return outcome(New(ctx, noFunc)) }},
		{"a nil function of Go", ErrNilFunc, func() error { return outcome(Go(ctx, nil)) }},
		{"a nil function of Blocking", ErrNilFunc, func() error { return outcome(Blocking(ctx, noFunc)) }},
		{"a nil function of ContinueWith", ErrNilFunc, func() error { return outcome(ContinueWith[int, int](ctx, FromResult(1), nil)) }},
		{"a nil function of Then", ErrNilFunc, func() error { return outcome(Then[int, int](ctx, FromResult(1), nil)) }},
		{"a nil function of Catch", ErrNilFunc, func() error { return outcome(Catch[int](ctx, FromResult(1), nil)) }},
		{"a nil function of Finally", ErrNilFunc, func() error { return outcome(Finally[int](ctx, FromResult(1), nil)) }},
		{"a nil body of InScope", ErrNilFunc, func() error { return InScope(ctx, nil) }},
		{"a nil scheduler", ErrNilScheduler, func() error { return outcome(Run(ctx, constant(1, nil), On(nil))) }},
		{"a switch to a nil scheduler", ErrNilScheduler, func() error { return SwitchTo(ctx, nil) }},
		{"a nil job in WhenAll", ErrNilJob, func() error { return outcome(WhenAll(FromResult(1), nil)) }},
		{"a nil job in WhenAllOf", ErrNilJob, func() error { return outcome(WhenAllOf(FromResult(1), nil)) }},
		{"a nil job in Race, and no other", ErrNilJob, func() error { return outcome(Race[int](nil)) }},
		{"Wait on a nil job", ErrNilJob, func() error { _, err := (*Job[int])(nil).Wait(ctx); return err }},
		{"Await of a nil job", ErrNilJob, func() error { _, err := (*Job[int])(nil).Await(); return err }},
		{"WhenAny of nothing", ErrNoJobs, func() error { return outcome(WhenAny[int]()) }},
		{"WhenAnyOf of nothing", ErrNoJobs, func() error { return outcome(WhenAnyOf()) }},
		{"Race of nothing", ErrNoJobs, func() error { return outcome(Race[int]()) }},
		{"Wait on a Created job", ErrNotStarted, func() error { _, err := New(ctx, constant(1, nil)).Wait(ctx); return err }},
		{"a second Start", ErrStarted, func() error {
			j := New(ctx, constant(1, nil))
			require.NoError(t, j.Start())
			return j.Start()
		}},
		{"Start of a source's job", ErrStarted, func() error { return NewSource[int]().Job().Start() }},
		{"an option that does not apply", ErrOption, func() error { return outcome(Run(ctx, constant(1, nil), OnlyOnFaulted())) }},
		{"a wait whose time was up before", context.DeadlineExceeded, func() error {
			return outcome(WaitTimeout(ctx, NewSource[int]().Job(), -time.Second))
		}},
		{"a job that waits for itself", ErrCycle, func() error {
			var j *Job[int]
			set := make(chan struct{})
			j = Run(ctx, func(ctx context.Context) (int, error) { <-set; return j.Wait(ctx) })
			close(set)
			return outcome(j)
		}},
	} {
		t.Run(row.name, func(t *testing.T) { assert.ErrorIs(t, row.do(), row.want) })
	}
}

func TestASourceThatIsCompletedTwiceSaysSo(t *testing.T) {
	s := NewSource[int]()
	assert.True(t, s.TrySetResult(1))
	assert.False(t, s.TrySetResult(2))
	assert.False(t, s.TrySetError(errBoom))
	assert.False(t, s.TrySetCanceled())
	v, err := s.Job().Wait(context.Background())
	assert.NoError(t, err)
	assert.Equal(t, 1, v)
}

func TestNegativeDurationsHavePassed(t *testing.T) {
	ctx := onPool(t, 1)
	assert.True(t, SleepAsync(ctx, -time.Hour).IsCompleted())
	assert.NoError(t, Sleep(ctx, -time.Hour))
	assert.Equal(t, Completed, WaitTimeout(ctx, FromResult(1), -time.Hour).Status(), "of a job that has ended, the outcome")
}

// Work that is submitted after the shutdown of its scheduler is refused at once. A
// sleep, which does not run on that scheduler, works as always.
func TestUseAfterTheShutdownOfTheScheduler(t *testing.T) {
	p := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(context.Background(), p)
	created, source, scope := New(ctx, constant(1, nil)), NewSource[int](), NewScope(ctx)
	link := ContinueWith(ctx, source.Job(), next)
	require.NoError(t, p.Shutdown(context.Background()))

	source.TrySetResult(1)
	child := Spawn(scope, constant(1, nil))
	for name, err := range map[string]error{
		"Run":              Run(ctx, constant(1, nil)).Err(),
		"Go":               Go(ctx, doNothing).Err(),
		"Start":            created.Start(),
		"a continuation":   link.Err(),
		"Then":             Then(ctx, FromResult(1), itoa).Err(),
		"Spawn":            child.Err(),
		"SwitchTo":         SwitchTo(context.Background(), p),
		"the scope's Wait": scope.Wait(),
	} {
		assert.ErrorIs(t, err, ErrShutdown, name)
	}
	assert.NoError(t, Sleep(ctx, time.Microsecond), "the world's timers are left")
}

func TestAZeroJobIsNeverStarted(t *testing.T) {
	var j Job[int]
	assert.Equal(t, Created, j.Status())
	assert.Equal(t, ErrStarted, j.Start())
	assert.False(t, j.Cancel())
	_, err := j.Wait(context.Background())
	assert.ErrorIs(t, err, ErrNotStarted)
	_, err = j.Await()
	assert.ErrorIs(t, err, ErrNotStarted)
}
