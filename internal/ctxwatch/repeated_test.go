package ctxwatch

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

func TestALastingWatchTellsTheWaitThatIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var l SharedWatch
		l.Start(ctx)
		assert.True(t, l.Watches(OriginOf(ctx)))
		var before, during, after told
		l.Subscribe(&before.Watch, &before)
		assert.True(t, l.Unsubscribe())
		l.Subscribe(&during.Watch, &during)
		cancel()
		synctest.Wait()
		assert.False(t, l.Unsubscribe())
		assert.False(t, l.Watches(OriginOf(ctx)), "it has ended")
		l.Subscribe(&after.Watch, &after)
		assert.Equal(t, []int{0, 1, 1}, []int{before.times, during.times, after.times})
		assert.False(t, l.Stop(), "it cannot be started again")
		assert.Zero(t, groupsLeft())
	})
}

func TestALastingWatchMovesToAnotherContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l SharedWatch
		first, cancelFirst := context.WithCancel(t.Context())
		l.Start(first)
		assert.True(t, l.Stop())
		assert.Zero(t, groupsLeft(), "nothing watches the first any more")
		cancelFirst()
		second, cancelSecond := context.WithCancel(t.Context())
		l.Start(second)
		assert.False(t, l.Watches(OriginOf(first)))
		var w told
		l.Subscribe(&w.Watch, &w)
		synctest.Wait()
		assert.Zero(t, w.times)
		cancelSecond()
		synctest.Wait()
		assert.Equal(t, 1, w.times)
	})
}

// listing is a context with a Source.
type listing struct {
	context.Context
	waits Source
}

func (l *listing) WatchSource(Key) *Source { return &l.waits }

func TestALastingWatchTellsContextsWithASourceApart(t *testing.T) {
	var contexts [2]listing
	for i := range contexts {
		contexts[i].Context = t.Context()
		contexts[i].waits.Init(&contexts[i], nil)
	}
	var l SharedWatch
	l.Start(&contexts[0])
	assert.True(t, l.Watches(OriginOf(&contexts[0])))
	assert.False(t, l.Watches(OriginOf(&contexts[1])))
	assert.True(t, l.Stop())
}
