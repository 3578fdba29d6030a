package durable

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"time"
)

// inbox returns the messages that have not been received, and notes the newest.
func (r *run) inbox() ([]Message, error) {
	list, err := r.e.store.Inbox(r.e.ctx, r.record.ID, r.record.Floor)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		r.record.Seen = max(r.record.Seen, m.Seq)
	}
	return slices.DeleteFunc(list, func(m Message) bool { return slices.Contains(r.doc.Taken, m.Seq) }), nil
}

// receive marks a message as received. Messages below the oldest that is not are forgotten.
func (r *run) receive(m Message) {
	r.doc.Taken = append(r.doc.Taken, m.Seq)
	for {
		i := slices.Index(r.doc.Taken, r.record.Floor+1)
		if i < 0 {
			return
		}
		r.doc.Taken = slices.Delete(r.doc.Taken, i, i+1)
		r.record.Floor++
	}
}

// look notes a cancellation.
func (r *run) look() error {
	list, err := r.inbox()
	for _, m := range list {
		if m.Name == cancelSignal {
			r.receive(m)
			r.doc.Canceled = true
		}
	}
	return err
}

// wait looks for what a Receive or Sleep waits for. If it is there, the function goes on
// without a write; else the wait is saved and the instance given up.
func (r *run) wait(loaded bool) (goOn bool, err error) {
	list, err := r.inbox()
	if err != nil {
		return false, err
	}
	for _, m := range list {
		if m.Name == cancelSignal {
			r.receive(m)
			r.doc.Canceled = true
		}
	}
	if r.doc.Canceled {
		r.turn = &Turn{err: ErrCanceled}
		return true, nil
	}
	for _, m := range list {
		if m.Name == r.doc.Signal && r.doc.Signal != "" {
			r.receive(m)
			r.turn = &Turn{got: m.Payload}
			return true, nil
		}
	}
	if !r.doc.Until.IsZero() && !time.Now().Before(r.doc.Until) {
		r.turn = &Turn{}
		if r.doc.Signal != "" {
			r.turn.err = ErrTimeout
		}
		return true, nil
	}
	if !loaded && !r.captured() {
		return false, nil
	}
	_, _, err = r.saved(Waiting, "", r.doc.Until)
	return false, err
}

// end saves the outcome.
func (r *run) end() error {
	result, failure := r.frame.Outcome()
	status := Completed
	if *failure != nil {
		status = Failed
		if r.doc.Canceled {
			status = Canceled
		}
	}
	doc := &checkpoint{Layout: r.f.layout, Asked: r.doc.Asked, Steps: r.doc.Steps, Canceled: r.doc.Canceled, Point: "end"}
	var err error
	if doc.Result, err = outcome(result); err == nil {
		doc.Err, err = outcome(failure)
	}
	if err != nil {
		r.stickAtLast(err)
		return nil
	}
	r.doc = doc
	_, ok, err := r.saved(status, "", time.Time{})
	if ok {
		r.e.tell(r.record.ID)
	}
	return err
}

// outcome is a document of what a pointer points to.
func outcome(ptr any) (json.RawMessage, error) { return encodeAlone(reflect.ValueOf(ptr).Elem()) }

// tell wakes the handles that wait for an instance.
func (e *Engine) tell(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c := range e.waiters[id] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// listen registers a channel that gets a value when an instance has ended here.
func (e *Engine) listen(id string) (c chan struct{}, stop func()) {
	c = make(chan struct{}, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiters[id] == nil {
		e.waiters[id] = map[chan struct{}]bool{}
	}
	e.waiters[id][c] = true
	return c, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if delete(e.waiters[id], c); len(e.waiters[id]) == 0 {
			delete(e.waiters, id)
		}
	}
}

// awaitEnd returns the record of an instance when it has ended.
func (e *Engine) awaitEnd(ctx context.Context, id string) (*Record, error) {
	changed, stop := e.listen(id)
	defer stop()
	t := time.NewTicker(e.poll)
	defer t.Stop()
	for {
		r, err := e.store.Load(ctx, id)
		if err != nil && (errors.Is(err, ErrNotFound) || ctx.Err() != nil) {
			return nil, err
		}
		if err == nil && r.Status.Ended() {
			return r, nil
		}
		select {
		case <-changed:
		case <-t.C: // it may end in another process; and a store may fail for a while
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-e.ctx.Done():
			return nil, ErrShutdown
		}
	}
}
