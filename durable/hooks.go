package durable

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// Event is something that an engine has done with an instance.
type Event struct {
	Kind         EventKind
	ID, Function string
	Point        string        // of the function
	Step         string        // StepBegan, StepEnded: its name
	Attempt      int           // of the step
	Took         time.Duration // StepEnded: the attempt
	Status       Status        // Ended
	Err          error         // StepEnded, Ended: of the step, the function; GotStuck: why
}

// EventKind says what has happened.
type EventKind string

// The kinds of events. Of one instance they come in the order in which they happen; a crash
// loses what comes after it, and a repeated attempt is told of again.
const (
	Started   EventKind = "started"    // by a call of Start, not by one that found it
	StepBegan EventKind = "step began" // its checkpoint is written
	StepEnded EventKind = "step ended" // its result is not saved yet
	Suspended EventKind = "suspended"  // it waits, or was left to another engine
	GotStuck  EventKind = "got stuck"
	Ended     EventKind = "ended"
)

// OnEvent has a function called for each event, until stop is called, in the goroutine that
// makes it: it must be fast, must not call the engine, and is called concurrently for several
// instances. Call OnEvent before [Serve] to miss nothing. A panic in it is logged and changes
// nothing. It is for tracing and for counts of your own: [Engine.Metrics] has the usual ones,
// and the logger of [Log] gets the events as well, at slog.LevelDebug. OnEvent does not block,
// and stop may be called more than once; a call that has begun may end after it.
func (e *Engine) OnEvent(f func(Event)) (stop func()) {
	h := &f
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hooks = append(slices.Clip(e.hooks), h)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.hooks = slices.DeleteFunc(slices.Clone(e.hooks), func(other *func(Event)) bool { return other == h })
	}
}

// happened tells of an event.
func (e *Engine) happened(v Event) {
	e.mu.Lock()
	hooks := e.hooks // replaced, never changed
	e.mu.Unlock()
	for _, f := range hooks {
		e.hear(*f, v)
	}
	if e.log.Enabled(e.ctx, slog.LevelDebug) {
		e.log.LogAttrs(context.WithoutCancel(e.ctx), slog.LevelDebug, "durable: "+string(v.Kind), v.attributes()...)
	}
}

// hear calls a hook.
func (e *Engine) hear(f func(Event), v Event) {
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("durable: a hook has panicked", "id", v.ID, "event", string(v.Kind), "panic", p)
		}
	}()
	f(v)
}

// attributes are the fields that an event has.
func (v Event) attributes() []slog.Attr {
	list := []slog.Attr{slog.String("id", v.ID), slog.String("function", v.Function), slog.String("point", v.Point)}
	if v.Step != "" {
		list = append(list, slog.String("step", v.Step), slog.Int("attempt", v.Attempt))
	}
	if v.Kind == StepEnded {
		list = append(list, slog.Duration("took", v.Took))
	}
	if v.Status != "" {
		list = append(list, slog.String("status", string(v.Status)))
	}
	if v.Err != nil {
		list = append(list, slog.Any("error", v.Err))
	}
	return list
}

// happened tells of an event of the instance.
func (r *run) happened(v Event) {
	v.ID, v.Function, v.Point = r.record.ID, r.f.name, ""
	if r.doc != nil {
		v.Point = r.doc.Point
	}
	r.e.happened(v)
}
