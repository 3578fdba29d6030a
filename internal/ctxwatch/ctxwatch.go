// Package ctxwatch notifies many watchers at once that a context has ended.
//
// A million sleeping operations usually share a handful of contexts. One
// context.AfterFunc for each would cost a child context, a closure and a map entry,
// some 300 bytes, which is more than the sleepers themselves. Here all watches of one
// Done channel form a group: an intrusive list with one AfterFunc. A watch is 40 bytes
// inside its waiter. A context of this module has its group itself: see [Source].
package ctxwatch

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/movenext/movenext/internal/errtree"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/shrinkmap"
)

// Watch is one request to be notified that a context has ended. It is embedded in the
// waiter. It must not be copied while it is started.
type Watch struct {
	_ [0]func() // nothing compares two, so no package compiles a function for it

	// Set while the watch is started, so that a Stop during Start finds the watch either
	// not started or completely started.
	place interleave.Pointer[place]

	// Protected by the lock of the group's shard.
	next, prev *Watch
	listener   Listener
}

// Listener is notified that the context of a watch has ended.
type Listener interface {
	// ContextEnded is called at most once for each Start, on a separate goroutine or
	// during Start. It must not block.
	ContextEnded(w *Watch)
}

// Host is a context that lasts as long as it has users, like that of a job; its
// watchers are users. Contexts derived from it return their Host for [HostKey].
type Host interface {
	// Hold counts one more user. It returns false if the context has ended.
	Hold() bool
	// Release undoes one Hold. The last user's Release ends the context.
	Release()
}

// HostKey is the key under which a context returns its [Host].
type HostKey struct{}

// HostOf calls Hold on the host of ctx and returns the host, or returns nil if ctx has no
// host or its host has ended.
func HostOf(ctx context.Context) Host {
	h, ok := ctx.Value(HostKey{}).(Host)
	if !ok || !h.Hold() {
		return nil
	}
	return h
}

// place is what a watch is started at: the place of a group, or that of a [Single], whose watch is
// in the group of its parent's watches.
type place struct {
	group interleave.Pointer[group] // nil: of a Single that has no watch
	first *Watch                    // protected by the lock of the group's shard
}

// group holds all watches of one Done channel, or of one [Source]. Its fields are protected by
// the lock of its shard; the group of a channel is in its shard's map as long as it has watches.
type group struct {
	place

	shard *shard
	done  <-chan struct{} // nil: of a Source
	stop  func() bool     // of the AfterFunc; set by the group's maker shortly after
	host  Host            // held as long as there are watches; set with stop, or constant

	removed bool            // the last watch was stopped, or all were notified
	held    bool            // the group is a user of its host; only of a Source
	over    interleave.Bool // the context has ended; only of a Source

	member *member // of the Ends of its scheduler; nil: none. Constant once it listens
	ender  func()  // end, which costs an allocation; only of a group that has listened
}

// shard is a part of the registry with its own lock, so that no single lock serializes all
// contexts.
type shard struct {
	mu     interleave.Mutex
	groups shrinkmap.Map[<-chan struct{}, *group]

	// A group whose last watch was stopped, for the next channel; or nil. A wait that is alone
	// under its context would otherwise allocate a group.
	spare *group
}

// An exploration has one: which contexts share a lock must not depend on their addresses.
const shards = max(1, 32>>interleave.Shrink)

var (
	seed     = maphash.MakeSeed()
	registry [shards]shard
)

// Start begins to watch ctx: e.ContextEnded(w) is called when ctx has ended, unless
// Stop is called before. A context that cannot end costs nothing, and Start returns false. w must
// not be started already.
//
// Stop may be called before Start has returned. If Stop returns false then, the watch may
// still be about to start. A caller that allows this race needs its own flag, set before
// Stop and checked after Start.
func (w *Watch) Start(ctx context.Context, e Listener) bool {
	ctx = withoutValues(ctx)
	o := originOf(ctx)
	switch {
	case !o.CanEnd():
		return false
	case o.single != nil:
		o.single.start(ctx.(single), w, e)
	case o.source != nil:
		o.source.start(w, e, nil)
	default:
		watchChannel(ctx, o.done, w, e, nil)
	}
	return true
}

