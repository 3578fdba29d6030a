package durable

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Running again
//
// A rerun is a new run that begins with the values that an ended instance had at a point. The
// effects of the earlier run remain, and it has a name of its own for keys (Run in
// [stores.Record]): its steps have new keys, and its children new ids.
//
// Under its own id it is the same record, swapped from an ended status to Running. So of a rerun,
// a Delete and a Purge at the same time one happens first, and the others find what it has left.
// The inbox goes on: what was received stays received, and keys stay known, so that a signal or an
// update that is repeated has no second effect. Cancellations of the earlier run are dropped.

// RerunOption is an option of [Engine.Rerun].
type RerunOption func(*rerun)

// rerun is one call of Rerun.
type rerun struct {
	point string // empty: the beginning
	id    string // of the new instance; empty: the same
}

// FromPoint makes a rerun begin at a point, with the values that were last saved there: its step
// is called, or its wait begins.
func FromPoint(point string) RerunOption { return func(r *rerun) { r.point = point } }

// AsNew makes a rerun a new instance with that id and the same labels; the ended one stays as it
// is.
func AsNew(id string) RerunOption { return func(r *rerun) { r.id = id } }

// Rerun runs an ended instance again: from its beginning, with the same request, or from a point
// ([FromPoint]); under its id, or as a new instance ([AsNew]). It returns when that is durable,
// not when the rerun ends. The effects of the steps of the earlier run remain. Steps have new
// keys.
//
// At a point the function has again the compensations that were deferred there if the earlier run
// has completed or was terminated. Those of a failed or canceled run have been called, and do not
// come back. A rerun has no parent. It leaves a record in [Instance.Resets].
//
// Under the same id the outcome and the values of the earlier run are replaced. Signals that it
// has received are not received again, and their keys stay known; the rerun gets those that it has
// left. A repeated call runs the instance again if it has ended in between. With AsNew it does
// nothing if the new instance exists and is the same rerun; if it is another one the error is
// [ErrOther].
//
// The error is [ErrNotFound] if there is no instance with that id; [ErrNotEnded] if it has not
// ended, or its parent waits for it or other children of the same point; [ErrNoTrail] if nothing
// is kept of the point: see [Trail]. This engine must serve the function.
func (e *Engine) Rerun(ctx context.Context, id string, opts ...RerunOption) (err error) {
	ctx = nilctx.Background(ctx)
	var how rerun
	for _, opt := range opts {
		opt(&how)
	}
	for range maxTries {
		var r *stores.Record
		if r, err = e.findEnded(ctx, id); err != nil {
			return err
		}
		if err = e.rerun(ctx, r, how); !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return err
}

// rerun runs the instance of an ended record again. The error matches ErrConflict if the record
// has changed.
func (e *Engine) rerun(ctx context.Context, r *stores.Record, how rerun) error {
	f := e.function(r.Function)
	if f == nil {
		return errNotServed(r.Function)
	}
	ended, err := open(r.State)
	if err != nil {
		return err
	}
	record := Reset{When: e.now(), From: "end", To: cmp.Or(how.point, f.points[0].Name), Steps: ended.Steps, Of: r.ID}
	doc, err := f.again(ended, r.Status, record)
	if err != nil {
		return err
	}
	if how.id != "" && how.id != r.ID {
		doc.addReset(record)
		return e.start(ctx, how.id, r.Function, doc, &starting{labels: r.Labels})
	}
	if ended.Parent != "" {
		if err := e.checkParent(ctx, ended.Parent, r.ID); err != nil {
			return err
		}
	}
	if doc.Taken, err = e.received(ctx, r, ended); err != nil {
		return err
	}
	doc.Answers, doc.Resets = ended.Answers, ended.Resets
	doc.addReset(record)
	return e.restart(ctx, r, doc)
}

// again returns the document of a rerun.
func (f *definition) again(ended *checkpoint, status Status, record Reset) (doc *checkpoint, err error) {
	defer recoverTo(&err)
	to, err := f.find(ended, record.To)
	if err != nil {
		return nil, err
	}
	if status == Failed || status == Canceled {
		to.Deferred = nil
	}
	frame, err := f.make(nil)
	if err != nil {
		return nil, err
	}
	at := f.number[to.Point]
	deferred, err := to.restore(frame, at)
	if err != nil {
		return nil, err
	}
	doc = &checkpoint{Layout: f.layout, Asked: ended.Asked, Steps: ended.Steps + 1, Trail: ended.Trail}
	doc.goTo(to, record.When)
	return doc, doc.capture(frame, at, deferred)
}

// goTo makes a document continue at a point of the trail.
func (doc *checkpoint) goTo(to passedPoint, now time.Time) {
	doc.Point, doc.At, doc.Step, doc.Retry = to.Point, to.At, to.Step, to.Retry
	doc.Signal, doc.Signals, doc.Checked, doc.Until = to.Signal, to.Signals, 0, time.Time{}
	if to.wait > 0 {
		doc.Until = now.Add(to.wait)
	}
}

// isRerunAs reports whether a document is of the same rerun as a record.
func (doc *checkpoint) isRerunAs(record Reset) bool {
	return slices.ContainsFunc(doc.Resets, func(r Reset) bool { return r.Of == record.Of && r.To == record.To })
}

// received returns the messages above the floor that a rerun does not receive: those that the
// earlier run has received, and its cancellations.
func (e *Engine) received(ctx context.Context, r *stores.Record, ended *checkpoint) ([]int64, error) {
	list, err := e.store.Inbox(ctx, r.ID, r.Floor)
	taken := slices.Clone(ended.Taken)
	for _, m := range list {
		if m.Name == cancelSignal {
			taken = append(taken, m.Seq)
		}
	}
	slices.Sort(taken)
	return slices.Compact(taken), err
}

// restart swaps in the beginning of a rerun under the same id.
func (e *Engine) restart(ctx context.Context, r *stores.Record, doc *checkpoint) error {
	r.Run, r.Step, r.Layout = rand.Text(), doc.Step, layoutKey(r.Function, doc.Layout)
	makeDue(r, e.now())
	r.Updated = e.now()
	err := doc.fit(func() (err error) {
		if r.State, err = seal(doc); err != nil {
			return err
		}
		_, err = e.store.Swap(ctx, r)
		return err
	})
	if err != nil {
		return err
	}
	e.wakeDispatcher()
	e.counts.started.Add(1)
	e.emit(Event{Kind: Started, ID: r.ID, Function: r.Function, Point: doc.Point})
	return nil
}
