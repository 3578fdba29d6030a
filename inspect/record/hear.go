package record

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// subjectState is the recorder's state of a subject that may still have events: during that time
// it keeps its number.
type subjectState struct {
	key    any // in Recorder.subjects
	number uint64
	items  int  // how many work items are about it
	life   bool // events of its job are heard
	over   bool // its job has ended
}

// item is a queued or running work item. A machine that is the same work item at each resumption
// may be queued again before the end of its last run is reported.
type item struct {
	subject         *subjectState
	queued, running int
}

// hearWork is called by a scheduler in the middle of an operation.
func (r *Recorder) hearWork(e schedulers.Event) {
	if e.Kind == 0 || e.Kind >= kinds || !r.wants(e.Scheduler) {
		return
	}
	var key any
	var subject Subject
	var place schedulers.Place
	switch e.Kind {
	case schedulers.Submitted, schedulers.Begun, schedulers.Inlined:
		// The caller owns the work. After its end another goroutine may own a machine.
		if e.Work != nil {
			key, subject = subjectOf(e.Work)
		}
	default:
	}
	if m, ok := e.Work.(probe.Suspension); ok && e.Kind == schedulers.Submitted {
		place = dispatch.PlaceOf(m)
	}
	r.add(func() { r.encodeWork(e, key, subject, place) })
}

func (r *Recorder) wants(s schedulers.Scheduler) bool {
	return len(r.schedulers) == 0 || slices.ContainsFunc(r.schedulers, func(o schedulers.Scheduler) bool { return schedulers.RunsOn(s, o) })
}

func (r *Recorder) encodeWork(e schedulers.Event, key any, subject Subject, place schedulers.Place) {
	var f fields
	f.add(hasWorker, bounded(e.Worker))
	f.add(hasProcessor, bounded(e.Processor))
	f.add(hasQueue, bounded(e.Queue))
	f.add(hasCount, bounded(e.Count))
	f.add(hasTook, uint64(max(0, e.Took)))
	if e.Work != nil {
		f.add(hasSubject, r.numberFor(e, key, subject))
	}
	f.add(hasPlace, r.encoder.place(place))
	scheduler := r.encoder.scheduler(e.Scheduler)
	r.entry(entryWork + byte(e.Kind))
	r.encoder.uint(scheduler)
	r.encoder.fields(&f)
}

// numberFor returns the number of the subject of a work item that has an event, or 0 if it is not
// known.
func (r *Recorder) numberFor(e schedulers.Event, about any, subject Subject) uint64 {
	var key any = e.Work
	if reflect.ValueOf(e.Work).Kind() != reflect.Pointer {
		key = reflect.TypeOf(e.Work) // work without an address: all work of one type is one item
	}
	it := r.items[key]
	if it == nil {
		if about == nil {
			return 0 // it was submitted before the recording
		}
		if len(r.items) >= maxEntries {
			clear(r.items)
		}
		it = &item{subject: r.stateOf(about, subject)}
		it.subject.items++
		r.items[key] = it
	}
	it.count(e.Kind)
	number := it.subject.number
	if it.queued <= 0 && it.running <= 0 {
		delete(r.items, key)
		it.subject.items--
		r.forget(it.subject)
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
func subjectOf(w schedulers.Work) (key any, subject Subject) {
	if a, ok := w.(interface{ About() schedulers.Work }); ok {
		w = a.About()
	}
	switch w := w.(type) {
	case describer:
		return subjectOfJob(w)
	case interface{ WaitingJob() job.Handle }: // a machine
		if h := w.WaitingJob(); h != nil {
			return subjectOfJob(h)
		}
	}
	subject.Name = fmt.Sprintf("%T", w)
	if n, ok := w.(schedulers.Named); ok && n.Name() != "" {
		subject.Name = n.Name()
	}
	if reflect.ValueOf(w).Kind() == reflect.Pointer {
		return w, subject
	}
	return reflect.TypeOf(w), subject
}

// describer is a job, or a job with its function, which is not a job.Handle.
type describer interface {
	ID() uint64
	Name() string
	Creation() job.Frame
}

func subjectOfJob(h describer) (key any, subject Subject) {
	f := h.Creation()
	subject = Subject{Job: h.ID(), Name: h.Name(), Made: schedulers.Place{Function: f.Function, File: f.File, Line: f.Line}}
	return subject.Job, subject
}

func (r *Recorder) stateOf(key any, subject Subject) *subjectState {
	s := r.subjects[key]
	if s == nil {
		if len(r.subjects) >= maxEntries {
			clear(r.subjects) // those that are met again get a new number
		}
		s = &subjectState{key: key, number: r.encoder.subject(subject)}
		r.subjects[key] = s
	}
	return s
}

// forget removes a subject that will have no more events.
func (r *Recorder) forget(s *subjectState) {
	if s.items <= 0 && (s.over || !s.life) && r.subjects[s.key] == s {
		delete(r.subjects, s.key)
	}
}

// hearLife is called by a job in the middle of an operation.
func (r *Recorder) hearLife(e inspect.Event) {
	if e.Kind == 0 || e.Kind >= kinds || e.Job == nil {
		return
	}
	key, subject := subjectOfJob(e.Job)
	var awaitedKey any
	var awaited Subject
	if e.On != nil {
		awaitedKey, awaited = subjectOfJob(e.On)
	}
	if e.Kind == inspect.Made && e.Place.Function != "" {
		subject.Made = e.Place
	}
	r.add(func() { r.encodeLife(e, key, subject, awaitedKey, awaited) })
}

func (r *Recorder) encodeLife(e inspect.Event, key any, subject Subject, awaitedKey any, awaited Subject) {
	if len(r.schedulers) > 0 && r.subjects[key] == nil {
		return // none of the selected schedulers runs it
	}
	s := r.stateOf(key, subject)
	s.life, s.over = true, e.Kind == inspect.Ended
	var f fields
	f.add(hasStatus, uint64(e.Status))
	if e.Kind != inspect.Made {
		f.add(hasWhere, r.encoder.place(e.Place))
	}
	f.add(hasWaits, r.encoder.text(e.Waits))
	f.add(hasHolder, r.encoder.text(e.Holder))
	if awaitedKey != nil {
		o := r.stateOf(awaitedKey, awaited)
		f.add(hasOn, o.number)
		r.forget(o)
	}
	r.entry(entryLife + byte(e.Kind))
	r.encoder.uint(s.number)
	r.encoder.fields(&f)
	r.forget(s)
}
