package netio

import (
	"context"
	"net"
	"time"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Conn is a connection: a [net.Conn] whose waits hold no goroutine where a machine waits. [Dial],
// [Listener.Accept] and [Adopt] make one. It must be closed: nothing else ends its registration.
//
// All methods may be called by many at a time. Reads are served in the order in which they came, and so
// are writes: none is in the middle of another one. Errors are those of package net: a [*net.OpError],
// which is a [net.Error] as it stands, and [io.EOF] as it is.
type Conn struct{ end *socket }

var _ net.Conn = (*Conn)(nil)

// Read reads what there is, up to len(p) bytes, and waits until there is a byte. It returns how
// many, and [io.EOF] at the end. It blocks; its twin is [Conn.ReadAsync]. Since it is given no
// context, the worker of a scheduler that calls it is not told.
func (c *Conn) Read(p []byte) (int, error) { return c.carry(reading, p) }

// ReadAsync is [Conn.Read] as a job. p belongs to the job until it has ended. It does not block.
func (c *Conn) ReadAsync(p []byte) *job.Job[int] { return c.carryAsync(reading, p) }

// ReadEnter is [Conn.Read] as generated machines call it.
func (c *Conn) ReadEnter(t *statemachine.Task, p []byte) (*Entered, int, error) {
	return c.carryEnter(t, reading, p)
}

// ReadFull reads len(p) bytes. It returns how many it has read: fewer with an error, which is
// [io.EOF] if the connection ended before the first of them and [io.ErrUnexpectedEOF] if it ended
// later. No other read gets bytes in between. It blocks; its twin is [Conn.ReadFullAsync]. It is
// [io.ReadFull].
func (c *Conn) ReadFull(p []byte) (int, error) { return c.carry(filling, p) }

// ReadFullAsync is [Conn.ReadFull] as a job. p belongs to the job until it has ended. It does not block.
func (c *Conn) ReadFullAsync(p []byte) *job.Job[int] { return c.carryAsync(filling, p) }

// ReadFullEnter is [Conn.ReadFull] as generated machines call it.
func (c *Conn) ReadFullEnter(t *statemachine.Task, p []byte) (*Entered, int, error) {
	return c.carryEnter(t, filling, p)
}

// Write writes all of p, and waits where the system has no room for it. It returns how many
// bytes were written: fewer than len(p) only with an error. It blocks; its twin is [Conn.WriteAsync].
func (c *Conn) Write(p []byte) (int, error) { return c.carry(writing, p) }

// WriteAsync is [Conn.Write] as a job. p belongs to the job until it has ended. It does not block.
func (c *Conn) WriteAsync(p []byte) *job.Job[int] { return c.carryAsync(writing, p) }

// WriteEnter is [Conn.Write] as generated machines call it.
func (c *Conn) WriteEnter(t *statemachine.Task, p []byte) (*Entered, int, error) {
	return c.carryEnter(t, writing, p)
}

// Readable waits until a read would make progress: it would return data, the end, or an error other than that of
// a deadline. So an idle connection needs no buffer: take one when Readable returns, and give it back before the next
// call. Another read may have taken the data when the caller reads. It returns nil, or why ctx ended; the
// read deadline bounds it too. It waits behind the reads that came before. It blocks; its twin is
// [Conn.ReadableAsync].
func (c *Conn) Readable(ctx context.Context) error { return c.await(ctx, looking) }

// ReadableAsync is [Conn.Readable] as a job, which is Canceled when ctx ends first. It does not block.
func (c *Conn) ReadableAsync(ctx context.Context) *job.Job[job.Void] {
	return c.awaitAsync(ctx, looking)
}

// ReadableEnter is [Conn.Readable] as generated machines call it.
func (c *Conn) ReadableEnter(t *statemachine.Task, ctx context.Context) (*EnteredVoid, error) {
	return c.awaitEnter(t, ctx, looking)
}

// CloseWrite shuts the side that writes, after the writes that came before it: the peer reads its
// end. Reading goes on. It blocks while those writes wait; its twin is [Conn.CloseWriteAsync].
func (c *Conn) CloseWrite() error { return c.await(context.Background(), shutting) }

// CloseWriteAsync is [Conn.CloseWrite] as a job. It does not block.
func (c *Conn) CloseWriteAsync() *job.Job[job.Void] {
	return c.awaitAsync(context.Background(), shutting)
}

// CloseWriteEnter is [Conn.CloseWrite] as generated machines call it.
func (c *Conn) CloseWriteEnter(t *statemachine.Task) (*EnteredVoid, error) {
	return c.awaitEnter(t, context.Background(), shutting)
}

// Close closes the connection. Whatever waits for it ends with an error that matches
// [net.ErrClosed], and so does a second Close. What was written and not yet sent is sent by the
// system. It does not block.
func (c *Conn) Close() error { return c.end.close() }

// LocalAddr returns the address on this side. It does not block.
func (c *Conn) LocalAddr() net.Addr { return c.end.LocalAddr() }

// RemoteAddr returns the address of the peer. It does not block.
func (c *Conn) RemoteAddr() net.Addr { return c.end.RemoteAddr() }

// SetDeadline is [Conn.SetReadDeadline] and [Conn.SetWriteDeadline].
func (c *Conn) SetDeadline(t time.Time) error { return c.end.setDeadlines(t, true, true) }

// SetReadDeadline sets when reads end that wait, now and later: with an error that matches
// [os.ErrDeadlineExceeded] and is a [net.Error]. After that time a read returns this error and no
// data, even if there are some, until another deadline is set. The zero time is never. It does not
// block.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.end.setDeadlines(t, true, false) }

// SetWriteDeadline is [Conn.SetReadDeadline] for writes. A write that ends so may have written a part.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.end.setDeadlines(t, false, true) }

// carry does what has a buffer and a count: in three forms, like each operation here.
func (c *Conn) carry(k kind, p []byte) (int, error) {
	t := transfer{kind: k, buf: p}
	c.end.do(&t)
	return t.n, t.err
}

func (c *Conn) carryAsync(k kind, p []byte) *job.Job[int] { return carriedAsync(c, k, p) }

func (c *Conn) carryEnter(t *statemachine.Task, k kind, p []byte) (*Entered, int, error) {
	tr := transfer{kind: k, buf: p}
	if o := c.end.enter(t, nil, &tr); o != nil {
		return (*Entered)(o), 0, nil
	}
	return nil, tr.n, tr.err
}

// carried is what carryAsync runs as a machine.
//
//movenext:async
func carried(c *Conn, k kind, p []byte) (int, error) { return c.carry(k, p) }

// await does what has no result but an error.
func (c *Conn) await(ctx context.Context, k kind) error {
	if ctx == nil || ctx.Done() == nil {
		t := transfer{kind: k}
		c.end.do(&t)
		return t.err
	}
	_, err := c.awaitAsync(ctx, k).Wait(context.WithoutCancel(ctx))
	return err
}

func (c *Conn) awaitAsync(ctx context.Context, k kind) *job.Job[job.Void] {
	return awaitedAsync(ctx, c, k)
}

func (c *Conn) awaitEnter(t *statemachine.Task, ctx context.Context, k kind) (*EnteredVoid, error) {
	if err := whyEnded(ctx); err != nil {
		return nil, err
	}
	tr := transfer{kind: k}
	if o := c.end.enter(t, ctx, &tr); o != nil {
		return (*EnteredVoid)(o), nil
	}
	return nil, tr.err
}

// awaited is what awaitAsync runs as a machine.
//
//movenext:async
func awaited(ctx context.Context, c *Conn, k kind) error { return c.await(ctx, k) }

// whyEnded returns why ctx has ended, or nil.
func whyEnded(ctx context.Context) error {
	if ctx == nil || ctx.Err() == nil {
		return nil
	}
	return ctxwatch.Reason(ctx)
}

// Entered is an operation with a count, for which a machine waits. Only generated code has to do with it.
type Entered operation

// Results returns what has become of the operation, when the machine goes on. It is called once.
func (e *Entered) Results(t *statemachine.Task) (int, error) {
	tr := (*operation)(e).results(t)
	return tr.n, tr.err
}

// EnteredVoid is [Entered] for an operation without a count.
type EnteredVoid operation

// Results returns what has become of the operation, when the machine goes on. It is called once.
func (e *EnteredVoid) Results(t *statemachine.Task) error {
	return (*operation)(e).results(t).err
}
