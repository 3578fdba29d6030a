package durable

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
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
	seen  string // the layout that the caller knows
	begin []byte // the document of a new instance
	plain func(context.Context) ([]byte, error)
	err   error
}

// Call returns a call of a durable function. Only the plain form uses the receiver; an engine
// uses the one passed to [Serve] in the process that runs the child. The id of the child follows
// from that of its caller. It has the [Labels] of opts alone, not those of its caller: a label can
// be its name.
func Call[S, Req, Res any](f Function[S, Req, Res], receiver S, request Req, opts ...StartOption) Child {
	s := newStarting(opts)
	if s.err != nil || len(s.signals) > 0 {
		return Child{err: cmp.Or(s.err, errFirstSignal)}
	}
	d := newDefinition(f, receiver)
	raw, err := encodeAlone(valueOf(&request))
	if err != nil {
		return Child{err: err}
	}
	doc, err := d.firstCheckpoint(raw, valueOf(&request))
	if err != nil {
		return Child{err: err}
	}
	doc.Labels = s.labels
	c := Child{name: f.Name, seen: f.Layout}
	c.begin, c.err = json.Marshal(doc)
	c.plain = func(ctx context.Context) ([]byte, error) { return d.runPlain(ctx, raw) }
	return c
}

// errFirstSignal is the error of a Call with WithSignal.
var errFirstSignal = errors.New("durable: a child gets no first signal: put it into the request")

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
	t := &turn{}
	t.results, t.err = plainAll(ctx, children)
	return gen.Joined[R](t)
}

// Any runs durable functions, each as a separate instance, and returns the first result. The
// others are then canceled, and Any waits until they have ended. If all fail, it returns their
// errors, joined. Like [All] it is a point; the plain form calls the children one after the other
// until one returns no error.
func Any[R any](ctx context.Context, children ...Child) (R, error) {
	t := &turn{}
	if _, err := plainOf(ctx); err != nil {
		t.err = err
	} else {
		t.results, t.err = plainAny(ctx, children)
	}
	return gen.First[R](t)
}

