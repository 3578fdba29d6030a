// Package ctxwatch tells many at once that a context has ended.
//
// A million sleeping operations usually share a handful of contexts. One
// context.AfterFunc each would cost a child context, a closure and a map entry, some
// 300 bytes, which is more than the sleepers themselves. Here all watches of one Done
// channel form a group: an intrusive list with one AfterFunc. A watch is 40 bytes inside
// of what waits.
package ctxwatch

import (
	"context"
	"hash/maphash"
	"sync"
)

// Watch is one wish to be told that a context has ended. It is embedded in what
// waits. It must not be copied while it is started.
type Watch struct {
	next, prev *Watch
	group      *group
	ender      Ender
}

// Ender is told that the context of a watch has ended.
type Ender interface {
	// ContextEnded is called at most once for each Start, on a goroutine of its own or
	// during Start. It must not block.
	ContextEnded(w *Watch)
}

// group is all watches of one Done channel. Its fields are protected by the
// lock of its shard; a group is in its shard's map as long as it has watches.
type group struct {
	shard *shard
	done  <-chan struct{}
	first *Watch
	stop  func() bool
}

// shard is a part of the registry, so that one lock does not serialise all.
type shard struct {
	mu     sync.Mutex
	groups map[<-chan struct{}]*group
}

const shards = 32

var (
	seed     = maphash.MakeSeed()
	registry [shards]shard
)

// Start begins to watch ctx: e.ContextEnded(w) is called when ctx has ended,
// unless Stop is called before. A context that can not end costs nothing. w
// must not be started already.
func (w *Watch) Start(ctx context.Context, e Ender) {
	done := ctx.Done()
	if done == nil {
		return
	}
	w.ender = e
	s := &registry[maphash.Comparable(seed, done)%shards]
	s.mu.Lock()
	g := s.groups[done]
	if g == nil {
		g = &group{shard: s, done: done}
		if s.groups == nil {
			s.groups = make(map[<-chan struct{}]*group)
		}
		s.groups[done] = g
		g.stop = context.AfterFunc(ctx, g.end)
	}
	g.link(w)
	s.mu.Unlock()
}

// Stop ends the watch and reports whether it did: false says that
// ContextEnded has been or is being called, or that w was not started.
func (w *Watch) Stop() bool {
	g := w.group
	if g == nil {
		return false
	}
	g.shard.mu.Lock()
	defer g.shard.mu.Unlock()
	if w.ender == nil {
		return false // end has taken it
	}
	g.unlink(w)
	if g.first == nil {
		g.leave()
		g.stop()
	}
	return true
}

// end takes all watches and tells each.
func (g *group) end() {
	g.shard.mu.Lock()
	taken := g.first
	g.first = nil
	g.leave()
	enders := make([]Ender, 0, 8)
	for w := taken; w != nil; w = w.next {
		enders = append(enders, w.ender)
		w.ender = nil
	}
	g.shard.mu.Unlock()
	// A taken watch is linked to its successors by next alone, which nobody writes
	// any more until it is told.
	for i := 0; taken != nil; i++ {
		next := taken.next
		taken.next, taken.prev = nil, nil
		enders[i].ContextEnded(taken)
		taken = next
	}
}

// leave removes g from its shard, unless a newer group of the same channel is there.
func (g *group) leave() {
	if g.shard.groups[g.done] == g {
		delete(g.shard.groups, g.done)
	}
}

func (g *group) link(w *Watch) {
	w.group, w.prev, w.next = g, nil, g.first
	if g.first != nil {
		g.first.prev = w
	}
	g.first = w
}

func (g *group) unlink(w *Watch) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		g.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	}
	w.next, w.prev, w.ender = nil, nil, nil
}
