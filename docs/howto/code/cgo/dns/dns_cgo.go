//go:build cgo

package dns

// #include <stdlib.h>
// #include "start.h"
import "C"

import (
	"runtime/cgo"
	"sync"
	"time"
	"unsafe"

	"github.com/movenext/movenext/job"
)

// Library says what answers.
const Library = "C"

// answer is where the answer of a lookup goes. C has a handle to it, never a pointer.
type answer struct {
	job.Source[string]

	mu sync.Mutex
	at *C.lookup // nil after the library has called back: it frees its lookup
}

// begin starts a lookup.
func begin(name string, takes time.Duration) *answer {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	a := &answer{}
	h := cgo.NewHandle(a)
	inC.Add(1)
	a.mu.Lock() // the library may call back before start returns
	defer a.mu.Unlock()
	if a.at = C.start(text, C.int(takes.Milliseconds()), C.uintptr_t(h)); a.at == nil {
		h.Delete() // there will be no call
		inC.Done()
		a.TrySetError(errNoThread)
	}
	return a
}

// dnsAnswer is what C calls, on a thread of its own.
//
//export dnsAnswer
func dnsAnswer(data C.uintptr_t, address *C.char, stopped C.int) {
	defer inC.Done()
	h := cgo.Handle(data)
	a := h.Value().(*answer)
	h.Delete() // there is no second call
	a.mu.Lock()
	a.at = nil
	a.mu.Unlock()
	if stopped != 0 {
		a.TrySetError(errStopped)
		return
	}
	a.TrySetResult(C.GoString(address)) // a copy: the text is the library's
}

// stop asks the library to give up, unless it has called back.
func (a *answer) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.at != nil {
		C.dns_stop(a.at)
	}
}
