package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// KeyedMutex is one [Mutex] for each key: a lock for each user, file or account, without
// memory for keys that are not locked. The zero KeyedMutex has no key locked.
//
// A key must be comparable and equal to itself. Any other key (an interface that holds
// a slice; NaN) panics: it could not be found again to unlock it.
type KeyedMutex[K comparable] struct{ hiddenKeyedMutex[K] }

// keyedMutex is a KeyedMutex as its entry sees it; see entered.go for the two names.
//
// A package that has a KeyedMutex for keys of its own type compiles all methods of these types, so
// they have few, and the rest are functions.
type keyedMutex[K comparable] struct {
	mu interleave.Mutex
	// A key that is present is locked. Its queue is nil until a caller waits.
	locked shrinkmap.Map[K, *queue]
	// The holder of each key, if a scheduler reports holders; guarded by mu.
	holders map[K]*probe.Holder
}

type hiddenKeyedMutex[K comparable] = keyedMutex[K]

// Lock waits until key is free and locks it. It returns nil, or the reason why ctx
// ended. It blocks; its twin is [KeyedMutex.LockAsync].
func (m *KeyedMutex[K]) Lock(ctx context.Context, key K) error {
	budget.Yield()
	ctx, err := checkContext(ctx)
	if err != nil {
		return err
	}
	if m.TryLock(key) {
		// Yield with the lock held: in a search, others must be able to find it locked.
		budget.Yield()
	} else {
		_, err = wait[job.Void](ctx, keyHostOf(&m.hiddenKeyedMutex), key)
	}
	if err == nil && probe.On(probe.Holders) {
		setHolder(&m.hiddenKeyedMutex, key, holderIn(ctx))
	}
	return err
}

// LockAsync returns a job that completes once key is locked, or is Canceled when ctx
// ends first. If the key is free it allocates nothing, except for the map's growth.
func (m *KeyedMutex[K]) LockAsync(ctx context.Context, key K) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.FailedVoid(ctx, err)
	}
	if m.TryLock(key) {
		return completedVoid()
	}
	return waitAsync[job.Void](ctx, keyHostOf(&m.hiddenKeyedMutex), key)
}

// LockEnter is [KeyedMutex.Lock] as generated machines call it.
func (m *keyedMutex[K]) LockEnter(r *statemachine.Run, ctx context.Context, key K) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid[K](r, keyHostOf(m), err)
	}
	mustEqualItself(key)
	if r.Proceed() && tryKey(m, key) {
		if probe.On(probe.Holders) {
			setHolder(m, key, r.Holder())
		}
		return nil, nil
	}
	return enterWaitVoid(r, ctx, keyHostOf(m), key), nil
}

// TryLock locks key if it is free, and reports whether it did.
func (m *KeyedMutex[K]) TryLock(key K) bool { return tryKey(&m.hiddenKeyedMutex, key) }

func tryKey[K comparable](m *keyedMutex[K], key K) bool {
	m.mu.Lock()
	defer m.mu.Unlock() // a map may panic because of its key
	return takeKey(m, key)
}

// Unlock releases key, or hands it to its first waiter. It panics if key is not locked.
func (m *KeyedMutex[K]) Unlock(key K) { unlockKey(&m.hiddenKeyedMutex, key).deliver(nil) }

func unlockKey[K comparable](m *keyedMutex[K], key K) outcomes {
	m.mu.Lock()
	defer m.mu.Unlock()
	return releaseKey(m, key)
}

// takeKey locks a free key.
func takeKey[K comparable](m *keyedMutex[K], key K) bool {
	mustEqualItself(key)
	if _, locked := shrinkmap.Get(&m.locked, key); locked {
		return false
	}
	shrinkmap.Put(&m.locked, key, nil)
	return true
}

// releaseKey passes a key to its next waiter, or forgets it.
func releaseKey[K comparable](m *keyedMutex[K], key K) (decided outcomes) {
	delete(m.holders, key)
	waiting, locked := shrinkmap.Get(&m.locked, key)
	switch {
	case !locked:
		panic("coord: unlock of a key that is not locked")
	case waiting == nil || waiting.empty():
		shrinkmap.Delete(&m.locked, key)
	default:
		decided.add(waiting.pop())
	}
	return decided
}

// setHolder records the holder of key.
func setHolder[K comparable](m *keyedMutex[K], key K, holder *probe.Holder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holders == nil {
		m.holders = map[K]*probe.Holder{}
	}
	m.holders[key] = holder
}

// keyLock is the lock of one key.
type keyLock[K comparable] struct {
	mutex *keyedMutex[K]
	key   K
}

// keyHost is the mutex as a host. Methods of keyedMutex would be methods of KeyedMutex, too.
type keyHost[K comparable] keyedMutex[K]

func keyHostOf[K comparable](m *keyedMutex[K]) *keyHost[K] { return (*keyHost[K])(m) }

func (*keyHost[K]) excludesOthers() {}

func (h *keyHost[K]) held(w *waiter) (what any, by *probe.Holder) {
	key := callOf[job.Void, K](w).request
	h.mu.Lock()
	defer h.mu.Unlock()
	return keyLock[K]{(*keyedMutex[K])(h), key}, h.holders[key]
}

func (h *keyHost[K]) recordHolder(r *statemachine.Run, w *waiter) {
	setHolder((*keyedMutex[K])(h), callOf[job.Void, K](w).request, r.Holder())
}

func (h *keyHost[K]) guard() *interleave.Mutex { return &h.mu }

func (h *keyHost[K]) admit(w *waiter) (decided outcomes) {
	key := callOf[job.Void, K](w).request
	if takeKey((*keyedMutex[K])(h), key) {
		decided.add(w)
		return decided
	}
	waiting, _ := shrinkmap.Get(&h.locked, key)
	if waiting == nil {
		waiting = new(queue)
		shrinkmap.Put(&h.locked, key, waiting)
	}
	waiting.push(w)
	return decided
}

func (h *keyHost[K]) cancel(w *waiter) outcomes { return w.queue.cancel(w) }

func (h *keyHost[K]) giveBack(w *waiter) outcomes {
	return releaseKey((*keyedMutex[K])(h), callOf[job.Void, K](w).request)
}

func mustEqualItself[K comparable](key K) {
	if key != key { //nolint:gocritic // that is the question
		panic("coord: a key that is not equal to itself")
	}
}
