package durable

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// DeleteOption is an option of [Engine.Delete].
type DeleteOption func(*deletion)

// deletion is one call of Delete.
type deletion struct {
	e        *Engine
	ctx      context.Context
	children bool
}

// WithChildren deletes the children of an instance too, and theirs. All of them must have ended.
// Without it they are kept: each is an instance of its own.
func WithChildren() DeleteOption { return func(d *deletion) { d.children = true } }

// Delete deletes an ended instance now, instead of after its [Retention]: its record, its result,
// its messages and their keys. Then its id is free. So a start that is repeated, or a signal with
// a key that was known, has its effect again. Handles that wait for the instance get ErrNotFound.
// The outcome reaches its parent before. Delete blocks until all that is durable.
//
// The children are kept, unless the option is [WithChildren]. It deletes those first, the
// instance last. So a Delete that was interrupted is completed by a second call. The error is nil
// if there is no such instance.
//
// The error is [ErrNotEnded], and nothing is deleted, if the instance has not ended, if its parent
// waits for it or other children of the same point, or if a child has not ended that is to be
// deleted. It is ErrConflict if other writers were faster a hundred times, or that of the store.
func (e *Engine) Delete(ctx context.Context, id string, opts ...DeleteOption) error {
	d := &deletion{e: e, ctx: nilctx.Background(ctx)}
	for _, opt := range opts {
		opt(d)
	}
	r, err := e.findEnded(d.ctx, id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if doc, err := open(r.State); err == nil && doc.Parent != "" {
		if err := e.checkParent(d.ctx, doc.Parent, id); err != nil {
			return err
		}
	}
	var list []string
	if d.children {
		if list, err = d.descendants(id); err != nil {
			return err
		}
	}
	for _, id := range append(list, id) {
		if err := d.delete(id); err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// findEnded returns the record of an ended instance, once it has nothing left to tell, or
// ErrNotFound.
func (e *Engine) findEnded(ctx context.Context, id string) (*stores.Record, error) {
	for range maxTries {
		r, err := e.load(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case !r.Status.Ended():
			return nil, fmt.Errorf("%w: %s is %s", ErrNotEnded, id, r.Status)
		case r.Due.IsZero():
			return r, nil
		}
		// Otherwise a worker would send its outcome to its parent, or end its children.
		if err := e.report(r); err != nil && !errors.Is(err, ErrConflict) {
			return nil, err
		}
	}
	return nil, ErrConflict
}

// checkParent returns an error if the parent waits for children of which the instance is one: it
// may not know yet that they have been started, and would start one again that it does not find.
func (e *Engine) checkParent(ctx context.Context, parent, id string) error {
	r, err := e.load(ctx, parent)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil || r.Status.Ended() {
		return err
	}
	doc, err := open(r.State)
	if err == nil && doc.Join != nil && doc.Join.find(id) >= 0 {
		err = fmt.Errorf("%w: %s waits for %s", ErrNotEnded, parent, id)
	}
	return err
}

// descendants returns the ids of the children of an instance, and of theirs, each after its own
// children. All have ended.
func (d *deletion) descendants(id string) (list []string, err error) {
	children, err := d.childrenOf(id)
	if err != nil {
		return nil, err
	}
	for _, child := range children {
		if _, err := d.e.findEnded(d.ctx, child); err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		more, err := d.descendants(child)
		if err != nil {
			return nil, err
		}
		list = append(append(list, more...), child)
	}
	return list, nil
}

// childrenOf returns the ids of the children of an instance. An ended one does not name them, but
// they name it, and their ids begin with what stands for it.
func (d *deletion) childrenOf(id string) (list []string, err error) {
	begin := parentPart(id) + "/"
	for f := (Filter{After: begin}); ; {
		page, err := d.e.store.List(d.ctx, f)
		if err != nil || len(page) == 0 {
			return list, err
		}
		for _, r := range page {
			if f.After = r.ID; !strings.HasPrefix(r.ID, begin) {
				return list, nil
			}
			doc, err := open(r.State)
			if err != nil {
				return nil, fmt.Errorf("durable: whether %s is a child of %s: %w", r.ID, id, err)
			}
			if doc.Parent == id { // otherwise it is a child of a child, or a user has chosen its id
				list = append(list, r.ID)
			}
		}
	}
}

// delete deletes an ended instance.
func (d *deletion) delete(id string) error {
	for range maxTries {
		r, err := d.e.findEnded(d.ctx, id)
		if err != nil {
			return err
		}
		if err = d.e.store.Delete(d.ctx, id, r.Version); !errors.Is(err, ErrConflict) {
			d.e.wakeHandles(id)
			return err
		}
	}
	return ErrConflict
}
