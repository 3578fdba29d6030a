package main

import (
	"crypto/rand"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/inspect/metrics"
	"github.com/movenext/movenext/job"
)

//go:embed page.html
var page string

//go:embed page.js
var script string

const maxBody = 64 << 10

// handler returns what the service answers under the names of this computer.
func handler(d *dispatcher, at net.Addr) (h http.Handler, stop func()) {
	c := metrics.Collect(metrics.OneIn(16))
	mux := http.NewServeMux()
	mux.HandleFunc("POST /hooks", d.receive)
	mux.HandleFunc("GET /events", d.events)
	mux.HandleFunc("GET /{$}", text("text/html", page))
	mux.HandleFunc("GET /page.js", text("text/javascript", script))
	mux.Handle("GET /metrics", c)
	mux.Handle("GET /machines/", inspect.Handler())
	untrack := inspect.Track(inspect.Sample(16))
	return guard(mux, at), func() { untrack(); c.Stop() }
}

func text(kind, content string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		_, _ = io.WriteString(w, content) // an error means that the reader has gone
	}
}

// guard keeps other sites from using the service through the browsers of its users;
// docs/howto/expose-a-page.md has the reasons.
func guard(next http.Handler, at net.Addr) http.Handler {
	_, port, _ := net.SplitHostPort(at.String())
	hosts := []string{at.String(), "localhost:" + port, "127.0.0.1:" + port}
	next = http.NewCrossOriginProtection().Handler(http.MaxBytesHandler(next, maxBody))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		if !slices.Contains(hosts, r.Host) {
			http.Error(w, "this server has another name", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// receive answers when the hook is saved, and does not wait for its delivery.
func (d *dispatcher) receive(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query() // the body may be a form, and is the hook's
	h := hook{Request: r.Header.Get("X-Request-ID"), Lane: query.Get("lane"), To: query.Get("to")}
	if h.Request == "" {
		h.Request = rand.Text()
	}
	to, err := url.Parse(h.To)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		http.Error(w, "to is the address of a receiver", http.StatusBadRequest)
		return
	}
	h.Host = to.Host
	if h.Body, err = io.ReadAll(r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	ctx := withRequest(r.Context(), h.Request)
	switch err := d.accept(ctx, h); {
	case errors.Is(err, errStopping):
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err != nil:
		d.log.ErrorContext(ctx, "not saved", "why", err)
		http.Error(w, "not saved", http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// events is a stream of server-sent events: the numbers, at most ten times a second. Each reader
// waits for a version that it has not seen, on the goroutine of its connection, so a slow one
// delays nobody, and skips versions.
func (d *dispatcher) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	flush := http.NewResponseController(w).Flush
	seen := d.state.Observe()
	for n, err := d.state.Value(), error(nil); err == nil; n, err = seen.Next(r.Context()) {
		data, _ := json.Marshal(n) // numbers cannot fail
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil || flush() != nil {
			return
		}
		_ = job.Sleep(r.Context(), 100*time.Millisecond) // Next returns why it ended early
	}
}
