package durabletest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/movenext/movenext/durable"
)

// Case is a durable function with the input of one run.
type Case[S, Req, Res any] struct {
	Function durable.Function[S, Req, Res]
	Plain    func(s S, ctx context.Context, request Req) (Res, error) // (*Shop).Order

	Receiver func() S // a new one for each run
	Request  Req
	Signals  []Signal // see CrashEverywhere

	// Options are options of the engines; a store that is not a [durable.Notifier] needs a
	// durable.Poll. Equal compares two outcomes; nil compares the results as JSON and the errors
	// as text. Check is called after each run; it may be nil.
	Options []durable.Option
	Equal   func(a, b Outcome[Res]) bool
	Check   func(t testing.TB, receiver S)

	// Serve serves the functions that the function calls, on each engine; it may be nil.
	Serve func(e *durable.Engine, receiver S)

	// Store makes the store of a run; nil: one in memory.
	Store func() durable.Store
}

// Outcome is the outcome of a run.
type Outcome[Res any] struct {
	Result Res
	Err    error
}

// CrashEverywhere runs the plain form of a function, and then the function on an engine. Then it
// runs the function twice more for each write of that run: the process dies right before the
// write, or right after it, and another engine continues. Each outcome must equal that of the
// plain form. CrashEverywhere returns the number of runs.
//
// If there are signals, all of this happens twice: with all signals sent before the first write,
// and with none sent before the function waits or has died. Other orders are possible, but which
// one happens would depend on the speed of the processors, and so would the writes.
//
// A function that sleeps or times out waits for the clock: call CrashEverywhere in a bubble of
// testing/synctest.
func CrashEverywhere[S, Req, Res any](t testing.TB, c Case[S, Req, Res]) (runs int) {
	t.Helper()
	receiver := c.Receiver()
	request, err := deepCopy(c.Request) // the plain form may change what the request refers to
	if err != nil {
		t.Fatalf("durabletest: %v", err)
	}
	var want Outcome[Res]
	want.Result, want.Err = c.Plain(receiver, Plain(context.Background(), c.Signals...), request)
	want.Err = durable.Normalise(want.Err)
	c.check(t, "the plain form", receiver, want, want)

	runs = 1 + c.crashes(t, "", false, want)
	if len(c.Signals) > 0 {
		runs += c.crashes(t, ", with late signals", true, want)
	}
	return runs
}

// crashes makes the runs of CrashEverywhere with early or late signals, and returns their number.
func (c *Case[S, Req, Res]) crashes(t testing.TB, how string, late bool, want Outcome[Res]) (runs int) {
	t.Helper()
	writes := c.run(t, "without a crash"+how, nil, late, want)
	for n := 1; n <= writes; n++ {
		for _, after := range []bool{false, true} {
			side := "before"
			if after {
				side = "after"
			}
			what := fmt.Sprintf("crashed %s write %d of %d%s", side, n, writes, how)
			c.run(t, what, &death{write: n, after: after}, late, want)
		}
	}
	return 1 + 2*writes
}

// deepCopy returns a copy that shares nothing with the original.
func deepCopy[T any](v T) (T, error) {
	data, err := durable.EncodeSignal(&v)
	if err != nil {
		return v, err
	}
	p, err := durable.DecodeSignal[*T](data)
	if err != nil {
		return v, err
	}
	return *p, nil
}

// run makes one run, with an engine that may die and one that continues. It returns the number of
// writes that the first engine made.
func (c *Case[S, Req, Res]) run(t testing.TB, what string, d *death, late bool, want Outcome[Res]) int {
	t.Helper()
	var store durable.Store
	if c.Store != nil {
		store = c.Store()
	} else {
		store = durable.NewMemory()
	}
	receiver := c.Receiver()
	ctx := context.Background()
	first := &mortal{Store: store, death: d, dead: make(chan struct{}), open: make(chan struct{}), idle: make(chan struct{})}
	opts := append([]durable.Option{durable.Poll(time.Minute), durable.Lease(10 * time.Minute), durable.Log(slog.New(slog.DiscardHandler))}, c.Options...)
	e, err := durable.Open(ctx, first, opts...)
	if err != nil {
		t.Fatalf("durabletest: %s: %v", what, err)
	}
	defer e.OnEvent(func(v durable.Event) {
		if v.ID == "run" && (v.Kind == durable.Ended || v.Kind == durable.GotStuck) {
			first.markIdle()
		}
	})()
	h, err := c.serve(e, receiver).Start(ctx, "run", c.Request)
	if err != nil {
		t.Fatalf("durabletest: %s: %v", what, err)
	}
	if late {
		close(first.open)
		select {
		case <-first.idle:
		case <-first.dead:
		}
	}
	for _, s := range c.Signals {
		if err := send(ctx, store, s); err != nil && !errors.Is(err, durable.ErrEnded) {
			t.Fatalf("durabletest: %s: %v", what, err)
		}
	}
	if !late {
		close(first.open)
	}
	var got Outcome[Res]
	got.Result, got.Err = c.outcome(ctx, e, h, first.dead)
	shutdown(e)
	if errors.Is(got.Err, errDied) {
		first.expire(ctx)
		second, err := durable.Open(ctx, impatient{store}, opts...)
		if err != nil {
			t.Fatalf("durabletest: %s: %v", what, err)
		}
		got.Result, got.Err = c.outcome(ctx, second, c.serve(second, receiver).Handle("run"), nil)
		shutdown(second)
	}
	c.check(t, what, receiver, got, want)
	return first.writes()
}

