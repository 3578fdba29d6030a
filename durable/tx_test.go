package durable_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/stores"
)

// ledger is a store with a list next to its records, to which steps write in transactions.
type ledger struct {
	stores.Store
	settle error // of each transaction

	mu    sync.Mutex // guards the fields below
	lines []string
	open  int // number of transactions
}

func newLedger() *ledger { return &ledger{Store: durable.NewMemory()} }

func (l *ledger) Begin(ctx context.Context) (stores.Transaction, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open++
	return &ledgerTx{l: l}, ctx.Err()
}

// written returns the committed lines and the number of open transactions.
func (l *ledger) written() (lines []string, open int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines), l.open
}

// page is the transaction passed to a step: lines that are not committed.
type page struct{ lines []string }

type ledgerTx struct {
	l     *ledger
	page  page
	ended bool
}

func (t *ledgerTx) Run(_ context.Context, f func(tx any) error) (err error) {
	before := slices.Clone(t.page.lines)
	returned := false
	defer func() {
		if err != nil || !returned {
			t.page.lines = before
		}
	}()
	err = f(&t.page)
	returned = true
	return err
}

func (t *ledgerTx) Settle(context.Context) error { return t.l.settle }

func (t *ledgerTx) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	return t.l.Inbox(ctx, id, after)
}

func (t *ledgerTx) Swap(ctx context.Context, r *stores.Record) (bool, error) {
	mail, err := t.l.Swap(ctx, r)
	if err == nil {
		err = t.Commit(ctx)
	}
	return mail, err
}

func (t *ledgerTx) Commit(context.Context) error {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	t.l.lines = append(t.l.lines, t.page.lines...)
	t.ended = true
	t.l.open--
	return nil
}

func (t *ledgerTx) Rollback() {
	t.l.mu.Lock()
	defer t.l.mu.Unlock()
	if !t.ended {
		t.ended = true
		t.l.open--
	}
}

// addLine writes a line, and then returns the failure if there is one.
func addLine(ctx context.Context, line string, failure error) error {
	return durable.Tx(ctx, func(p *page) error {
		p.lines = append(p.lines, line)
		return failure
	})
}

// wrote returns the lines that an instance of a step has written once it has ended or is stuck.
func wrote(t *testing.T, s scripted, opts ...durable.Option) (lines []string, err error) {
	t.Helper()
	l := newLedger()
	e := opened(t, l, opts...)
	h, err := durable.Serve(e, s.function(), struct{}{}).Start(t.Context(), "a", 1)
	require.NoError(t, err)
	synctest.Wait()
	i, err := e.Get(t.Context(), "a")
	require.NoError(t, err)
	if i.Status.Ended() {
		_, err = h.Wait(t.Context())
	}
	lines, open := l.written()
	assert.Zero(t, open, "transactions are open")
	return lines, err
}

func TestAStepsTransactionEndsWithIt(t *testing.T) {
	for _, c := range []struct {
		name string
		step func(ctx context.Context) error
		want []string
	}{
		{"it succeeds", func(ctx context.Context) error { return errors.Join(addLine(ctx, "a", nil), addLine(ctx, "b", nil)) }, []string{"a", "b"}},
		{"it writes nothing", func(context.Context) error { return nil }, nil},
		{"a call fails, and the step does not", func(ctx context.Context) error {
			_ = addLine(ctx, "a", io.EOF)
			return addLine(ctx, "b", nil)
		}, []string{"b"}},
		{"all calls fail, and the step does not", func(ctx context.Context) error { _ = addLine(ctx, "a", io.EOF); return nil }, nil},
		{"it fails behind a call", func(ctx context.Context) error { _ = addLine(ctx, "a", nil); return io.EOF }, nil},
		{"it panics in a call", func(ctx context.Context) error {
			return durable.Tx(ctx, func(p *page) error { p.lines = append(p.lines, "a"); panic("lost") })
		}, nil},
		{"it panics behind a call", func(ctx context.Context) error { _ = addLine(ctx, "a", nil); panic("lost") }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				lines, _ := wrote(t, scripted{step: func(ctx context.Context) (int, error) { return 1, c.step(ctx) }})
				assert.Equal(t, c.want, lines)
			})
		})
	}
}

// The function panics after the step: it is stuck at the step, which will run again.
func TestAStuckFunctionHasWrittenNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		lines, err := wrote(t, scripted{
			step:    func(ctx context.Context) (int, error) { return 1, addLine(ctx, "a", nil) },
			between: func(int) { panic("between") },
		})
		require.NoError(t, err)
		assert.Empty(t, lines)
	})
}

func TestWhatTheDatabaseRefusesAtTheEndIsTheStepsError(t *testing.T) {
	in(t, func(t *testing.T) {
		l := newLedger()
		l.settle = io.ErrNoProgress
		h, err := durable.Serve(opened(t, l), scripted{step: func(ctx context.Context) (int, error) { return 1, addLine(ctx, "a", nil) }}.function(), struct{}{}).
			Start(t.Context(), "a", 1)
		require.NoError(t, err)
		_, err = h.Wait(t.Context())
		require.EqualError(t, err, io.ErrNoProgress.Error())
		lines, open := l.written()
		assert.Empty(t, lines)
		assert.Zero(t, open)
	})
}

