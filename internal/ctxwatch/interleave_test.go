//go:build interleave

package ctxwatch

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
)

// These programs run in each order of their steps; see package interleave. These invariants
// must hold in all of them:
//
//   - a watch is notified at most once, and not if Stop returned true
//   - a watch that was not stopped is notified if the context ends
//   - at rest, a context without watches has neither a group, nor a callback, nor a held
//     host

// ending is a context that a goroutine of the program ends. It is its own host.
type ending struct {
	context.Context
	done chan struct{}
	mu   interleave.Mutex
	left map[int]func()
	next int
	over bool
	held int
	most int
	home context.Context // with a scheduler; nil: none
	own  *sourceful      // the context itself, if it has a Source; else nil
}

// sourceful is an ending that has a Source, so that nobody asks for its channel.
type sourceful struct {
	*ending
	waits Source
}

func (c *sourceful) WatchSource(Key) *Source { return &c.waits }

// itself returns the context to watch.
func (c *ending) itself() context.Context {
	if c.own != nil {
		return c.own
	}
	return c
}

// withSource gives the context a Source, which knows the scheduler of home.
func (c *ending) withSource() {
	c.own = &sourceful{ending: c}
	c.own.waits.Init(c, c)
}

func newEnding() *ending {
	return &ending{Context: context.Background(), done: make(chan struct{}), left: map[int]func(){}}
}

func (c *ending) Done() <-chan struct{} { return c.done }

func (c *ending) Value(key any) any {
	if key == (HostKey{}) {
		return c
	}
	if c.home != nil {
		return c.home.Value(key)
	}
	return nil
}

// AfterFunc implements the method that context.AfterFunc calls.
func (c *ending) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		interleave.Go(f)
		return func() bool { return false }
	}
	id := c.next
	c.next++
	c.left[id] = f
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, there := c.left[id]
		delete(c.left, id)
		return there
	}
}

func (c *ending) end() {
	c.mu.Lock()
	c.over = true
	left := c.left
	c.left = map[int]func(){}
	for id := range c.next {
		if f := left[id]; f != nil {
			interleave.Go(f)
		}
	}
	c.mu.Unlock()
	if c.own != nil {
		c.own.waits.End()
	}
}

// Hold implements Host.
func (c *ending) Hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.held++
	c.most = max(c.most, c.held)
	return true
}

// Release implements Host.
func (c *ending) Release() {
	c.mu.Lock()
	c.held--
	c.mu.Unlock()
}

// watcher starts and stops one watch.
type watcher struct {
	Watch
	ctx              *ending
	started, stopped bool
	told             int
}

// ContextEnded implements Listener.
func (w *watcher) ContextEnded(*Watch) { w.told++ }

func (w *watcher) start() {
	w.started = true
	w.Start(w.ctx.itself(), w)
}

func (w *watcher) stop() {
	if w.Stop() {
		w.stopped = true
	}
}

func check(ctx *ending, all ...*watcher) error {
	waiting := 0
	for i, w := range all {
		switch {
		case w.told > 1:
			return fmt.Errorf("watch %d was told %d times", i, w.told)
		case w.told == 1 && w.stopped:
			return fmt.Errorf("watch %d was told and stopped", i)
		case ctx.over && w.started && w.told == 0 && !w.stopped:
			return fmt.Errorf("watch %d was not told", i)
		case !ctx.over && w.told > 0:
			return fmt.Errorf("watch %d was told before the end", i)
		}
		if !ctx.over && w.started && !w.stopped {
			waiting++
		}
	}
	groups := 0
	for i := range registry {
		if g, _ := shrinkmap.Get(&registry[i].groups, ctx.done); g != nil {
			groups++
		}
	}
	switch {
	case ctx.own != nil:
		if held := min(waiting, 1); groups > 0 || ctx.held != held || (ctx.own.waits.group.first != nil) != (held > 0) {
			return fmt.Errorf("%d wait: %d groups of channels, the host held %d times", waiting, groups, ctx.held)
		}
	case waiting > 0:
		if groups != 1 || len(ctx.left) != 1 || ctx.held != 1 {
			return fmt.Errorf("%d wait: %d groups, %d callbacks, the host held %d times", waiting, groups, len(ctx.left), ctx.held)
		}
	case groups > 0:
		return errors.New("a group is left")
	case len(ctx.left) > 0:
		return errors.New("a callback is left")
	case ctx.held != 0:
		return fmt.Errorf("the host is held %d times", ctx.held)
	}
	return nil
}

