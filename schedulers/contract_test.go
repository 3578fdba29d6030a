package schedulers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// direct is the smallest scheduler: it runs work where it is submitted.
type direct struct{ ran int }

func (d *direct) Submit(w schedulers.Work, _ schedulers.Hint) error {
	d.ran++
	w.Run(&directWorker{d})
	return nil
}

// directWorker is a worker of direct.
type directWorker struct{ of *direct }

func (d *directWorker) Scheduler() schedulers.Scheduler { return d.of }
func (*directWorker) ID() int                           { return 1 }

// note is work that records what happened to it.
type note struct {
	on      schedulers.Worker
	runs    int
	reasons []error
}

func (n *note) Run(on schedulers.Worker) { n.on = on; n.runs++ }
func (n *note) Abandon(reason error)     { n.reasons = append(n.reasons, reason) }

func TestAContextCarriesItsScheduler(t *testing.T) {
	one, two := &direct{}, &direct{}
	outer := schedulers.With(context.Background(), one)
	inner := schedulers.With(outer, two)
	assert.Same(t, one, schedulers.FromContext(outer))
	assert.Same(t, two, schedulers.FromContext(inner), "the nearest")
	assert.Nil(t, schedulers.FromContext(context.Background()))
	assert.Nil(t, schedulers.FromContext(schedulers.With(outer, nil)), "none was set on purpose")
}

func TestAContextCarriesItsWorker(t *testing.T) {
	w := &directWorker{&direct{}}
	ctx := context.WithValue(context.Background(), contract.WorkerKey, schedulers.Worker(w))
	assert.Same(t, w, schedulers.WorkerFrom(ctx))
	assert.Nil(t, schedulers.FromContext(ctx), "a worker is not a scheduler")
	assert.Nil(t, schedulers.WorkerFrom(schedulers.With(context.Background(), w.of)), "and a scheduler is not a worker")
}

func TestANilContextCarriesNothing(t *testing.T) {
	var none context.Context
	assert.Nil(t, schedulers.FromContext(none))
	assert.Nil(t, schedulers.WorkerFrom(none))
}

func TestAValueOfAnotherTypeIsNoScheduler(t *testing.T) {
	ctx := context.WithValue(context.Background(), contract.SchedulerKey, "pool")
	ctx = context.WithValue(ctx, contract.WorkerKey, 7)
	assert.Nil(t, schedulers.FromContext(ctx))
	assert.Nil(t, schedulers.WorkerFrom(ctx))
}

// answers is a context of another package that returns the values of the keys itself.
type answers struct {
	context.Context
	s schedulers.Scheduler
}

func (a answers) Value(key any) any {
	if key == contract.SchedulerKey {
		return a.s
	}
	return a.Context.Value(key)
}

func TestAForeignContextCanAnswerForTheKeys(t *testing.T) {
	s := &direct{}
	assert.Same(t, s, schedulers.FromContext(answers{context.Background(), s}))
}

func TestAContextWithASchedulerHasAHomeForIt(t *testing.T) {
	s := &direct{}
	ctx := schedulers.With(context.Background(), s)
	home := dispatch.HomeOf(ctx)
	require.NotNil(t, home)
	assert.Same(t, s, home.Scheduler)
	assert.Same(t, home, dispatch.HomeOf(ctx), "one for all callers")
	assert.Zero(t, testing.AllocsPerRun(10, func() { dispatch.HomeOf(ctx) }))
}

func TestTheHomeIsThatOfTheSchedulerThatTheContextNames(t *testing.T) {
	outer, inner := &direct{}, &direct{}
	ctx := schedulers.With(context.Background(), outer)
	assert.Same(t, inner, dispatch.HomeOf(schedulers.With(ctx, inner)).Scheduler)
	assert.Same(t, inner, dispatch.HomeOf(answers{ctx, inner}).Scheduler, "a foreign context around it")
	assert.Same(t, dispatch.HomeOf(ctx), dispatch.HomeOf(context.WithoutCancel(ctx)), "no second one is made")
}

func TestAHomeIsASchedulerOnTopOfItsOwn(t *testing.T) {
	s, w := &direct{}, &note{}
	home, ok := schedulers.With(context.Background(), s).Value(contract.SchedulerKey).(schedulers.Scheduler)
	require.True(t, ok)
	require.NoError(t, home.Submit(w, schedulers.Hint{}))
	assert.Equal(t, 1, w.runs)
	assert.True(t, schedulers.RunsOn(home, s))
}