// serve serves the function and the functions that it calls.
func (c *Case[S, Req, Res]) serve(e *durable.Engine, receiver S) *durable.Served[Req, Res] {
	if c.Serve != nil {
		c.Serve(e, receiver)
	}
	return durable.Serve(e, c.Function, receiver)
}

// send sends a signal like any other process.
func send(ctx context.Context, store durable.Store, s Signal) error {
	payload, err := durable.EncodeSignal(s.Value)
	if err != nil {
		return err
	}
	return store.Send(ctx, "run", durable.Message{Name: s.Name, Payload: payload, Sent: time.Now()})
}

// outcome waits until the instance has ended or is stuck, or the process dies.
func (c *Case[S, Req, Res]) outcome(ctx context.Context, e *durable.Engine, h durable.Handle[Res], dead <-chan struct{}) (Res, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.OnEvent(func(v durable.Event) {
		if v.Kind == durable.GotStuck {
			cancel(fmt.Errorf("durabletest: %s is stuck at %s: %w", v.ID, v.Point, v.Err))
		}
	})()
	if i, err := e.Get(ctx, h.ID()); err == nil && i.Status == durable.Stuck {
		cancel(fmt.Errorf("durabletest: %s is stuck at %s: %s", i.ID, i.Point, i.Reason))
	}
	go func() {
		select {
		case <-dead:
			cancel(errDied)
		case <-ctx.Done():
		}
	}()
	return h.Wait(ctx)
}

func (c *Case[S, Req, Res]) check(t testing.TB, what string, receiver S, got, want Outcome[Res]) {
	t.Helper()
	equal := c.Equal
	if equal == nil {
		equal = func(a, b Outcome[Res]) bool {
			return asText(a.Result) == asText(b.Result) && fmt.Sprint(a.Err) == fmt.Sprint(b.Err)
		}
	}
	if !equal(got, want) {
		t.Errorf("durabletest: %s: the outcome is %v, %v; the plain form has %v, %v", what, got.Result, got.Err, want.Result, want.Err)
	}
	if c.Check != nil {
		c.Check(t, receiver)
	}
}

// asText returns a value as a store would keep it.
func asText(v any) string {
	data, err := durable.EncodeSignal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// shutdown ends an engine, whose store may be dead.
func shutdown(e *durable.Engine) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_ = e.Shutdown(ctx) // a dead engine cannot release its lease
}

// errDied is the error of every operation of a dead process.
var errDied = errors.New("durabletest: the process has died")

// death is the write at which a process dies.
type death struct {
	write int
	after bool // the process dies after the write, not before it
}

// mortal is the store of a process that dies. The write of Start does not count: a caller that
// gets no answer starts again.
type mortal struct {
	durable.Store
	death *death
	dead  chan struct{}
	open  chan struct{} // closed when writes may be made
	idle  chan struct{} // closed when the instance has begun to wait, or has ended
	once  sync.Once     // closes idle

	mu     sync.Mutex
	count  int
	died   bool
	worker string
}

func (m *mortal) writes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.count
}

// alive returns an error after the death.
func (m *mortal) alive() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.died {
		return errDied
	}
	return nil
}

func (m *mortal) die() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.died {
		m.died = true
		close(m.dead)
	}
	return errDied
}

// expire ends the lease of the dead process.
func (m *mortal) expire(ctx context.Context) {
	m.mu.Lock()
	worker := m.worker
	m.mu.Unlock()
	_ = m.Store.Lease(ctx, worker, time.Unix(1, 0)) // otherwise the lease would have to expire
}

