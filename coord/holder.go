package coord

import (
	"context"
	"fmt"
	"strings"

	"github.com/movenext/movenext/internal/contract"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// # The holder of a lock
//
// A report about a hanging program has to name the holder of a lock, which the lock
// itself need not know. So locks record their holders only if the program has a
// scheduler that reports ([probe.Holders]); otherwise the cost is one test of a
// flag. The holder records itself after it has got the lock: the previous holder does
// not know its name, only its node. A lock that is held through a job of LockAsync, or by a
// Select, has no known holder.

// holder is the holder of a lock. The zero holder is unknown.
type holder struct {
	work interleave.Pointer[probe.Holder]
}

// record records that the work of ctx has the lock.
func (h *holder) record(ctx context.Context) {
	if probe.On(probe.Holders) {
		interleave.StorePointer(&h.work, holderIn(ctx))
	}
}

// recordMachine records that the machine of r has the lock.
func (h *holder) recordMachine(r *statemachine.Run) {
	if probe.On(probe.Holders) {
		interleave.StorePointer(&h.work, r.Holder())
	}
}

// clear records that the holder has released the lock.
func (h *holder) clear() {
	if probe.On(probe.Holders) {
		interleave.StorePointer(&h.work, nil)
	}
}

// holderIn returns the work that runs with ctx, or nil.
func holderIn(ctx context.Context) *probe.Holder {
	n, ok := schedulers.WorkerFrom(ctx).(schedulers.Named)
	if !ok {
		return nil
	}
	h := new(probe.Holder)
	h.Is(n)
	return h
}

// lock is a host that records its holder.
type lock interface {
	// held returns the lock that w requested, as reports compare it, and its holder.
	held(w *waiter) (what any, by *probe.Holder)
	recordHolder(r *statemachine.Run, w *waiter)
}

// recordHolder records that the machine of r was granted the lock that w requested, if w waits
// for a lock.
func (w *waiter) recordHolder(r *statemachine.Run) {
	if l, ok := w.host.(lock); ok && w.err == nil {
		l.recordHolder(r, w)
	}
}

// Reason implements [probe.Reasoner].
func (w *waiter) Reason() (what, holder string) {
	if d, ok := w.host.(interface{ waitName() string }); ok {
		what = d.waitName()
	} else {
		what = hostNames.Replace(typeName(w.host))
	}
	if l, ok := w.host.(lock); ok {
		_, by := l.held(w)
		holder = by.Name()
	}
	return what, holder
}

// hostNames replaces the types of hosts by those that contain them. A method that names the type
// would be compiled for each type of keys.
var hostNames = strings.NewReplacer("coord.keyHost[", "coord.KeyedMutex[", "coord.limitHost[", "coord.Limiter[")

// typeName returns the type of what v points to.
func typeName(v any) string { return strings.TrimPrefix(fmt.Sprintf("%T", v), "*") }

// Held returns, for package inspect, the lock that w waits for, and its holder; or nil
// if w waits for something else.
func (w *waiter) Held() (what any, by schedulers.Named) {
	l, ok := w.host.(lock)
	if !ok {
		return nil, nil
	}
	what, h := l.held(w)
	return what, h.Work()
}

// buffer is a channel, as a report describes it.
type buffer = interface {
	Len() int
	Cap() int
}

// Queue returns, for package inspect, the channel that w waits for, or nil if it waits
// for something else. The channel's methods take its lock.
func (w *waiter) Queue() buffer {
	if q, ok := w.host.(interface{ buffer() buffer }); ok {
		return q.buffer()
	}
	return nil
}

// withReason returns ctx for a wait of w. If a scheduler reports what waits for what,
// the context carries w.
func (w *waiter) withReason(ctx context.Context) context.Context {
	if !probe.On(probe.Holders) {
		return ctx
	}
	return context.WithValue(ctx, contract.ReasonKey, probe.Reasoner(w))
}
