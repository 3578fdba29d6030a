package shutdown

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheSecondBeginWaitsForTheSameEnd(t *testing.T) {
	var e State
	assert.False(t, e.Begun())
	one, first := e.Begin()
	assert.True(t, first)
	two, first := e.Begin()
	assert.False(t, first)
	assert.True(t, e.Begun())
	assert.False(t, e.Finished())
	e.Finish()
	assert.True(t, e.Finished())
	<-one
	<-two
}

func TestAnEndThatIsReachedWinsOverAContextThatHasEnded(t *testing.T) {
	done := make(chan struct{})
	close(done)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 100 { // a select would pick either
		require.NoError(t, Await(ctx, done, func() { t.Error("gave up what has ended") }))
	}
}

func TestAContextThatEndsFirstGivesUp(t *testing.T) {
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	gaveUp := 0
	assert.Equal(t, why, Await(ctx, make(chan struct{}), func() { gaveUp++ }))
	assert.Equal(t, 1, gaveUp)
}

// mute is a context that has ended without an error.
type mute struct {
	context.Context
	done chan struct{}
}

func (m mute) Done() <-chan struct{} { return m.done }

func TestAContextThatDoesNotSayWhyItHasEndedIsCanceled(t *testing.T) {
	ctx := mute{context.Background(), make(chan struct{})}
	close(ctx.done)
	assert.Equal(t, context.Canceled, Await(ctx, make(chan struct{}), func() {}))
}

func TestANilContextNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done, returned := make(chan struct{}), false
		go func() {
			var none context.Context
			assert.NoError(t, Await(none, done, func() { t.Error("gave up") }))
			returned = true
		}()
		synctest.Wait()
		assert.False(t, returned)
		close(done)
		synctest.Wait()
		assert.True(t, returned)
	})
}

type work struct{ reason error }

func (*work) Run(schedulers.Worker)  {}
func (w *work) Abandon(reason error) { w.reason = reason }

func TestAbandonTellsEachWorkWhy(t *testing.T) {
	works := []schedulers.Work{&work{}, &work{}}
	Abandon(nil, works)
	for _, w := range works {
		assert.Equal(t, schedulers.ErrShutdown, w.(*work).reason)
	}
}
