package otel_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/movenext/movenext/inspect/otel"
	"github.com/movenext/movenext/job"
)

// The collector is in the process: it keeps the spans in memory. A client's request
// carries its trace in a header, and the job that the handler starts is part of it.
func Example() {
	memory := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(memory)) // WithBatcher, in production
	tracer := provider.Tracer("shop")
	stop := otel.Trace(tracer)
	header := propagation.TraceContext{}

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := header.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		text, err := job.Run(ctx, func(ctx context.Context) (string, error) {
			return job.Run(ctx, func(context.Context) (string, error) { return "three items", nil }, job.Named("query")).Wait(ctx)
		}, job.Named("checkout")).Wait(ctx)
		fmt.Fprint(w, text, err)
	}))

	ctx, span := tracer.Start(context.Background(), "client")
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	header.Inject(ctx, propagation.HeaderCarrier(request.Header))
	if response, err := server.Client().Do(request); err != nil {
		fmt.Println(err)
	} else if err := response.Body.Close(); err != nil {
		fmt.Println(err)
	}
	span.End()
	server.Close()
	stop()

	names := map[any]string{}
	for _, s := range memory.GetSpans() {
		names[s.SpanContext.SpanID()] = s.Name
	}
	for _, s := range memory.GetSpans() {
		fmt.Println(s.Name, "below", names[s.Parent.SpanID()], s.SpanContext.TraceID() == span.SpanContext().TraceID())
	}
	if err := provider.Shutdown(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// query below checkout true
	// checkout below client true
	// client below  true
}
