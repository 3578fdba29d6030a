package ctxwatch

import (
	"context"
	"hash/maphash"

	"github.com/movenext/movenext/internal/interleave"
)

// # Contexts with one watch
//
// Most contexts with a timeout have one watch at a time: that of the function which made them.
// The context would have to watch its parent, and have a group for that watch: 120 bytes. Instead
// the watch itself is in the group of the parent's watches, and the context knows it:
//
//	parent ──group──▶ watch ◀──first── Single
//
// So the end of the parent notifies the watch as any other, and does not concern the context. Its
// own end takes the watch out of the group, as Stop does, and notifies it. The lock of the group
// decides which of them is first.
//
//	# Start                                 # End
//
//	S1 lock: claim the Single, link the     E1 the context is over
//	   watch; unlock                        E2 claimed? lock: unlink the watch; unlock
//	S2 is the context over? as E2           E3 notify it
//
// The claim is the group of the Single's place, and it is given up under the same lock. Proof: if
// E2 finds no claim, S1 comes later, and S2 finds that the context is over. A watch that is found
// is linked, since claim and link are one step for whoever has the lock. And while the claim
// lasts, the watch is in that group.
//
// A second watch at the same time finds the Single claimed. Then it is started at the context's
// Source, which the context makes when it is asked for it.

// Single is a part of a context that has one watch. The zero Single has none.
type Single struct{ place place }

// single is a context with a Single. Its WatchSource makes the Source when it is needed.
type single interface {
	sourced

	// WatchSingle returns the same Single each time, or nil if the context has made its Source.
	WatchSingle(Key) *Single
	// WatchParent returns the context that ends this one, too.
	WatchParent(Key) context.Context
	// IsOver reports whether the context has called End, or is about to. It runs no code of
	// another context.
	IsOver(Key) bool
}

// endless have the watches of Singles whose parents cannot end.
var endless = func() *[shards]Source {
	all := new([shards]Source)
	for i := range all {
		all[i].group.found(&registry[i])
	}
	return all
}()

// start is [Watch.Start] for ctx, which has s.
func (s *Single) start(ctx single, w *Watch, e Listener) {
	if !s.startBelow(ctx.WatchParent(Key{}), w, e) {
		ctx.WatchSource(Key{}).start(w, e, nil)
		return
	}
	if ctx.IsOver(Key{}) {
		s.End()
	}
}

// startBelow starts w in the group of the parent's watches. It returns false if there is another
// watch at s.
func (s *Single) startBelow(parent context.Context, w *Watch, e Listener) bool {
	o := Origin{}
	parent = withoutValues(parent)
	if c, is := parent.(sourced); is {
		o.source = c.WatchSource(Key{})
	} else {
		o.done = parent.Done()
	}
	switch {
	case o.source != nil:
		return o.source.start(w, e, &s.place)
	case o.done != nil:
		return watchChannel(parent, o.done, w, e, &s.place)
	}
	return endless[maphash.Comparable(seed, s)%shards].start(w, e, &s.place)
}

// End notifies the watch, if there is one, on a separate goroutine, that the context has ended.
// It does not block.
func (s *Single) End() {
	if interleave.LoadPointer(&s.place.group) != nil {
		interleave.Go(s.end)
	}
}

// end takes the watch and notifies its waiter.
func (s *Single) end() {
	g := interleave.LoadPointer(&s.place.group)
	if g == nil {
		return
	}
	g.shard.mu.Lock()
	if interleave.LoadPointer(&s.place.group) != g {
		g.shard.mu.Unlock()
		return // whoever has started another watch finds that the context is over
	}
	w := s.place.first
	l := w.listener
	stop, host := g.unlink(w)
	g.shard.mu.Unlock()
	defer stopListening(stop, host)
	l.ContextEnded(w)
}
