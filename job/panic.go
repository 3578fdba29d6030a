package job

import (
	"fmt"
	"runtime/debug"
)

// PanicError is the error of a job whose function panicked.
//
// It is tempting to let the panic go on in whoever awaits the job. A job may be
// awaited by many or by nobody, long after; a panic that surfaces in all of them
// or in none is neither a crash nor an error. So it becomes an error that keeps what the
// panic had: value and stack. (A call of a twin is different: there is one
// caller, who waits, so the panic goes on in it as in plain Go.)
type PanicError struct {
	// Value is what was passed to panic. For panic(nil) it is a
	// *runtime.PanicNilError.
	Value any
	// Stack is the stack of the goroutine that panicked, as debug.Stack prints it.
	Stack []byte
}

// NewPanicError returns the error for a panic value that was just recovered, with
// the stack of the calling goroutine; call it in the deferred function that
// recovered. A value that is a *PanicError already is returned as it is.
func NewPanicError(value any) *PanicError {
	if p, ok := value.(*PanicError); ok {
		return p
	}
	return &PanicError{Value: value, Stack: debug.Stack()}
}

// Error implements error. The stack is not part of it.
func (p *PanicError) Error() string { return fmt.Sprintf("job: panic: %v", p.Value) }

// Unwrap returns the panic's value if that is an error, else nil.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