// explore runs a program with the given watchers, which ends the context if ends is true.
func explore(t *testing.T, ends bool, watchers ...func(w *watcher)) {
	t.Helper()
	ofEachKind(t, func(t *testing.T, newContext func() *ending) {
		exploreOne(t, newContext, ends, watchers...)
	})
}

// ofEachKind calls f with contexts that have a Done channel, and with such that have a Source.
func ofEachKind(t *testing.T, f func(t *testing.T, newContext func() *ending)) {
	t.Helper()
	t.Run("channel", func(t *testing.T) { f(t, newEnding) })
	t.Run("source", func(t *testing.T) {
		f(t, func() *ending { c := newEnding(); c.withSource(); return c })
	})
}

func exploreOne(t *testing.T, newContext func() *ending, ends bool, watchers ...func(w *watcher)) {
	t.Helper()
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		ctx := newContext()
		var all []*watcher
		for i, do := range watchers {
			w := &watcher{ctx: ctx}
			all = append(all, w)
			s.Go(fmt.Sprint("watcher ", i), func() { do(w) })
		}
		if ends {
			s.Go("ender", ctx.end)
		}
		return func() error { return check(ctx, all...) }
	})
}

func starts(w *watcher)       { w.start() }
func comesAndGoes(w *watcher) { w.start(); w.stop() }
func comesAgain(w *watcher) {
	w.start()
	if w.stop(); w.stopped {
		w.stopped = false
		w.start()
	}
}

func TestInterleavingsOfStartAndTheEnd(t *testing.T)        { explore(t, true, starts, starts) }
func TestInterleavingsOfStartAndStop(t *testing.T)          { explore(t, false, comesAndGoes, comesAndGoes) }
func TestInterleavingsOfStopAndTheEnd(t *testing.T)         { explore(t, true, comesAndGoes) }
func TestInterleavingsOfTwoStopsAndTheEnd(t *testing.T)     { explore(t, true, comesAndGoes, comesAndGoes) }
func TestInterleavingsOfOneThatStays(t *testing.T)          { explore(t, false, comesAndGoes, starts) }
func TestInterleavingsOfOneThatStaysToTheEnd(t *testing.T)  { explore(t, true, comesAndGoes, starts) }
func TestInterleavingsOfAWatchThatIsUsedAgain(t *testing.T) { explore(t, true, comesAgain) }
func TestInterleavingsOfOneThatComesAgain(t *testing.T)     { explore(t, false, comesAgain, comesAndGoes) }

// A watch of another context gets the group of one that is stopped while its context ends.
func TestInterleavingsOfAGroupThatIsUsedAgain(t *testing.T) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		ctx, next := newEnding(), newEnding()
		w, other := &watcher{ctx: ctx}, &watcher{ctx: next}
		s.Go("watcher", func() { w.start(); w.stop(); other.start() })
		s.Go("ender", ctx.end)
		return func() error {
			err := errors.Join(check(ctx, w), check(next, other))
			if other.Stop() {
				other.stopped = true
			}
			return errors.Join(err, check(next, other))
		}
	})
}

// Two goroutines stop the same watch, and exactly one of them succeeds.
func TestInterleavingsOfTwoStopsOfAWatch(t *testing.T) { ofEachKind(t, twoStopsOfAWatch) }

