package schedulers_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/observed"
)

// layer is a scheduler on top of another one.
type layer struct{ schedulers.Scheduler }

func (l layer) Beneath() schedulers.Scheduler { return l.Scheduler }

// loose is a scheduler of a type that cannot be compared.
type loose struct{ _ []string }

func (loose) Submit(schedulers.Work, schedulers.Hint) error { return nil }

func TestWorkOfALayerRunsOnWhatIsBeneath(t *testing.T) {
	one, two := &direct{}, &direct{}
	assert.True(t, schedulers.RunsOn(one, one))
	assert.True(t, schedulers.RunsOn(layer{layer{one}}, one))
	assert.True(t, schedulers.RunsOn(layer{layer{one}}, layer{one}))
	assert.False(t, schedulers.RunsOn(layer{layer{one}}, two))
	assert.False(t, schedulers.RunsOn(one, layer{one}), "the other way round")
	assert.False(t, schedulers.RunsOn(nil, one))
	assert.False(t, schedulers.RunsOn(layer{nil}, one))
	assert.False(t, schedulers.RunsOn(loose{}, loose{}), "it cannot be known")
}

// prompt is a scheduler that runs work in Submit.
type prompt struct{ direct }

func (*prompt) RunsInPlace() bool { return true }

// AcceptsRepeats implements [dispatch.Repeater].
func (*prompt) AcceptsRepeats() bool { return true }

// A layer from outside of the module may tell work items apart.
func TestALayerOfTheModuleAcceptsRepeatsIfWhatIsBeneathDoes(t *testing.T) {
	p := &prompt{}
	assert.True(t, dispatch.AcceptsRepeats(p))
	assert.True(t, dispatch.AcceptsRepeats(&schedulers.Home{Scheduler: observed.New(observed.New(p, nil), nil)}))
	assert.False(t, dispatch.AcceptsRepeats(observed.New(layer{p}, nil)))
	assert.False(t, dispatch.AcceptsRepeats(observed.New(&direct{}, nil)))
	assert.False(t, dispatch.AcceptsRepeats(observed.New(nil, nil)))
	assert.False(t, dispatch.AcceptsRepeats(nil))
}

func TestALayerRunsInPlaceIfWhatIsBeneathDoes(t *testing.T) {
	p := &prompt{}
	assert.True(t, dispatch.RunsInPlace(p))
	assert.True(t, dispatch.RunsInPlace(&schedulers.Home{Scheduler: layer{layer{p}}}))
	assert.False(t, dispatch.RunsInPlace(layer{&direct{}}))
	assert.False(t, dispatch.RunsInPlace(layer{nil}))
	assert.False(t, dispatch.RunsInPlace(nil))
}

func TestSameLooksThroughHomesAndDoesNotPanic(t *testing.T) {
	one, two := &direct{}, &direct{}
	assert.True(t, dispatch.Same(one, &schedulers.Home{Scheduler: one}))
	assert.True(t, dispatch.Same(layer{one}, layer{one}))
	assert.True(t, dispatch.Same(nil, nil))
	assert.False(t, dispatch.Same(one, two))
	assert.False(t, dispatch.Same(one, layer{one}))
	assert.False(t, dispatch.Same(one, nil))
	assert.False(t, dispatch.Same(loose{}, loose{}))
	assert.False(t, dispatch.Same(layer{loose{}}, layer{loose{}}), "comparable by its type alone")
}

// teller is a worker that records the waits announced to it.
type teller struct {
	directWorker
	told   []string
	refuse error
}

func (w *teller) Block() (func(), error) { return w.tell("Block") }

func (w *teller) tell(what string) (func(), error) {
	w.told = append(w.told, what)
	if w.refuse != nil {
		return nil, w.refuse
	}
	return func() { w.told = append(w.told, "unblock") }, nil
}

// homeTeller also records the scheduler whose work is awaited.
type homeTeller struct{ teller }

func (w *homeTeller) BlockFor(schedulers.Scheduler, <-chan struct{}) (func(), error) {
	return w.tell("BlockFor")
}

// pumpTeller also runs other work during a wait.
type pumpTeller struct{ homeTeller }

var errPumped = errors.New("pumped")

func (w *pumpTeller) Pump(context.Context, schedulers.Scheduler, <-chan struct{}) error {
	w.told = append(w.told, "Pump")
	return errPumped
}

func TestAWaitTellsTheWorkerInTheBestWayThatItUnderstands(t *testing.T) {
	done, s := make(chan struct{}), &direct{}
	close(done)
	ctx := context.Background()

	require.NoError(t, schedulers.Wait(ctx, nil, s, done), "no worker to tell")
	require.NoError(t, schedulers.Wait(ctx, &directWorker{s}, s, done), "a worker that need not be told")

	var blocks teller
	require.NoError(t, schedulers.Wait(ctx, &blocks, s, done))
	assert.Equal(t, []string{"Block", "unblock"}, blocks.told)

	var home homeTeller
	require.NoError(t, schedulers.Wait(ctx, &home, s, done))
	require.NoError(t, schedulers.Wait(ctx, &home, nil, done))
	assert.Equal(t, []string{"BlockFor", "unblock", "Block", "unblock"}, home.told)

	var pump pumpTeller
	assert.Equal(t, errPumped, schedulers.Wait(ctx, &pump, s, done))
	assert.Equal(t, []string{"Pump"}, pump.told)
}

func TestAWaitEndsWithItsContextOrWhenItIsRefused(t *testing.T) {
	never := make(chan struct{})
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	assert.Equal(t, cause, schedulers.Wait(ctx, nil, nil, never))
	assert.Equal(t, context.Canceled, schedulers.Wait(mute{ctx}, nil, nil, never))
	w := teller{refuse: schedulers.ErrWouldDeadlock}
	assert.Equal(t, schedulers.ErrWouldDeadlock, schedulers.Wait(context.Background(), &w, nil, never))
	var none context.Context
	done := make(chan struct{})
	close(done)
	assert.NoError(t, schedulers.Wait(none, nil, nil, done))
}

// mute is a context that is done and has no error.
type mute struct{ context.Context }

func (mute) Err() error    { return nil }
func (mute) Value(any) any { return nil }
