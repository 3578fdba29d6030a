package durable

import (
	"context"
	"fmt"
	"reflect"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// Value loads the saved value of the variable with that name into the variable to which into
// points, which must have the same type. If another version has saved it, the value is what the
// migrations of this program make of it. The error is ErrNoValue if the point of the last
// checkpoint does not need the variable; an ended instance has no variables. Value refuses an
// instance whose function the engine does not serve, or whose layout it does not know. It does
// not block. Values loaded by two calls share nothing.
func (i *Instance) Value(name string, into any) error {
	to := reflect.ValueOf(into)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("durable: the value %s needs a pointer to be loaded into, not a %T", name, into)
	}
	if i.values == nil || i.Status.Ended() {
		return fmt.Errorf("%w: %s", ErrNoValue, name)
	}
	doc, err := i.values()
	if err != nil {
		return err
	}
	if _, ok := doc.Values[name]; !ok {
		return fmt.Errorf("%w: %s", ErrNoValue, name)
	}
	return decodeAll(doc.Values, doc.Objects, []named{{name, to.Elem()}})
}

// present returns the checkpoint of an instance as this program's version of its function has it.
func (e *Engine) present(r *stores.Record) (*checkpoint, error) {
	f := e.function(r.Function)
	if f == nil {
		return nil, errNotServed(r.Function)
	}
	doc, err := open(r.State)
	if err != nil {
		return nil, err
	}
	return doc, f.migrate(doc)
}

// errNotServed says why an engine cannot read what an instance has saved.
func errNotServed(function string) error {
	return fmt.Errorf("durable: %s is not served by this engine, which needs its migrations", function)
}

// Query computes an answer about an instance with a handler that reads the last saved values: it
// loads them with [Instance.Value]. So the engine must serve the function, even if it is a
// [Client]. The handler runs once, in the calling process, on a copy. The
// instance is not woken and does not notice, whether it is waiting, running elsewhere or stuck.
// The error is ErrNotFound, that of the handler or of the checkpoint, or says that the handler
// panicked.
func Query[R any](ctx context.Context, e *Engine, id string, handler func(*Instance) (R, error)) (answer R, err error) {
	r, err := e.load(nilctx.Background(ctx), id)
	if err != nil {
		return answer, err
	}
	if _, err := open(r.State); err != nil {
		return answer, err
	}
	defer recoverTo(&err)
	return handler(e.describe(r))
}
