package durable

import (
	"context"
	"errors"
	"fmt"
	"reflect"
)

// ErrNoValue says that an instance has no value of that name where it was saved last.
var ErrNoValue = errors.New("durable: no such value is saved")

// Value loads a value that was saved, by the name of its variable, into what a pointer points
// to, which has the variable's type. The error is ErrNoValue if the variable is not needed where
// the instance was saved last; when the instance has ended, no variable is. It does not block.
// Values of two calls share nothing.
func (i *Instance) Value(name string, into any) error {
	to := reflect.ValueOf(into)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("durable: the value %s needs a pointer to be loaded into, not a %T", name, into)
	}
	if i.doc == nil {
		return fmt.Errorf("%w: %s", ErrNoValue, name)
	}
	if _, ok := i.doc.Values[name]; !ok {
		return fmt.Errorf("%w: %s", ErrNoValue, name)
	}
	return decodeAll(i.doc.Values, i.doc.Objects, []named{{name, to.Elem()}})
}

// Query answers a question about an instance by a handler that reads the values with which it
// was saved last: [Instance.Value] loads them. It runs the handler in the process that asks,
// once, on a copy: the instance is not woken and does not notice, whether it waits, runs
// elsewhere or is stuck. The error is ErrNotFound, that of the handler or of the checkpoint, or
// says that the handler panicked.
func Query[R any](ctx context.Context, e *Engine, id string, handler func(*Instance) (R, error)) (answer R, err error) {
	r, err := e.store.Load(background(ctx), id)
	if err != nil {
		return answer, err
	}
	if _, err := open(r.State); err != nil {
		return answer, err
	}
	defer caught(&err)
	return handler(describe(r))
}