// watchChannel starts w in the group of ctx's Done channel, for the Single at p unless it is nil.
// It returns false if p has another watch.
func watchChannel(ctx context.Context, done <-chan struct{}, w *Watch, e Listener, p *place) bool {
	s := &registry[maphash.Comparable(seed, done)%shards]
	s.mu.Lock()
	g, _ := shrinkmap.Get(&s.groups, done)
	first := g == nil
	if first {
		g = s.newGroup(done)
	}
	linked := g.link(w, e, p)
	if first && !linked {
		g.removeFromShard()
	}
	s.mu.Unlock()
	if first && linked {
		g.listen(ctx, w)
	}
	return linked
}

// newGroup makes the group of done; the lock is held.
func (s *shard) newGroup(done <-chan struct{}) *group {
	g := s.spare
	if g == nil {
		g = &group{shard: s}
		g.ender = g.end
	}
	interleave.StorePointer(&g.place.group, g)
	s.spare, g.done, g.removed = nil, done, false
	shrinkmap.Put(&s.groups, done, g)
	return g
}

// listen registers g.end with the context; w is the watch that has made the group. It is called
// without the lock, since the context may be a user's, and its methods may do anything, even watch
// a context. If one of them panics, w is not started, and the next watch of the channel makes
// another group.
func (g *group) listen(ctx context.Context, w *Watch) {
	var host Host
	registered := false
	defer func() {
		if registered {
			return
		}
		w.Stop()
		g.shard.mu.Lock()
		g.removeFromShard()
		g.shard.mu.Unlock()
		stopListening(nil, host)
	}()
	host = HostOf(ctx)
	if e := endsOf(ctx); e != nil {
		g.enter(e, EndsInRealTime(ctx))
	}
	stop := interleave.AfterContext(ctx, g.ender)
	registered = true
	g.shard.mu.Lock()
	left := g.removed
	if !left {
		g.stop, g.host = stop, host
	}
	g.shard.mu.Unlock()
	if left {
		stopListening(stop, host)
	}
}

// enter adds the group to the Ends of its scheduler, unless it was removed meanwhile.
func (g *group) enter(e *Ends, inRealTime bool) {
	g.shard.mu.Lock()
	defer g.shard.mu.Unlock()
	if !g.removed {
		g.member = &member{group: g, ends: e, inRealTime: inRealTime}
		g.member.add()
	}
}

// stopListening undoes listen. No lock is held: the host may end its context. It reports whether
// the group was told by a function that will not be called.
func stopListening(stop func() bool, host Host) (silent bool) {
	if stop != nil {
		silent = stop()
	}
	if host != nil {
		host.Release()
	}
	return silent
}

// keep keeps a group without watches for another channel, if nothing else knows it: neither its
// context nor a scheduler that delivers ends.
func (s *shard) keep(g *group) {
	if g.member != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g.done, g.stop = nil, nil
	s.spare = g
}

// Stop ends the watch and reports whether it did: false means that ContextEnded has been or
// is being called, or that w was not started.
func (w *Watch) Stop() bool {
	p := interleave.LoadPointer(&w.place)
	if p == nil {
		return false
	}
	g := interleave.LoadPointer(&p.group)
	if g == nil {
		return false // the watch of a Single was faster
	}
	g.shard.mu.Lock()
	if interleave.LoadPointer(&w.place) != p || interleave.LoadPointer(&p.group) != g {
		g.shard.mu.Unlock()
		return false // another Stop was faster, or end was
	}
	stop, host := g.unlink(w)
	g.shard.mu.Unlock()
	if stopListening(stop, host) {
		g.shard.keep(g)
	}
	return true
}

