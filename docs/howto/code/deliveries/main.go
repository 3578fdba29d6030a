// Deliveries measures what a delivery keeps alive while it waits for its next attempt, in four
// forms: from the one that is written first to one that takes a sixth of it.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/pprof"
	"strconv"
	"time"

	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// hook is what a receiver is to be told.
type hook struct {
	ID   int
	To   string
	Body []byte
}

func (h *hook) labels() pprof.LabelSet { return pprof.Labels("hook", strconv.Itoa(h.ID)) }

func (h *hook) request(ctx context.Context) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.To, bytes.NewReader(h.Body))
	if err == nil {
		r.Header.Set("Idempotency-Key", strconv.Itoa(h.ID))
	}
	return r, err
}

// service delivers hooks to receivers that are away.
type service struct{ log *slog.Logger }

var errAway = errors.New("deliveries: the receiver is away")

func (*service) send(*http.Request) error { return errAway }

const (
	patience = 24 * time.Hour
	attempts = 12
)

func pauses() retry.Policy { return retry.Exponential(time.Minute, time.Hour) }

// first is what one writes who thinks of goroutines.
//
//movenext:async
func (s *service) first(ctx context.Context, h *hook) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ctx = pprof.WithLabels(ctx, h.labels())
	pprof.SetGoroutineLabels(ctx)
	log := s.log.With("hook", h.ID, "to", h.To)
	defer context.AfterFunc(ctx, func() { log.Info("given up") })()
	request, err := h.request(ctx)
	if err != nil {
		return err
	}
	_, err = retry.Do(ctx, pauses(), func(context.Context) (int, error) {
		return 0, s.send(request)
	}, retry.Attempts(attempts), retry.Notify(func(f retry.Failure) { log.Debug("again", "why", f.Err) }))
	return err
}

// ownTimeout has a timeout of package job, and notices its end where it ends.
//
//movenext:async
func (s *service) ownTimeout(ctx context.Context, h *hook) error {
	ctx, cancel := job.WithTimeout(ctx, patience)
	defer cancel()
	ctx = pprof.WithLabels(ctx, h.labels())
	pprof.SetGoroutineLabels(ctx)
	log := s.log.With("hook", h.ID, "to", h.To)
	request, err := h.request(ctx)
	if err != nil {
		return err
	}
	_, err = retry.Do(ctx, pauses(), func(context.Context) (int, error) {
		return 0, s.send(request)
	}, retry.Attempts(attempts), retry.Notify(func(f retry.Failure) { log.Debug("again", "why", f.Err) }))
	if ctx.Err() != nil {
		log.Info("given up")
	}
	return err
}

// oneAttempt makes what an attempt needs in the attempt, which is over when the pause begins.
//
//movenext:async
func (s *service) oneAttempt(ctx context.Context, h *hook) error {
	ctx, cancel := job.WithTimeout(ctx, patience)
	defer cancel()
	ctx = pprof.WithLabels(ctx, h.labels())
	pprof.SetGoroutineLabels(ctx)
	_, err := retry.Do(ctx, pauses(), func(ctx context.Context) (int, error) {
		return 0, s.attempt(ctx, h)
	}, retry.Attempts(attempts))
	if ctx.Err() != nil {
		s.log.Info("given up", "hook", h.ID, "to", h.To)
	}
	return err
}

func (s *service) attempt(ctx context.Context, h *hook) error {
	request, err := h.request(ctx)
	if err != nil {
		return retry.Permanent(err)
	}
	if err := s.send(request); err != nil {
		s.log.Debug("again", "hook", h.ID, "to", h.To, "why", err)
		return err
	}
	return nil
}

// ownLoop has no options of a package: a number and a pause.
//
//movenext:async
func (s *service) ownLoop(ctx context.Context, h *hook) error {
	ctx, cancel := job.WithTimeout(ctx, patience)
	defer cancel()
	ctx = pprof.WithLabels(ctx, h.labels())
	pprof.SetGoroutineLabels(ctx)
	pause := time.Minute
	for i := 1; ; i++ {
		err := s.attempt(ctx, h)
		if err == nil || i == attempts {
			return err
		}
		if job.Sleep(ctx, pause) != nil {
			s.log.Info("given up", "hook", h.ID, "to", h.To)
			return err
		}
		pause = min(2*pause, time.Hour)
	}
}

// delivery is one of the forms.
type delivery = func(*service, context.Context, *hook) *job.Job[job.Void]

var forms = []struct {
	name string
	run  delivery
}{
	{"first", (*service).firstAsync},
	{"own timeout", (*service).ownTimeoutAsync},
	{"one attempt", (*service).oneAttemptAsync},
	{"own loop", (*service).ownLoopAsync},
}

// bytesEach begins n deliveries, and returns what each keeps alive while all of them pause.
func bytesEach(n int, run delivery) int64 {
	ctx, cancel := context.WithCancel(context.Background())
	s := &service{log: slog.New(slog.DiscardHandler)}
	all := job.NewScope(ctx, job.Supervisor())
	hooks := make([]hook, n)
	body := []byte("{}")
	before := alive()
	for i := range hooks {
		hooks[i] = hook{ID: i, To: "https://example.org/hooks", Body: body}
		all.Start(func(ctx context.Context) *job.Job[job.Void] { return run(s, ctx, &hooks[i]) })
	}
	each := (alive() - before) / int64(n)
	cancel()
	_ = all.Wait()
	runtime.KeepAlive(hooks)
	return each
}

func alive() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

func main() {
	const deliveries = 50_000
	for _, f := range forms {
		fmt.Printf("%-12s %5d bytes each\n", f.name, bytesEach(deliveries, f.run))
	}
}
