package ums

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrSharedLock is returned by Lock for a lock that the other side uses.
var ErrSharedLock = errors.New("ums: a scheduler must not share a lock with its workers")

// Side is the user of a lock.
type Side uint32

// The sides.
const (
	SchedulerSide Side = iota + 1 // entry points and policies
	WorkerSide                    // code that runs on workers
)

// Mutex is a mutual exclusion lock that belongs to one side: the side that locks it
// first. It always reports a mistake that would otherwise deadlock only if a worker
// blocked at one particular point. The zero value is unlocked and belongs to neither side.
type Mutex struct {
	side atomic.Uint32
	mu   sync.Mutex
}

// Lock blocks until the lock is free, takes it and returns nil. If the lock belongs to
// the other side, it immediately returns [ErrSharedLock] and does not take it.
func (m *Mutex) Lock(worker Side) error {
	if !m.side.CompareAndSwap(0, uint32(worker)) && m.side.Load() != uint32(worker) {
		return ErrSharedLock
	}
	m.mu.Lock()
	return nil
}

// Unlock releases the lock. It panics fatally if the lock is free, as sync.Mutex does.
func (m *Mutex) Unlock() { m.mu.Unlock() }
