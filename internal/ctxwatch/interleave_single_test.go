//go:build interleave

package ctxwatch

import (
	"context"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
)

// brief is a context with a Single. Its Source does not watch the parent.
type brief struct {
	context.Context // the parent
	only            Single
	waits           Source
	over            interleave.Bool
}

func newBrief(parent context.Context) *brief {
	b := &brief{Context: parent}
	b.waits.Init(parent, nil)
	return b
}

func (b *brief) WatchSource(Key) *Source         { return &b.waits }
func (b *brief) WatchSingle(Key) *Single         { return &b.only }
func (b *brief) WatchParent(Key) context.Context { return b.Context }
func (b *brief) IsOver(Key) bool                 { return b.over.Load() }

func (b *brief) end() {
	b.over.Store(true)
	b.waits.End()
	b.only.End()
}

// below is a watcher of a brief context.
type below struct {
	watcher
	ctx *brief
}

func (w *below) start() {
	w.started = true
	w.Start(w.ctx, w)
}

// The parent of a context with a Single ends, or the context itself, or both do, while its watch
// is started and stopped, perhaps twice.
func TestInterleavingsOfAWatchBelow(t *testing.T) {
	for name, do := range map[string]func(w *below){
		"starts":         func(w *below) { w.start() },
		"comes and goes": func(w *below) { w.start(); w.stop() },
		"comes again": func(w *below) {
			w.start()
			if w.stop(); w.stopped {
				w.stopped = false
				w.start()
			}
		},
	} {
		for _, ends := range []string{"", "parent", "itself", "both"} {
			ofEachKind(t, func(t *testing.T, newContext func() *ending) {
				t.Run(fmt.Sprint(name, " ends=", ends), func(t *testing.T) {
					interleave.Explore(t, func(s *interleave.Schedule) func() error {
						parent := newContext()
						w := &below{ctx: newBrief(parent.itself())}
						w.watcher.ctx = parent
						s.Go("watcher", func() { do(w) })
						if ends == "parent" || ends == "both" {
							s.Go("ender of the parent", parent.end)
						}
						if ends == "itself" || ends == "both" {
							s.Go("ender", w.ctx.end)
						}
						return func() error { return w.check() }
					})
				})
			})
		}
	}
}

func (w *below) check() error {
	over := w.watcher.ctx.over || w.ctx.over.Load()
	waits := w.started && !w.stopped && w.told == 0
	claimed := interleave.LoadPointer(&w.ctx.only.place.group) != nil
	switch {
	case w.told > 1, w.told == 1 && w.stopped, w.told == 1 && !over:
		return fmt.Errorf("told %d times, stopped: %v, over: %v", w.told, w.stopped, over)
	case waits && over:
		return fmt.Errorf("not told")
	case claimed != waits, claimed != (w.ctx.only.place.first != nil), claimed != w.Started():
		return fmt.Errorf("claimed: %v, waits: %v", claimed, waits)
	}
	w.stopped = !waits
	parent := w.watcher.ctx
	if parent.over || waits {
		return nil // checked above
	}
	w.told = 0
	return check(parent, &w.watcher)
}

// A second watch at the same time is one of the Source, and each is told of the end.
func TestInterleavingsOfTwoWatchesBelow(t *testing.T) {
	for _, parent := range []bool{true, false} {
		t.Run(fmt.Sprint("parent=", parent), func(t *testing.T) {
			interleave.Explore(t, func(s *interleave.Schedule) func() error {
				ctx := newBrief(context.Background())
				if parent {
					ctx = newBrief(newEnding())
				}
				first, second := &below{ctx: ctx}, &below{ctx: ctx}
				s.Go("first", func() { first.start(); first.stop() })
				s.Go("second", second.start)
				s.Go("ender", ctx.end)
				return func() error {
					if second.told != 1 || first.told > 1 || (first.told == 0) != first.stopped {
						return fmt.Errorf("told %d and %d times, stopped: %v", first.told, second.told, first.stopped)
					}
					return nil
				}
			})
		})
	}
}