// childOutcome is the payload of the message that reports the end of a child.
type childOutcome struct {
	ID     string          `json:"id"`
	Layout string          `json:"layout,omitempty"` // of its program
	Reads  []string        `json:"reads,omitempty"`
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
	j := &childrenState{Any: r.turn.kind == turnAny, Select: r.turn.kind == turnSelect, Prefix: r.childPrefix()}
	for n, c := range children {
		if c.err != nil || c.begin == nil {
			return r.decided(Normalise(errors.Join(c.err, noCall(c))))
		}
		j.Children = append(j.Children, childData{c.name, childID(j.Prefix, n), c.seen, c.begin})
	}
	switch {
	case len(children) == 0 && j.Any:
		return r.decided(Normalise(errNoChildren))
	case len(children) == 0:
		return r.decided(nil)
	}
	if err := j.checkSize(); err != nil {
		return r.decided(Normalise(err))
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
	if loaded && r.doc.Checked > 0 && !r.doc.Join.Select {
		if news, err := r.countEnded(); !news || err != nil {
			return false, err
		}
	}
	if _, err := r.readInbox(); err != nil {
		return false, err
	}
	if r.doc.Canceled && !loaded {
		return r.decided(ErrCanceled)
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
	ended, err := r.endedChildren(list)
	if err != nil {
		return false, r.leaveAnswer(err)
	}
	if r.doc.Join.Select {
		return r.decideSelect(list, ended)
	}
	return r.decideJoin(ended)
}

// leaveAnswer releases an instance with an answer of a child that this program cannot read: to the
// workers that know the child's layout, if that is the reason.
func (r *run) leaveAnswer(why error) error {
	var answer foreignAnswer
	if !errors.As(why, &answer) {
		return r.stickAtLast(why)
	}
	r.needs = string(answer)
	_, _, err := r.saveOrStick(Running, "", r.e.now())
	return err
}

// foreignAnswer is the key of the layout of a child whose answer cannot be read here.
type foreignAnswer string //nolint:errname // it is a key, and an error on the way out

func (key foreignAnswer) Error() string {
	return "durable: an answer was saved with layout " + string(key)
}

// decideJoin decides from the children that have ended, in the order of their messages, whether
// the function continues and with which results.
func (r *run) decideJoin(list []childOutcome) (more bool, err error) {
	j := r.doc.Join
	results := make([][]byte, len(j.Children))
	var failures []error
	var first []byte
	for _, c := range list {
		results[j.find(c.ID)] = c.Result
		if failure := c.failure(); failure != nil {
			failures = append(failures, failure)
		} else if first == nil {
			first = c.Result
		}
	}
	decided := r.doc.Canceled || j.Any && first != nil || !j.Any && len(failures) > 0
	switch {
	case len(list) < len(j.Children):
		if decided && !j.Decided {
			if err := r.cancelChildren(list); err != nil {
				return false, err
			}
			j.Decided = true
		}
		j.Ended = len(list)
		return false, r.waitForChildren()
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
	r.doc.Join, r.turn = nil, &turn{results: results, err: failure}
	return true, nil
}

// endedChildren returns the children of the present point that have ended, with their results in
// the layouts of this program. It drops the messages of other children, which a reset has left
// behind.
func (r *run) endedChildren(list []stores.Message) (all []childOutcome, err error) {
	for _, m := range list {
		if m.Name != childSignal {
			continue
		}
		var c childOutcome
		n := -1
		if parse(m.Payload, &c) == nil {
			n = r.doc.Join.find(c.ID)
		}
		if n < 0 {
			r.receive(m)
			continue
		}
		if c.Result, err = r.readAnswer(r.doc.Join.Children[n], c); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// readAnswer returns the result of a child in the layout of this program.
func (r *run) readAnswer(d childData, c childOutcome) (json.RawMessage, error) {
	f := r.e.function(d.Function)
	if f == nil {
		if c.Layout != "" && c.Layout != d.Seen {
			return nil, fmt.Errorf("durable: the answer of %s: %w", d.ID, errNotServed(d.Function))
		}
		return c.Result, nil
	}
	if c.Layout == "" { // it has been terminated, or answered an earlier version of this package
		return c.Result, nil
	}
	result, err := f.readResult(c.Result, c.Layout, c.Reads)
	if errors.As(err, new(foreignLayout)) {
		return nil, foreignAnswer(layoutKey(d.Function, c.Layout))
	}
	return result, err
}

// startChildren creates the children that do not exist yet.
func (r *run) startChildren() error {
	list := r.doc.Join.Children
	err := r.e.inParallel(len(list), func(n int) error {
		doc := new(checkpoint)
		if err := parse(list[n].Begin, doc); err != nil {
			return err
		}
		doc.Parent = r.record.ID
		err := r.e.createChild(list[n], doc)
		if isFinal(err) {
			return fmt.Errorf("durable: the child %s cannot be started: %w", list[n].ID, err)
		}
		return err
	})
	if err != nil {
		return err
	}
	r.doc.Join.Started = true
	for n := range list {
		list[n].Begin = nil
	}
	return nil
}

// createChild creates a child with its labels, unless it exists.
func (e *Engine) createChild(c childData, begin *checkpoint) error {
	labels := begin.Labels
	begin.Labels = nil
	return e.start(e.ctx, c.ID, c.Function, begin, &starting{labels: labels})
}

// cancelChildren cancels the children that have not ended.
func (r *run) cancelChildren(ended []childOutcome) error {
	done := map[string]bool{}
	for _, c := range ended {
		done[c.ID] = true
	}
	list := r.doc.Join.Children
	return r.e.inParallel(len(list), func(n int) error {
		if done[list[n].ID] {
			return nil
		}
		err := r.e.Cancel(r.e.ctx, list[n].ID)
		if errors.Is(err, ErrEnded) || errors.Is(err, ErrNotFound) {
			return nil
		}
		return err
	})
}

// What becomes of the children of an instance that is terminated. By default they are terminated.
const (
	orphansCanceled  = "cancel"
	orphansAbandoned = "abandon"
)

// endOrphans ends the children of an instance that has been terminated. Another worker may be
// starting them: a child that does not exist yet is created, so that it can be ended, and that
// worker finds it.
func (e *Engine) endOrphans(doc *checkpoint) error {
	if doc.Join == nil || doc.Orphans == orphansAbandoned {
		return nil
	}
	end := func(id string) error { return e.Terminate(e.ctx, id) }
	if doc.Orphans == orphansCanceled {
		end = func(id string) error { return e.Cancel(e.ctx, id) }
	}
	return e.inParallel(len(doc.Join.Children), func(n int) error {
		c := doc.Join.Children[n]
		err := end(c.ID)
		if errors.Is(err, ErrNotFound) && c.Begin != nil {
			begin := new(checkpoint)
			if parse(c.Begin, begin) != nil {
				return nil //nolint:nilerr // no worker can start it: there is nothing to end
			}
			if err = e.createChild(c, begin); err == nil || errors.Is(err, ErrOther) {
				err = end(c.ID)
			}
		}
		// A final error: it cannot exist, or cannot be read.
		if errors.Is(err, ErrEnded) || errors.Is(err, ErrNotFound) || isFinal(err) {
			return nil
		}
		return err
	})
}

// report sends the outcome of an ended instance to its parent, and records that it was sent. If it
// was terminated, its children are ended.
func (e *Engine) report(r *stores.Record) error {
	doc, err := open(r.State)
	if err == nil && r.Status == Terminated {
		if err := e.endOrphans(doc); err != nil {
			return err
		}
	}
	if err == nil && doc.Parent != "" {
		c := childOutcome{ID: r.ID, Layout: doc.Layout, Reads: doc.Reads, Result: doc.Result, Err: doc.Err}
		if r.Status == Terminated {
			failure := ErrTerminated
			c.Layout, c.Result = "", nil
			if c.Err, err = outcome(&failure); err != nil {
				return err
			}
		}
		if err := e.tellParent(doc.Parent, c); err != nil {
			return err
		}
	}
	r.Due = time.Time{}
	_, err = e.store.Swap(e.ctx, r)
	return err
}

// tellParent sends the outcome of a child. If the store can never keep the message, the parent
// gets that as the child's error, and so does not wait for ever.
func (e *Engine) tellParent(parent string, c childOutcome) error {
	payload, err := json.Marshal(c)
	if err != nil {
		return err
	}
	m := stores.Message{Name: childSignal, Key: childSignal + " " + c.ID, Payload: payload, Sent: e.now()}
	err = e.send(e.ctx, parent, m)
	if isFinal(err) {
		failure := fmt.Errorf("durable: the outcome of %s cannot be sent: %w", c.ID, err)
		short := childOutcome{ID: c.ID}
		if short.Err, err = outcome(&failure); err != nil {
			return err
		}
		if m.Payload, err = json.Marshal(short); err != nil {
			return err
		}
		if err = e.send(e.ctx, parent, m); isFinal(err) {
			e.log.Error("durable: a parent cannot be told of the end of its child", "id", parent, "child", c.ID, "error", err)
			return nil
		}
	}
	if errors.Is(err, ErrEnded) || errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
