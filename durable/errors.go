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

	"github.com/movenext/movenext/durable/stores"
)

// Errors of an engine, and of the durable functions and steps that it runs. Those of the last part
// are returned to functions and steps; all of them but ErrNotDurable are registered: see
// [RegisterError]. Package stores has the errors that stores return, which are equal to these.
var (
	// ErrNotFound: there is no instance with that id.
	ErrNotFound = stores.ErrNotFound
	// ErrEnded: the instance has ended.
	ErrEnded = stores.ErrEnded
	// ErrNotEnded says that an instance has not ended, or that one that has not ended needs it.
	ErrNotEnded = errors.New("durable: the instance has not ended")
	// ErrOther says that the id belongs to an instance of another function or with another
	// request.
	ErrOther = errors.New("durable: the id belongs to another instance")
	// ErrConflict says that other writers were faster each time that a change was tried.
	ErrConflict = stores.ErrConflict
	// ErrUnstorable: what was to be written can never be kept, however often it is tried.
	ErrUnstorable = stores.ErrUnstorable
	// ErrTooLarge says that a value to save exceeds MaxCheckpoint bytes, or the limit of its
	// store. For the answer to an update, it says that the answer exceeds 64 KiB.
	ErrTooLarge = stores.ErrTooLarge
	// ErrCorrupt says that the stored checkpoint differs from the one that was saved.
	ErrCorrupt = stores.ErrCorrupt
	// ErrLater says that a checkpoint has a format that this program does not know yet.
	ErrLater = errors.New("durable: a later version of package durable has saved it: deploy a program with that one")
	// ErrNoTrail says that the trail has no values of that point.
	ErrNoTrail = errors.New("durable: nothing is kept of that point: open the engines with durable.Trail")
	// ErrNoValue says that the last checkpoint of an instance has no value of that name.
	ErrNoValue = errors.New("durable: no such value is saved")
	// ErrNoTx says that there is no transaction: the store has none, or none of that type, or a
	// step runs outside an engine and without [stores.WithTransactor].
	ErrNoTx = stores.ErrNoTx
	// ErrShutdown says that the engine has been shut down.
	ErrShutdown = errors.New("durable: the engine has been shut down")

	// ErrTimeout: no signal arrived in time.
	ErrTimeout = errors.New("durable: no signal in time")
	// ErrCanceled: the instance was canceled. Steps, Receive and Sleep return it.
	ErrCanceled = errors.New("durable: the instance has been canceled")
	// ErrTerminated is the error of an instance that was terminated.
	ErrTerminated = errors.New("durable: the instance has been terminated")
	// ErrUnreadable is matched by the error of a Receive of a [Strict] for a signal that is not of
	// its type.
	ErrUnreadable = errors.New("durable: the signal is of another type")
	// ErrNoHeartbeat says that a step did not call Heartbeat for as long as its [Retry] allows.
	ErrNoHeartbeat = errors.New("durable: no heartbeat of the step in time")
	// ErrNotDurable is the error of Receive, Sleep, All, Any, Heartbeat and Answer when neither an
	// engine nor a test runs the calling function.
	ErrNotDurable = errors.New("durable: called outside of a durable function: run it with an engine, or with durabletest.Plain")
)

// isFinal reports whether a call of a store would fail with the same error for ever.
func isFinal(err error) bool {
	return errors.Is(err, ErrUnstorable) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrCorrupt)
}

// PanicError is the error of a step that panicked or called runtime.Goexit. Value is the text of
// the panic's value, and empty for Goexit.
type PanicError struct{ Value string }

// Error includes the text of the panic's value.
func (e *PanicError) Error() string {
	if e.Value == "" {
		return "durable: the step ended its goroutine"
	}
	return "durable: the step panicked: " + e.Value
}

// permanent marks an error after which a step is not retried.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// Permanent marks err: a step that returns it is not retried, whatever its [Retry] says. Nil
// stays nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return permanent{err}
}

// errorTables holds the errors whose identity survives saving. It is replaced as a whole and never
// changed, so that reading needs no lock.
type errorTables struct {
	values map[string]error // by name
	types  map[string]errorType
}

var registry = newRegistry()

