package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// # Children
//
// A durable function calls others with All and Any. Each child is a separate instance, which any
// worker may run. A crash at any moment of the protocol loses neither a child nor its outcome:
//
//	the parent's worker                        a child's worker
//	1. saves the point, with the beginning
//	   of each child
//	2. starts the children: each has an id     3. runs it
//	   that follows from the parent's, so a    4. saves its end, due again after a while
//	   repeat starts none twice                5. sends the outcome to the parent
//	6. saves the wait, without an owner        6. saves that it is sent: not due any more
//	7. continues when it has all outcomes
//
// A worker that dies between 4 and 6 leaves an ended instance that is due. The next worker sends
// the outcome again, under the same key, so that the parent receives it once.
//
// The deciding event (the first failure of All, the first result of Any, a cancellation of the
// parent) cancels the other children. The parent still waits until they end: its own
// compensations run after theirs.

// childSignal is the name of the message that reports the end of a child to its parent.
const childSignal = "$child"

// Child is a call of one durable function by another, made by [Call]. It is not saved: pass it to
// [All] or [Any] before the next point.
type Child struct {
	name  string
	begin []byte // the document of a new instance
	plain func(context.Context) ([]byte, error)
	err   error
}

// Call returns a call of a durable function. Only the plain form uses the receiver; an engine
// uses the one passed to [Serve] in the process that runs the child.
func Call[S, Req, Res any](f Function[S, Req, Res], receiver S, request Req) Child {
	d := newDefinition(f, receiver)
	raw, err := encodeAlone(valueOf(&request))
	if err != nil {
		return Child{err: err}
	}
	doc, err := d.firstCheckpoint(raw)
	if err != nil {
		return Child{err: err}
	}
	c := Child{name: f.Name}
	c.begin, c.err = json.Marshal(doc)
	c.plain = func(ctx context.Context) ([]byte, error) { return d.runPlain(ctx, raw) }
	return c
}

// All runs durable functions, each as a separate instance, and returns their results in the order
// of the children. If one fails, the others are canceled and All returns its error. A
// cancellation of the caller cancels all of them. In each case All waits until all have ended; it
// also waits for a stuck child.
//
// In a durable function it is a point. This form is the plain one, which calls the children one
// after the other; see [Receive].
func All[R any](ctx context.Context, children ...Child) ([]R, error) {
	if _, err := plainOf(ctx); err != nil {
		return nil, err
	}
	t := &Turn{}
	t.results, t.err = plainAll(ctx, children)
	return Joined[R](t)
}

// Any runs durable functions, each as a separate instance, and returns the first result. The
// others are then canceled, and Any waits until they have ended. If all fail, it returns their
// errors, joined. Like [All] it is a point; the plain form calls the children one after the other
// until one returns no error.
func Any[R any](ctx context.Context, children ...Child) (R, error) {
	t := &Turn{}
	if _, err := plainOf(ctx); err != nil {
		t.err = err
	} else {
		t.results, t.err = plainAny(ctx, children)
	}
	return First[R](t)
}

