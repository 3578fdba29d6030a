package pgstore

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/movenext/movenext/durable/internal/groups"
	"github.com/movenext/movenext/durable/internal/nanos"
	"github.com/movenext/movenext/durable/stores"
)

// # Swaps together
//
// A statement and its commit cost the server more than the row that they write. So swaps that
// arrive while others are in progress are made together, by one statement for new instances and
// one for existing ones. An idle store writes each swap at once and alone.
//
//	a caller                              a lane
//	 1. lock; append the swap              1. lock; take waiting swaps; none: end
//	 2. if not all lanes run, start        2. unlock; one swap: its own statement
//	    one                                3. more: the statements of all, one commit
//	 3. unlock; wait for the answer        4. answer each; again from 1
//
// A statement reports for each swap whether its version was the stored one. Two swaps of one
// instance are never in one statement. An error of the server means that none was written; each
// swap is then repeated alone, so that only the swap that causes the error gets it. After an
// error of the connection each swap may or may not have been written, as after such an error of a
// single swap.
//
// A caller whose context ends stops waiting. The statements are canceled when all callers are
// gone.

const (
	maxLanes      = 4       // groups in progress at a time
	maxGroup      = 256     // swaps of a group
	maxGroupBytes = 4 << 20 // of their states, not counting the last one
)

// pendingSwap is a waiting swap.
type pendingSwap struct {
	ctx    context.Context
	r      stores.Record // a copy: the caller may change its record after it has stopped waiting
	answer chan struct{} // closed: the fields below are set
	mail   bool
	err    error
}

// writer makes the swaps of a store.
type writer struct {
	s *Store

	mu    sync.Mutex // guards the fields below
	queue []*pendingSwap
	lanes int
}

// swap writes a record. It does not update r.Version. It blocks until the write is durable.
func (w *writer) swap(ctx context.Context, r *stores.Record) (mail bool, err error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	one := &pendingSwap{ctx: ctx, r: *r, answer: make(chan struct{})}
	one.r.State = slices.Clone(r.State)
	w.mu.Lock()
	w.queue = append(w.queue, one)
	if w.lanes < maxLanes {
		w.lanes++
		go w.lane()
	}
	w.mu.Unlock()
	select {
	case <-one.answer:
		return one.mail, one.err
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// lane makes swaps until none is waiting.
func (w *writer) lane() {
	for group := w.next(); len(group) > 0; group = w.next() {
		w.write(group)
	}
}

// next returns waiting swaps of different instances, or none if the lane should end.
func (w *writer) next() (group []*pendingSwap) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids, bytes, n := map[string]bool{}, 0, 0
	for n < len(w.queue) && n < maxGroup && bytes < maxGroupBytes && !ids[w.queue[n].r.ID] {
		ids[w.queue[n].r.ID] = true
		bytes += len(w.queue[n].r.State)
		n++
	}
	group, w.queue = w.queue[:n:n], w.queue[n:]
	if n == 0 {
		w.lanes--
	}
	return group
}

// write makes the swaps of a group and answers them.
func (w *writer) write(group []*pendingSwap) {
	var callers []context.Context
	for _, one := range group {
		callers = append(callers, one.ctx)
	}
	ctx, stop := groups.WhileAny(callers)
	defer stop()
	if len(group) == 1 || !w.swapGroup(ctx, group) {
		for _, one := range group {
			one.mail, one.err = w.s.text.swap(one.ctx, w.s.ask, &one.r)
		}
	}
	for _, one := range group {
		close(one.answer)
	}
}

// swapGroup makes the swaps of a group in one transaction. It returns false if none was made and
// each has to be made alone; otherwise the answers are in the group.
func (w *writer) swapGroup(ctx context.Context, group []*pendingSwap) (done bool) {
	var fresh, changed arrays
	for i, one := range group {
		to := &changed
		if one.r.Version == 0 {
			to = &fresh
		}
		if to.add(i, &one.r) != nil {
			return false // the labels cannot be written
		}
	}
	answer := func(rows pgx.Rows) error {
		var i int
		var mail bool
		_, err := pgx.ForEachRow(rows, []any{&i, &mail}, func() error {
			group[i].mail, group[i].err = mail, nil
			return nil
		})
		return err
	}
	err := w.s.ask(ctx, func(b *pgx.Batch) {
		for _, one := range group {
			one.err = stores.ErrConflict // unless a statement reports that it was written
		}
		if len(fresh.number) > 0 {
			b.Queue(w.s.text.createAll, fresh.params()...).Query(answer)
		}
		if len(changed.number) > 0 {
			b.Queue(w.s.text.replaceAll, changed.params()...).Query(answer)
		}
	})
	if errors.As(err, new(*pgconn.PgError)) {
		return false
	}
	for _, one := range group {
		if err != nil {
			one.mail, one.err = false, err
		}
	}
	return true
}

// arrays are the parameters of input.
type arrays struct {
	number                                                         []int64
	id, function, run, status, reason, labels, owner, step, layout []string
	version, epoch, seen, floor                                    []int64
	created, updated, due                                          []*int64
	state                                                          [][]byte
}

// add adds a record.
func (a *arrays) add(i int, r *stores.Record) error {
	labels, err := json.Marshal(r.Labels)
	a.number = append(a.number, int64(i))
	a.id, a.function, a.run, a.step = append(a.id, r.ID), append(a.function, r.Function), append(a.run, r.Run), append(a.step, r.Step)
	a.layout = append(a.layout, r.Layout)
	a.status, a.reason, a.labels = append(a.status, string(r.Status)), append(a.reason, toPrintable(r.Reason)), append(a.labels, string(labels))
	a.owner, a.epoch, a.version = append(a.owner, r.Owner), append(a.epoch, r.Epoch), append(a.version, r.Version)
	a.seen, a.floor, a.state = append(a.seen, r.Seen), append(a.floor, r.Floor), append(a.state, r.State)
	a.created, a.updated, a.due = append(a.created, nanos.Nullable(r.Created)), append(a.updated, nanos.Nullable(r.Updated)), append(a.due, nanos.Nullable(r.Due))
	return err
}

// params returns the parameters in order.
func (a *arrays) params() []any {
	return []any{a.number, a.id, a.function, a.run, a.version, a.status, a.reason, a.labels, a.created, a.updated, a.owner, a.epoch, a.due,
		a.seen, a.floor, a.state, a.step, a.layout}
}
