package schedulers

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/internal/truncate"
)

// Hook is a function of a program that a library calls to report something: an
// observer, a wake-up callback, a handler of reports. The library calls it in the middle
// of its own work, often under a lock or after it has accepted work, so a panic in it
// must change nothing. [Hook.Call] contains the panic and reports it once, to
// [OnHookPanic].
//
// Every option of this module that takes such a function keeps it in a Hook; your own
// schedulers should do the same. The zero Hook is not set. A Hook is immutable, and as
// safe for concurrent use as its function is.
//
// The tempting alternative is a recover at each call. Each call then follows a rule of
// its own, and some panics are never reported.
type Hook[T any] struct {
	name string
	f    func(T)
}

// NewHook returns a hook that calls f. The name identifies the hook in reports: the
// package and the option, as in "eventloop.OnWake". With a nil f the hook is not set.
func NewHook[T any](name string, f func(T)) Hook[T] { return Hook[T]{name, f} }

// IsSet reports whether the hook has a function to call. If it has none, callers need
// not prepare the argument.
func (h Hook[T]) IsSet() bool { return h.f != nil }

// Call calls the function with v, if one is set, and reports whether it returned. It
// blocks as long as the function does. A panic ends here, and false is returned. A
// runtime.Goexit cannot be stopped: it ends the goroutine that called the hook, perhaps
// that of a worker. So hooks must not call it; in tests, that means no FailNow.
func (h Hook[T]) Call(v T) (returned bool) {
	if h.f == nil {
		return true
	}
	defer func() {
		if p := recover(); p != nil {
			(&HookPanic{Hook: h.name, Value: p, Stack: debug.Stack()}).report()
		}
	}()
	h.f(v)
	return true
}

// HookPanic is the panic of a hook.
type HookPanic struct {
	Hook  string // the name of the hook: its package and its option
	Value any    // of the panic
	Stack []byte // of the goroutine that panicked
}

// String returns one line, without the stack.
func (p *HookPanic) String() string {
	if p == nil {
		return "no panic"
	}
	return fmt.Sprintf("the hook %s panicked: %v", p.Hook, p.Value)
}

// OnHookPanic makes f the function that is called, once, for each panic of a
// [Hook], and returns the function that was set before, or nil. Without a
// function, the first panic of each hook is written to standard error with its
// stack, and later ones of the same hook are dropped. OnHookPanic is safe for
// concurrent use and does not block.
//
// f is called on the goroutine of the hook, perhaps under a lock of the scheduler that
// called it: it must be safe for concurrent use, must not block, and must not call that
// scheduler. If f itself panics, that panic is written to standard error.
func OnHookPanic(f func(*HookPanic)) (before func(*HookPanic)) {
	var next *func(*HookPanic)
	if f != nil {
		next = &f
	}
	if last := hookPanics.Swap(next); last != nil {
		return *last
	}
	return nil
}

var (
	hookPanics atomic.Pointer[func(*HookPanic)]
	written    sync.Map // of the names of hooks whose panic was written to standard error
)

func (p *HookPanic) report() {
	f := hookPanics.Load()
	if f == nil {
		p.write()
		return
	}
	defer func() {
		if v := recover(); v != nil {
			p.write()
			(&HookPanic{Hook: "schedulers.OnHookPanic", Value: v, Stack: debug.Stack()}).write()
		}
	}()
	(*f)(p)
}

// write reports to standard error, once for each hook: a hook that panics may do so a
// million times a second.
func (p *HookPanic) write() {
	if _, told := written.LoadOrStore(p.Hook, true); !told {
		_, _ = fmt.Fprintf(os.Stderr, "movenext: %s\n\n%s\n", truncate.Indented(p.String()), p.Stack)
	}
}
