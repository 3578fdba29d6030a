package ctxwatch

import (
	"context"
	"hash/maphash"
	"reflect"

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
	g.found(&registry[maphash.Comparable(seed, g)%shards])
	g.host = host
	if e := endsOf(ctx); e != nil {
		g.member = &member{group: g, ends: e, inRealTime: EndsInRealTime(ctx)}
	}
}

// found prepares a group that has no watches and no channel.
func (g *group) found(s *shard) {
	interleave.StorePointer(&g.place.group, g)
	g.shard, g.removed = s, true
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

// start is [Watch.Start] for the context of s, or for the Single at p, whose parent has s. It
// returns false if p has another watch.
func (s *Source) start(w *Watch, e Listener, p *place) bool {
	g := &s.group
	g.shard.mu.Lock()
	if g.first == nil {
		g.begin()
	}
	linked := g.link(w, e, p)
	var host Host
	if g.first == nil {
		_, host = g.removeFromShard()
	}
	g.shard.mu.Unlock()
	stopListening(nil, host)
	if g.over.Load() {
		interleave.Go(g.end)
	}
	return linked
}

// begin prepares the group of a Source for its first watch; the lock is held. A host that has
// ended has ended the context, too.
func (g *group) begin() {
	if g.member != nil {
		g.member.add()
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
	single *Single
}

// OriginOf returns the origin of ctx, whose methods it calls.
func OriginOf(ctx context.Context) Origin { return originOf(withoutValues(ctx)) }

func originOf(ctx context.Context) Origin {
	switch c := ctx.(type) {
	case single:
		if s := c.WatchSingle(Key{}); s != nil {
			return Origin{single: s}
		}
		return Origin{source: c.WatchSource(Key{})}
	case sourced:
		return Origin{source: c.WatchSource(Key{})}
	}
	return Origin{done: ctx.Done()}
}

// withoutValues returns the context that ctx ends with, without what context.WithValue has added.
// Otherwise a context of this module would have to make its channel as soon as a value is added.
func withoutValues(ctx context.Context) context.Context {
	for reflect.TypeOf(ctx) == withValue {
		ctx = reflect.ValueOf(ctx).Elem().Field(0).Interface().(context.Context)
	}
	return ctx
}

// withValue is the type of what context.WithValue returns. It is not exported, but its parent is
// an exported field. A test fails if it should be another one.
var withValue = func() reflect.Type {
	ctx := context.WithValue(context.Background(), Key{}, nil)
	if v := reflect.ValueOf(ctx); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct &&
		v.Elem().NumField() > 0 && v.Elem().Field(0).CanInterface() && v.Elem().Field(0).Interface() == context.Background() {
		return v.Type()
	}
	return nil
}()

// CanEnd reports whether the context can end.
func (o Origin) CanEnd() bool { return o != Origin{} }

// ends reports whether o ends the watch at p.
func (o Origin) ends(p *place) bool {
	switch {
	case o.single != nil:
		return p == &o.single.place
	case o.source != nil:
		return p == &o.source.group.place
	}
	g := interleave.LoadPointer(&p.group)
	return g != nil && p == &g.place && g.done == o.done
}
