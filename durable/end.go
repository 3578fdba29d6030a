package durable

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/movenext/movenext/durable/gen"
)

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
	doc.Reads = r.f.resumes
	doc.Answers, doc.Resets, doc.Parent = r.doc.Answers, r.doc.Resets, r.doc.Parent
	r.leaveTrail()
	doc.Trail, doc.Taken = r.doc.Trail, r.doc.Taken // for a rerun
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

// readResult returns the result of an instance in the layout of this program, as a document. It
// has been saved with a layout, by a program whose migrations are perhaps not known here: then it
// is read only if that program has said so (reads).
func (f *definition) readResult(result json.RawMessage, layout string, reads []string) (json.RawMessage, error) {
	_, changes := f.migrations[layout]
	switch {
	case !f.knows(layout) && !slices.Contains(reads, f.layout):
		return nil, foreignLayout(layout)
	case !changes || result == nil:
		return result, nil
	}
	name, err := f.resultName()
	if err != nil || name == "" {
		return result, err
	}
	var saved document
	if err := parse(result, &saved); err != nil {
		return nil, err
	}
	doc := &checkpoint{Layout: layout, Point: returnPoint, Values: map[string]any{name: saved.Value}, Objects: saved.Objects}
	if err := f.migrate(doc); err != nil {
		return nil, err
	}
	value, ok := doc.Values[name]
	if !ok || doc.Point != returnPoint {
		return nil, fmt.Errorf("durable: the migration from layout %q leaves no result", layout)
	}
	return json.Marshal(document{value, doc.Objects})
}

// resultName returns the name of the result among the values of a function that has returned;
// empty: it has none.
func (f *definition) resultName() (string, error) {
	frame, err := f.make(nil)
	if err != nil {
		return "", err
	}
	result, _ := frame.Outcome()
	for _, v := range frame.Live(gen.Returning) {
		if v.Ptr == result {
			return v.Name, nil
		}
	}
	return "", nil
}

// outcome encodes the value that ptr points to as a document.
func outcome(ptr any) (json.RawMessage, error) { return encodeAlone(reflect.ValueOf(ptr).Elem()) }
