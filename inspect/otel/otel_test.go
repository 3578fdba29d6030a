package otel_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/inspect/otel"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

//go:generate go tool movenext .

// twice is suspended up to two times.
//
//movenext:async
func twice(a, b *job.Job[int]) (int, error) {
	x, err := a.Await()
	if err != nil {
		return 0, err
	}
	y, err := b.Await()
	return x + y, err
}

// all is suspended until all have ended.
//
//movenext:async
func all(jobs ...*job.Job[int]) ([]int, error) { return job.WhenAll(jobs...).Await() }

// collector is an OpenTelemetry that keeps spans in memory.
func collector(t *testing.T, opts ...inspect.Option) (spans func() tracetest.SpanStubs, provider *trace.TracerProvider) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider = trace.NewTracerProvider(trace.WithSyncer(exporter))
	stop := otel.Trace(provider.Tracer("test"), opts...)
	t.Cleanup(func() {
		stop()
		require.NoError(t, provider.Shutdown(context.Background()))
	})
	return func() tracetest.SpanStubs { stop(); return exporter.GetSpans() }, provider
}

func named(t *testing.T, spans tracetest.SpanStubs, name string) tracetest.SpanStub {
	t.Helper()
	for _, s := range spans {
		if s.Name == name {
			return s
		}
	}
	require.Fail(t, "no span "+name)
	return tracetest.SpanStub{}
}

func events(s tracetest.SpanStub) (names []string) {
	for _, e := range s.Events {
		names = append(names, e.Name)
	}
	return names
}

func TestASpanFollowsAMachineOverItsSuspensions(t *testing.T) {
	spans, _ := collector(t)
	s := manual.New()
	a, b := job.NewSource[int](), job.NewSource[int]()
	j := twiceAsync(a.Job(), b.Job())
	a.TrySetResult(1)
	b.TrySetResult(2)
	_, err := j.Wait(schedulers.With(context.Background(), s))
	require.NoError(t, err)
	span := named(t, spans(), "github.com/movenext/movenext/inspect/otel_test.twice")
	assert.Equal(t, []string{"started", "suspended", "resumed"}, events(span)[:3])
	assert.Equal(t, codes.Unset, span.Status.Code)
}

func TestTheParentIsTheSpanOfTheContext(t *testing.T) {
	for _, s := range []interface {
		schedulers.Scheduler
		Shutdown(ctx context.Context) error
	}{pool.New(), goroutine.New()} {
		spans, provider := collector(t)
		ctx, request := provider.Tracer("test").Start(schedulers.With(context.Background(), s), "request")
		_, err := job.Go(ctx, func(ctx context.Context) error {
			_, err := job.Go(ctx, func(context.Context) error { return errors.New("secret") }, job.Named("inner")).Wait(ctx)
			return err
		}, job.Named("outer")).Wait(ctx)
		require.Error(t, err)
		request.End()
		require.NoError(t, s.Shutdown(context.Background()))
		got := spans()
		outer, inner := named(t, got, "outer"), named(t, got, "inner")
		assert.Equal(t, request.SpanContext().SpanID(), outer.Parent.SpanID())
		assert.Equal(t, outer.SpanContext.SpanID(), inner.Parent.SpanID())
		assert.Equal(t, request.SpanContext().TraceID(), inner.SpanContext.TraceID())
		assert.Equal(t, codes.Error, inner.Status.Code)
		assert.NotContains(t, inner.Status.Description, "secret")
	}
}

func TestTheNameOfASpanHasNoControlCharacters(t *testing.T) {
	spans, _ := collector(t)
	ctx := context.Background()
	_, err := job.Go(ctx, func(context.Context) error { return nil }, job.Named("a\x1b[2J\nb")).Wait(ctx)
	require.NoError(t, err)
	named(t, spans(), "a\uFFFD[2J\uFFFDb")
}

func TestWhenAllIsLinks(t *testing.T) {
	spans, _ := collector(t)
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	one := job.Run(ctx, func(context.Context) (int, error) { return 1, nil }, job.Named("one"))
	two := job.Run(ctx, func(context.Context) (int, error) { return 2, nil }, job.Named("two"))
	j := allAsync(one, two)
	s.RunAll()
	<-j.Done()
	got := spans()
	waiter := named(t, got, "github.com/movenext/movenext/inspect/otel_test.all")
	var linked []string
	for _, l := range waiter.Links {
		for _, s := range got {
			if s.SpanContext.Equal(l.SpanContext) {
				linked = append(linked, s.Name)
			}
		}
	}
	assert.ElementsMatch(t, []string{"one", "two"}, linked)
}

func TestOpenSpansEndWithTheTracing(t *testing.T) {
	spans, _ := collector(t, inspect.Named("left open"))
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	job.Go(ctx, func(context.Context) error { return nil }, job.Named("left open"))
	job.Go(ctx, func(context.Context) error { return nil }, job.Named("another"))
	got := spans()
	require.Len(t, got, 1)
	assert.Equal(t, []string{"followed no more"}, events(got[0]))
	s.RunAll()
	otel.Trace(nil)()
}
