package schedulertest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/movenext/movenext/schedulers"
)

// ledger records the work that a scheduler was given, and what happened to it.
type ledger struct {
	*env
	sched Scheduler

	mu     sync.Mutex
	probes []*probe
	tally  tally
	moved  chan struct{} // closed and replaced whenever tally changes
}

// tally holds the sums over all probes of a ledger.
type tally struct {
	accepted, refused     int // an offer counts as accepted until Submit has returned
	began, ended, dropped int
}

func (e *env) ledger(s Scheduler) *ledger {
	return &ledger{env: e, sched: s, moved: make(chan struct{})}
}

// probe is a Work that counts its runs and abandonments.
type probe struct {
	book *ledger
	id   int
	body func(on schedulers.Worker)

	// Guarded by book.mu.
	accepted, refused, runs, abandons int
	reason                            error
}

// Run implements [schedulers.Work].
func (p *probe) Run(on schedulers.Worker) {
	p.book.note(func(t *tally) { p.runs++; t.began++ })
	defer p.book.note(func(t *tally) { t.ended++ })
	if p.body != nil {
		p.body(on)
	}
}

// Abandon implements [schedulers.Work].
func (p *probe) Abandon(reason error) {
	p.book.note(func(t *tally) { p.abandons++; p.reason = reason; t.dropped++ })
}

func (l *ledger) note(change func(*tally)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.tally)
	close(l.moved)
	l.moved = make(chan struct{})
}

// probe returns a new probe, not yet submitted.
func (l *ledger) probe(body func(on schedulers.Worker)) *probe {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &probe{book: l, id: len(l.probes), body: body}
	l.probes = append(l.probes, p)
	return p
}

// offer submits p and records the result. A panic of Submit fails the test here instead
// of ending the process. It is safe from any goroutine.
func (l *ledger) offer(p *probe, hint schedulers.Hint) (err error) {
	l.Helper()
	// The acceptance is counted before Submit, and taken back on refusal: work may have
	// ended before its Submit returns, and until must not see a balanced tally too early.
	l.note(func(t *tally) { p.accepted++; t.accepted++ })
	if err = l.trySubmit(p, hint); err != nil {
		l.note(func(t *tally) {
			p.accepted--
			t.accepted--
			p.refused++
			t.refused++
		})
	}
	return err
}

func (l *ledger) trySubmit(w schedulers.Work, hint schedulers.Hint) (err error) {
	l.Helper()
	defer func() {
		if r := recover(); r != nil {
			l.Errorf("Submit panicked: %v", r)
			err = fmt.Errorf("schedulertest: Submit panicked: %v", r)
		}
	}()
	return l.sched.Submit(w, hint)
}

// submit submits work that must be accepted. It is safe from any goroutine.
func (l *ledger) submit(body func(on schedulers.Worker), hint schedulers.Hint) *probe {
	l.Helper()
	p := l.probe(body)
	if err := l.offer(p, hint); err != nil {
		l.Errorf("Submit refused work without a reason: %v", err)
	}
	return p
}

// until waits until the tally satisfies cond; what describes the failure if it never
// does.
func (l *ledger) until(what string, cond func(tally) bool) {
	l.Helper()
	late := l.deadline()
	for {
		l.mu.Lock()
		t, moved := l.tally, l.moved
		l.mu.Unlock()
		if cond(t) {
			return
		}
		select {
		case <-moved:
		case <-late:
			l.Fatalf("waited %v: %s (so far: %d accepted, %d refused, %d began, %d ended, %d abandoned)",
				l.timeout, what, t.accepted, t.refused, t.began, t.ended, t.dropped)
		}
	}
}

// awaitSettled waits until all work that was offered so far has ended, or was abandoned or
// refused.
func (l *ledger) awaitSettled() {
	l.Helper()
	l.until("accepted work was neither run nor abandoned", func(t tally) bool {
		return t.ended+t.dropped >= t.accepted
	})
}

// shutdown calls Shutdown without a limit and fails if it does not return nil.
func (l *ledger) shutdown() {
	l.Helper()
	l.await(l.goShutdown(context.Background(), nil), "Shutdown did not return although all work could end")
}

// goShutdown calls Shutdown on a goroutine of its own and returns a channel that is
// closed when it has returned. Its error must match want.
func (l *ledger) goShutdown(ctx context.Context, want error) <-chan struct{} {
	l.Helper()
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		if err := l.sched.Shutdown(ctx); !errors.Is(err, want) {
			l.Errorf("Shutdown returned %v, want %v", err, want)
		}
	}()
	return returned
}

// finish waits for all work, shuts down and audits the ledger.
func (l *ledger) finish() {
	l.Helper()
	l.awaitSettled()
	l.shutdown()
	l.audit()
}

// audit checks that each probe got what the contract promises: as many runs and
// abandonments together as acceptances, and none for a refusal.
func (l *ledger) audit() {
	l.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	wrong := 0
	for _, p := range l.probes {
		if fault := p.fault(); fault != "" {
			wrong++
			if wrong <= 5 {
				l.Errorf("work %d of %d: %s", p.id, len(l.probes), fault)
			}
		}
	}
	if wrong > 5 {
		l.Errorf("… and %d more works like these", wrong-5)
	}
}

func (p *probe) fault() string {
	got := p.runs + p.abandons
	switch {
	case p.accepted == 0 && got > 0:
		return fmt.Sprintf("was refused, and yet run %d times and abandoned %d times", p.runs, p.abandons)
	case got == 0 && p.accepted > 0:
		return "was accepted and then lost: neither run nor abandoned"
	case got != p.accepted:
		return fmt.Sprintf("was accepted %d times, but run %d times and abandoned %d times", p.accepted, p.runs, p.abandons)
	case p.abandons > 0 && !errors.Is(p.reason, schedulers.ErrShutdown):
		return fmt.Sprintf("was abandoned for the reason %v, which is not ErrShutdown", p.reason)
	}
	return ""
}

// checkNoneAbandoned checks that no work was abandoned, in a case where all could be run.
func (l *ledger) checkNoneAbandoned() {
	l.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tally.dropped > 0 {
		l.Errorf("%d works were abandoned although nothing kept them from running", l.tally.dropped)
	}
}
