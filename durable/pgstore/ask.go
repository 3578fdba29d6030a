package pgstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// # The server and what is in between
//
// A shop's database is rarely reached as a program's own: its role has settings, and a pooler
// lends connections of the server to many clients, one transaction at a time or even one
// statement. So the store expects nothing of a connection between two calls:
//
//   - Statements name their schema, and need no start parameter: a pooler refuses those that it
//     does not know.
//   - Over a pooler, no statement is prepared on the server under a name: the next call may reach
//     another connection. A pooler is recognised by the process number that it has made up.
//   - If the default isolation level is not READ COMMITTED, each call begins a transaction that
//     is. It is sent together with the statements, so it costs no round trip.
//   - A call that the server gives up in favour of another one (a serialization failure, a
//     deadlock) has written nothing, and is tried again.
//   - A server that has become read-only after a fail-over keeps its connections. The store drops
//     them, so that the address, or its target_session_attrs, finds the new primary.

// server is what the store knows about the server and what is in between.
type server struct {
	pooled bool   // its connections are lent by a pooler
	level  string // the default isolation level
	begins bool   // calls begin a transaction of READ COMMITTED
}

// readCommitted is the level of all calls of the store.
const readCommitted = "read committed"

// lookAt asks a server for what the store has to know.
func lookAt(ctx context.Context, c *pgx.Conn) (s server, err error) {
	var pid uint32
	err = c.QueryRow(ctx, "SELECT pg_backend_pid(), current_setting('default_transaction_isolation')", pgx.QueryExecModeExec).Scan(&pid, &s.level)
	s.pooled = pid != c.PgConn().PID()
	return s, err
}

// allowsTransactions reports whether calls have to begin a transaction, and can: a pooler in
// statement mode permits none, and ends the connection.
func (s server) allowsTransactions(ctx context.Context, config *pgx.ConnConfig) (bool, error) {
	if s.level == readCommitted || !s.pooled {
		return s.level != readCommitted, nil
	}
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return false, err
	}
	_, err = c.PgConn().Exec(ctx, "BEGIN").ReadAll()
	_ = c.Close(context.WithoutCancel(ctx)) // the pooler may have closed it
	return err == nil, nil
}

// noTimeout lets a call exceed the time limit of the role.
const noTimeout = "SELECT set_config('statement_timeout', '0', true)"

// Error codes of the server.
const (
	serialization = "40001"
	deadlock      = "40P01"
	readOnly      = "25006"
)

// codeOf returns the server's code of an error, or nothing.
func codeOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// gaveWay reports whether the server has given up a transaction in favour of another one.
func gaveWay(err error) bool { return codeOf(err) == serialization || codeOf(err) == deadlock }

// maxTries limits how often a call is made that gives way to others.
const maxTries = 20

// ask is the asker of the store: the statements have one commit.
func (s *Store) ask(ctx context.Context, queue func(*pgx.Batch)) (err error) {
	for try := 1; ; try++ {
		if err = s.askOnce(ctx, queue); !gaveWay(err) || try == maxTries || ctx.Err() != nil {
			s.notice(err)
			return err
		}
		pauseBefore(ctx, try)
	}
}

func (s *Store) askOnce(ctx context.Context, queue func(*pgx.Batch)) error {
	b := &pgx.Batch{}
	if !s.server.begins {
		queue(b)
		return s.pool.SendBatch(ctx, b).Close()
	}
	c, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	b.Queue("BEGIN ISOLATION LEVEL READ COMMITTED")
	queue(b)
	b.Queue("COMMIT")
	err = c.SendBatch(ctx, b).Close()
	if status := c.Conn().PgConn().TxStatus(); status != 'I' && !c.Conn().IsClosed() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
		defer cancel()
		_, _ = c.Exec(limited, "ROLLBACK") // otherwise the pool closes the connection
	}
	return err
}

// notice drops the connections to a server that has become read-only.
func (s *Store) notice(err error) {
	if codeOf(err) == readOnly {
		s.pool.Reset()
		s.steps.Reset()
	}
}

// pauseBefore waits before the next try, longer after each one: whoever is in the way has to end.
func pauseBefore(ctx context.Context, try int) {
	t := time.NewTimer(rand.N(time.Millisecond << min(try, 6)))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
