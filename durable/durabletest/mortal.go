package durabletest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

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
	stores.Store
	death *death
	dead  chan struct{}
	open  chan struct{} // closed when writes may be made
	idle  chan struct{} // closed when the instance has begun to wait, or has ended

	creates bool      // the write of Start counts too
	once    sync.Once // closes idle

	mu     sync.Mutex
	count  int
	died   bool
	worker string
}

// dyingClient opens an engine that runs no instances, on a store that takes writes until its
// death. The caller shuts it down.
func dyingClient(t *testing.T, m *mortal) *durable.Engine {
	t.Helper()
	m.dead, m.open = make(chan struct{}), make(chan struct{})
	close(m.open)
	e, err := durable.Open(t.Context(), m, durable.Client(), durable.Log(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	return e
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
func (m *mortal) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if r.Version == 0 && !m.creates {
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
func (m *mortal) noteWait(r *stores.Record, err error) {
	if err == nil && r.ID == "run" && r.Status == durable.Waiting {
		m.markIdle()
	}
}

func (m *mortal) markIdle() { m.once.Do(func() { close(m.idle) }) }

// Send dies at its write.
func (m *mortal) Send(ctx context.Context, id string, message stores.Message) error {
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

// Delete dies at its write.
func (m *mortal) Delete(ctx context.Context, id string, version int64) error {
	return m.write(func() error { return m.Store.Delete(ctx, id, version) })
}

// Load fails after the death.
func (m *mortal) Load(ctx context.Context, id string) (*stores.Record, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	return m.Store.Load(ctx, id)
}

// Inbox fails after the death.
func (m *mortal) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	return m.Store.Inbox(ctx, id, after)
}

// Take fails after the death, and hides instances only briefly.
func (m *mortal) Take(ctx context.Context, t stores.Taking) ([]stores.Taken, time.Time, error) {
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

// Begin fails after the death, and so do the calls of the transaction.
func (m *mortal) Begin(ctx context.Context) (stores.Transaction, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	tx, err := begin(ctx, m.Store)
	return &mortalTransaction{tx, m}, err
}

// Enlist fails after the death.
func (m *mortal) Enlist(tx any) (stores.Enlisted, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	return enlist(m.Store, tx)
}

// Notify calls the store.
func (m *mortal) Notify(f func()) (stop func()) { return notify(m.Store, f) }

// mortalTransaction is a transaction of a process that dies.
type mortalTransaction struct {
	stores.Transaction
	store *mortal
}

// Inbox fails after the death.
func (t *mortalTransaction) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	if err := t.store.alive(); err != nil {
		return nil, err
	}
	return t.Transaction.Inbox(ctx, id, after)
}

// Swap dies at its write.
func (t *mortalTransaction) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	err = t.store.write(func() error {
		mail, err = t.Transaction.Swap(ctx, r)
		return err
	})
	t.store.noteWait(r, err)
	return mail && err == nil, err
}

// impatient hides taken instances only briefly, so that a run after a crash need not wait.
type impatient struct{ stores.Store }

// Take hides instances only briefly. So a run that has not written yet may only be slow, and is
// not counted as one whose process has died.
func (s impatient) Take(ctx context.Context, t stores.Taking) ([]stores.Taken, time.Time, error) {
	t.Hide = min(t.Hide, 20*time.Millisecond)
	taken, next, err := s.Store.Take(ctx, t)
	for i := range taken {
		taken[i].Lost = 0
	}
	return taken, next, err
}

// Begin calls the store.
func (s impatient) Begin(ctx context.Context) (stores.Transaction, error) {
	return begin(ctx, s.Store)
}

// Enlist calls the store.
func (s impatient) Enlist(tx any) (stores.Enlisted, error) { return enlist(s.Store, tx) }

// Notify calls the store.
func (s impatient) Notify(f func()) (stop func()) { return notify(s.Store, f) }

// begin calls Begin of a store that may have no transactions.
func begin(ctx context.Context, s stores.Store) (stores.Transaction, error) {
	if t, ok := s.(stores.Transactor); ok {
		return t.Begin(ctx)
	}
	return nil, durable.ErrNoTx
}

// enlist calls Enlist of a store that may not have it.
func enlist(s stores.Store, tx any) (stores.Enlisted, error) {
	if e, ok := s.(stores.Enlister); ok {
		return e.Enlist(tx)
	}
	return nil, durable.ErrNoTx
}

// notify calls Notify of a store that may not have it.
func notify(s stores.Store, f func()) (stop func()) {
	if n, ok := s.(stores.Notifier); ok {
		return n.Notify(f)
	}
	return func() {}
}
