package ums

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrSharedLock is returned by Lock for a lock that the other side uses.
var ErrSharedLock = errors.New("ums: a scheduler must not share a lock with its workers")

// Side is who uses a lock.
type Side uint32

// The sides.
const (
	SchedulerSide Side = iota + 1 // entry points and policies
	WorkerSide                    // what runs on workers
)

// Mutex is a mutual exclusion lock that belongs to one side: to the one that locks it first. It exists because the mistake that it
// finds is a deadlock that needs a worker to block at one certain place. The zero value is unlocked and belongs to nobody.
type Mutex struct {
	side atomic.Uint32
	mu   sync.Mutex
}

// Lock blocks until the lock is free, takes it and returns nil; or it returns [ErrSharedLock] at once if the lock
// belongs to the other side, and is not taken then.
func (m *Mutex) Lock(by Side) error {
	if !m.side.CompareAndSwap(0, uint32(by)) && m.side.Load() != uint32(by) {
		return ErrSharedLock
	}
	m.mu.Lock()
	return nil
}

// Unlock gives the lock back. It panics fatally if the lock is free, as sync.Mutex does.
func (m *Mutex) Unlock() { m.mu.Unlock() }