// Joined returns the results at a point of All, or the error. Only the code of frames calls it.
func Joined[R any](t *Turn) ([]R, error) {
	if t.err != nil {
		return nil, t.err
	}
	list := make([]R, len(t.results))
	for i, data := range t.results {
		var err error
		if list[i], err = decodePayload[R](data); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// First returns the result at a point of Any, or the error. Only the code of frames calls it.
func First[R any](t *Turn) (first R, err error) {
	if t.err != nil {
		return first, t.err
	}
	return decodePayload[R](t.results[0])
}

// All requests the calls of durable functions.
func (t *Turn) All(point int, children ...Child) bool {
	t.next, t.kind, t.children = point, turnAll, children
	return false
}

// Any requests the calls of durable functions, until one has a result.
func (t *Turn) Any(point int, children ...Child) bool {
	t.next, t.kind, t.children = point, turnAny, children
	return false
}

// childrenState is the part of a checkpoint at All or Any that describes the children.
type childrenState struct {
	Any      bool        `json:"any,omitempty"`
	Started  bool        `json:"started,omitempty"`
	Children []childData `json:"children"`
}

// childData is a child in the checkpoint of its parent.
type childData struct {
	Function string          `json:"function"`
	ID       string          `json:"id"`
	Begin    json.RawMessage `json:"begin,omitempty"` // until it is started
}

// childOutcome is the payload of the message that reports the end of a child.
type childOutcome struct {
	ID     string          `json:"id"`
	Result json.RawMessage `json:"result,omitempty"`
	Err    json.RawMessage `json:"err,omitempty"`
}

// failure returns the error of a child.
func (c childOutcome) failure() (failure error) {
	if c.Err != nil {
		if err := decodeAlone(c.Err, valueOf(&failure)); err != nil {
			return fmt.Errorf("durable: the error of %s cannot be loaded: %w", c.ID, err)
		}
	}
	return failure
}

// arriveAtChildren handles the arrival at a point of All or Any.
func (r *run) arriveAtChildren() (more bool, err error) {
	children := r.turn.children
	r.doc.Steps++
	j := &childrenState{Any: r.turn.kind == turnAny}
	for n, c := range children {
		if c.err != nil || c.begin == nil {
			r.turn = &Turn{err: Normalise(errors.Join(c.err, noCall(c)))}
			return true, nil //nolint:nilerr // the function gets the error
		}
		id := fmt.Sprintf("%s/%s/%d.%d", r.record.ID, r.record.Run[:min(6, len(r.record.Run))], r.doc.Steps, n)
		j.Children = append(j.Children, childData{c.name, id, c.begin})
	}
	if len(children) == 0 {
		r.turn = &Turn{}
		if j.Any {
			r.turn.err = Normalise(errNoChildren)
		}
		return true, nil
	}
	r.doc.Join = j
	return r.awaitChildren(false)
}

// errNoChildren is the error of an Any without children.
var errNoChildren = errors.New("durable: Any of no functions has no result")

// noCall is the error of a Child that was not made by Call.
func noCall(c Child) error {
	if c.err == nil {
		return errors.New("durable: a Child is made by Call")
	}
	return nil
}

// awaitChildren starts the children unless they are started, and continues the function if all
// have ended.
func (r *run) awaitChildren(loaded bool) (more bool, err error) {
	if _, err := r.readInbox(); err != nil {
		return false, err
	}
	if r.doc.Canceled && !loaded {
		return r.resumeWith(nil, ErrCanceled)
	}
	if !loaded {
		if ok, err := r.captureOrStick(); !ok {
			return false, err
		}
		if _, ok, err := r.saveOrStick(Running, r.e.worker, time.Time{}); !ok {
			return false, err
		}
	}
	if !r.doc.Join.Started {
		if err := r.startChildren(); err != nil {
			if !errors.Is(err, ErrOther) {
				return false, err
			}
			return r.resumeWith(nil, Normalise(err))
		}
	}
	list, err := r.readInbox()
	if err != nil {
		return false, err
	}
	return r.decideJoin(r.endedChildren(list))
}

// decideJoin decides from the children that have ended, in the order of their messages, whether
// the function continues and with which results.
func (r *run) decideJoin(list []childOutcome) (more bool, err error) {
	j := r.doc.Join
	results := make([][]byte, len(j.Children))
	var failures []error
	var first []byte
	for _, c := range list {
		n := slices.IndexFunc(j.Children, func(d childData) bool { return d.ID == c.ID })
		results[n] = c.Result
		if failure := c.failure(); failure != nil {
			failures = append(failures, failure)
		} else if first == nil {
			first = c.Result
		}
	}
	decided := r.doc.Canceled || j.Any && first != nil || !j.Any && len(failures) > 0
	switch {
	case len(list) < len(j.Children):
		if decided {
			if err := r.cancelChildren(list); err != nil {
				return false, err
			}
		}
		_, _, err = r.saveOrStick(Waiting, "", time.Time{})
		return false, err
	case r.doc.Canceled:
		return r.resumeWith(nil, ErrCanceled)
	case j.Any && first != nil:
		return r.resumeWith([][]byte{first}, nil)
	case j.Any:
		return r.resumeWith(nil, Normalise(errors.Join(failures...)))
	case len(failures) > 0:
		return r.resumeWith(nil, failures[0])
	}
	return r.resumeWith(results, nil)
}

// resumeWith resumes the function with the results or the failure of its children.
func (r *run) resumeWith(results [][]byte, failure error) (more bool, err error) {
	list, err := r.inbox()
	if err != nil {
		return false, err
	}
	for _, m := range list {
		if m.Name == childSignal {
			r.receive(m)
		}
	}
	r.doc.Join, r.turn = nil, &Turn{results: results, err: failure}
	return true, nil
}

// endedChildren returns the children of the present point that have ended. It drops the messages
// of other children, which a reset has left behind.
func (r *run) endedChildren(list []Message) (all []childOutcome) {
	for _, m := range list {
		if m.Name != childSignal {
			continue
		}
		var c childOutcome
		err := parse(m.Payload, &c)
		if err == nil && slices.ContainsFunc(r.doc.Join.Children, func(d childData) bool { return d.ID == c.ID }) {
			all = append(all, c)
		} else {
			r.receive(m)
		}
	}
	return all
}

// startChildren creates the children that do not exist yet.
func (r *run) startChildren() error {
	for _, c := range r.doc.Join.Children {
		doc := new(checkpoint)
		if err := parse(c.Begin, doc); err != nil {
			return err
		}
		doc.Parent = r.record.ID
		if err := r.e.create(r.e.ctx, c.ID, c.Function, doc); err != nil {
			return err
		}
	}
	r.doc.Join.Started = true
	for n := range r.doc.Join.Children {
		r.doc.Join.Children[n].Begin = nil
	}
	return nil
}

// cancelChildren cancels the children that have not ended.
func (r *run) cancelChildren(list []childOutcome) error {
	for _, d := range r.doc.Join.Children {
		if slices.ContainsFunc(list, func(c childOutcome) bool { return c.ID == d.ID }) {
			continue
		}
		if err := r.e.Cancel(r.e.ctx, d.ID); err != nil && !errors.Is(err, ErrEnded) && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	return nil
}

// report sends the outcome of an ended instance to its parent, and records that it was sent.
func (e *Engine) report(r *Record) error {
	doc, err := open(r.State)
	if err == nil && doc.Parent != "" {
		c := childOutcome{ID: r.ID, Result: doc.Result, Err: doc.Err}
		if r.Status == Terminated {
			failure := ErrTerminated
			c.Result = nil
			if c.Err, err = outcome(&failure); err != nil {
				return err
			}
		}
		payload, err := json.Marshal(c)
		if err != nil {
			return err
		}
		err = e.send(e.ctx, doc.Parent, Message{Name: childSignal, Key: childSignal + " " + r.ID, Payload: payload, Sent: e.now()})
		if err != nil && !errors.Is(err, ErrEnded) && !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	r.Due = time.Time{}
	_, err = e.store.Swap(e.ctx, r)
	return err
}