// Started reports whether the watch is started, and neither stopped nor about to be notified. The
// caller is the goroutine that has started it.
func (w *Watch) Started() bool { return interleave.LoadPointer(&w.place) != nil }

// end takes all watches and notifies their waiters.
func (g *group) end() {
	g.member.begin()
	g.shard.mu.Lock()
	taken := g.first
	g.first = nil
	_, host := g.removeFromShard()
	listeners := make([]Listener, 0, 8)
	for w := taken; w != nil; w = w.next {
		listeners = append(listeners, w.listener)
		w.listener = nil
		g.release(w)
	}
	g.shard.mu.Unlock()
	g.notify(taken, listeners, host)
}

// notify notifies the listeners of the watches from taken on, and releases the host. Methods of
// contexts may be called on the way: one that calls runtime.Goexit ends its goroutine, but does
// not affect the watches after it.
func (g *group) notify(taken *Watch, listeners []Listener, host Host) {
	ended := false
	defer func() {
		if ended {
			g.member.finish()
			return
		}
		rest, left := taken, listeners // or they would be on the heap
		interleave.Go(func() { g.notify(rest, left, host) })
	}()
	// A taken watch is linked to its successors by next alone, which is not written
	// again before the watch is notified.
	for taken != nil {
		w, l := taken, listeners[0]
		taken, listeners = w.next, listeners[1:]
		w.next, w.prev = nil, nil
		l.ContextEnded(w)
	}
	ended = true
	stopListening(nil, host)
}

// removeFromShard removes g from its shard, unless a newer group of the same channel is there.
// It returns the arguments for stopListening.
func (g *group) removeFromShard() (stop func() bool, host Host) {
	if !g.removed {
		g.member.remove()
	}
	g.removed = true
	if g.done == nil {
		if g.held {
			host = g.host
		}
		g.held = false
		return nil, host
	}
	stop, host = g.stop, g.host
	g.host = nil
	if now, _ := shrinkmap.Get(&g.shard.groups, g.done); now == g {
		shrinkmap.Delete(&g.shard.groups, g.done)
	}
	return stop, host
}

// link adds w, which is started at p, or at the group itself if p is nil. It returns false if
// there is another watch at p. The lock is held, here and below.
func (g *group) link(w *Watch, e Listener, p *place) bool {
	if p == nil {
		p = &g.place
	} else {
		if !interleave.CompareAndSwapPointer(&p.group, nil, g) {
			return false
		}
		p.first = w
	}
	w.listener, w.prev, w.next = e, nil, g.first
	if g.first != nil {
		g.first.prev = w
	}
	g.first = w
	interleave.StorePointer(&w.place, p)
	return true
}

// unlink removes w. It returns the arguments for stopListening.
func (g *group) unlink(w *Watch) (stop func() bool, host Host) {
	if w.prev != nil {
		w.prev.next = w.next
	} else {
		g.first = w.next
	}
	if w.next != nil {
		w.next.prev = w.prev
	}
	w.next, w.prev, w.listener = nil, nil, nil
	g.release(w)
	if g.first != nil {
		return nil, nil
	}
	return g.removeFromShard()
}

// release takes w from its place, which knows the context: a stopped watch must not keep that.
func (g *group) release(w *Watch) {
	p := interleave.LoadPointer(&w.place)
	interleave.StorePointer(&w.place, nil)
	if p != &g.place {
		p.first = nil
		interleave.StorePointer(&p.group, nil)
	}
}

// Reason returns the error with which ctx has ended: one that matches its Err and, if the
// cause is another error, also the cause. For a context that has not ended it returns nil.
func Reason(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case cause == nil || err == nil:
		return err
	case errors.Is(cause, err):
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// EndedBy reports whether ctx has ended and err says that and nothing else: each leaf of its
// tree is the error or the cause of ctx.
func EndedBy(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() == nil {
		return false
	}
	return errtree.ConsistsOf(err, ctx.Err(), context.Cause(ctx))
}
