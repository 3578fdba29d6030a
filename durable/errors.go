package durable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"reflect"
	"sync/atomic"
)

// Errors that a durable function sees.
var (
	// ErrTimeout: no signal has arrived in time.
	ErrTimeout = errors.New("durable: no signal in time")
	// ErrCanceled: the instance has been canceled. Steps, Receive and Sleep return it.
	ErrCanceled = errors.New("durable: the instance has been canceled")
)

// PanicError is the error of a step that panicked, with the text of the panic's value, or that
// called runtime.Goexit, with an empty text.
type PanicError struct{ Value string }

// Error says what the panic's value was.
func (e *PanicError) Error() string {
	if e.Value == "" {
		return "durable: the step ended its goroutine"
	}
	return "durable: the step panicked: " + e.Value
}

// permanent is an error after which a step is not tried again.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent returns err, marked: a step that returns it is not tried again, whatever its
// [Retry] says. Nil stays nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

// registered are the errors that survive being saved. It is replaced as a whole, never
// changed, so that reading needs no lock.
type registered struct {
	values map[string]error // by name
	types  map[string]errorType
}

var registry = newRegistry()

// newRegistry has the errors that every program knows.
func newRegistry() *atomic.Pointer[registered] {
	p := new(atomic.Pointer[registered])
	p.Store(&registered{
		values: map[string]error{
			"durable.ErrTimeout": ErrTimeout, "durable.ErrCanceled": ErrCanceled, "durable.ErrTerminated": ErrTerminated,
			"durable.ErrNoHeartbeat": ErrNoHeartbeat,
			"context.Canceled":       context.Canceled, "context.DeadlineExceeded": context.DeadlineExceeded,
			"io.EOF": io.EOF, "io.ErrUnexpectedEOF": io.ErrUnexpectedEOF,
			"fs.ErrExist": fs.ErrExist, "fs.ErrNotExist": fs.ErrNotExist, "fs.ErrPermission": fs.ErrPermission,
		},
		types: map[string]errorType{"durable.PanicError": errorTypeFor[*PanicError]()},
	})
	return p
}

// register replaces the registry by one that change has been made to.
func register(change func(*registered)) {
	for {
		old := registry.Load()
		next := &registered{maps.Clone(old.values), maps.Clone(old.types)}
		change(next)
		if registry.CompareAndSwap(old, next) {
			return
		}
	}
}

// errorType is a registered type of errors.
type errorType struct {
	typ  reflect.Type
	find func(error) (any, bool) // as errors.As does: a pointer to the value
}

// RegisterError gives an error value a name, so that errors.Is finds it in an error that has
// been saved: call it before instances run, from an initialiser. A saved error that was the
// value itself is it again when it is loaded. The last of two registrations of a name counts.
// Registered are ErrTimeout, ErrCanceled, ErrTerminated and ErrNoHeartbeat, both errors of
// context, io.EOF and io.ErrUnexpectedEOF, and ErrExist, ErrNotExist and ErrPermission of
// io/fs. RegisterError is safe for concurrent use.
func RegisterError(name string, err error) {
	register(func(r *registered) { r.values[name] = err })
}

// RegisterErrorType gives a type of errors a name, so that errors.As finds a value of it in an
// error that has been saved. Its fields are saved like those of any value (see the package's
// comment). It is called like [RegisterError].
func RegisterErrorType[E error](name string) {
	register(func(r *registered) { r.types[name] = errorTypeFor[E]() })
}

func errorTypeFor[E error]() errorType {
	find := func(err error) (any, bool) {
		e := new(E)
		return e, errors.As(err, e)
	}
	return errorType{reflect.TypeFor[E](), find}
}

// NewError returns a new error with a text, and registers it under the name: see
// [RegisterError].
//
//	var ErrRefused = durable.NewError("orders.ErrRefused", "orders: refused")
func NewError(name, text string) error {
	err := errors.New(text)
	RegisterError(name, err)
	return err
}

// StepError is what is left of an error at the boundary of a step: its text, and the
// registered values and types in it, which errors.Is and errors.As find.
type StepError struct {
	text string
	is   map[string]bool
	as   []reflect.Value
}

// Error is the text of the original error.
func (e *StepError) Error() string { return e.text }

// Is reports whether the original error was the target, if that is registered.
func (e *StepError) Is(target error) bool {
	values := registry.Load().values
	for name := range e.is {
		if same(values[name], target) {
			return true
		}
	}
	return false
}

// As finds an error of a registered type.
func (e *StepError) As(target any) bool {
	to := reflect.ValueOf(target).Elem()
	for _, v := range e.as {
		if v.Type().AssignableTo(to.Type()) {
			to.Set(v)
			return true
		}
	}
	return false
}

// same compares errors that may not be comparable.
func same(a, b error) bool {
	return a != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

// savedError is an error as a checkpoint has it.
type savedError struct {
	Text string    `json:"text"`
	Same string    `json:"same,omitempty"` // it is this value
	Is   []string  `json:"is,omitempty"`
	As   []asSaved `json:"as,omitempty"`
}

// asSaved is a value of a registered type.
type asSaved struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // encoded
}

// Normalise returns err as it is after it has been saved and loaded: what a durable function
// sees of a step's error. Nil stays nil.
func Normalise(err error) error {
	if err == nil {
		return nil
	}
	text, failure := encodeAlone(reflect.ValueOf(&err).Elem())
	if failure != nil {
		return &StepError{text: textOf(err)}
	}
	var back error
	if failure := decodeAlone(text, reflect.ValueOf(&back).Elem()); failure != nil {
		return &StepError{text: textOf(err)}
	}
	return back
}

// textOf is the text of an error, whose method may panic.
func textOf(err error) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("durable: the method Error of a %T panicked: %v", err, v)
		}
	}()
	return err.Error()
}
