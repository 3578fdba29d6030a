package durable

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/movenext/movenext/durable/internal/nilctx"
)

// ErrNoValue says that the last checkpoint of an instance has no value of that name.
var ErrNoValue = errors.New("durable: no such value is saved")

// Value loads the saved value of the variable with that name into the variable to which into
// points, which must have the same type. The error is ErrNoValue if the point of the last
// checkpoint does not need the variable; an ended instance has no variables. Value does not
// block. Values loaded by two calls share nothing.
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

// Query computes an answer about an instance with a handler that reads the last saved values: it
// loads them with [Instance.Value]. The handler runs once, in the calling process, on a copy. The
// instance is not woken and does not notice, whether it is waiting, running elsewhere or stuck.
// The error is ErrNotFound, that of the handler or of the checkpoint, or says that the handler
// panicked.
func Query[R any](ctx context.Context, e *Engine, id string, handler func(*Instance) (R, error)) (answer R, err error) {
	r, err := e.store.Load(nilctx.Background(ctx), id)
	if err != nil {
		return answer, err
	}
	if _, err := open(r.State); err != nil {
		return answer, err
	}
	defer recoverTo(&err)
	return handler(describe(r))
}
