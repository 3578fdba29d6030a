package netio

import (
	"context"
	"net"
	"time"

	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Conn is a [net.Conn] on which a waiting machine holds no goroutine. [Dial],
// [Listener.Accept] and [Adopt] make one. It must be closed: nothing else ends
// its registration with the poller.
//
// Its methods are safe for concurrent use. Reads are served in the order of the
// calls, and so are writes, which never interleave. Errors are those of package
// net: a [*net.OpError], which is a [net.Error] without unwrapping, and [io.EOF]
// itself.
type Conn struct{ socket *socket }

var _ net.Conn = (*Conn)(nil)

// The receivers of entries. Only generated code calls these methods, and documentation
// does not list what is declared by another name.
type (
	conn           = Conn
	listener       = Listener
	buffered       = Buffered
	bufferedWriter = BufferedWriter
)

// Read waits until there is a byte, and reads up to len(p) bytes. It returns
// their number, and [io.EOF] at the end. It blocks; its twin is [Conn.ReadAsync].
// It takes no context, so it cannot tell a scheduler that its worker blocks.
func (c *Conn) Read(p []byte) (int, error) { return c.transferData(reading, p) }

// ReadAsync is [Conn.Read] as a job. p belongs to the job until it has ended.
func (c *Conn) ReadAsync(p []byte) *job.Job[int] { return c.transferDataAsync(reading, p) }

// ReadEnter is [Conn.Read] as generated machines call it.
func (c *conn) ReadEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	return c.transferDataEnter(r, reading, p)
}

// ReadFull reads len(p) bytes, as [io.ReadFull] does. It returns the number of
// bytes read: fewer than len(p) only with an error, which is [io.EOF] if the
// connection ended before the first byte and [io.ErrUnexpectedEOF] if it ended
// later. No other read gets bytes in between. It blocks; its twin is
// [Conn.ReadFullAsync].
func (c *Conn) ReadFull(p []byte) (int, error) { return c.transferData(filling, p) }

// ReadFullAsync is [Conn.ReadFull] as a job. p belongs to the job until it has
// ended.
func (c *Conn) ReadFullAsync(p []byte) *job.Job[int] { return c.transferDataAsync(filling, p) }

// ReadFullEnter is [Conn.ReadFull] as generated machines call it.
func (c *conn) ReadFullEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	return c.transferDataEnter(r, filling, p)
}

// Write writes all of p, and waits while the system has no room for it. It
// returns the number of bytes written: fewer than len(p) only with an error. It
// blocks; its twin is [Conn.WriteAsync].
func (c *Conn) Write(p []byte) (int, error) { return c.transferData(writing, p) }

// WriteAsync is [Conn.Write] as a job. p belongs to the job until it has ended.
func (c *Conn) WriteAsync(p []byte) *job.Job[int] { return c.transferDataAsync(writing, p) }

// WriteEnter is [Conn.Write] as generated machines call it.
func (c *conn) WriteEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	return c.transferDataEnter(r, writing, p)
}

// WriteAll is [Conn.Write] with a context: if ctx ends first, it returns the
// number of bytes written so far and why ctx ended, and the peer may have
// received a part of p. It blocks, and tells the scheduler of ctx; its twin is
// [Conn.WriteAllAsync].
func (c *Conn) WriteAll(ctx context.Context, p []byte) (int, error) {
	if ctx == nil || !ctxwatch.OriginOf(ctx).CanEnd() {
		return c.Write(p)
	}
	return c.WriteAllAsync(ctx, p).Wait(context.WithoutCancel(ctx))
}

// WriteAllAsync is [Conn.WriteAll] as a job, which is Canceled when ctx ends
// first. p belongs to the job until it has ended.
func (c *Conn) WriteAllAsync(ctx context.Context, p []byte) *job.Job[int] {
	return connWriteAllAsync(ctx, c, p)
}

// WriteAllEnter is [Conn.WriteAll] as generated machines call it.
func (c *conn) WriteAllEnter(r *statemachine.Run, ctx context.Context, p []byte) (*statemachine.Waiting[int], int, error) {
	return c.enterWithin(r, ctx, writing, p)
}

// Readable waits until a read would return data, the end, or an error other than
// that of a deadline. So an idle connection needs no buffer: take one when
// Readable returns, and give it back before the next call. Another read may take
// the data before the caller reads. Readable returns nil, or why ctx ended; the
// read deadline bounds it too. It waits behind earlier reads. It blocks; its twin
// is [Conn.ReadableAsync].
func (c *Conn) Readable(ctx context.Context) error { return c.await(ctx, looking) }

// ReadableAsync is [Conn.Readable] as a job, which is Canceled when ctx ends
// first.
func (c *Conn) ReadableAsync(ctx context.Context) *job.Job[job.Void] {
	return c.awaitAsync(ctx, looking)
}

