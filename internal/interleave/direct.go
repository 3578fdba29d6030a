//go:build !interleave

package interleave

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

type (
	// Bool is an atomic boolean.
	Bool = atomic.Bool

	// Int32 is an atomic int32.
	Int32 = atomic.Int32

	// Int64 is an atomic int64.
	Int64 = atomic.Int64

	// Uint32 is an atomic uint32.
	Uint32 = atomic.Uint32

	// Uint64 is an atomic uint64.
	Uint64 = atomic.Uint64
)

// Pointer is an atomic pointer. It has functions instead of methods, and cannot be compared: gc
// would compile the methods of [atomic.Pointer] and a comparison, nine functions for each T, in
// every package that mentions a job.
type Pointer[T any] struct {
	_ [0]func()
	_ [0]sync.Mutex // vet finds copies, as of an atomic.Pointer
	_ [0]*T         // no conversion to a pointer of another type
	p unsafe.Pointer
}

// LoadPointer returns the value of p.
func LoadPointer[T any](p *Pointer[T]) *T { return (*T)(atomic.LoadPointer(&p.p)) }

// StorePointer sets the value of p.
func StorePointer[T any](p *Pointer[T], v *T) { atomic.StorePointer(&p.p, opaque(v)) }

// SwapPointer sets the value of p and returns the old one.
func SwapPointer[T any](p *Pointer[T], v *T) *T {
	return (*T)(atomic.SwapPointer(&p.p, opaque(v)))
}

// CompareAndSwapPointer sets the value of p to v if it is old, and reports whether it was.
func CompareAndSwapPointer[T any](p *Pointer[T], old, v *T) bool {
	return atomic.CompareAndSwapPointer(&p.p, opaque(old), opaque(v))
}

func opaque[T any](p *T) unsafe.Pointer {
	return unsafe.Pointer(p) //nolint:gosec // the functions above convert it back
}

// Mutex is the mutex of package sync.
type Mutex = sync.Mutex

// Timer is the timer of package time.
type Timer = time.Timer

// Shrink is the number of bits by which limits are reduced: 15 in the build for
// interleavings, where loops give up early, so that tests reach the limits.
const Shrink = 0

// Go starts a goroutine. It does not block.
func Go(f func()) { go f() }

// AfterFunc is [time.AfterFunc].
func AfterFunc(d time.Duration, f func()) *Timer { return time.AfterFunc(d, f) }

// Yield lets other goroutines run. It is for loops with a bounded number of turns.
func Yield() { runtime.Gosched() }

// Spin lets other goroutines run. It is for loops that end only when another goroutine
// has changed a variable that the loop reads.
func Spin() { runtime.Gosched() }

// AfterContext is [context.AfterFunc].
func AfterContext(ctx context.Context, f func()) (stop func() bool) { return context.AfterFunc(ctx, f) }
