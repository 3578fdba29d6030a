// Package otel makes OpenTelemetry spans from the events of package inspect: one span per job,
// from its making to its end. The span follows a machine through its suspensions, on whatever
// goroutine it runs. The package is a module of its own, so that programs without OpenTelemetry
// do not download it.
//
//	stop := otel.Trace(provider.Tracer("shop"))
//	defer stop()
//
// # Parents
//
// The parent of a job's span is the span in the context with which the job was made: one that
// your code has started, or that arrived with a request (propagation.TraceContext). A job made in
// the function of another job with the same span in its context is a child of that job. An async
// function that is called directly has no context known here, so its span is a root; call it
// within job.Run to make it a child.
//
// Spans that your code starts are in its context, so they follow a machine even without this
// package. They are siblings of the job's span, not children of it.
//
// # Links
//
// A span has a link to each job that its job has waited for, and to those that a WhenAll or
// another combinator has awaited on its behalf.
package otel

import (
	"context"
	"fmt"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Trace starts a span with t for each job made from now on, or for those that the options select
// (inspect.Sample, inspect.Named). stop ends the open spans, and may be called more than once.
// Neither blocks, unless t does. Names, lines and the operations that a machine waits for are
// attributes; errors, arguments and results are not.
//
// t is called in the middle of a job's operations, on any goroutine. So its processor should
// queue spans, like the batch processor of OpenTelemetry's SDK, rather than send them. A nil t
// traces nothing.
func Trace(t trace.Tracer, opts ...inspect.Option) (stop func()) {
	if t == nil {
		return func() {}
	}
	f := &follower{tracer: t, open: map[jobcore.Internals]*life{}}
	end := inspect.Observe(f.hear, opts...)
	return func() {
		end()
		f.endAll()
	}
}

// life holds the span of a job, and the span in the context of the job's function.
type life struct {
	span  trace.Span
	outer trace.SpanContext
}

// follower holds the jobs whose spans are open.
type follower struct {
	tracer trace.Tracer

	mu      sync.Mutex
	open    map[jobcore.Internals]*life
	stopped bool
}

func (f *follower) hear(e inspect.Event) {
	in := jobcore.Of(e.Job)
	if in == nil {
		return
	}
	if e.Kind == inspect.Made {
		f.made(in, e)
		return
	}
	l := f.of(in)
	if l == nil {
		return // it was made before Trace, or is no longer followed
	}
	switch e.Kind {
	case inspect.Suspended:
		l.span.AddEvent("suspended", trace.WithAttributes(append(at(e.Place),
			attribute.String("movenext.waits_for", e.Waits), attribute.String("movenext.held_by", e.Holder))...))
		f.link(l.span, jobcore.Of(e.On), maxLinked)
	case inspect.Ended:
		f.ended(in, l, e.Status)
	default:
		l.span.AddEvent(e.Kind.String())
	}
}

func (f *follower) of(in jobcore.Internals) *life {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open[in]
}

func (f *follower) made(in jobcore.Internals, e inspect.Event) {
	about := in.About()
	l := &life{}
	if about.Context != nil {
		l.outer = trace.SpanContextFromContext(about.Context)
	}
	parent := trace.ContextWithSpanContext(context.Background(), l.outer)
	if about.Parent != nil {
		if around := f.of(about.Parent); around != nil && around.outer.Equal(l.outer) {
			parent = trace.ContextWithSpan(context.Background(), around.span)
		}
	}
	attributes := append(at(e.Place), attribute.String("movenext.job.id", fmt.Sprint(e.Job.ID())))
	_, l.span = f.tracer.Start(parent, nameOf(e), trace.WithAttributes(attributes...)) //nolint:spancheck // it ends with the job
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		l.span.End()
		return
	}
	f.open[in] = l
}

func nameOf(e inspect.Event) string {
	switch {
	case e.Job.Name() != "":
		return truncate.Name(e.Job.Name()) // a client may have chosen it
	case e.Place.Function != "":
		return e.Place.Function
	default:
		return "job"
	}
}

func (f *follower) ended(in jobcore.Internals, l *life, s job.Status) {
	f.mu.Lock()
	delete(f.open, in)
	f.mu.Unlock()
	l.span.SetAttributes(attribute.String("movenext.job.status", s.String()))
	if s == job.Faulted {
		l.span.SetStatus(codes.Error, s.String())
	}
	l.span.End()
}

// maxLinked is the maximum nesting of combinators that link follows.
const maxLinked = 8

// link adds a link to the span of a job, or to the spans of the jobs that it waits for.
func (f *follower) link(span trace.Span, to jobcore.Internals, depth int) {
	if to == nil || depth == 0 {
		return
	}
	if l := f.of(to); l != nil {
		span.AddLink(trace.Link{SpanContext: l.span.SpanContext()})
		return
	}
	for _, before := range to.Antecedents() {
		f.link(span, before, depth-1)
	}
}

func (f *follower) endAll() {
	f.mu.Lock()
	all := f.open
	f.open, f.stopped = nil, true
	f.mu.Unlock()
	for _, l := range all {
		l.span.AddEvent("followed no more")
		l.span.End()
	}
}

// at returns a place as attributes named by OpenTelemetry's conventions.
func at(p schedulers.Place) []attribute.KeyValue {
	if p.Function == "" {
		return nil
	}
	return []attribute.KeyValue{
		attribute.String("code.function.name", p.Function),
		attribute.String("code.file.path", p.File),
		attribute.Int("code.line.number", p.Line),
	}
}
