package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"

	"github.com/movenext/movenext/durable/internal/nilctx"
	"github.com/movenext/movenext/durable/stores"
)

// # Group commits
//
// A commit ends with a sync of the disk, which takes as long for a hundred writes as for one.
// SQLite has one writer at a time in any case. So one goroutine makes all writes. The writes that
// arrive during a commit form one transaction, which is the next commit.
//
//	a caller                            the writer
//	 1. lock; append the write           1. lock; take all waiting writes; none: sleep
//	 2. unlock; wake the writer          2. unlock; BEGIN
//	 3. wait for the answer              3. make each write; record its error
//	                                     4. COMMIT, with a sync
//	                                     5. notify listeners; answer each write; again from 1
//
// No write is answered before step 4, so an answer means that the write is on the disk. If the
// commit fails (a full disk), all writes of the group are answered with its error, and none of
// them was made.
//
// A write that finds a conflict has changed nothing, and does not affect the others. An error of
// SQLite itself in step 3 may leave half of a write behind. Then the whole group is rolled back,
// and each write is repeated in a separate transaction, so that only the write that causes the
// error gets it.
//
// A write whose context has ended when its group begins is not made. After that its caller waits
// for the commit, so that the answer is always correct.

// maxGroup is the maximum number of writes in a group.
const maxGroup = 1024

// write is a waiting write.
type write struct {
	done     <-chan struct{} // of the caller's context, whose methods the writer does not call
	make     func(context.Context, *statements) error
	notifies bool // it may make an instance due, or end one
	err      error
	answer   chan struct{}
}

// writer makes all writes of a store.
type writer struct {
	db     *sql.DB
	conn   *sql.Conn
	notify func()
	ended  chan struct{}

	mu       sync.Mutex
	nonEmpty sync.Cond // the goroutine sleeps here
	queue    []*write
	closed   bool
	failed   error // the error of closing
}

// newWriter starts the goroutine.
func newWriter(db *sql.DB, c *sql.Conn, t *statements, notify func()) *writer {
	w := &writer{db: db, conn: c, notify: notify, ended: make(chan struct{})}
	w.nonEmpty.L = &w.mu
	go w.loop(t)
	return w
}

// checkOpen returns why the store takes no calls, or nil.
func (w *writer) checkOpen() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return ErrClosed
	}
	return nil
}

// do makes a write in a group. It blocks until the write is durable. If notifies is set, the
// listeners are called. A write that only hides instances must not set it, or a listening engine
// would call Take forever.
func (w *writer) do(ctx context.Context, notifies bool, f func(context.Context, *statements) error) error {
	ctx = nilctx.Background(ctx)
	if err := ctx.Err(); err != nil {
		return err
	}
	one := &write{done: ctx.Done(), make: f, notifies: notifies, answer: make(chan struct{})}
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return ErrClosed
	}
	w.queue = append(w.queue, one)
	w.mu.Unlock()
	w.nonEmpty.Signal()
	<-one.answer
	if one.err == errGivenUp {
		return ctx.Err()
	}
	return one.err
}

// errGivenUp is the answer to a write whose context has ended before its group began.
var errGivenUp = errors.New("sqlitestore: the caller has given up")

// givenUp reports whether the context of the caller has ended.
func (w *write) givenUp() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

// close makes the waiting writes and ends the goroutine.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.nonEmpty.Signal()
	<-w.ended
	return w.failed
}

// next returns the waiting writes, or none if the store is closed.
func (w *writer) next() (group []*write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && !w.closed {
		w.nonEmpty.Wait()
	}
	n := min(len(w.queue), maxGroup)
	group, w.queue = w.queue[:n:n], w.queue[n:]
	return group
}

// loop is the writer's goroutine.
func (w *writer) loop(t *statements) {
	defer close(w.ended)
	ctx := context.Background()
	for group := w.next(); len(group) > 0; group = w.next() {
		if w.commit(ctx, t, group) != nil && len(group) > 1 {
			for _, one := range group {
				_ = w.commit(ctx, t, []*write{one}) // its error is stored in the write
			}
		}
		if slices.ContainsFunc(group, func(one *write) bool { return one.notifies && one.err == nil }) {
			w.notify()
		}
		for _, one := range group {
			close(one.answer)
		}
	}
	w.failed = errors.Join(t.close(), w.conn.Close(), w.db.Close())
}

// commit makes the writes of a group in one transaction. Conflicts are recorded in the writes. An
// error of the database is returned and also recorded in the writes; then none was made.
func (w *writer) commit(ctx context.Context, t *statements, group []*write) error {
	_, err := t.begin.ExecContext(ctx)
	for _, one := range group {
		if one.err = nil; one.givenUp() {
			one.err = errGivenUp
			continue
		}
		if err != nil {
			continue
		}
		if one.err = one.make(ctx, t); !isAnswer(one.err) {
			err = one.err
		}
	}
	if err == nil {
		_, err = t.commit.ExecContext(ctx)
	}
	if err == nil {
		return nil
	}
	_, _ = t.rollback.ExecContext(ctx) // SQLite may have rolled back by itself
	for _, one := range group {
		one.err = wrap(err)
	}
	return err
}

// isAnswer reports whether an error is part of the store's contract, and not an error of the
// database.
func isAnswer(err error) bool {
	return err == nil || errors.Is(err, stores.ErrConflict) || errors.Is(err, stores.ErrNotFound) || errors.Is(err, stores.ErrEnded)
}
