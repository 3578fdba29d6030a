package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Going back
//
// A reset moves an instance to a point where it was saved before, with the values that it had
// there. It does not undo the effects of the steps since then. So the compensations deferred
// since then stay deferred, the messages received are not received again, and the steps that
// follow have new keys. The discarded values, with which the instance was suspended, are kept in
// the record for human readers.
//
// A checkpoint has no history. Each one keeps the beginning of the function if that is small, and
// with a [Trail] the latest values of each earlier point. The last checkpoint of an ended instance
// has them too: see rerun.go. A point of All or Any is not kept: its children have run.

// Trail makes an engine keep the values saved at earlier points in each checkpoint, up to that
// many bytes, for [Engine.Reset] and [Engine.Rerun]. It makes checkpoints larger. The default is
// 0; but the beginning is kept in any case if its values, the request, have at most 16 KiB.
func Trail(bytes int) Option { return func(s *settings) { s.trail = bytes } }

// maxBeginning is the size up to which the beginning is kept without a Trail.
const maxBeginning = 16 << 10

// Reset is a record of one reset of an instance, or of one rerun.
type Reset struct {
	When     time.Time
	From, To string                     // names of points; From is "end" if it had ended
	Reason   string                     // for which the instance was stuck
	Steps    int64                      // begun before the reset
	Dropped  map[string]json.RawMessage // the values at From; none if they were too large
	Of       string                     // of a rerun: the id of the instance that had ended
}

// Limits on the records of resets.
const (
	maxResets       = 10
	maxDroppedBytes = 32 << 10
)

// trailPoint is a point in the trail of a checkpoint.
type trailPoint struct {
	Point   string          `json:"point"`
	Layout  string          `json:"layout"`
	At      string          `json:"at,omitempty"`
	Step    string          `json:"step,omitempty"`
	Signal  string          `json:"signal,omitempty"`
	Signals []string        `json:"signals,omitempty"`
	Retry   json.RawMessage `json:"retry,omitempty"`
	Wait    time.Duration   `json:"wait,omitempty"` // the longest wait; 0: forever
	Values  json.RawMessage `json:"values"`         // a document

	Deferred []deferredData `json:"deferred,omitempty"` // their arguments are of the document
}

// trail records the point that was just captured or loaded, and moves the previous one to the
// trail.
func (r *run) trail(reached time.Time) {
	if r.doc.Point == returnPoint {
		return
	}
	if r.last != nil && r.last.Point != r.doc.Point {
		r.leaveTrail()
	}
	r.last = nil
	if r.e.trail <= 0 && !r.f.isBeginning(r.doc.Point) || r.doc.Join != nil {
		return
	}
	values, err := json.Marshal(document{r.doc.Values, r.doc.Objects})
	if err != nil {
		return // such a document cannot be sealed
	}
	r.last = &trailPoint{
		Point: r.doc.Point, Layout: r.f.layout, At: r.doc.At, Step: r.doc.Step, Signal: r.doc.Signal, Values: values, Deferred: r.doc.Deferred,
		Signals: r.doc.Signals, Retry: r.doc.Retry,
	}
	if !r.doc.Until.IsZero() && r.doc.Step == "" {
		r.last.Wait = max(r.doc.Until.Sub(reached), 1)
	}
}

// leaveTrail moves the point that was saved last to the trail.
func (r *run) leaveTrail() {
	if r.last != nil {
		r.f.addToTrail(r.doc, *r.last, r.e.trail)
		r.last = nil
	}
}

// isBeginning reports whether a point is the beginning of the function.
func (f *definition) isBeginning(point string) bool { return point == f.points[0].Name }

// isKept reports whether a point is kept in any trail.
func (f *definition) isKept(t trailPoint) bool {
	return f.isBeginning(t.Point) && len(t.Values) <= maxBeginning
}

// addToTrail adds a point to the trail of a document, replacing its earlier entry, and drops the
// oldest entries.
func (f *definition) addToTrail(doc *checkpoint, t trailPoint, maxBytes int) {
	if maxBytes <= 0 && !f.isKept(t) {
		return
	}
	list := []trailPoint{t}
	size := len(t.Values)
	for _, old := range slices.Backward(doc.Trail) {
		size += len(old.Values)
		if old.Point != t.Point && (size <= maxBytes || f.isKept(old)) {
			list = slices.Insert(list, 0, old)
		}
	}
	doc.Trail = list
}

