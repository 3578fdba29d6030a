package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/movenext/movenext/job"
)

// untilSignal serves until the process gets a signal to stop.
func untilSignal(l net.Listener, handler http.Handler) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return serve(ctx, l, handler, 10*time.Second)
}

// serve serves until ctx ends. Then it refuses connections, and waits for the handlers,
// which wait for their jobs. When patience has passed, it cancels the requests, and waits
// again.
func serve(ctx context.Context, l net.Listener, handler http.Handler, patience time.Duration) error {
	requests, cancelRequests := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancelRequests(nil)
	s := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: time.Second,
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	waiting, cancel := context.WithTimeout(requests, patience)
	defer cancel()
	err := s.Shutdown(waiting)
	if errors.Is(err, context.DeadlineExceeded) {
		cancelRequests(errStopping)
		err = s.Shutdown(context.WithoutCancel(ctx))
	}
	if ended := <-failed; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// render is the work for a page.
//
//movenext:async
func render(ctx context.Context, long time.Duration) error { return job.Sleep(ctx, long) }

// page is a handler whose work takes the requested time.
func page(w http.ResponseWriter, r *http.Request) {
	long, err := time.ParseDuration(r.FormValue("takes"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// The wait ends with the job, which has cleaned up then, and not with the request.
	_, err = renderAsync(r.Context(), long).Wait(context.WithoutCancel(r.Context()))
	switch {
	case errors.Is(err, errStopping):
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	case err == nil:
		_, _ = fmt.Fprintln(w, "a page")
	}
}
