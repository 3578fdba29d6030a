package simnet

import (
	"context"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Conn is an end of a connection. It implements netio.AsyncConn, so it can stand for a
// *netio.Conn. Its reads are served in the order of the calls, and so are its writes.
// Errors are those of package net: a deadline is a net.Error, Close ends what waits with
// net.ErrClosed, a broken connection is syscall.ECONNRESET or syscall.EPIPE.
//
// All methods are safe for concurrent use.
type Conn struct {
	in, out         *stream
	local, remote   address
	reading         coord.Mutex
	writing         coord.Mutex
	readBy, writeBy deadline
}

// pipe returns both ends of a new connection.
func pipe(n *Network, client, server address) (c, s *Conn) {
	up, down := newStream(n), newStream(n)
	c = &Conn{in: down, out: up, local: client, remote: server}
	s = &Conn{in: up, out: down, local: server, remote: client}
	up.other, down.other = down, up
	c.readBy, c.writeBy = deadline{stream: down}, deadline{stream: up}
	s.readBy, s.writeBy = deadline{stream: up}, deadline{stream: down}
	return c, s
}

func clientAddress(n int) address { return address("client:" + strconv.Itoa(n)) }

// The receivers of the entries for generated code, which documentation does not show: see
// package coord.
type (
	conn     = Conn
	listener = Listener
	network  = Network
)

// Read reads what has arrived, up to len(p) bytes. It returns io.EOF when the peer has
// ended its direction. It blocks; its twin is ReadAsync.
func (c *Conn) Read(p []byte) (int, error) { return readSome(c, p) }

// ReadAsync is [Conn.Read] as a job. It does not block.
func (c *Conn) ReadAsync(p []byte) *job.Job[int] { return readSomeAsync(c, p) }

// ReadEnter is [Conn.Read] as generated machines call it.
func (c *conn) ReadEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	m, n, err := readSomeEnter(r, c, p)
	return statemachine.WaitingFor(m), n, err
}

//movenext:async
func readSome(c *Conn, p []byte) (int, error) {
	if err := c.reading.Lock(context.Background()); err != nil {
		return 0, err
	}
	defer c.reading.Unlock()
	for {
		n, wait, err := c.in.read(p, &c.readBy)
		if wait == nil {
			return n, c.wrapError("read", err)
		}
		if _, err := wait.Await(); err != nil {
			return 0, err
		}
	}
}

// Readable waits until a read would return data, the end, or an error other than that of a
// deadline. It returns nil, or why ctx ended, or the error of the read deadline. It blocks;
// its twin is ReadableAsync. A nil ctx is context.Background.
func (c *Conn) Readable(ctx context.Context) error { return waitReadable(ctx, c) }

// ReadableAsync is [Conn.Readable] as a job, which is Canceled when ctx ends first. It does
// not block.
func (c *Conn) ReadableAsync(ctx context.Context) *job.Job[job.Void] {
	return waitReadableAsync(ctx, c)
}

// ReadableEnter is [Conn.Readable] as generated machines call it.
func (c *conn) ReadableEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	m, err := waitReadableEnter(r, ctx, c)
	return statemachine.WaitingForVoid(m), err
}

//movenext:async
func waitReadable(ctx context.Context, c *Conn) error {
	if ctx == nil {
		ctx = context.Background()
	}
	for {
		wait, err := c.in.readable(&c.readBy)
		if wait == nil {
			return c.wrapError("read", err)
		}
		if _, err := job.WaitAsync(ctx, wait).Await(); err != nil {
			return err
		}
	}
}

// Write writes all of p, and waits while the peer does not read. It returns how much was
// written: less than all only with an error. It blocks; its twin is WriteAsync.
func (c *Conn) Write(p []byte) (written int, err error) {
	return writeAll(context.Background(), c, p)
}

// WriteAsync is [Conn.Write] as a job. It does not block.
func (c *Conn) WriteAsync(p []byte) *job.Job[int] {
	return writeAllAsync(context.Background(), c, p)
}

// WriteEnter is [Conn.Write] as generated machines call it.
func (c *conn) WriteEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	m, n, err := writeAllEnter(r, context.Background(), c, p)
	return statemachine.WaitingFor(m), n, err
}

// WriteAll is [Conn.Write] with a context: if ctx ends first, it returns how much was written so
// far and why ctx ended. It blocks; its twin is WriteAllAsync. A nil ctx is context.Background.
func (c *Conn) WriteAll(ctx context.Context, p []byte) (int, error) { return writeAll(ctx, c, p) }

// WriteAllAsync is [Conn.WriteAll] as a job, which is Canceled when ctx ends first. It does not
// block.
func (c *Conn) WriteAllAsync(ctx context.Context, p []byte) *job.Job[int] {
	return writeAllAsync(ctx, c, p)
}

// WriteAllEnter is [Conn.WriteAll] as generated machines call it.
func (c *conn) WriteAllEnter(r *statemachine.Run, ctx context.Context, p []byte) (*statemachine.Waiting[int], int, error) {
	m, n, err := writeAllEnter(r, ctx, c, p)
	return statemachine.WaitingFor(m), n, err
}

//movenext:async
func writeAll(ctx context.Context, c *Conn, p []byte) (written int, err error) {
	if err := c.writing.Lock(ctx); err != nil {
		return 0, err
	}
	defer c.writing.Unlock()
	for {
		n, wait, err := c.out.write(p[written:], &c.writeBy)
		written += n
		if err != nil || written == len(p) && wait == nil {
			return written, c.wrapError("write", err)
		}
		if wait == nil {
			continue
		}
		if _, err := job.WaitAsync(ctx, wait).Await(); err != nil {
			return written, err
		}
	}
}

// wrapError makes an error one of package net. The end of the data is not an error.
func (c *Conn) wrapError(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "simnet", Source: c.local, Addr: c.remote, Err: err}
}

// CloseWrite ends this direction after all earlier writes: the peer reads what is on its way, and
// then io.EOF. It blocks while those writes wait; its twin is CloseWriteAsync.
func (c *Conn) CloseWrite() error { return closeWrite(c) }

// CloseWriteAsync is [Conn.CloseWrite] as a job. It does not block.
func (c *Conn) CloseWriteAsync() *job.Job[job.Void] { return closeWriteAsync(c) }

// CloseWriteEnter is [Conn.CloseWrite] as generated machines call it.
func (c *conn) CloseWriteEnter(r *statemachine.Run) (*statemachine.WaitingVoid[job.Void], error) {
	m, err := closeWriteEnter(r, c)
	return statemachine.WaitingForVoid(m), err
}

//movenext:async
func closeWrite(c *Conn) error {
	if err := c.writing.Lock(context.Background()); err != nil {
		return err
	}
	defer c.writing.Unlock()
	return c.wrapError("close", c.out.end())
}

// Close closes the connection. What waits here ends with net.ErrClosed; the peer reads what
// is on its way, and can write no more. A second call returns net.ErrClosed. Close does not
// block.
func (c *Conn) Close() error {
	c.readBy.stop()
	c.writeBy.stop()
	if !c.in.closeReader() {
		return c.wrapError("close", net.ErrClosed)
	}
	_ = c.out.end()
	c.out.closeWriter()
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the peer.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines. See [Conn.SetReadDeadline].
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline limits all reads, including waiting ones; the zero time means no limit. The time
// counts from now on the clock of the network. It does not block.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.wrapError("set", c.readBy.set(t)) }

// SetWriteDeadline limits the writes, like [Conn.SetReadDeadline].
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.wrapError("set", c.writeBy.set(t)) }
