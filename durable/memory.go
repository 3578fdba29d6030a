package durable

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/movenext/movenext/durable/internal/listeners"
	"github.com/movenext/movenext/durable/stores"
)

// NewMemory returns a store that keeps everything in memory. It is for tests, and for programs
// that want the model without the durability. It is a [stores.Notifier]. Take and List scan all
// instances, so it suits thousands of them, not millions.
func NewMemory() stores.Store {
	return &memory{rows: map[string]*row{}, leases: map[string]time.Time{}}
}

// row is an instance in a memory store.
type row struct {
	record stores.Record
	inbox  []stores.Message
	last   int64     // sequence number
	takes  int       // since the record was written
	due    time.Time // when it is really due, considering messages and hiding by Take
	keys   map[string]bool
}

// memory is a store.
type memory struct {
	listeners listeners.Set

	mu     sync.Mutex // guards the fields below
	rows   map[string]*row
	leases map[string]time.Time // of workers
}

func (m *memory) Load(ctx context.Context, id string) (*stores.Record, error) {
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	row := m.rows[id]
	if row == nil {
		return nil, ErrNotFound
	}
	return clone(&row.record), nil
}

// clone returns a deep copy of a record.
func clone(r *stores.Record) *stores.Record {
	c := *r
	c.State, c.Labels = slices.Clone(r.State), maps.Clone(r.Labels)
	return &c
}

func (m *memory) Swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if err := contextError(ctx); err != nil {
		return false, err
	}
	if r.Owner == "" {
		defer m.listeners.Tell()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	old := m.rows[r.ID]
	switch {
	case old == nil && r.Version != 0:
		return false, ErrConflict
	case old != nil && old.record.Version != r.Version:
		return false, ErrConflict
	case old == nil:
		old = &row{keys: map[string]bool{}}
		m.rows[r.ID] = old
	}
	r.Version++
	old.record, old.takes = *clone(r), 0
	old.inbox = slices.DeleteFunc(old.inbox, func(message stores.Message) bool { return message.Seq <= r.Floor })
	mail = old.last > r.Seen
	if old.due = r.Due; r.Owner != "" {
		old.due = time.Time{}
	}
	if mail && r.Owner == "" && (r.Status == Running || r.Status == Waiting) {
		old.due = time.Unix(0, 0)
	}
	return mail, nil
}

func (m *memory) Send(ctx context.Context, id string, message stores.Message) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.listeners.Tell()
	defer m.mu.Unlock()
	row := m.rows[id]
	switch {
	case row == nil:
		return ErrNotFound
	case message.Key != "" && row.keys[message.Key]:
		return nil
	case row.record.Status.Ended():
		return ErrEnded
	}
	row.last++
	message.Seq, message.Payload = row.last, slices.Clone(message.Payload)
	row.inbox = append(row.inbox, message)
	if message.Key != "" {
		row.keys[message.Key] = true
	}
	if row.record.Owner == "" && row.record.Status != Stuck {
		row.due = time.Unix(0, 0)
	}
	return nil
}

func (m *memory) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	row := m.rows[id]
	if row == nil {
		return nil, ErrNotFound
	}
	var list []stores.Message
	for _, message := range row.inbox {
		if message.Seq > after {
			message.Payload = slices.Clone(message.Payload)
			list = append(list, message)
		}
	}
	return list, nil
}

func (m *memory) Take(ctx context.Context, t stores.Taking) (list []stores.Taken, next time.Time, err error) {
	if err := contextError(ctx); err != nil {
		return nil, time.Time{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	soonest := func(at time.Time) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
	}
	var due []*row
	for _, row := range m.rows {
		at := m.dueTime(row)
		switch {
		case at.IsZero() || !t.Serves(&row.record):
		case at.After(t.Now):
			soonest(at)
		default:
			due = append(due, row)
		}
	}
	slices.SortFunc(due, func(a, b *row) int {
		return cmp.Or(m.dueTime(a).Compare(m.dueTime(b)), strings.Compare(a.record.ID, b.record.ID))
	})
	for i, row := range due {
		if i < t.Limit {
			list = append(list, stores.Taken{Record: clone(&row.record), Mail: len(row.inbox) > 0, Lost: row.takes})
			row.takes++
			row.due = t.Now.Add(t.Hide)
		}
		soonest(m.dueTime(row))
	}
	return list, next, nil
}

func (m *memory) Foreign(ctx context.Context, t stores.Taking) (n int, err error) {
	if err := contextError(ctx); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, row := range m.rows {
		at := m.dueTime(row)
		if n < t.Limit && !at.IsZero() && !at.After(t.Now) && t.Refuses(&row.record) {
			n++
		}
	}
	return n, nil
}

// dueTime returns when an instance may be taken; zero: not without a change.
func (m *memory) dueTime(r *row) time.Time {
	if r.record.Owner == "" {
		return r.due
	}
	expires := m.leases[r.record.Owner]
	if r.due.After(expires) { // it was taken after that
		return r.due
	}
	if expires.IsZero() {
		return time.Unix(0, 0)
	}
	return expires
}

func (m *memory) Lease(ctx context.Context, worker string, until time.Time) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	if !until.After(time.Now()) {
		defer m.listeners.Tell() // the worker's instances become due
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.leases[worker] = until
	return nil
}

func (m *memory) Leased(ctx context.Context, worker string) (until time.Time, err error) {
	if err := contextError(ctx); err != nil {
		return time.Time{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.leases[worker], nil
}

func (m *memory) List(ctx context.Context, f Filter) ([]*stores.Record, error) {
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []*stores.Record
	for _, row := range m.rows {
		if f.Matches(&row.record) {
			r := row.record
			if f.Bare {
				r.State = nil
			}
			list = append(list, clone(&r))
		}
	}
	slices.SortFunc(list, func(a, b *stores.Record) int { return strings.Compare(a.ID, b.ID) })
	return list[:min(len(list), f.Most())], nil
}

func (m *memory) Delete(ctx context.Context, id string, version int64) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch row := m.rows[id]; {
	case row == nil:
		return ErrNotFound
	case row.record.Version != version:
		return ErrConflict
	}
	delete(m.rows, id)
	return nil
}

func (m *memory) Purge(ctx context.Context, before time.Time, limit int) (int, error) {
	if err := contextError(ctx); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for id, row := range m.rows {
		if n < limit && row.record.Status.Ended() && row.record.Updated.Before(before) {
			delete(m.rows, id)
			n++
		}
	}
	m.dropLeases(before)
	return n, nil
}

// dropLeases removes the leases that ended before the time, except those of owners.
func (m *memory) dropLeases(before time.Time) {
	owners := map[string]bool{}
	for _, row := range m.rows {
		owners[row.record.Owner] = true
	}
	maps.DeleteFunc(m.leases, func(worker string, until time.Time) bool {
		return until.Before(before) && !owners[worker]
	})
}

func (m *memory) Notify(f func()) (stop func()) { return m.listeners.Add(f) }

// contextError returns the error of a context that has ended; nil means context.Background.
func contextError(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}
