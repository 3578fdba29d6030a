package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // the driver

	"github.com/movenext/movenext/durable/pgstore/pgtest"
)

// measureLatency prints how long a step's commit takes, and how long a bare synced write takes.
func measureLatency(ctx context.Context, n size, out io.Writer) (err error) {
	dir, server, end, err := begin(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	for _, c := range []latencies{
		{
			"SQLite", func() ([]time.Duration, error) {
				return bareSQLite(ctx, filepath.Join(dir, "bare.db"), n.commits/rounds)
			},
			func(called func()) (*contender, error) {
				return timedSQLite(ctx, filepath.Join(dir, "latency.db"), called)
			}, nil, nil,
		},
		{
			"Postgres", func() ([]time.Duration, error) { return barePostgres(ctx, server, n.commits/rounds) },
			func(called func()) (*contender, error) { return timedPostgres(ctx, server, called) }, nil, nil,
		},
	} {
		for round := range rounds {
			if err := c.round(ctx, fmt.Sprint("alone ", round), n.commits/rounds); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
		bare, step := median(c.bares), median(c.steps)
		fmt.Fprintf(out, "%-9s a bare synced write %8v  from step to step %8v  %5.2f ×\n", c.name, bare, step, float64(step)/float64(bare))
	}
	return nil
}

// rounds is how often the two are measured alternately, since the speed of disks varies.
const rounds = 10

// latencies compares two kinds of writes to one database.
type latencies struct {
	name         string
	bare         func() ([]time.Duration, error)
	open         func(called func()) (*contender, error)
	bares, steps []time.Duration
}

// round measures both kinds.
func (l *latencies) round(ctx context.Context, id string, n int) error {
	bare, err := l.bare()
	if err != nil {
		return err
	}
	steps, err := stepTimes(ctx, l.open, id, n)
	l.bares, l.steps = append(l.bares, bare...), append(l.steps, steps...)
	return err
}

// median returns the p50.
func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2].Round(time.Microsecond)
}

// each measures the times of n calls.
func each(n int, f func() error) (times []time.Duration, err error) {
	for range n {
		begin := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begin))
	}
	return times, nil
}

// errNothing is the error of a bare write that changed no row.
var errNothing = errors.New("durables: the bare write has changed no row")

// payload is about as large as the checkpoint of a small function. Each one is different, since
// SQLite does not write data that is unchanged.
func payload() []byte { return []byte(strings.Repeat(rand.Text(), 15)) }

// bareSQLite updates a row of a database with the store's sync settings.
func bareSQLite(ctx context.Context, file string, n int) (times []time.Duration, err error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, state BLOB)", "INSERT OR REPLACE INTO bare VALUES (1, '')"} {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return nil, err
		}
	}
	update, err := db.PrepareContext(ctx, "UPDATE bare SET state = ? WHERE id = 1")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, update.Close()) }()
	return each(n, func() error {
		done, err := update.ExecContext(ctx, payload())
		if err != nil {
			return err
		}
		rows, err := done.RowsAffected()
		if err == nil && rows != 1 {
			err = errNothing
		}
		return err
	})
}

// barePostgres updates a row.
func barePostgres(ctx context.Context, server *pgtest.Server, n int) (times []time.Duration, err error) {
	c, err := pgx.Connect(ctx, server.Address())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	if _, err := c.Exec(ctx, "DROP TABLE IF EXISTS bare; CREATE TABLE bare (id BIGINT PRIMARY KEY, state BYTEA); INSERT INTO bare VALUES (1, '')"); err != nil {
		return nil, err
	}
	return each(n, func() error {
		done, err := c.Exec(ctx, "UPDATE bare SET state = $1 WHERE id = 1", payload())
		if err == nil && done.RowsAffected() != 1 {
			err = errNothing
		}
		return err
	})
}

// stepTimes returns the times from the call of a step to the call of the next one, in an instance
// that runs alone: each contains one commit.
func stepTimes(ctx context.Context, open func(called func()) (*contender, error), id string, n int) (times []time.Duration, err error) {
	var last time.Time
	c, err := open(func() {
		now := time.Now()
		if !last.IsZero() {
			times = append(times, now.Sub(last))
		}
		last = now
	})
	if err != nil {
		return nil, err
	}
	_, err = c.run(ctx, id, n+1)
	return times, errors.Join(err, c.close())
}
