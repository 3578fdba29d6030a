package durable

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"time"
)

// inbox returns the messages that have not been received, and records the newest as seen.
func (r *run) inbox() ([]Message, error) {
	list, err := r.messages()
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		r.record.Seen = max(r.record.Seen, m.Seq)
	}
	return slices.DeleteFunc(list, func(m Message) bool { return slices.Contains(r.doc.Taken, m.Seq) }), nil
}

// receive marks a message as received. Messages older than the oldest unreceived one are
// forgotten.
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

// readInbox records a cancellation if there is one, and returns the messages that have not been
// received.
func (r *run) readInbox() ([]Message, error) {
	list, err := r.inbox()
	for _, m := range list {
		if m.Name == cancelSignal {
			r.receive(m)
			r.doc.Canceled = true
		}
	}
	return list, err
}

// wait checks whether the event that a Receive or Sleep waits for has happened. If so, the
// function continues without a write; otherwise wait saves the checkpoint and releases the
// instance.
func (r *run) wait(loaded bool) (goOn bool, err error) {
	list, err := r.readInbox()
	if err != nil {
		return false, err
	}
	if r.doc.Canceled {
		r.turn = &Turn{err: ErrCanceled}
		return true, nil
	}
	check := r.updateCheck()
	if check != nil && !loaded {
		if ok, err := r.captureOrStick(); !ok {
			return false, err
		}
		loaded = true // the check sees the values
	}
	for _, m := range list {
		if m.Name == r.doc.Signal && r.doc.Signal != "" && !r.refuseUpdate(m, check) {
			r.receive(m)
			r.turn = &Turn{got: m.Payload}
			return true, nil
		}
	}
	if !r.doc.Until.IsZero() && !r.e.now().Before(r.doc.Until) {
		r.turn = &Turn{}
		if r.doc.Signal != "" {
			r.turn.err = ErrTimeout
		}
		return true, nil
	}
	if !loaded {
		if ok, err := r.captureOrStick(); !ok {
			return false, err
		}
	}
	_, _, err = r.saveOrStick(Waiting, "", r.doc.Until)
	return false, err
}

// end saves the outcome of the instance.
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
	doc.Answers, doc.Resets, doc.Parent = r.doc.Answers, r.doc.Resets, r.doc.Parent
	var err error
	if doc.Result, err = outcome(result); err == nil {
		doc.Err, err = outcome(failure)
	}
	if err != nil {
		return r.stickAtLast(err)
	}
	r.doc = doc
	due := time.Time{}
	if doc.Parent != "" {
		due = r.e.now().Add(r.e.lease) // if this worker dies before it has notified the parent
	}
	_, ok, err := r.saveOrStick(status, "", due)
	if !ok {
		return err
	}
	r.e.wakeHandles(r.record.ID)
	r.e.counts.ended.Add(1)
	r.emit(Event{Kind: Ended, Status: status, Err: *failure})
	if doc.Parent != "" {
		return r.e.report(r.record)
	}
	return nil
}

// outcome encodes the value that ptr points to as a document.
func outcome(ptr any) (json.RawMessage, error) { return encodeAlone(reflect.ValueOf(ptr).Elem()) }

// wakeHandles wakes the handles that wait for an instance.
func (e *Engine) wakeHandles(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, bell := range e.waiters[id] {
		ring(bell)
	}
}

// listen registers a bell that rings when the instance ends in this process, or when this engine
// shuts down.
func (e *Engine) listen(id string) (bell chan struct{}, stop func()) {
	bell = make(chan struct{}, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.waiters[id] = append(e.waiters[id], bell)
	return bell, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.waiters[id] = slices.DeleteFunc(e.waiters[id], func(c chan struct{}) bool { return c == bell })
		if len(e.waiters[id]) == 0 {
			delete(e.waiters, id)
		}
	}
}

// awaitEnd returns the record of an instance once it has ended.
func (e *Engine) awaitEnd(ctx context.Context, id string) (*Record, error) {
	return e.awaitRecord(ctx, id, func(r *Record) (bool, error) { return r.Status.Ended(), nil })
}

// awaitRecord returns the record of an instance once ready accepts it.
func (e *Engine) awaitRecord(ctx context.Context, id string, ready func(*Record) (bool, error)) (*Record, error) {
	changed, stop := e.listen(id)
	defer stop()
	for {
		r, err := e.store.Load(ctx, id)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, ErrNotFound):
			return nil, err
		}
		if err == nil {
			if ok, err := ready(r); ok || err != nil {
				return r, err
			}
		}
		if e.ctx.Err() != nil {
			return nil, ErrShutdown
		}
		// Another process may change the record without a notification, and a store may fail for
		// a while.
		e.place.Wait(ctx, changed, e.poll)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}
