package durable

import (
	"context"
	"log/slog"
	"slices"
	"time"
)

// Event describes something that happened to an instance in an engine.
type Event struct {
	Kind         EventKind
	ID, Function string
	Point        string        // of the function
	Step         string        // StepBegan, StepEnded: its name
	Attempt      int           // of the step
	Took         time.Duration // StepEnded: the duration of the attempt
	Status       Status        // Ended
	Err          error         // StepEnded, Ended: of the step, the function; GotStuck: why
}

// EventKind is the kind of an event.
type EventKind string

// The kinds of events. The events of one instance arrive in the order in which they happen. A
// crash loses the later ones, and a repeated attempt is reported again.
const (
	Started   EventKind = "started"    // by a call of Start, unless the instance existed; by Rerun
	StepBegan EventKind = "step began" // the checkpoint before it is written
	StepEnded EventKind = "step ended" // its result is not saved yet
	Suspended EventKind = "suspended"  // it waits, or was left to another engine
	GotStuck  EventKind = "got stuck"
	Ended     EventKind = "ended"
)

// OnEvent registers a function that is called for each event until stop is called, on the
// goroutine that produces the event. f must be fast, must not call the engine, and is called
// concurrently for several instances. Call OnEvent before [Serve] to miss no event. A panic in f
// is logged and has no other effect.
//
// OnEvent is for tracing and for custom counts: [Engine.Metrics] has the usual counts, and the
// logger of [Log] also gets the events, at slog.LevelDebug. OnEvent does not block. stop may be
// called more than once; a call of f that has begun may end after stop has returned.
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

// emit reports an event to the hooks and the log.
func (e *Engine) emit(v Event) {
	e.mu.Lock()
	hooks := e.hooks // replaced, never changed
	e.mu.Unlock()
	for _, f := range hooks {
		e.callHook(*f, v)
	}
	if e.log.Enabled(e.ctx, slog.LevelDebug) {
		e.log.LogAttrs(context.WithoutCancel(e.ctx), slog.LevelDebug, "durable: "+string(v.Kind), v.attributes()...)
	}
}

// callHook calls a hook and contains its panic.
func (e *Engine) callHook(f func(Event), v Event) {
	defer func() {
		if p := recover(); p != nil {
			e.log.Error("durable: a hook has panicked", "id", v.ID, "event", string(v.Kind), "panic", p)
		}
	}()
	f(v)
}

// attributes returns the fields that an event has.
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

// emit reports an event of the instance.
func (r *run) emit(v Event) {
	v.ID, v.Function, v.Point = r.record.ID, r.f.name, ""
	if r.doc != nil {
		v.Point = r.doc.Point
	}
	r.e.emit(v)
}