// The step runs again after each crash, and its lines exist once.
func TestATransactionHappensOnceAtEachCrash(t *testing.T) {
	var l *ledger // of the run
	once := func(c *durabletest.Case[struct{}, int, int], line func(ctx context.Context) error) {
		s := scripted{step: func(ctx context.Context) (int, error) { return 1, line(ctx) }}
		c.Function, c.Receiver = s.function(), func() struct{} { return struct{}{} }
		c.Plain = func(_ struct{}, ctx context.Context, _ int) (int, error) {
			return 1, line(stores.WithTransactor(ctx, l))
		}
		c.Store = func() stores.Store { l = newLedger(); return l }
		l = newLedger()
	}
	in(t, func(t *testing.T) {
		var c durabletest.Case[struct{}, int, int]
		once(&c, func(ctx context.Context) error { return addLine(ctx, "a", nil) })
		c.Check = func(t testing.TB, _ struct{}) {
			lines, open := l.written()
			assert.Equal(t, []string{"a"}, lines)
			assert.Zero(t, open)
		}
		assert.GreaterOrEqual(t, durabletest.CrashEverywhere(t, c), 6)
	})
	in(t, func(t *testing.T) { // the same, but written outside the transaction
		var c durabletest.Case[struct{}, int, int]
		most := 0
		once(&c, func(context.Context) error {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.lines = append(l.lines, "a")
			return nil
		})
		c.Check = func(testing.TB, struct{}) {
			lines, _ := l.written()
			most = max(most, len(lines))
		}
		durabletest.CrashEverywhere(t, c)
		assert.Equal(t, 2, most, "a crash behind the step repeats it")
	})
}

// Another worker takes the instance while the step runs: the swap conflicts.
func TestALostInstanceLosesItsTransaction(t *testing.T) {
	in(t, func(t *testing.T) {
		l := newLedger()
		calls := 0
		step := func(ctx context.Context) (int, error) {
			if calls++; calls == 1 {
				r, err := l.Load(ctx, "a")
				if err != nil {
					return 0, err
				}
				r.Owner = "another" // it has no lease, so the instance is released at once
				if _, err := l.Swap(ctx, r); err != nil {
					return 0, err
				}
			}
			return calls, addLine(ctx, []string{"lost", "kept"}[calls-1], nil)
		}
		h, err := durable.Serve(opened(t, l), scripted{step: step}.function(), struct{}{}).Start(t.Context(), "a", 1)
		require.NoError(t, err)
		n, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 2, n)
		lines, open := l.written()
		assert.Equal(t, []string{"kept"}, lines)
		assert.Zero(t, open)
	})
}

func TestTransactionsAreEncoded(t *testing.T) {
	in(t, func(t *testing.T) {
		lines, err := wrote(t, scripted{step: func(ctx context.Context) (int, error) { return 1, addLine(ctx, "a", nil) }}, durable.Payloads(reversed{}))
		require.NoError(t, err)
		assert.Equal(t, []string{"a"}, lines)
	})
}

// reversed is a codec.
type reversed struct{}

func (reversed) Encode(_ string, plain []byte) ([]byte, error) {
	data := slices.Clone(plain)
	slices.Reverse(data)
	return data, nil
}

func (r reversed) Decode(id string, data []byte) ([]byte, error) { return r.Encode(id, data) }

func TestWhereThereIsNoTransactionTxSaysSo(t *testing.T) {
	l := newLedger()
	require.ErrorIs(t, addLine(t.Context(), "a", nil), durable.ErrNoTx)
	ctx := stores.WithTransactor(t.Context(), l)
	err := durable.Tx(ctx, func(string) error { return nil })
	require.ErrorIs(t, err, durable.ErrNoTx)
	require.ErrorContains(t, err, "that are a string: they are a *durable_test.page")
	require.ErrorIs(t, addLine(ctx, "a", io.EOF), io.EOF)
	require.NoError(t, addLine(ctx, "b", nil))
	lines, open := l.written()
	assert.Equal(t, []string{"b"}, lines)
	assert.Zero(t, open)
	in(t, func(t *testing.T) {
		_, err := outcome(t, scripted{step: func(ctx context.Context) (int, error) { return 0, addLine(ctx, "a", nil) }})
		require.EqualError(t, err, durable.ErrNoTx.Error(), "the store in memory has none")
	})
	in(t, func(t *testing.T) {
		var kept context.Context
		lines, err := wrote(t, scripted{step: func(ctx context.Context) (int, error) { kept = ctx; return 1, addLine(ctx, "a", nil) }})
		require.NoError(t, err)
		require.ErrorContains(t, addLine(kept, "late", nil), "the step has ended")
		assert.Equal(t, []string{"a"}, lines)
	})
}