// ReadableEnter is [Conn.Readable] as generated machines call it.
func (c *conn) ReadableEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[int], error) {
	return c.awaitEnter(r, ctx, looking)
}

// CloseWrite shuts down the writing side after all earlier writes: the peer then
// reads [io.EOF]. Reading remains possible. It blocks while those writes wait;
// its twin is [Conn.CloseWriteAsync].
func (c *Conn) CloseWrite() error { return c.await(context.Background(), shutting) }

// CloseWriteAsync is [Conn.CloseWrite] as a job.
func (c *Conn) CloseWriteAsync() *job.Job[job.Void] {
	return c.awaitAsync(context.Background(), shutting)
}

// CloseWriteEnter is [Conn.CloseWrite] as generated machines call it.
func (c *conn) CloseWriteEnter(r *statemachine.Run) (*statemachine.WaitingVoid[int], error) {
	return c.awaitEnter(r, context.Background(), shutting)
}

// Close closes the connection. Operations that wait end with an error that
// matches [net.ErrClosed], and so does a second Close. The system still sends
// data that were written but not yet sent.
func (c *Conn) Close() error { return c.socket.close() }

// LocalAddr returns the address on this side.
func (c *Conn) LocalAddr() net.Addr { return c.socket.LocalAddr() }

// RemoteAddr returns the address of the peer.
func (c *Conn) RemoteAddr() net.Addr { return c.socket.RemoteAddr() }

// SetDeadline is [Conn.SetReadDeadline] and [Conn.SetWriteDeadline].
func (c *Conn) SetDeadline(t time.Time) error { return c.socket.setDeadlines(t, true, true) }

// SetReadDeadline sets the time at which waiting reads, present and future, end
// with an error that matches [os.ErrDeadlineExceeded] and is a [net.Error]. After
// that time a read returns this error and no data, even if there are some, until
// another deadline is set. The zero time means no deadline.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.socket.setDeadlines(t, true, false) }

// SetWriteDeadline is [Conn.SetReadDeadline] for writes. A write that times out
// may have written a part.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.socket.setDeadlines(t, false, true) }

// transferData performs operations with a buffer and a count. Like each operation here
// it has three forms.
func (c *Conn) transferData(k kind, p []byte) (int, error) {
	t := transfer{kind: k, buf: p}
	c.socket.do(&t)
	return t.n, t.err
}

func (c *Conn) transferDataAsync(k kind, p []byte) *job.Job[int] {
	return connTransferDataAsync(c, k, p)
}

func (c *Conn) transferDataEnter(r *statemachine.Run, k kind, p []byte) (*statemachine.Waiting[int], int, error) {
	return c.enterWithin(r, nil, k, p)
}

// enterWithin enters an operation for a machine. A nil ctx does not end it.
func (c *Conn) enterWithin(r *statemachine.Run, ctx context.Context, k kind, p []byte) (*statemachine.Waiting[int], int, error) {
	if err := endReason(ctx); err != nil {
		return nil, 0, err
	}
	tr := transfer{kind: k, buf: p}
	if o := c.socket.enter(r, ctx, &tr); o != nil {
		return &o.handle, 0, nil
	}
	return nil, tr.n, tr.err
}

// connTransferData is what transferDataAsync runs as a machine.
//
//movenext:async
func connTransferData(c *Conn, k kind, p []byte) (int, error) { return c.transferData(k, p) }

// connWriteAll is what WriteAllAsync runs as a machine.
//
//movenext:async
func connWriteAll(ctx context.Context, c *Conn, p []byte) (int, error) { return c.WriteAll(ctx, p) }

// await performs operations whose only result is an error.
func (c *Conn) await(ctx context.Context, k kind) error {
	if ctx == nil || !ctxwatch.OriginOf(ctx).CanEnd() {
		t := transfer{kind: k}
		c.socket.do(&t)
		return t.err
	}
	_, err := c.awaitAsync(ctx, k).Wait(context.WithoutCancel(ctx))
	return err
}

func (c *Conn) awaitAsync(ctx context.Context, k kind) *job.Job[job.Void] {
	return connAwaitAsync(ctx, c, k)
}

func (c *Conn) awaitEnter(r *statemachine.Run, ctx context.Context, k kind) (*statemachine.WaitingVoid[int], error) {
	w, _, err := c.enterWithin(r, ctx, k, nil)
	return (*statemachine.WaitingVoid[int])(w), err
}

// connAwait is what awaitAsync runs as a machine.
//
//movenext:async
func connAwait(ctx context.Context, c *Conn, k kind) error { return c.await(ctx, k) }

// endReason returns why ctx has ended, or nil.
func endReason(ctx context.Context) error {
	if ctx == nil || ctx.Err() == nil {
		return nil
	}
	return ctxwatch.Reason(ctx)
}
