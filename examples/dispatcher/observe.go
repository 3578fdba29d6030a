package main

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/movenext/movenext/inspect/otel"
)

// requestKey is the key of a request's id in a context.
type requestKey struct{}

func withRequest(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestKey{}, id)
}

// requests is a handler that adds the id of the request to each line. A machine has the same
// context after a wait, on whatever goroutine it continues.
type requests struct{ slog.Handler }

func newLogger(w io.Writer) *slog.Logger {
	return slog.New(requests{slog.NewTextHandler(w, nil)})
}

// Handle adds the id in the context.
func (h requests) Handle(ctx context.Context, r slog.Record) error {
	if id, ok := ctx.Value(requestKey{}).(string); ok {
		r.AddAttrs(slog.String("request", id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps the wrapper: the embedded one would return the handler within.
func (h requests) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requests{h.Handler.WithAttrs(attrs)}
}

// WithGroup keeps the wrapper, too.
func (h requests) WithGroup(name string) slog.Handler { return requests{h.Handler.WithGroup(name)} }

// traceTo writes a span for each job, with an event for each suspension. Replace the exporter by
// the one of your collector.
func traceTo(w io.Writer) (stop func(), err error) {
	exporter, err := stdouttrace.New(stdouttrace.WithWriter(w))
	if err != nil {
		return nil, err
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter))
	untrace := otel.Trace(provider.Tracer("dispatcher"))
	return func() {
		untrace()
		_ = provider.Shutdown(context.Background()) // which writes what is left
	}, nil
}
