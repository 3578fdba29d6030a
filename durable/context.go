package durable

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/internal/nilctx"
)

// # The plain form
//
// A durable function stays ordinary Go: it runs with any context that carries a [gen.Plain]. Its
// steps are then plain calls, and its signals and sleeps come from the Plain. Tests compare the
// behaviour of the plain form with that of its machine.

type stepKey struct{}

// stepInfo is the value that the context of a step carries.
type stepInfo struct {
	key      string
	attempt  int
	progress []byte // reported by an earlier attempt
	live     *attempt
}

// plainOf returns the Plain of a context.
func plainOf(ctx context.Context) (gen.Plain, error) {
	ctx = nilctx.Background(ctx)
	if p, ok := gen.PlainOf(ctx); ok {
		return p, nil
	}
	if t, ok := ctx.Value(turnKey{}).(*turn); ok {
		t.misused.Store(true)
		return nil, errMisplaced
	}
	return nil, ErrNotDurable
}

// errMisplaced says that code between points has called what only the generator's code, or a step,
// can call. Its instance is stuck: the function must not see an error that plain Go does not have.
var errMisplaced = fmt.Errorf("%w: a Receive, Sleep, All, Any, Heartbeat or Tx was reached through a call, where an instance is not saved: "+
	"call it in the durable function itself, or in a step", ErrNotDurable)

// stepOf returns the step that runs with a context. It panics in code between points: there a step
// has been called as a plain function, and its effect must not happen without a key.
func stepOf(ctx context.Context) stepInfo {
	ctx = nilctx.Background(ctx)
	info, ok := ctx.Value(stepKey{}).(stepInfo)
	if t, between := ctx.Value(turnKey{}).(*turn); between && !ok {
		t.misused.Store(true)
		panic(errPlainStep)
	}
	return info
}

// errPlainStep is the panic of a step that is called as a plain function.
var errPlainStep = errors.New("durable: a step is called outside of its frame, where it has no checkpoint and no key: " +
	"call it in the durable function itself")

// Receive waits for a signal of a name that is sent to the instance, and returns its payload.
// Signals of one name are received in the order in which they were sent, including those sent
// before the call. After the timeout the error is [ErrTimeout], after a cancellation
// [ErrCanceled]. A timeout that is not positive takes only a signal that has already arrived; a
// timeout of [Forever] never ends. A signal that was sent after the timeout is not received,
// even if no worker has looked in between. A signal that is not a T is put aside, and the
// function goes on waiting: see [Strict] and Aside in [Instance].
//
// In a durable function it is a point. This form is the plain one: it calls the [gen.Plain] of the
// context, and returns ErrNotDurable if there is none.
func Receive[T any](ctx context.Context, name string, timeout time.Duration) (T, error) {
	var none T
	p, err := plainOf(ctx)
	if err != nil {
		return none, err
	}
	for {
		_, payload, err := p.Receive(ctx, timeout, name)
		if err != nil {
			return none, err
		}
		v, err := decodePayload[T](payload)
		if _, ok := any(&v).(strict); ok || err == nil {
			return v, Normalise(err)
		}
	}
}

// Sleep continues after a time, however often the process restarts in between. In a durable
// function it is a point; this form is the plain one, see [Receive].
func Sleep(ctx context.Context, d time.Duration) error {
	p, err := plainOf(ctx)
	if err != nil {
		return err
	}
	return p.Sleep(ctx, d)
}

// Key returns the idempotency key of the step that runs with the context. It is equal for all
// attempts of one step of one instance, and differs from all other keys. Outside a step it is
// empty. Where a durable function has called the step without being saved there, Key panics, and
// the instance is stuck.
func Key(ctx context.Context) string {
	return stepOf(ctx).key
}

// Attempt returns how often the step that runs with the context has been started, counting from
// 1. A start that ended in a crash counts. Outside a step it is 0; see also [Key].
func Attempt(ctx context.Context) int {
	return stepOf(ctx).attempt
}

// Compensate calls step(ctx, args...) if *err is not nil. Durable functions defer it to undo the
// effect of an earlier step. Its arguments are evaluated when it is deferred, as always in Go. If
// the step fails, its error is joined to *err. The context that step gets is not canceled.
//
// In a durable function the deferred call is data, and the step runs as a step: saved before,
// repeated after a crash. This form is the plain one.
func Compensate(ctx context.Context, err *error, step any, args ...any) {
	if err == nil || *err == nil {
		return
	}
	ctx = context.WithoutCancel(nilctx.Background(ctx))
	if failure := callStep(ctx, step, args); failure != nil {
		*err = errors.Join(*err, failure)
	}
}

// callStep calls a function with a context and arguments. It returns the function's last result
// if that is an error.
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
