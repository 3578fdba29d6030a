package ctxwatch

import (
	"context"
	"hash/maphash"

	"github.com/movenext/movenext/internal/interleave"
)

// # Contexts that need no channel
//
// A watch of a context of package context takes a channel, a child context that calls back, a map
// of children and a group: half a kilobyte for the first watch. A context of this module that is
// asked for its Done channel only by others has the group itself, and tells it of the end.
//
//	# Start                            # End
//
//	S1 lock: link the watch; unlock    E1 over = true
//	S2 if over: notify all             E2 lock: any watches? unlock
//	                                   E3 notify them
//
// Of S1 and E2 one has the lock first. If that is S1, E2 sees the watch; otherwise S2 comes after
// E1, and sees over. Both may notify: each takes the watches that it notifies under the lock.

// Source is a part of a context that has the context's watches. Call Init first.
type Source struct{ group group }

// sourced is a context with a Source.
type sourced interface {
	context.Context

	// WatchSource returns the same Source each time.
	WatchSource(Key) *Source
}

// Init makes s the Source of ctx, and calls methods of ctx. The watches are users of host, which
// may be nil: a context that watches its parent until it ends holds the parent's host by that.
func (s *Source) Init(ctx context.Context, host Host) {
	g := &s.group
	g.shard, g.host, g.removed = &registry[maphash.Comparable(seed, g)%shards], host, true
	if e := endsOf(ctx); e != nil {
		g.ends, g.inRealTime = e, EndsInRealTime(ctx)
	}
}

// End notifies the watches, on a separate goroutine, that the context has ended. It does not
// block.
func (s *Source) End() {
	g := &s.group
	g.over.Store(true)
	g.shard.mu.Lock()
	watched := g.first != nil
	g.shard.mu.Unlock()
	if watched {
		interleave.Go(g.end)
	}
}

// start is [Watch.Start] for the context of s.
func (s *Source) start(w *Watch, e Listener) {
	g := &s.group
	g.shard.mu.Lock()
	if g.first == nil {
		g.begin()
	}
	g.link(w, e)
	g.shard.mu.Unlock()
	if g.over.Load() {
		interleave.Go(g.end)
	}
}

// begin prepares the group of a Source for its first watch; the lock is held. A host that has
// ended has ended the context, too.
func (g *group) begin() {
	if g.ends != nil {
		g.ends.add(g)
	}
	g.removed = false
	if g.held = g.host != nil && g.host.Hold(); g.host != nil && !g.held {
		g.over.Store(true)
	}
}

// Origin is what ends a context: contexts that end together have equal origins, unless one of
// them was made by package context.
type Origin struct {
	done   <-chan struct{}
	source *Source
}

// OriginOf returns the origin of ctx, whose methods it calls.
func OriginOf(ctx context.Context) Origin {
	if c, ok := ctx.(sourced); ok {
		return Origin{source: c.WatchSource(Key{})}
	}
	return Origin{done: ctx.Done()}
}

// CanEnd reports whether the context can end.
func (o Origin) CanEnd() bool { return o != Origin{} }

// ends reports whether o ends the watches of g.
func (o Origin) ends(g *group) bool {
	if o.source != nil {
		return g == &o.source.group
	}
	return g.done == o.done
}
