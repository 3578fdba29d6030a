// Package longrun learns which functions keep their worker for long.
//
// A scheduler cannot see whether work computes or waits, and cannot know how long it will take
// before it has run. But programs run the same few functions again and again, and a function
// that took half a second usually does so the next time. So the package remembers the code
// addresses of functions that took longer than a limit. A function that then takes less than
// half of the limit several times in a row is forgotten: the long run was an accident, caused
// by a cold cache or a slow disk, say.
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

// Functions is the set of functions that took longer than a limit. It is safe for concurrent
// use. A nil *Functions is empty, and learns nothing.
type Functions struct {
	limit time.Duration

	// The map is replaced, never modified, since each start of a job reads it without a lock.
	known atomic.Pointer[map[uintptr]*function]
	mu    sync.Mutex // guards the replacement of known
}

// function counts the short runs since the last long one.
type function struct{ short atomic.Int32 }

// New returns a Functions that learns the functions that take longer than limit.
func New(limit time.Duration) *Functions { return &Functions{limit: limit} }

// Code returns the number that identifies the function fn. Closures that are made at one place
// are the same function. It returns 0 if fn is not a function.
func Code(fn any) uintptr {
	v := reflect.ValueOf(fn)
	if v.Kind() != reflect.Func {
		return 0
	}
	return v.Pointer()
}

// Has reports whether the function took long. While no function did, it costs one load.
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

// Took records how long a run of the function has kept its worker.
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
			// Not if there was a long run in the meantime.
			if known[code] == found && found.short.Load() >= shortRuns {
				delete(known, code)
			}
		})
	}
}

// change replaces the map by a modified copy.
func (f *Functions) change(edit func(known map[uintptr]*function)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := map[uintptr]*function{}
	if old := f.known.Load(); old != nil {
		maps.Copy(known, *old)
	}
	edit(known)
	f.known.Store(&known)
}