func TestAHomeThatIsGivenBackIsNotWrapped(t *testing.T) {
	s := &direct{}
	answer, _ := schedulers.With(context.Background(), s).Value(contract.SchedulerKey).(schedulers.Scheduler)
	assert.Same(t, s, schedulers.FromContext(schedulers.With(context.Background(), answer)))
	assert.Same(t, s, dispatch.HomeFor(answer).Scheduler)
	assert.Same(t, s, dispatch.HomeOf(answers{context.Background(), answer}).Scheduler)
}

// passing is a context of another package that passes each call of Value on.
type passing struct{ context.Context }

func (p passing) Value(any) any { return dispatch.HomeOf(p.Context) }

func TestANilHomeIsNone(t *testing.T) {
	assert.Nil(t, schedulers.FromContext(passing{context.Background()}))
	assert.Nil(t, dispatch.HomeOf(passing{context.Background()}))
}

func TestWhereNoSchedulerIsNamedThereIsNoHome(t *testing.T) {
	var none context.Context
	assert.Nil(t, dispatch.HomeOf(none))
	assert.Nil(t, dispatch.HomeOf(context.Background()))
	hidden := schedulers.With(schedulers.With(context.Background(), &direct{}), nil)
	assert.Nil(t, dispatch.HomeOf(hidden))
	assert.Nil(t, schedulers.FromContext(hidden))
}

func TestFlagsAreASet(t *testing.T) {
	both := schedulers.PreferFairness | schedulers.Resumed
	assert.True(t, both.Has(schedulers.PreferFairness))
	assert.True(t, both.Has(schedulers.Resumed))
	assert.True(t, both.Has(both))
	assert.True(t, both.Has(0), "all of none")
	assert.False(t, both.Has(schedulers.LongRunning))
	assert.False(t, schedulers.Resumed.Has(both), "some is not all")
	assert.Zero(t, schedulers.Hint{}.Flags)
}

func TestTrySubmitIsSubmit(t *testing.T) {
	s, w := &direct{}, &note{}
	require.NoError(t, schedulers.TrySubmit(s, w, schedulers.Hint{}))
	assert.Equal(t, 1, w.runs)
	assert.Same(t, s, w.on.Scheduler())
}

// refusing is a scheduler that refuses.
type refusing struct{ with error }

func (r refusing) Submit(schedulers.Work, schedulers.Hint) error { return r.with }

func TestTrySubmitPassesARefusalOn(t *testing.T) {
	why := fmt.Errorf("mine: no more today: %w", schedulers.ErrShutdown)
	w := &note{}
	assert.Equal(t, why, schedulers.TrySubmit(refusing{why}, w, schedulers.Hint{}))
	assert.Zero(t, w.runs)
	assert.Empty(t, w.reasons, "a refusal calls nothing")
}

func TestTrySubmitToNoSchedulerIsARefusal(t *testing.T) {
	require.ErrorIs(t, schedulers.TrySubmit(nil, &note{}, schedulers.Hint{}), schedulers.ErrRejected)
	var none *direct // a scheduler that is a nil pointer panics
	require.ErrorIs(t, schedulers.TrySubmit(none, &note{}, schedulers.Hint{}), schedulers.ErrRejected)
}

// panicking is a scheduler with a fault.
type panicking struct{ with any }

func (p panicking) Submit(schedulers.Work, schedulers.Hint) error { panic(p.with) }

func TestASchedulerThatPanicsRefuses(t *testing.T) {
	for _, with := range []any{"out of order", errors.New("out of order"), nil} {
		err := schedulers.TrySubmit(panicking{with}, &note{}, schedulers.Hint{})
		require.ErrorIs(t, err, schedulers.ErrRejected)
		if with != nil {
			require.ErrorContains(t, err, "out of order")
		}
	}
}

func TestErrorsAreToldApart(t *testing.T) {
	all := []error{schedulers.ErrShutdown, schedulers.ErrRejected, schedulers.ErrWouldDeadlock}
	for i, one := range all {
		assert.Regexp(t, `^schedulers: `, one.Error())
		for j, other := range all {
			assert.Equal(t, i == j, errors.Is(fmt.Errorf("wrapped: %w", one), other))
		}
	}
}
