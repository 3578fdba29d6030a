package coord

import (
	"context"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/shrinkmap"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// KeyedMutex is one [Mutex] for each key: a lock for each user, file or account, without
// memory for keys that are not locked. The zero KeyedMutex has no key locked.
//
// A key must be comparable and equal to itself. Any other key (an interface that holds
// a slice; NaN) panics: it could not be found again to unlock it.
type KeyedMutex[K comparable] struct{ hiddenKeyedMutex[K] }

// keyedMutex is a KeyedMutex as its entry sees it; see entered.go for the two names.
type keyedMutex[K comparable] struct {
	mu interleave.Mutex
	// A key that is present is locked. Its queue is nil until a caller waits.
	locked shrinkmap.Map[K, *queue[job.Void, K]]
	// The holder of each key, if a scheduler reports holders; guarded by mu.
	holders map[K]*schedulers.Holder
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
		_, err = wait(ctx, &m.hiddenKeyedMutex, key)
	}
	if err == nil && schedulers.Followed() {
		m.setHolder(key, holderIn(ctx))
	}
	return err
}

// LockAsync returns a job that completes once key is locked, or is Canceled when ctx
// ends first. If the key is free it allocates nothing, except for the map's growth.
func (m *KeyedMutex[K]) LockAsync(ctx context.Context, key K) *job.Job[job.Void] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return promise.Failed[job.Void](ctx, err)
	}
	if m.TryLock(key) {
		return completedVoid()
	}
	return waitAsync(ctx, &m.hiddenKeyedMutex, key)
}

// LockEnter is [KeyedMutex.Lock] as generated machines call it.
func (m *keyedMutex[K]) LockEnter(r *statemachine.Run, ctx context.Context, key K) (*statemachine.WaitingVoid[job.Void], error) {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endEntryVoid(r, m, err)
	}
	mustEqualItself(key)
	if r.Proceed() && m.try(key) {
		if schedulers.Followed() {
			m.setHolder(key, r.Holder())
		}
		return nil, nil
	}
	return enterWaitVoid(r, ctx, m, key), nil
}

// TryLock locks key if it is free, and reports whether it did.
func (m *KeyedMutex[K]) TryLock(key K) bool { return m.try(key) }

func (m *keyedMutex[K]) try(key K) bool {
	m.mu.Lock()
	defer m.mu.Unlock() // a map may panic because of its key
	return m.take(key)
}

// Unlock releases key, or hands it to its first waiter. It panics if key is not locked.
func (m *KeyedMutex[K]) Unlock(key K) { m.unlock(key).deliver(nil) }

func (m *keyedMutex[K]) unlock(key K) outcomes {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.release(key)
}

// take locks a free key.
func (m *keyedMutex[K]) take(key K) bool {
	mustEqualItself(key)
	if _, locked := m.locked.Get(key); locked {
		return false
	}
	m.locked.Put(key, nil)
	return true
}

// release passes a key to its next waiter, or forgets it.
func (m *keyedMutex[K]) release(key K) (decided outcomes) {
	delete(m.holders, key)
	waiting, locked := m.locked.Get(key)
	switch {
	case !locked:
		panic("coord: unlock of a key that is not locked")
	case waiting == nil || waiting.empty():
		m.locked.Delete(key)
	default:
		decided.add(waiting.pop())
	}
	return decided
}

// setHolder records the holder of key.
func (m *keyedMutex[K]) setHolder(key K, holder *schedulers.Holder) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holders == nil {
		m.holders = map[K]*schedulers.Holder{}
	}
	m.holders[key] = holder
}

func (m *keyedMutex[K]) holderOf(key K) *schedulers.Holder {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.holders[key]
}

// keyLock is the lock of one key.
type keyLock[K comparable] struct {
	mutex *keyedMutex[K]
	key   K
}

func (m *keyedMutex[K]) lockOf(key K) any { return keyLock[K]{m, key} }

func (m *keyedMutex[K]) recordHolder(r *statemachine.Run, key K) { m.setHolder(key, r.Holder()) }

// waitName names what a waiter waits for.
func (m *keyedMutex[K]) waitName() string { return typeName((*KeyedMutex[K])(nil)) }

func (m *keyedMutex[K]) guard() *interleave.Mutex { return &m.mu }

func (m *keyedMutex[K]) admit(w *waiter[job.Void, K]) (decided outcomes) {
	if m.take(w.request) {
		decided.add(w)
		return decided
	}
	waiting, _ := m.locked.Get(w.request)
	if waiting == nil {
		waiting = new(queue[job.Void, K])
		m.locked.Put(w.request, waiting)
	}
	waiting.push(w)
	return decided
}

func (m *keyedMutex[K]) cancel(w *waiter[job.Void, K]) outcomes { return w.queue.cancel(w) }

func (m *keyedMutex[K]) giveBack(w *waiter[job.Void, K]) outcomes { return m.release(w.request) }

func mustEqualItself[K comparable](key K) {
	if key != key { //nolint:gocritic // that is the question
		panic("coord: a key that is not equal to itself")
	}
}