func twoStopsOfAWatch(t *testing.T, newContext func() *ending) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		ctx := newContext()
		w, other := &watcher{ctx: ctx}, &watcher{ctx: ctx}
		w.start()
		other.start()
		stopped := 0
		for i := range 2 {
			s.Go(fmt.Sprint("stopper ", i), func() {
				if w.Stop() {
					stopped++
				}
			})
		}
		return func() error {
			if w.stopped = stopped > 0; stopped != 1 {
				return fmt.Errorf("stopped %d times", stopped)
			}
			return check(ctx, w, other)
		}
	})
}

// A watch that is stopped before its Start has returned leaves the context once, even if the
// context ends meanwhile.
func TestInterleavingsOfAStopDuringStartAndTheEnd(t *testing.T) { ofEachKind(t, aStopDuringStart) }

func aStopDuringStart(t *testing.T, newContext func() *ending) {
	interleave.Explore(t, func(s *interleave.Schedule) func() error {
		ctx := newContext()
		w, flag := &watcher{ctx: ctx}, new(interleave.Bool)
		s.Go("starter", func() {
			if w.start(); flag.Load() {
				w.stop()
			}
		})
		s.Go("stopper", func() {
			flag.Store(true)
			w.stop()
		})
		s.Go("ender", ctx.end)
		return func() error { return check(ctx, w) }
	})
}

// turn is a wait of a lasting watch.
type turn struct {
	Watch
	told     int
	returned bool // Unsubscribe returned true
}

// ContextEnded implements Listener.
func (w *turn) ContextEnded(*Watch) { w.told++ }

// A machine waits several times, one after the other, while the context ends. Each wait is
// notified once or undone by Unsubscribe, and a wait after the end is notified at once.
func TestInterleavingsOfALastingWatch(t *testing.T) { ofEachKind(t, aLastingWatch) }

func aLastingWatch(t *testing.T, newContext func() *ending) {
	for _, ends := range []bool{true, false} {
		t.Run(fmt.Sprint("ends=", ends), func(t *testing.T) {
			interleave.Explore(t, func(s *interleave.Schedule) func() error {
				ctx, turns := newContext(), make([]turn, 3)
				s.Go("machine", func() {
					var l SharedWatch
					l.Start(ctx.itself())
					for i := range turns {
						l.Subscribe(&turns[i].Watch, &turns[i])
						if ends && i == len(turns)-1 {
							return // the wait lasts until the context ends
						}
						turns[i].returned = l.Unsubscribe()
					}
					l.Stop()
				})
				if ends {
					s.Go("ender", ctx.end)
				}
				return func() error {
					ended := false
					for i := range turns {
						w := &turns[i]
						switch {
						case w.returned && w.told > 0, !w.returned && w.told != 1:
							return fmt.Errorf("wait %d was told %d times, taken back: %v", i, w.told, w.returned)
						case ended && w.returned:
							return fmt.Errorf("wait %d came after the end, and was not told", i)
						}
						ended = ended || !w.returned
					}
					if ended && !ends {
						return errors.New("the context has not ended")
					}
					return check(ctx)
				}
			})
		})
	}
}

// A scheduler delivers the end while the context does, and while a watch is started and stopped.
func TestInterleavingsOfAnEndThatIsDelivered(t *testing.T) {
	for name, do := range map[string]func(w *watcher){"starts": starts, "comes and goes": comesAndGoes} {
		for _, own := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " source=", own), func(t *testing.T) {
				interleave.Explore(t, func(s *interleave.Schedule) func() error {
					owner := &steps{Scheduler: inline.New()}
					ctx := newEnding()
					ctx.home = schedulers.With(context.Background(), owner)
					if own {
						ctx.withSource()
					}
					w := &watcher{ctx: ctx}
					s.Go("watcher", func() { do(w) })
					s.Go("ender", ctx.end)
					s.Go("deliverer", func() { owner.ends.Deliver() })
					return func() error {
						if n, d := owner.ends.Len(), owner.ends.delivering.Load(); n != 0 || d != 0 {
							return fmt.Errorf("%d groups and %d deliveries are left", n, d)
						}
						return check(ctx, w)
					}
				})
			})
		}
	}
}
