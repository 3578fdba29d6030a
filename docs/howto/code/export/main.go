// A program whose schedulers and jobs are visible from outside: to Prometheus, to package expvar,
// in a log, as spans.
package main

import (
	"bytes"
	"context"
	"expvar"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/inspect/metrics"
	"github.com/movenext/movenext/job"
)

func main() {
	c := metrics.Collect(metrics.OneIn(1)) // 100 in production
	defer c.Stop()
	mux := http.NewServeMux()
	mux.Handle("/metrics", c)
	expvar.Publish("movenext", c)

	var log bytes.Buffer // written by the log's own goroutine; shown when it has ended
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	stopLog := metrics.Log(logger)

	s := &spans{open: map[job.Handle]string{}}
	defer inspect.Observe(s.hear, inspect.Named("checkout"))()

	<-job.Go(context.Background(), checkout, job.Named("checkout")).Done()
	stopLog()
	fmt.Print(log.String())

	for line := range strings.Lines(get(mux)) {
		if strings.HasPrefix(line, "movenext_function_suspensions_count") {
			fmt.Print(line)
		}
	}
}

func checkout(context.Context) error { return context.DeadlineExceeded }

// spans makes a span of each job; a tracer would be called where it prints.
type spans struct {
	mu   sync.Mutex
	open map[job.Handle]string
}

func (s *spans) hear(e inspect.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case inspect.Made:
		s.open[e.Job] = e.Job.Name()
	case inspect.Ended:
		fmt.Println("span", s.open[e.Job], "ends:", e.Status)
		delete(s.open, e.Job)
	default:
		fmt.Println("span", s.open[e.Job], "has an event:", e.Kind)
	}
}

// get makes a request like Prometheus.
func get(mux *http.ServeMux) string {
	server := httptest.NewServer(mux)
	defer server.Close()
	answer, err := server.Client().Get(server.URL + "/metrics")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// withoutTime removes the parts that differ from run to run.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == "job" {
		return slog.Attr{}
	}
	return a
}
