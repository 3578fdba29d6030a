//go:build interleave

package interleave

import "sync"

type (
	// Bool is an atomic boolean.
	Bool = variable[bool]

	// Int32 is an atomic int32.
	Int32 = number[int32]

	// Int64 is an atomic int64.
	Int64 = number[int64]

	// Uint32 is an atomic uint32.
	Uint32 = number[uint32]

	// Uint64 is an atomic uint64.
	Uint64 = number[uint64]
)

// Pointer is an atomic pointer.
type Pointer[T any] struct{ v variable[*T] }

// LoadPointer returns the value of p.
func LoadPointer[T any](p *Pointer[T]) *T { return p.v.Load() }

// StorePointer sets the value of p.
func StorePointer[T any](p *Pointer[T], v *T) { p.v.Store(v) }

// SwapPointer sets the value of p and returns the old one.
func SwapPointer[T any](p *Pointer[T], v *T) *T { return p.v.Swap(v) }

// CompareAndSwapPointer sets the value of p to v if it is old, and reports whether it was.
func CompareAndSwapPointer[T any](p *Pointer[T], old, v *T) bool { return p.v.CompareAndSwap(old, v) }

// variable is an atomic variable. The mutex is for goroutines outside of explorations.
type variable[T comparable] struct {
	object object
	mu     sync.Mutex
	v      T
}

// Load returns the value.
func (x *variable[T]) Load() T {
	x.object.announce(load)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.v
}

// Store sets the value.
func (x *variable[T]) Store(v T) { x.update(store, func(T) T { return v }) }

// Swap sets the value and returns the old one.
func (x *variable[T]) Swap(v T) T { return x.update(swap, func(T) T { return v }) }

// CompareAndSwap sets the value to v if it is old, and reports whether it was.
func (x *variable[T]) CompareAndSwap(old, v T) bool {
	x.object.announce(cas)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.v != old {
		return false
	}
	x.v = v
	x.object.noteWrite()
	return true
}

// update is a step that writes; it returns the old value.
func (x *variable[T]) update(k kind, f func(T) T) (old T) {
	x.object.announce(k)
	x.mu.Lock()
	defer x.mu.Unlock()
	old, x.v = x.v, f(x.v)
	x.object.noteWrite()
	return old
}

// number is a variable with arithmetic.
type number[T int32 | int64 | uint32 | uint64] struct{ variable[T] }

// Add adds to the value and returns the new one.
func (x *number[T]) Add(delta T) T {
	return x.update(add, func(v T) T { return v + delta }) + delta
}

// And clears the bits that mask does not have, and returns the old value.
func (x *number[T]) And(mask T) T { return x.update(and, func(v T) T { return v & mask }) }

// Or sets the bits of mask, and returns the old value.
func (x *number[T]) Or(mask T) T { return x.update(or, func(v T) T { return v | mask }) }

// Mutex is a mutex.
type Mutex struct {
	object object
	held   bool // written under mu
	mu     sync.Mutex
}

// Lock locks m.
func (m *Mutex) Lock() {
	m.object.mutex = m
	m.object.announce(lock)
	if abandoned {
		return
	}
	m.mu.Lock()
	m.held = true
	m.object.noteWrite()
}

// TryLock locks m if it is not locked, and reports whether it did.
func (m *Mutex) TryLock() bool {
	m.object.announce(tryLock)
	if !m.mu.TryLock() {
		return false
	}
	m.held = true
	m.object.noteWrite()
	return true
}

// Unlock unlocks m.
func (m *Mutex) Unlock() {
	m.object.announce(unlock)
	if abandoned && !m.held {
		return
	}
	m.held = false
	m.object.noteWrite()
	m.mu.Unlock()
}
