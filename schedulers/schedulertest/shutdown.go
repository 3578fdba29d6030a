package schedulertest

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
)

// shutdownChecks cover the end of a scheduler.
func shutdownChecks() []check {
	return []check{
		{"Shutdown of an unused scheduler returns nil", always, shutdownUnused},
		{"Shutdown runs the queued work", queues, shutdownDrains},
		{"Shutdown waits for running work", always, shutdownWaits},
		{"Shutdown may be called again", always, shutdownTwice},
		{"Shutdown may be called concurrently", always, shutdownByMany},
		{"Shutdown with an ended context abandons queued work", queues, shutdownAbandons},
		{"abandoned work may submit, and is refused", queues, shutdownAbandonsSubmitters},
		{"Shutdown with an ended context returns its cause", queues, shutdownCause},
		{"after a Shutdown that gave up, another one waits for the end", queues, shutdownAfterGivingUp},
		{"a late Submit is refused with ErrShutdown", always, lateSubmit},
		{"many lives of a scheduler leave no goroutine behind", always, noLeak},
	}
}

var errCause = errors.New("schedulertest: the cause of the context")

// endedContext returns a context that has ended because of errCause.
func endedContext() context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errCause)
	return ctx
}

func shutdownUnused(e *env) { e.ledger(e.new()).finish() }

func shutdownDrains(e *env) {
	l := e.ledger(e.new())
	open := l.gate(8, schedulers.Hint{})
	for range e.times(500) {
		l.submit(nil, schedulers.Hint{})
	}
	returned := l.goShutdown(context.Background(), nil)
	l.submitUntilRefused() // so Shutdown has begun
	open()
	e.await(returned, "Shutdown did not return although all work could end")
	l.awaitSettled()
	l.audit()
	l.checkNoneAbandoned()
}

// shutdownWaits holds a work item until Shutdown is about to be called, and
// checks whether the work had ended when Shutdown returned.
func shutdownWaits(e *env) {
	for range 20 {
		l := e.ledger(e.new())
		var done atomic.Bool
		begun, calling := make(chan struct{}), make(chan struct{})
		l.submit(func(schedulers.Worker) {
			close(begun)
			<-calling
			for range 100 { // gives a Shutdown that does not wait the time to return
				runtime.Gosched()
			}
			done.Store(true)
		}, schedulers.Hint{})
		e.await(begun, "work did not begin")
		close(calling)
		l.shutdown()
		if !done.Load() {
			l.Fatal("Shutdown returned nil while work was still running")
		}
	}
}

func shutdownTwice(e *env) {
	l := e.ledger(e.new())
	for range 100 {
		l.submit(nil, schedulers.Hint{})
	}
	l.shutdown()
	l.shutdown()
	e.await(l.goShutdown(context.Background(), nil), "the third Shutdown did not return")
	l.finish()
}

func shutdownByMany(e *env) {
	for range 20 {
		l := e.ledger(e.new())
		for range 100 {
			l.submit(nil, schedulers.Hint{})
		}
		var calls []<-chan struct{}
		for range 8 {
			calls = append(calls, l.goShutdown(context.Background(), nil))
		}
		for _, returned := range calls {
			e.await(returned, "one of several concurrent calls of Shutdown did not return")
		}
		l.audit()
		l.checkNoneAbandoned()
	}
}

// stuck returns a scheduler with 64 work items that stay in Run until open is
// called and 300 more behind them.
func (e *env) stuck() (l *ledger, open func()) {
	l = e.ledger(e.new())
	open = l.gate(64, schedulers.Hint{})
	for range 300 {
		_ = l.offer(l.probe(func(on schedulers.Worker) {
			_ = l.offer(l.probe(nil), schedulers.Hint{From: on})
		}), schedulers.Hint{})
	}
	return l, open
}

// giveUp calls Shutdown with a context that has ended. The work at the gate continues,
// so Shutdown must return the context's cause.
func (l *ledger) giveUp() {
	l.Helper()
	l.await(l.goShutdown(endedContext(), errCause), "Shutdown did not return although its context had ended")
}

func shutdownAbandons(e *env) {
	l, open := e.stuck()
	l.giveUp()
	// The gate is closed: exactly the work that has not begun must have been abandoned.
	l.until("Shutdown gave up, but work that was queued is neither running nor abandoned", func(t tally) bool {
		return t.began+t.dropped >= t.accepted
	})
	open()
	l.awaitSettled()
	l.audit()
}

// submitter is work that submits when it is abandoned, as a job does that has waiters.
type submitter struct {
	*probe
	refused chan error
}

// Abandon implements [schedulers.Work].
func (s submitter) Abandon(reason error) {
	s.refused <- s.book.offer(s.book.probe(nil), schedulers.Hint{})
	s.probe.Abandon(reason)
}

