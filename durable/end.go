package durable

import (
	"encoding/json"
	"reflect"
	"time"
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
