package durabletest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// Case is a durable function with the input of one run.
type Case[S, Req, Res any] struct {
	Function durable.Function[S, Req, Res]
	Plain    func(s S, ctx context.Context, request Req) (Res, error) // (*Shop).Order

	Receiver func() S // a new one for each run
	Request  Req
	Signals  []Signal // see CrashEverywhere

	// Options are options of the engines; a store that is not a [stores.Notifier] needs a
	// durable.Poll. Equal compares two outcomes; nil compares the results as JSON and the errors
	// as text. Check is called after each run; it may be nil.
	Options []durable.Option
	Equal   func(a, b Outcome[Res]) bool
	Check   func(t testing.TB, receiver S)

	// Serve serves the functions that the function calls, on each engine; it may be nil.
	Serve func(e *durable.Engine, receiver S)

	// Store makes the store of a run; nil: one in memory.
	Store func() stores.Store
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
	store := durable.NewMemory()
	if c.Store != nil {
		store = c.Store()
	}
	receiver := c.Receiver()
	ctx := context.Background()
	first := &mortal{Store: store, death: d, dead: make(chan struct{}), open: make(chan struct{}), idle: make(chan struct{})}
	e := c.open(t, what, first)
	defer e.OnEvent(func(v durable.Event) {
		if v.ID == "run" && (v.Kind == durable.Ended || v.Kind == durable.GotStuck) {
			first.markIdle()
		}
	})()
	h, err := c.serve(e, receiver).Start(ctx, "run", c.Request)
	if err != nil {
		t.Fatalf("durabletest: %s: %v", what, err)
	}
	c.sendSignals(t, what, first, late)
	var got Outcome[Res]
	got.Result, got.Err = c.outcome(ctx, e, h, first.dead)
	shutdown(e)
	if errors.Is(got.Err, errDied) {
		first.expire(ctx)
		second := c.open(t, what, impatient{store})
		got.Result, got.Err = c.outcome(ctx, second, c.serve(second, receiver).Handle("run"), nil)
		shutdown(second)
	}
	c.check(t, what, receiver, got, want)
	return first.writes()
}

// open opens an engine of a run.
func (c *Case[S, Req, Res]) open(t testing.TB, what string, store stores.Store) *durable.Engine {
	t.Helper()
	opts := append([]durable.Option{durable.Poll(time.Minute), durable.Lease(10 * time.Minute), durable.Log(slog.New(slog.DiscardHandler))}, c.Options...)
	e, err := durable.Open(context.Background(), store, opts...)
	if err != nil {
		t.Fatalf("durabletest: %s: %v", what, err)
	}
	return e
}

// sendSignals sends the signals and permits the first engine to write: first the signals, or if
// they are late, first the writes until the function waits or has died.
func (c *Case[S, Req, Res]) sendSignals(t testing.TB, what string, first *mortal, late bool) {
	t.Helper()
	if late {
		close(first.open)
		select {
		case <-first.idle:
		case <-first.dead:
		}
	}
	for _, s := range c.Signals {
		if err := send(context.Background(), first.Store, s); err != nil && !errors.Is(err, durable.ErrEnded) {
			t.Fatalf("durabletest: %s: %v", what, err)
		}
	}
	if !late {
		close(first.open)
	}
}

// serve serves the function and the functions that it calls.
func (c *Case[S, Req, Res]) serve(e *durable.Engine, receiver S) *durable.Served[Req, Res] {
	if c.Serve != nil {
		c.Serve(e, receiver)
	}
	return durable.Serve(e, c.Function, receiver)
}

// send sends a signal like any other process.
func send(ctx context.Context, store stores.Store, s Signal) error {
	payload, err := durable.EncodeSignal(s.Value)
	if err != nil {
		return err
	}
	return store.Send(ctx, "run", stores.Message{Name: s.Name, Payload: payload, Sent: time.Now()})
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
