package ctxwatch

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"weak"

	"github.com/stretchr/testify/assert"
)

// apart is a Listener that is not the watch itself.
type apart struct {
	times int
	_     *int // objects without pointers may share their memory with others
}

func (a *apart) ContextEnded(*Watch) { a.times++ }

// A watch that was notified keeps neither its Listener nor its neighbours alive.
func TestAToldWatchKeepsNothingAlive(t *testing.T) {
	var kept [3]*Watch
	var listeners [3]weak.Pointer[apart]
	var watches [3]weak.Pointer[Watch]
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		for i := range kept {
			e := new(apart)
			kept[i] = new(Watch)
			listeners[i], watches[i] = weak.Make(e), weak.Make(kept[i])
			kept[i].Start(ctx, e)
		}
		cancel()
		synctest.Wait()
	})
	first, last := kept[0], kept[2]
	kept = [3]*Watch{}
	runtime.GC()
	for i := range listeners {
		assert.Nil(t, listeners[i].Value())
	}
	assert.Nil(t, watches[1].Value())
	runtime.KeepAlive(first)
	runtime.KeepAlive(last)
}

// again starts its watch again when it is notified.
type again struct {
	Watch
	next  context.Context
	times int
}

func (a *again) ContextEnded(w *Watch) {
	a.times++
	if next := a.next; next != nil {
		a.next = nil
		w.Start(next, a)
	}
}

// If a watch is started again, for another context, the watches behind it are still notified.
func TestAWatchMayStartAgainWhenItIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		next, cancelNext := context.WithCancel(t.Context())
		var all [4]again
		for i := range all {
			all[i].next = next
			all[i].Start(ctx, &all[i])
		}
		cancel()
		synctest.Wait()
		for i := range all {
			assert.Equal(t, 1, all[i].times)
		}
		cancelNext()
		synctest.Wait()
		for i := range all {
			assert.Equal(t, 2, all[i].times)
		}
		assert.Zero(t, groupsLeft())
	})
}
