package durable

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"
)

// ErrNotDurable says that Receive, Sleep, All, Any, Heartbeat or Answer was called where no engine
// and no test runs a durable function.
var ErrNotDurable = errors.New("durable: called outside of a durable function: run it with an engine, or with durabletest.Plain")

// # The plain form
//
// A durable function stays ordinary Go, and runs with any context that carries a Plain. Then
// its steps are plain calls, and what it waits for comes from the Plain. Tests compare what it
// does with what its machine does.

// Plain is what a durable function's plain form waits for. Package durabletest has one.
type Plain interface {
	// Receive returns the encoded payload of the next signal of that name.
	Receive(ctx context.Context, name string, timeout time.Duration) ([]byte, error)
	// Sleep waits.
	Sleep(ctx context.Context, d time.Duration) error
}

type (
	plainKey struct{}
	stepKey  struct{}
)

// stepInfo is what the context of a step carries.
type stepInfo struct {
	key      string
	attempt  int
	progress []byte // of an earlier attempt
	live     *attempt
}

// WithPlain returns a context under which the plain form of a durable function runs.
func WithPlain(ctx context.Context, p Plain) context.Context {
	return context.WithValue(background(ctx), plainKey{}, p)
}

func background(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// plainOf is the Plain of a context.
func plainOf(ctx context.Context) (Plain, error) {
	if p, ok := background(ctx).Value(plainKey{}).(Plain); ok {
		return p, nil
	}
	return nil, ErrNotDurable
}

// Receive waits for a signal of a name that is sent to the instance, and returns what it
// carries. Signals of one name are received in the order in which they were sent, those that
// came before the call too. After the timeout the error is [ErrTimeout], after a
// cancellation [ErrCanceled]. A timeout that is not positive takes only what has arrived;
// [Forever] never ends.
//
// In a durable function it is a point. This form is the plain one: it asks the [Plain] of the
// context, and returns ErrNotDurable if there is none.
func Receive[T any](ctx context.Context, name string, timeout time.Duration) (T, error) {
	var none T
	p, err := plainOf(ctx)
	if err != nil {
		return none, err
	}
	payload, err := p.Receive(ctx, name, timeout)
	if err != nil {
		return none, err
	}
	return decodePayload[T](payload)
}

// Sleep continues after a time, however often the process is started again in between. In a
// durable function it is a point; this form is the plain one, see [Receive].
func Sleep(ctx context.Context, d time.Duration) error {
	p, err := plainOf(ctx)
	if err != nil {
		return err
	}
	return p.Sleep(ctx, d)
}

// Key returns the idempotency key of the step that runs with the context: equal for each
// attempt of one step of one instance, and different for all others. Outside of a step it is
// empty.
func Key(ctx context.Context) string {
	info, _ := background(ctx).Value(stepKey{}).(stepInfo)
	return info.key
}

// Attempt returns how often the step that runs with the context has been started, from 1. A
// start that ended in a crash counts. Outside of a step it is 0.
func Attempt(ctx context.Context) int {
	info, _ := background(ctx).Value(stepKey{}).(stepInfo)
	return info.attempt
}

// Compensate calls step(ctx, args...) if *err is not nil: it is deferred by durable functions
// to undo what an earlier step did. Its arguments are evaluated when it is deferred, as always.
// If the step fails, its error is joined to *err. The context that step gets is not canceled.
//
// In a durable function the deferred call is data, and the step runs as a step: saved before,
// repeated after a crash. This form is the plain one.
func Compensate(ctx context.Context, err *error, step any, args ...any) {
	if err == nil || *err == nil {
		return
	}
	ctx = context.WithoutCancel(background(ctx))
	if failure := callStep(ctx, step, args); failure != nil {
		*err = errors.Join(*err, failure)
	}
}

// callStep calls a function with a context and arguments, and returns its last result, if
// that is an error.
func callStep(ctx context.Context, step any, args []any) error {
	f := reflect.ValueOf(step)
	if f.Kind() != reflect.Func || f.IsNil() {
		return fmt.Errorf("durable: Compensate needs a function, not a %T", step)
	}
	t := f.Type()
	if t.IsVariadic() || t.NumIn() != len(args)+1 || !reflect.TypeFor[context.Context]().AssignableTo(t.In(0)) {
		return fmt.Errorf("durable: Compensate cannot call a %s with a context and %d arguments", t, len(args))
	}
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i, arg := range args {
		v := reflect.ValueOf(arg)
		if arg == nil {
			v = reflect.Zero(t.In(i + 1))
		}
		if !v.Type().AssignableTo(t.In(i + 1)) {
			return fmt.Errorf("durable: Compensate cannot pass a %s as argument %d of a %s", v.Type(), i+1, t)
		}
		in = append(in, v)
	}
	out := f.Call(in)
	if n := len(out); n > 0 {
		err, _ := out[n-1].Interface().(error)
		return err
	}
	return nil
}
