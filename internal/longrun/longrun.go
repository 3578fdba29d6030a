// Package longrun learns which functions keep their worker for long.
//
// Whether work computes or waits cannot be seen from outside, and how long it will take cannot
// be known before it has run. But programs run the same few functions again and again, and what
// took half a second usually does so the next time. So the functions that took longer than a
// limit are kept by their code. A function that then takes less than half of it several times
// in a row is forgotten: it was an accident, such as a cold cache or a slow disk.
package longrun

import (
	"maps"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
)

// shortRuns is how many short runs in a row make a function an ordinary one.
const shortRuns = 8

// Functions are the functions that took longer than a limit. It is safe for concurrent use. A nil
// *Functions knows none, and learns nothing.
type Functions struct {
	limit time.Duration

	// known is replaced, not changed: each start of a job reads it.
	known atomic.Pointer[map[uintptr]*function]
	mu    sync.Mutex // of those that replace known
}

// function counts the short runs since the last long one.
type function struct{ short atomic.Int32 }

// Over returns Functions that learns those that take longer than limit.
func Over(limit time.Duration) *Functions { return &Functions{limit: limit} }

// Code returns what identifies the function fn: closures that are made at one place are the
// same function. A fn that is no function is none.
func Code(fn any) uintptr {
	v := reflect.ValueOf(fn)
	if v.Kind() != reflect.Func {
		return 0
	}
	return v.Pointer()
}

// Has reports whether the function took long. It costs a load while no function did.
func (f *Functions) Has(code uintptr) bool { return f.find(code) != nil }

func (f *Functions) find(code uintptr) *function {
	if f == nil {
		return nil
	}
	known := f.known.Load()
	if known == nil {
		return nil
	}
	return (*known)[code]
}

// Took notes how long a run of the function has kept its worker.
func (f *Functions) Took(code uintptr, d time.Duration) {
	if f == nil {
		return
	}
	found := f.find(code)
	switch {
	case d > f.limit && found != nil:
		found.short.Store(0)
	case d > f.limit:
		f.change(func(known map[uintptr]*function) {
			if known[code] == nil {
				known[code] = new(function)
			}
		})
	case found != nil && d < f.limit/2 && found.short.Add(1) == shortRuns:
		f.change(func(known map[uintptr]*function) {
			// Unless a long run came between.
			if known[code] == found && found.short.Load() >= shortRuns {
				delete(known, code)
			}
		})
	}
}

// change replaces what is known.
func (f *Functions) change(by func(known map[uintptr]*function)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := map[uintptr]*function{}
	if old := f.known.Load(); old != nil {
		maps.Copy(known, *old)
	}
	by(known)
	f.known.Store(&known)
}
