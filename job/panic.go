package job

import (
	"fmt"

	"github.com/movenext/movenext/internal/panics"
)

// PanicError is the error of a job whose function panicked.
//
// It is tempting to let the panic continue in the job's awaiter. But a job may have
// many awaiters or none, long after; a panic that surfaces in all of them or in none is
// neither a crash nor an error. So it becomes an error that keeps what the panic had:
// value and stack. (A call of a twin is different: exactly one caller waits, so the
// panic continues there as in plain Go.)
type PanicError struct {
	// Value is what was passed to panic. For panic(nil) it is a
	// *runtime.PanicNilError.
	Value any
	// Stack is the stack of the goroutine that panicked, as debug.Stack prints it. Of a
	// stack of more than a hundred frames it has the innermost hundred, without
	// arguments.
	Stack []byte
	// Async is the asynchronous stack at that moment: the job that panicked, what
	// waited for it, and so on. See [AsyncStack].
	Async []Frame
}

// newPanicError returns the error for a panic value that was just recovered, with
// the stack of the calling goroutine; call it in the deferred function that
// recovered. A value that is a *PanicError already is returned as it is.
func newPanicError(value any) *PanicError {
	if p, ok := value.(*PanicError); ok {
		return p
	}
	return &PanicError{Value: value, Stack: panics.Here().Text()}
}

// panicked is newPanicError for a job, before the outcome is published.
func (c *core) panicked(value any) *PanicError {
	p := newPanicError(value)
	if p != value {
		p.Async = c.asyncStack()
	}
	return p
}

// Error implements error. The stacks are not part of it.
func (p *PanicError) Error() string { return fmt.Sprintf("job: panic: %v", p.Value) }

// Format implements fmt.Formatter: the verb %+v prints both stacks below the error, all
// others print the error alone.
func (p *PanicError) Format(f fmt.State, verb rune) {
	if verb != 'v' || !f.Flag('+') {
		_, _ = fmt.Fprintf(f, fmt.FormatString(f, verb), p.Error())
		return
	}
	_, _ = fmt.Fprintf(f, "%s\n\n%s", p.Error(), p.Stack)
	for i, frame := range p.Async {
		if i > 0 {
			_, _ = fmt.Fprint(f, "awaited by ")
		}
		_, _ = fmt.Fprintln(f, frame)
	}
}

// Unwrap returns the panic's value if that is an error, else nil.
func (p *PanicError) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}
