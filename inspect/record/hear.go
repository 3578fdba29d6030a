package record

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// subject is the recorder's state of a subject that may still have events: during that time it
// keeps its number.
type subject struct {
	key    any // in Recorder.subjects
	number uint64
	items  int  // how many work items are about it
	life   bool // events of its job are heard
	over   bool // its job has ended
}

// item is a queued or running work item. A machine that is the same work item at each resumption
// may be queued again before the end of its last run is reported.
type item struct {
	of              *subject
	queued, running int
}

// hearWork is called by a scheduler in the middle of an operation.
func (r *Recorder) hearWork(e schedulers.Event) {
	if e.Kind == 0 || e.Kind >= kinds || !r.wants(e.Scheduler) {
		return
	}
	var about any
	var is Subject
	var at schedulers.Place
	switch e.Kind {
	case schedulers.Submitted, schedulers.Begun, schedulers.Inlined:
		// The caller owns the work. After its end another goroutine may own a machine.
		if e.Work != nil {
			about, is = subjectOf(e.Work)
		}
	default:
	}
	if m, ok := e.Work.(interface{ Where() schedulers.Place }); ok && e.Kind == schedulers.Submitted {
		at = m.Where()
	}
	r.add(func() { r.encodeWork(e, about, is, at) })
}

func (r *Recorder) wants(s schedulers.Scheduler) bool {
	return len(r.of) == 0 || slices.ContainsFunc(r.of, func(o schedulers.Scheduler) bool { return schedulers.RunsOn(s, o) })
}

func (r *Recorder) encodeWork(e schedulers.Event, about any, is Subject, at schedulers.Place) {
	var f fields
	f.add(hasWorker, bounded(e.Worker))
	f.add(hasProcessor, bounded(e.Processor))
	f.add(hasQueue, bounded(e.Queue))
	f.add(hasCount, bounded(e.Count))
	f.add(hasTook, uint64(max(0, e.Took)))
	if e.Work != nil {
		f.add(hasSubject, r.happens(e, about, is))
	}
	f.add(hasPlace, r.encoder.place(at))
	of := r.encoder.scheduler(e.Scheduler)
	r.entry(entryWork + byte(e.Kind))
	r.encoder.uint(of)
	r.encoder.fields(&f)
}

// happens returns the number of the subject of a work item that has an event, or 0 if it is not
// known.
func (r *Recorder) happens(e schedulers.Event, about any, is Subject) uint64 {
	var key any = e.Work
	if reflect.ValueOf(e.Work).Kind() != reflect.Pointer {
		key = reflect.TypeOf(e.Work) // work without an address: all work of one type is one item
	}
	it := r.items[key]
	if it == nil {
		if about == nil {
			return 0 // it was submitted before the recording
		}
		if len(r.items) >= most {
			clear(r.items)
		}
		it = &item{of: r.subject(about, is)}
		it.of.items++
		r.items[key] = it
	}
	it.count(e.Kind)
	number := it.of.number
	if it.queued <= 0 && it.running <= 0 {
		delete(r.items, key)
		it.of.items--
		r.forget(it.of)
	}
	return number
}

func (it *item) count(k schedulers.EventKind) {
	switch k {
	case schedulers.Submitted:
		it.queued++
	case schedulers.Begun:
		it.queued--
		it.running++
	case schedulers.Ended:
		it.running--
	case schedulers.Refused, schedulers.Abandoned, schedulers.Inlined:
		it.queued--
	default:
	}
}

// subjectOf returns what a work item is about, and a key for it.
func subjectOf(w schedulers.Work) (key any, is Subject) {
	if a, ok := w.(interface{ About() schedulers.Work }); ok {
		w = a.About()
	}
	switch w := w.(type) {
	case described:
		return subjectOfJob(w)
	case interface{ WaitingJob() job.Handle }: // a machine
		if h := w.WaitingJob(); h != nil {
			return subjectOfJob(h)
		}
	}
	is.Name = fmt.Sprintf("%T", w)
	if n, ok := w.(schedulers.Named); ok && n.Name() != "" {
		is.Name = n.Name()
	}
	if reflect.ValueOf(w).Kind() == reflect.Pointer {
		return w, is
	}
	return reflect.TypeOf(w), is
}

// described is a job, or a job with its function, which is not a job.Handle.
type described interface {
	ID() uint64
	Name() string
	Creation() job.Frame
}

func subjectOfJob(h described) (key any, is Subject) {
	at := h.Creation()
	is = Subject{Job: h.ID(), Name: h.Name(), Made: schedulers.Place{Function: at.Function, File: at.File, Line: at.Line}}
	return is.Job, is
}

func (r *Recorder) subject(key any, is Subject) *subject {
	s := r.subjects[key]
	if s == nil {
		if len(r.subjects) >= most {
			clear(r.subjects) // those that are met again get a new number
		}
		s = &subject{key: key, number: r.encoder.subject(is)}
		r.subjects[key] = s
	}
	return s
}

// forget removes a subject that will have no more events.
func (r *Recorder) forget(s *subject) {
	if s.items <= 0 && (s.over || !s.life) && r.subjects[s.key] == s {
		delete(r.subjects, s.key)
	}
}

// hearLife is called by a job in the middle of an operation.
func (r *Recorder) hearLife(e inspect.Event) {
	if e.Kind == 0 || e.Kind >= kinds || e.Job == nil {
		return
	}
	key, is := subjectOfJob(e.Job)
	var onKey any
	var on Subject
	if e.On != nil {
		onKey, on = subjectOfJob(e.On)
	}
	if e.Kind == inspect.Made && e.Place.Function != "" {
		is.Made = e.Place
	}
	r.add(func() { r.encodeLife(e, key, is, onKey, on) })
}

func (r *Recorder) encodeLife(e inspect.Event, key any, is Subject, onKey any, on Subject) {
	if len(r.of) > 0 && r.subjects[key] == nil {
		return // none of the selected schedulers runs it
	}
	s := r.subject(key, is)
	s.life, s.over = true, e.Kind == inspect.Ended
	var f fields
	f.add(hasStatus, uint64(e.Status))
	if e.Kind != inspect.Made {
		f.add(hasWhere, r.encoder.place(e.Place))
	}
	f.add(hasWaits, r.encoder.text(e.Waits))
	f.add(hasHolder, r.encoder.text(e.Holder))
	if onKey != nil {
		o := r.subject(onKey, on)
		f.add(hasOn, o.number)
		r.forget(o)
	}
	r.entry(entryLife + byte(e.Kind))
	r.encoder.uint(s.number)
	r.encoder.fields(&f)
	r.forget(s)
}
