package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/internal/nilctx"
)

// # Going back
//
// A reset moves an instance to a point where it was saved before, with the values that it had
// there. It does not undo the effects of the steps since then. So the compensations deferred
// since then stay deferred, the messages received are not received again, and the steps that
// follow have new keys. The discarded values, with which the instance was suspended, are kept in
// the record for human readers.
//
// A checkpoint has no history. An engine with a [Trail] keeps, in each checkpoint, the latest
// values of each earlier point.

// ErrNoTrail says that the trail has no values of that point.
var ErrNoTrail = errors.New("durable: nothing is kept of that point: open the engines with durable.Trail")

// Trail makes an engine keep the values saved at earlier points in each checkpoint, up to that
// many bytes, for [Engine.Reset]. It makes checkpoints larger. The default is 0.
func Trail(bytes int) Option { return func(s *settings) { s.trail = bytes } }

// Reset is a record of one reset of an instance.
type Reset struct {
	When     time.Time
	From, To string                     // names of points
	Reason   string                     // for which the instance was stuck
	Steps    int64                      // begun before the reset
	Dropped  map[string]json.RawMessage // the values at From; none if they were too large
}

// Limits on the records of resets.
const (
	maxResets       = 10
	maxDroppedBytes = 32 << 10
)

// trailPoint is a point in the trail of a checkpoint.
type trailPoint struct {
	Point  string          `json:"point"`
	Layout string          `json:"layout"`
	At     string          `json:"at,omitempty"`
	Step   string          `json:"step,omitempty"`
	Signal string          `json:"signal,omitempty"`
	Wait   time.Duration   `json:"wait,omitempty"` // the longest wait; 0: forever
	Values json.RawMessage `json:"values"`         // a document
}

// trail records the point that was just captured or loaded, and moves the previous one to the
// trail.
func (r *run) trail(reached time.Time) {
	if r.e.trail <= 0 || r.doc.Point == returnPoint {
		return
	}
	if r.last != nil && r.last.Point != r.doc.Point {
		r.doc.addToTrail(*r.last, r.e.trail)
	}
	values, err := json.Marshal(document{r.doc.Values, r.doc.Objects})
	if err != nil {
		return // such a document cannot be sealed
	}
	r.last = &trailPoint{Point: r.doc.Point, Layout: r.f.layout, At: r.doc.At, Step: r.doc.Step, Signal: r.doc.Signal, Values: values}
	if !r.doc.Until.IsZero() && r.doc.Step == "" {
		r.last.Wait = max(r.doc.Until.Sub(reached), 1)
	}
}

// addToTrail adds a point to the trail, replacing its earlier entry, and drops the oldest entries.
func (doc *checkpoint) addToTrail(t trailPoint, maxBytes int) {
	list := []trailPoint{t}
	size := len(t.Values)
	for n := len(doc.Trail) - 1; n >= 0; n-- {
		old := doc.Trail[n]
		if size += len(old.Values); size > maxBytes {
			break
		}
		if old.Point != t.Point {
			list = append([]trailPoint{old}, list...)
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
// This engine must serve the function, and the engines that ran the instance need a [Trail];
// otherwise the error is ErrNoTrail. It is ErrNotFound if there is no instance with that id, and
// ErrEnded if the instance has ended.
func (e *Engine) Reset(ctx context.Context, id, point string) error {
	return e.change(nilctx.Background(ctx), id, func(r *Record) error {
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
		r.State, err = seal(doc)
		r.Step, r.Layout = doc.Step, layoutKey(r.Function, doc.Layout)
		r.makeDue(e.now())
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
	record := Reset{When: now, From: doc.Point, To: point, Reason: reason, Steps: doc.Steps, Dropped: locals}
	if len(asJSON(record.Dropped)) > maxDroppedBytes {
		record.Dropped = nil
	}
	doc.Resets = append(doc.Resets, record)
	doc.Resets = doc.Resets[max(0, len(doc.Resets)-maxResets):]
	doc.Point, doc.At, doc.Step, doc.Signal, doc.Checked, doc.Until = to.Point, to.At, to.Step, to.Signal, 0, time.Time{}
	if to.wait > 0 {
		doc.Until = now.Add(to.wait)
	}
	doc.Layout = f.layout
	doc.Steps++ // the keys are new
	doc.Attempt, doc.Failures, doc.Crashes, doc.Undoing, doc.Join, doc.Progress = 0, 0, 0, false, nil, nil
	return doc.capture(frame, at, deferred)
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
	return doc, f.migrate(doc)
}
