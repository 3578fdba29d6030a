package schedulers

import (
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"sync/atomic"
)

// TrySubmit is s.Submit(w, from) for callers that must survive a panic in Submit:
// callers that complete an operation and have more waiters to notify than this
// one. It returns nil if w was accepted, and s then runs or abandons it once.
// Otherwise it returns the reason of the refusal, and neither method of w is called.
// A nil scheduler refuses with [ErrRejected].
//
// This holds even if Submit panics. Submit may have accepted w before the panic, and
// the caller cannot know. So TrySubmit wraps w in a ticket if s comes from outside this
// module. The ticket costs an allocation, and TrySubmit takes it back after a panic. If
// s has not begun with w by then, it never will, and the error is a
// [*SubmitPanicError]. If s has begun, w was accepted, the error is nil, and the panic
// is reported to [OnHookPanic]. The schedulers of this module contain the panics of
// their hooks, and need no ticket.
//
// It is tempting to treat every panic as a refusal. A machine could then be resumed
// twice, on two goroutines at the same time: by its scheduler, and by the caller that
// sees a refusal.
func TrySubmit(s Scheduler, w Work, from Hint) error {
	h, isHome := s.(*Home)
	if isHome && h != nil && h.sound {
		return offer(h.Scheduler, w, from)
	}
	if isHome && h != nil {
		s = h.Scheduler
	}
	if s == nil || w == nil || sound(s) {
		return offer(s, w, from)
	}
	t := &ticket{work: w}
	err := offer(s, t, from)
	if p, ok := errors.AsType[*SubmitPanicError](err); ok && t.take() == nil {
		(&HookPanic{Hook: fmt.Sprintf("Submit of %T", s), Value: p.Value, Stack: p.Stack}).report()
		return nil
	}
	return err
}

// offer is [TrySubmit] without a ticket, for work that is its own ticket: its
// submitter can take it back, so that a later Run or Abandon does nothing. A job is
// such work. After a [*SubmitPanicError] the caller does not know whether s has accepted
// w; any other error is a refusal.
func offer(s Scheduler, w Work, from Hint) (err error) {
	if s == nil {
		return fmt.Errorf("schedulers: no scheduler: %w", ErrRejected)
	}
	defer func() {
		if v := recover(); v != nil {
			err = newSubmitPanicError(v)
		}
	}()
	return s.Submit(w, from)
}

func newSubmitPanicError(v any) error { return &SubmitPanicError{Value: v, Stack: debug.Stack()} }

// SubmitPanicError is the error of [TrySubmit] if Submit has panicked. It matches
// [ErrRejected], and the panic's value if that is an error.
type SubmitPanicError struct {
	Value any    // of the panic
	Stack []byte // of the goroutine that called Submit
}

// Error implements error.
func (e *SubmitPanicError) Error() string {
	return fmt.Sprintf("schedulers: Submit panicked: %v: %v", e.Value, ErrRejected)
}

// Unwrap returns the errors that the error matches.
func (e *SubmitPanicError) Unwrap() []error {
	if err, ok := e.Value.(error); ok {
		return []error{ErrRejected, err}
	}
	return []error{ErrRejected}
}

// ticket is a work item that can be taken back.
type ticket struct {
	work  Work
	taken atomic.Bool
}

// take returns the work to the first caller, and nil to all others.
func (t *ticket) take() Work {
	if !t.taken.CompareAndSwap(false, true) {
		return nil
	}
	w := t.work
	t.work = nil
	return w
}

// Run implements Work.
func (t *ticket) Run(on Worker) {
	if w := t.take(); w != nil {
		w.Run(on)
	}
}

// Abandon implements Work.
func (t *ticket) Abandon(reason error) {
	if w := t.take(); w != nil {
		w.Abandon(reason)
	}
}

// sound reports whether Submit cannot panic once it has accepted work: the type
// of s is declared in a package below this folder. A scheduler that merely embeds
// such a type is not.
func sound(s Scheduler) bool {
	t := reflect.TypeOf(s)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), below)
}

var below = reflect.TypeFor[Home]().PkgPath() + "/"
