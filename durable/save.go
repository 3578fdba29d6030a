package durable

import (
	"cmp"
	"errors"
	"time"

	"github.com/movenext/movenext/durable/gen"
)

// unsavableError marks errors about values that cannot be saved.
type unsavableError struct{ error }

func (e unsavableError) Unwrap() error { return e.error }

// save writes the checkpoint; owner is empty if the instance is released. It reports whether
// there is mail.
func (r *run) save(status Status, owner string, due time.Time) (mail bool, err error) {
	r.doc.Layout, r.record.Step = r.f.layout, r.doc.Step
	r.record.Layout = cmp.Or(r.needs, layoutKey(r.f.name, r.f.layout))
	if status.Ended() {
		r.record.Layout = "" // every worker can report it to its parent
	}
	err = r.doc.fit(func() error {
		mail, err = r.trySave(status, owner, due)
		return err
	})
	if isFinal(err) {
		err = unsavableError{err}
	}
	if err != nil {
		return mail, err
	}
	r.e.counts.aside.Add(r.aside)
	r.aside = 0
	if len(r.doc.Answers) > 0 {
		r.e.wakeHandles(r.record.ID)
	}
	if owner == "" && !status.Ended() {
		r.emit(Event{Kind: Suspended})
	}
	return mail, nil
}

// fit calls write, which encodes and writes the document, and once more without the trail if the
// document is too large, here or for the store: continuing matters more than going back.
func (doc *checkpoint) fit(write func() error) error {
	err := write()
	if errors.Is(err, ErrTooLarge) && len(doc.Trail) > 0 {
		doc.Trail = nil
		err = write()
	}
	return err
}

// trySave encodes and writes the checkpoint.
func (r *run) trySave(status Status, owner string, due time.Time) (mail bool, err error) {
	if r.record.State, err = seal(r.doc); err != nil {
		return false, unsavableError{err}
	}
	if owner != "" && r.record.Owner != owner {
		r.record.Epoch++
	}
	r.record.Status, r.record.Owner, r.record.Due, r.record.Updated = status, owner, due, r.e.now()
	return r.write()
}

// write writes the record and counts the write.
func (r *run) write() (mail bool, err error) {
	r.endClaim()
	begin := time.Now()
	r.inboxEmpty, r.mail.asked, r.passed = false, time.Time{}, 0
	mail, err = r.swap()
	r.wrote = r.e.now() // at the end: a slow store is no reason to write again
	r.e.counts.writes.Add(1)
	r.e.counts.writeTimes.AddTime(time.Since(begin))
	if errors.Is(err, ErrConflict) {
		r.e.counts.conflicts.Add(1)
	}
	return mail, err
}

// captureOrStick writes the frame's values into the document. It returns false if there is an
// error, or a value that cannot be saved, which has made the instance stuck.
func (r *run) captureOrStick() (ok bool, err error) {
	point := r.point
	if r.doc.Point == returnPoint {
		point = gen.Returning
	}
	err = func() (err error) {
		defer recoverTo(&err)
		return r.doc.capture(r.frame, point, r.deferred)
	}()
	if err != nil {
		return false, r.stickAtLast(err)
	}
	r.trail(r.e.now())
	return true, nil
}

// saveOrStick is like save, but makes the instance stuck if the document is too large.
func (r *run) saveOrStick(status Status, owner string, due time.Time) (mail, ok bool, err error) {
	mail, err = r.save(status, owner, due)
	if errors.As(err, new(unsavableError)) {
		return false, false, r.stickAtLast(err)
	}
	return mail, err == nil, err
}