// Reset makes an instance continue at an earlier point, with the values that were last saved
// there: the step is called again, with a new key, or the wait begins again. The effects of the
// steps since then remain, as do the compensations deferred and the messages received since then.
// A running step is not stopped, but its result is dropped. Reset also works for a stuck
// instance. It leaves a record in [Instance.Resets].
//
// This engine must serve the function. The engines that ran the instance need a [Trail], unless
// the point is the beginning and the request is small; otherwise the error is ErrNoTrail. It is
// ErrNotFound if there is no instance with that id, and ErrEnded if the instance has ended: see
// [Engine.Rerun].
func (e *Engine) Reset(ctx context.Context, id, point string) error {
	err := e.reset(nilctx.Background(ctx), id, point, true)
	if errors.Is(err, ErrTooLarge) {
		err = e.reset(nilctx.Background(ctx), id, point, false)
	}
	return err
}

// reset makes an instance continue at a point, and keeps its trail or drops it.
func (e *Engine) reset(ctx context.Context, id, point string, keepTrail bool) error {
	return e.change(ctx, id, func(r *stores.Record) error {
		if r.Status.Ended() {
			return ErrEnded
		}
		f := e.function(r.Function)
		if f == nil {
			return errNotServed(r.Function)
		}
		doc, err := open(r.State)
		if err != nil {
			return err
		}
		if err := f.reset(doc, point, r.Reason, e.now()); err != nil {
			return err
		}
		if !keepTrail {
			doc.Trail = nil
		}
		r.State, err = seal(doc)
		r.Step, r.Layout = doc.Step, layoutKey(r.Function, doc.Layout)
		makeDue(r, e.now())
		return err
	})
}

// reset moves a document to a point of its trail.
func (f *definition) reset(doc *checkpoint, point, reason string, now time.Time) (err error) {
	defer recoverTo(&err)
	locals := doc.locals()
	if err := f.migrate(doc); err != nil {
		return err
	}
	to, err := f.find(doc, point)
	if err != nil {
		return err
	}
	frame, err := f.make(nil)
	if err != nil {
		return err
	}
	at := f.number[point]
	if err := decodeAll(to.Values, to.Objects, variables(frame.Live(at), nil)); err != nil {
		return err
	}
	deferred, saved, err := doc.compensations(frame)
	if err == nil {
		err = decodeAll(saved, doc.Objects, variables(nil, deferred))
	}
	if err != nil {
		return err
	}
	doc.addReset(Reset{When: now, From: doc.Point, To: point, Reason: reason, Steps: doc.Steps, Dropped: locals})
	doc.goTo(to, now)
	doc.Layout = f.layout
	doc.Steps++ // the keys are new
	doc.Attempt, doc.Failures, doc.Crashes, doc.Undoing, doc.Join, doc.Progress = 0, 0, 0, false, nil, nil
	return doc.capture(frame, at, deferred)
}

// addReset adds the record of a reset, and drops the oldest ones.
func (doc *checkpoint) addReset(record Reset) {
	if len(asJSON(record.Dropped)) > maxDroppedBytes {
		record.Dropped = nil
	}
	doc.Resets = append(doc.Resets, record)
	doc.Resets = doc.Resets[max(0, len(doc.Resets)-maxResets):]
}

// passedPoint is a point of the trail in the layout of this program.
type passedPoint struct {
	*checkpoint
	wait time.Duration
}

// find returns the latest point of the trail that is now called point. Each entry has the layout
// of the version that passed it, and goes through the migrations, which may move it to another
// point.
func (f *definition) find(doc *checkpoint, point string) (found passedPoint, err error) {
	if _, ok := f.number[point]; !ok || point == returnPoint {
		return found, fmt.Errorf("durable: %s has no point %q", f.name, point)
	}
	failed := fmt.Errorf("%w: %s", ErrNoTrail, point)
	for _, t := range slices.Backward(doc.Trail) {
		passed, err := t.present(f)
		if err == nil && passed.Point == point {
			return passedPoint{passed, t.Wait}, nil
		}
		if err != nil && t.Point == point {
			failed = err
		}
	}
	return found, failed
}

// present returns an entry of the trail as a checkpoint in the layout of this program.
func (t trailPoint) present(f *definition) (*checkpoint, error) {
	var kept document
	if err := parse(t.Values, &kept); err != nil {
		return nil, err
	}
	values, _ := kept.Value.(map[string]any)
	doc := &checkpoint{Layout: t.Layout, Point: t.Point, At: t.At, Step: t.Step, Signal: t.Signal, Values: values, Objects: kept.Objects}
	doc.Deferred, doc.Signals, doc.Retry = slices.Clone(t.Deferred), t.Signals, t.Retry
	return doc, f.migrate(doc)
}
