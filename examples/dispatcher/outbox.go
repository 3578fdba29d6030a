package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"

	_ "modernc.org/sqlite" // the driver

	"github.com/movenext/movenext/job"
)

// outbox is the world of the service: hooks in a file of SQLite, receivers behind HTTP.
type outbox struct {
	*sql.DB
	client *http.Client
}

func openOutbox(ctx context.Context, file string) (*outbox, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(wal)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer
	_, err = db.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS hooks (id INTEGER PRIMARY KEY AUTOINCREMENT,
		request TEXT, lane TEXT, receiver TEXT, host TEXT, body BLOB)`)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	return &outbox{db, &http.Client{}}, nil
}

// put saves a hook.
func (b *outbox) put(ctx context.Context, h hook) (id int64, err error) {
	r, err := b.ExecContext(ctx, `INSERT INTO hooks (request, lane, receiver, host, body) VALUES (?, ?, ?, ?, ?)`,
		h.Request, h.Lane, h.To, h.Host, h.Body)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// all returns the hooks that are saved, in their order.
func (b *outbox) all(ctx context.Context) (all []hook, err error) {
	rows, err := b.QueryContext(ctx, `SELECT id, request, lane, receiver, host, body FROM hooks ORDER BY id`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var h hook
		if err := rows.Scan(&h.ID, &h.Request, &h.Lane, &h.To, &h.Host, &h.Body); err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, rows.Err()
}

// remove forgets a hook. Drivers of databases block, so they run on goroutines of their own.
//
//movenext:async
func (b *outbox) remove(ctx context.Context, h hook) error {
	_, err := job.Blocking(ctx, func(ctx context.Context) (job.Void, error) {
		_, err := b.ExecContext(ctx, `DELETE FROM hooks WHERE id = ?`, h.ID)
		return job.Void{}, err
	}).Await()
	return err
}

// post makes a request, which holds a goroutine, too.
//
//movenext:async
func (b *outbox) post(ctx context.Context, h hook) error {
	_, err := job.Blocking(ctx, func(ctx context.Context) (job.Void, error) { return job.Void{}, b.request(ctx, h) }).Await()
	return err
}

func (b *outbox) request(ctx context.Context, h hook) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.To, bytes.NewReader(h.Body))
	if err != nil {
		return err
	}
	r.Header.Set("Idempotency-Key", fmt.Sprint(h.ID)) // it may arrive twice, if the process is killed
	r.Header.Set("X-Request-ID", h.Request)
	answer, err := b.client.Do(r)
	if err != nil {
		return err
	}
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection can be used again
	_ = answer.Body.Close()
	if answer.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the receiver says %s", answer.Status)
	}
	return nil
}