// shutdownAbandonsSubmitters finds a scheduler that abandons work while it holds a lock that
// Submit needs. Work that has begun before Shutdown gives up is not abandoned.
func shutdownAbandonsSubmitters(e *env) {
	l, open := e.stuck()
	w := submitter{l.probe(nil), make(chan error, 1)}
	l.note(func(t *tally) { w.accepted++; t.accepted++ })
	if err := l.trySubmit(w, schedulers.Hint{}); err != nil {
		l.Fatalf("Submit refused work without a reason: %v", err)
	}
	l.giveUp()
	open()
	l.awaitSettled()
	l.audit()
	select {
	case err := <-w.refused:
		if !errors.Is(err, schedulers.ErrShutdown) {
			l.Errorf("work that is abandoned submits, and Submit returned %v, want %v", err, schedulers.ErrShutdown)
		}
	default:
	}
}

func shutdownCause(e *env) {
	l, open := e.stuck()
	ctx, cancel := context.WithCancelCause(context.Background())
	returned := l.goShutdown(ctx, errCause)
	cancel(errCause) // while Shutdown waits, or before: the outcome is the same
	e.await(returned, "Shutdown did not return although its context had ended")
	open()
	l.awaitSettled()
	l.audit()
}

func shutdownAfterGivingUp(e *env) {
	l, open := e.stuck()
	l.giveUp()
	again := l.goShutdown(context.Background(), nil)
	open()
	e.await(again, "Shutdown did not return although all work has ended")
	l.awaitSettled()
	l.audit()
}

// lateSubmit tries every flag: a scheduler may have several paths of submission, and all of
// them must refuse.
func lateSubmit(e *env) {
	l := e.ledger(e.new())
	from := l.worker()
	l.shutdown()
	for f := schedulers.Flags(0); f < schedulers.Resumed<<1; f++ {
		for _, hint := range []schedulers.Hint{{Flags: f}, {Flags: f, From: from}} {
			if err := l.offer(l.probe(nil), hint); !errors.Is(err, schedulers.ErrShutdown) {
				l.Errorf("Submit with flags %b after Shutdown returned %v, want ErrShutdown", f, err)
			}
		}
	}
	l.audit()
}

func noLeak(e *env) {
	before := goleak.IgnoreCurrent()
	for life := range 30 {
		l := e.ledger(e.make(e.TB))
		for range life * 10 {
			l.submit(func(on schedulers.Worker) { l.submit(nil, schedulers.Hint{From: on}) }, schedulers.Hint{})
		}
		l.awaitSettled()
		l.shutdown()
	}
	for late := e.deadline(); ; {
		err := goleak.Find(before) // its own wait is too short on a loaded machine
		if err == nil {
			return
		}
		select {
		case <-late:
			e.Fatalf("goroutines are left after Shutdown has returned nil: %v", err)
		default:
		}
	}
}

// raceChecks require that no work is lost or run twice when submissions race Shutdown.
func raceChecks() []check {
	return []check{
		{"Submit racing Shutdown: accepted is run", always, func(e *env) { submitRacing(e, false) }},
		{"Submit racing a Shutdown that gives up: accepted is run or abandoned", always, func(e *env) { submitRacing(e, true) }},
	}
}

func submitRacing(e *env, giveUp bool) {
	for range 30 {
		l := e.ledger(e.new())
		var submitters sync.WaitGroup
		for range 4 {
			submitters.Go(l.submitUntilRefused)
		}
		l.until("no work began", func(t tally) bool { return t.began > 20 })
		if giveUp {
			l.await(l.sloppyShutdown(), "Shutdown did not return although its context had ended")
		}
		l.shutdown()
		submitters.Wait()
		l.awaitSettled()
		l.audit()
		if !giveUp {
			l.checkNoneAbandoned()
		}
	}
}

// submitUntilRefused submits work, some of which submits more, until the scheduler
// refuses.
func (l *ledger) submitUntilRefused() {
	late := l.deadline()
	for {
		body := func(on schedulers.Worker) {
			_ = l.offer(l.probe(nil), schedulers.Hint{From: on})
		}
		err := l.offer(l.probe(body), schedulers.Hint{})
		if errors.Is(err, schedulers.ErrShutdown) {
			return
		}
		select {
		case <-late:
			l.Error("Submit still accepts work long after Shutdown was called")
			return
		default:
			runtime.Gosched() // with one processor, others would run only between time slices
		}
	}
}

// sloppyShutdown calls Shutdown with an ended context while work is submitted and ends. It
// may return the cause, or nil if it happens to find nothing to wait for.
func (l *ledger) sloppyShutdown() <-chan struct{} {
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		if err := l.sched.Shutdown(endedContext()); err != nil && !errors.Is(err, errCause) {
			l.Errorf("Shutdown returned %v, want the cause of its context, or nil", err)
		}
	}()
	return returned
}