// Swap dies at its write.
func (m *mortal) Swap(ctx context.Context, r *durable.Record) (mail bool, err error) {
	if r.Version == 0 {
		if err := m.alive(); err != nil {
			return false, err
		}
		return m.Store.Swap(ctx, r)
	}
	err = m.write(func() error {
		mail, err = m.Store.Swap(ctx, r)
		return err
	})
	m.noteWait(r, err)
	return mail && err == nil, err
}

// noteWait checks whether a written record shows that the instance waits.
func (m *mortal) noteWait(r *durable.Record, err error) {
	if err == nil && r.ID == "run" && r.Status == durable.Waiting {
		m.markIdle()
	}
}

func (m *mortal) markIdle() { m.once.Do(func() { close(m.idle) }) }

// Send dies at its write.
func (m *mortal) Send(ctx context.Context, id string, message durable.Message) error {
	return m.write(func() error { return m.Store.Send(ctx, id, message) })
}

// write makes a write unless the process dies before it, and returns its answer unless the
// process dies after it.
func (m *mortal) write(do func() error) error {
	<-m.open
	if err := m.alive(); err != nil {
		return err
	}
	m.mu.Lock()
	m.count++
	now := m.death != nil && m.count == m.death.write
	m.mu.Unlock()
	if now && !m.death.after {
		return m.die()
	}
	err := do()
	if now {
		return m.die()
	}
	return err
}

// Load fails after the death.
func (m *mortal) Load(ctx context.Context, id string) (*durable.Record, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	return m.Store.Load(ctx, id)
}

// Inbox fails after the death.
func (m *mortal) Inbox(ctx context.Context, id string, after int64) ([]durable.Message, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	return m.Store.Inbox(ctx, id, after)
}

// Take fails after the death, and hides instances only briefly.
func (m *mortal) Take(ctx context.Context, t durable.Taking) ([]durable.Taken, time.Time, error) {
	if err := m.alive(); err != nil {
		return nil, time.Time{}, err
	}
	return impatient{m.Store}.Take(ctx, t)
}

// Lease fails after the death.
func (m *mortal) Lease(ctx context.Context, worker string, until time.Time) error {
	if err := m.alive(); err != nil {
		return err
	}
	m.mu.Lock()
	m.worker = worker
	m.mu.Unlock()
	return m.Store.Lease(ctx, worker, until)
}

// impatient hides taken instances only briefly, so that a run after a crash need not wait.
type impatient struct{ durable.Store }

// Notify calls the store.
func (s impatient) Notify(f func()) (stop func()) { return notify(s.Store, f) }

// Begin calls the store.
func (s impatient) Begin(ctx context.Context) (durable.Transaction, error) {
	return begin(ctx, s.Store)
}

// Begin fails after the death, and so do the calls of the transaction.
func (m *mortal) Begin(ctx context.Context) (durable.Transaction, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	tx, err := begin(ctx, m.Store)
	return &mortalTransaction{tx, m}, err
}

// begin calls Begin of a store that may have no transactions.
func begin(ctx context.Context, s durable.Store) (durable.Transaction, error) {
	if t, ok := s.(durable.Transactor); ok {
		return t.Begin(ctx)
	}
	return nil, durable.ErrNoTx
}

// mortalTransaction is a transaction of a process that dies.
type mortalTransaction struct {
	durable.Transaction
	store *mortal
}

// Inbox fails after the death.
func (t *mortalTransaction) Inbox(ctx context.Context, id string, after int64) ([]durable.Message, error) {
	if err := t.store.alive(); err != nil {
		return nil, err
	}
	return t.Transaction.Inbox(ctx, id, after)
}

// Swap dies at its write.
func (t *mortalTransaction) Swap(ctx context.Context, r *durable.Record) (mail bool, err error) {
	err = t.store.write(func() error {
		mail, err = t.Transaction.Swap(ctx, r)
		return err
	})
	t.store.noteWait(r, err)
	return mail && err == nil, err
}

// Notify calls the store.
func (m *mortal) Notify(f func()) (stop func()) { return notify(m.Store, f) }

// notify calls Notify of a store that may not have it.
func notify(s durable.Store, f func()) (stop func()) {
	if n, ok := s.(durable.Notifier); ok {
		return n.Notify(f)
	}
	return func() {}
}

// Take hides instances only briefly.
func (s impatient) Take(ctx context.Context, t durable.Taking) ([]durable.Taken, time.Time, error) {
	t.Hide = min(t.Hide, 20*time.Millisecond)
	return s.Store.Take(ctx, t)
}
