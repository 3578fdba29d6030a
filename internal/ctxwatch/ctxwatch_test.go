package ctxwatch

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shrinkmap"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type told struct {
	Watch
	mu    sync.Mutex
	times int
}

func (t *told) ContextEnded(*Watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.times++
}

func groupsLeft() (n int) {
	for i := range registry {
		registry[i].mu.Lock()
		n += shrinkmap.Len(&registry[i].groups)
		registry[i].mu.Unlock()
	}
	return n
}

func TestEachWatchOfAnEndedContextIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		watches := make([]told, 100)
		for i := range watches {
			watches[i].Start(ctx, &watches[i])
		}
		cancel()
		synctest.Wait()
		for i := range watches {
			assert.Equal(t, 1, watches[i].times)
			assert.False(t, watches[i].Stop(), "a told watch has nothing to stop")
		}
		assert.Zero(t, groupsLeft())
	})
}

func TestAStoppedWatchIsNeverTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var first, middle, last told
		for _, w := range []*told{&first, &middle, &last} {
			w.Start(ctx, w)
		}
		assert.True(t, middle.Stop())
		assert.False(t, middle.Stop(), "stopping twice")
		cancel()
		synctest.Wait()
		assert.Equal(t, []int{1, 0, 1}, []int{first.times, middle.times, last.times})
	})
}

func TestTheLastStopLeavesNothingBehind(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var a, b told
	a.Start(ctx, &a)
	b.Start(ctx, &b)
	assert.Equal(t, 1, groupsLeft())
	assert.True(t, a.Stop())
	assert.True(t, b.Stop())
	assert.Zero(t, groupsLeft())

	a.Start(ctx, &a)
	assert.True(t, a.Stop(), "a stopped watch can be started again")
}

func TestAContextThatHasEndedTellsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var w told
		w.Start(ctx, &w)
		synctest.Wait()
		assert.Equal(t, 1, w.times)
	})
}

func TestAContextThatCannotEndCostsNothing(t *testing.T) {
	var w told
	w.Start(context.Background(), &w)
	assert.Zero(t, groupsLeft())
	assert.False(t, w.Stop())
}

func TestStopRacingTheEnd(t *testing.T) {
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		watches := make([]told, 8)
		for i := range watches {
			watches[i].Start(ctx, &watches[i])
		}
		var stopped [8]bool
		var wg sync.WaitGroup
		wg.Go(cancel)
		for i := range watches {
			wg.Go(func() { stopped[i] = watches[i].Stop() })
		}
		wg.Wait()
		for i := range watches {
			if !stopped[i] {
				continue // notified, or about to be
			}
			watches[i].mu.Lock()
			assert.Zero(t, watches[i].times, "stopped and told")
			watches[i].mu.Unlock()
		}
	}
}

// nosy is a context that watches another one whenever Value is called.
type nosy struct {
	context.Context
	other context.Context
}

func (n nosy) Value(key any) any {
	var w told
	w.Start(n.other, &w)
	w.Stop()
	return n.Context.Value(key)
}

func TestAContextThatWatchesItselfDuringStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var w told
	w.Start(nosy{ctx, ctx}, &w)
	assert.True(t, w.Stop())
	assert.Zero(t, groupsLeft())
}

// unwatchable is a context that can end, and panics when it is watched.
type unwatchable struct {
	context.Context
	done chan struct{}
	then func()
}

func (u unwatchable) Done() <-chan struct{} { return u.done }

func (u unwatchable) AfterFunc(func()) func() bool {
	u.then()
	panic("no watch")
}

func TestAContextThatPanicsWhenItIsWatchedLeavesNothingBehind(t *testing.T) {
	var w, beside told
	ctx := unwatchable{Context: t.Context(), done: make(chan struct{})}
	for _, then := range []func(){func() {}, func() { beside.Start(ctx, &beside) }} {
		ctx.then = then
		assert.PanicsWithValue(t, "no watch", func() { w.Start(ctx, &w) })
		assert.False(t, w.Started())
		assert.Zero(t, groupsLeft(), "no watch that is started later joins one that is never told")
	}
	assert.True(t, beside.Stop())
}

func TestTheLastStopBetweenLinkingAndListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var w told
		s := &registry[0]
		s.mu.Lock()
		g := s.newGroup(ctx.Done()) // Start has come this far,
		g.link(&w.Watch, &w, nil)
		s.mu.Unlock()
		assert.True(t, w.Stop()) // Stop overtakes it,
		g.listen(ctx, &w.Watch)  // and no watcher is left
		assert.Zero(t, groupsLeft())
		cancel()
		synctest.Wait()
		assert.Zero(t, w.times)
	})
}

func TestAStoppedWatchKeepsNoContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var w told
	w.Start(ctx, &w)
	w.Stop()
	assert.Nil(t, interleave.LoadPointer(&w.place))
}

func TestReasonMatchesErrorAndCause(t *testing.T) {
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	assert.NoError(t, Reason(ctx))
	cancel(cause)
	assert.ErrorIs(t, Reason(ctx), context.Canceled)
	assert.ErrorIs(t, Reason(ctx), cause)

	wrapped := fmt.Errorf("stop: %w", context.Canceled)
	ctx, cancel = context.WithCancelCause(t.Context())
	cancel(wrapped)
	assert.Same(t, wrapped, Reason(ctx), "a cause that says it all is the reason")
}

// exiting is a watch whose listener calls runtime.Goexit.
type exiting struct{ told }

func (e *exiting) ContextEnded(w *Watch) {
	e.told.ContextEnded(w)
	runtime.Goexit()
}

func TestAListenerThatExitsDoesNotKeepTheNewsFromOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		watches := make([]exiting, 3)
		for i := range watches {
			assert.True(t, watches[i].Start(ctx, &watches[i]))
		}
		cancel()
		synctest.Wait()
		for i := range watches {
			assert.Equal(t, 1, watches[i].times)
		}
		assert.Zero(t, groupsLeft())
	})
}

// lasting is a host that counts its users.
// once is a context with a Single, whose parent is its own host.
type once struct {
	context.Context
	Single
	over bool
}

func (o *once) WatchSource(Key) *Source         { panic("one watch is enough") }
func (o *once) WatchSingle(Key) *Single         { return &o.Single }
func (o *once) WatchParent(Key) context.Context { return o.Context }
func (o *once) IsOver(Key) bool                 { return o.over }

func TestAListenerThatExitsIsToldByASingle(t *testing.T) {
	h := new(lasting)
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancel(context.WithValue(t.Context(), HostKey{}, h))
		defer cancel()
		ctx := &once{Context: parent}
		var w exiting
		for range 2 {
			ctx.over = false
			assert.True(t, w.Start(ctx, &w))
			assert.Equal(t, 1, h.users)
			ctx.over = true
			ctx.End()
			synctest.Wait()
			assert.Zero(t, h.users, "the parent has no users")
			assert.Zero(t, groupsLeft())
		}
		assert.Equal(t, 2, w.times)
	})
}

type lasting struct{ users int }

func (l *lasting) Hold() bool { l.users++; return true }
func (l *lasting) Release()   { l.users-- }

func TestAContextThatPanicsWhenItIsWatchedKeepsNoHost(t *testing.T) {
	h := new(lasting)
	ctx := unwatchable{Context: context.WithValue(t.Context(), HostKey{}, h), done: make(chan struct{}), then: func() {}}
	var w told
	assert.Panics(t, func() { w.Start(ctx, &w) })
	assert.Zero(t, h.users)
}

func TestAValueChangesNothingAboutTheEnd(t *testing.T) {
	assert.NotNil(t, withValue, "package context has another type for values")
	assert.Equal(t, context.Background(), withoutValues(context.WithValue(context.WithValue(context.Background(), Key{}, 1), HostKey{}, 2)))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	assert.Equal(t, ctx, withoutValues(context.WithValue(ctx, Key{}, 1)))
	var w, beside told
	w.Start(context.WithValue(ctx, Key{}, 1), &w)
	beside.Start(ctx, &beside)
	assert.Equal(t, 1, groupsLeft())
	assert.True(t, w.Stop())
	assert.True(t, beside.Stop())
}