// newRegistry returns a registry of the errors that every program knows.
func newRegistry() *atomic.Pointer[errorTables] {
	p := new(atomic.Pointer[errorTables])
	p.Store(&errorTables{
		values: map[string]error{
			"durable.ErrTimeout": ErrTimeout, "durable.ErrCanceled": ErrCanceled, "durable.ErrTerminated": ErrTerminated,
			"durable.ErrNoHeartbeat": ErrNoHeartbeat, "durable.ErrUnreadable": ErrUnreadable, "durable.ErrTooLarge": ErrTooLarge, "durable.ErrUnstorable": ErrUnstorable,
			"context.Canceled": context.Canceled, "context.DeadlineExceeded": context.DeadlineExceeded,
			"io.EOF": io.EOF, "io.ErrUnexpectedEOF": io.ErrUnexpectedEOF,
			"fs.ErrExist": fs.ErrExist, "fs.ErrNotExist": fs.ErrNotExist, "fs.ErrPermission": fs.ErrPermission,
		},
		types: map[string]errorType{"durable.PanicError": errorTypeFor[*PanicError]()},
	})
	return p
}

// register replaces the registry with a copy to which change has been applied.
func register(change func(*errorTables)) {
	for {
		old := registry.Load()
		next := &errorTables{maps.Clone(old.values), maps.Clone(old.types)}
		change(next)
		if registry.CompareAndSwap(old, next) {
			return
		}
	}
}

// errorType is a registered type of errors.
type errorType struct {
	typ  reflect.Type
	find func(error) (any, bool) // like errors.As; returns a pointer to the value
}

// RegisterError gives an error value a name, so that errors.Is finds it in an error that has
// been saved. Call it before instances run, for example from an initialiser. If the saved error
// was the value itself, loading returns that value again. Of two registrations of a name, the
// last one counts. ErrTimeout, ErrCanceled, ErrTerminated, ErrNoHeartbeat and ErrUnreadable,
// both errors of context, io.EOF and io.ErrUnexpectedEOF, and ErrExist, ErrNotExist and
// ErrPermission of io/fs are registered by default. RegisterError is safe for concurrent use.
func RegisterError(name string, err error) {
	register(func(r *errorTables) { r.values[name] = err })
}

// RegisterErrorType gives an error type a name, so that errors.As finds a value of it in an error
// that has been saved. Its fields are saved like those of any value (see the package comment).
// Call it as early as [RegisterError].
func RegisterErrorType[E error](name string) {
	register(func(r *errorTables) { r.types[name] = errorTypeFor[E]() })
}

func errorTypeFor[E error]() errorType {
	find := func(err error) (any, bool) {
		e := new(E)
		return e, errors.As(err, e)
	}
	return errorType{reflect.TypeFor[E](), find}
}

// NewError returns a new error with the given text and registers it under the given name: see
// [RegisterError].
//
//	var ErrRefused = durable.NewError("orders.ErrRefused", "orders: refused")
func NewError(name, text string) error {
	err := errors.New(text)
	RegisterError(name, err)
	return err
}

// StepError is the part of an error that crosses the boundary of a step: its text, and the
// registered values and types in it, which errors.Is and errors.As find.
type StepError struct {
	text       string
	identities map[string]bool
	typed      []reflect.Value
}

// Error returns the text of the original error.
func (e *StepError) Error() string { return e.text }

// Is reports whether the original error was the target, provided the target is registered.
func (e *StepError) Is(target error) bool {
	values := registry.Load().values
	for name := range e.identities {
		if sameError(values[name], target) {
			return true
		}
	}
	return false
}

// As finds an error of a registered type.
func (e *StepError) As(target any) bool {
	to := reflect.ValueOf(target).Elem()
	for _, v := range e.typed {
		if v.Type().AssignableTo(to.Type()) {
			to.Set(v)
			return true
		}
	}
	return false
}

// sameError compares errors that may not be comparable.
func sameError(a, b error) bool {
	return a != nil && reflect.TypeOf(a).Comparable() && reflect.TypeOf(b).Comparable() && a == b
}

// savedError is the form of an error in a checkpoint.
type savedError struct {
	Text string       `json:"text"`
	Same string       `json:"same,omitempty"` // the error is this value
	Is   []string     `json:"is,omitempty"`
	As   []typedError `json:"as,omitempty"`
}

// typedError is the form of a value of a registered type.
type typedError struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // encoded
}

// Normalise returns err as it is after it has been saved and loaded, which is how a durable
// function sees a step's error. Nil stays nil.
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

// textOf returns the text of an error. Its method may panic.
func textOf(err error) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("durable: the method Error of a %T panicked: %v", err, v)
		}
	}()
	return err.Error()
}
