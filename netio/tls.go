package netio

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// # crypto/tls without a goroutine
//
// A tls.Conn reads from the connection beneath until it has a record, and blocks there. But it
// keeps what it has read so far, and a temporary net.Error is not final: the next Read continues
// in the middle of the record. So the connection beneath, as tls.Conn sees it (wire), never
// blocks. If there is nothing to read, it returns such an error, and the machine waits outside,
// with no frame of crypto/tls on any stack.
//
//	a read                                      a write
//	 1. take the turn to read                    1. take the turn to write
//	 2. out is not empty: flush                  2. tls.Conn.Write of a part: records into out
//	 3. tls.Conn.Read: records from the wire     3. flush
//	 4. there is data, or an end: return         4. again from 2
//	 5. wait until the wire is readable
//	 6. again from 2
//
// What a read has does not wait for a flush: it returns, and the answers to its records are sent
// by the next read, the next write, or Close.
//
// Writing is different. For tls.Conn an error of a write is always final, since it cannot know
// how much of a record went out. So the wire accepts every write, into out. The size of out is
// bounded because neither list continues before out is flushed: it holds one part of a write, and
// the answers to the records of one read, or of a Readable and its read. If a peer floods us with
// records that demand an answer (key updates) and does not read, we stop reading from it.
//
// Records are sent in the order in which tls.Conn made them: it appends to out under its own
// lock, and a flush takes all of out, under the turn to write.
//
// The handshake is different again: it reads and writes deep in its own stack. So it runs on a
// separate goroutine, and the wire blocks until it is over. Callbacks of the config run there: a
// panic of one, or a runtime.Goexit, is the outcome of the handshake. Those that crypto/tls calls
// later (ClientSessionCache.Put for a ticket) run within Read, and there it is the caller's.
//
// A temporary error is final in one case: crypto/tls keeps the error of a handshake. A handshake
// within Read, which is what renegotiation is, would keep the wire's error, return it forever,
// and never ask the wire again. So Client refuses a config that allows renegotiation, and a read
// fails if crypto/tls says that there is nothing yet without having asked.

// TLSConn is a [Conn] with TLS, by package crypto/tls. [Server] and [Client] make one. While it
// is idle it holds no goroutine; crypto/tls keeps its keys, and a buffer of the size of the
// largest record so far.
//
// It is a [net.Conn]. Its methods are safe for concurrent use; reads and writes are served in
// the order of the calls. The first call that needs the handshake performs it; a panic or a
// runtime.Goexit of a callback of the config fails it with a [*job.PanicError] or
// [job.ErrGoexit]. After a write that has failed or timed out all writes fail, as with
// crypto/tls, and after a read that has failed for another reason than a deadline, all reads. It
// must be closed.
type TLSConn struct {
	wire *wire
	tls  *tls.Conn

	in, out coord.Mutex // the turns

	// Guarded by the turn to read.
	peeked []byte // read by Readable
	ended  error  // why all reads fail

	mu        sync.Mutex
	handshake *job.Job[job.Void]
	broken    error // why all writes fail
}

var _ net.Conn = (*TLSConn)(nil)

// Server makes the server's side of a TLS connection on c. The result takes ownership of c.
// config is that of [tls.Server].
func Server(c *Conn, config *tls.Config) *TLSConn { return newTLS(c, config, tls.Server) }

// Client makes the client's side of a TLS connection on c. The result takes ownership of c.
// config is that of [tls.Client]: it needs a ServerName, or InsecureSkipVerify. With a
// Renegotiation other than tls.RenegotiateNever every operation fails with an error that matches
// [errors.ErrUnsupported].
func Client(c *Conn, config *tls.Config) *TLSConn {
	client := newTLS(c, config, tls.Client)
	if config != nil && config.Renegotiation != tls.RenegotiateNever {
		client.handshake = promise.FailedVoid(context.Background(), errRenegotiation)
	}
	return client
}

// errRenegotiation is the error of a client whose config allows renegotiation.
var errRenegotiation = fmt.Errorf("netio: renegotiation of TLS holds a goroutine in the middle of a read; "+
	"set Config.Renegotiation to tls.RenegotiateNever: %w", errors.ErrUnsupported)

func newTLS(c *Conn, config *tls.Config, side func(net.Conn, *tls.Config) *tls.Conn) *TLSConn {
	w := &wire{conn: c, blocks: true}
	return &TLSConn{wire: w, tls: side(w, config)}
}

// Handshake performs the handshake, or waits for one that an earlier call has begun, and returns
// its outcome. If the ctx of the call that begins it ends, the handshake fails and the connection
// is closed. The ctx of a later call limits only that call's wait. It blocks; its twin is
// [TLSConn.HandshakeAsync].
func (c *TLSConn) Handshake(ctx context.Context) error {
	_, err := c.HandshakeAsync(ctx).Wait(withoutCancel(ctx))
	return err
}

// HandshakeAsync is [TLSConn.Handshake] as a job. The handshake holds a goroutine until it ends.
func (c *TLSConn) HandshakeAsync(ctx context.Context) *job.Job[job.Void] {
	if ctx == nil {
		ctx = context.Background()
	}
	begun, first := c.startHandshake(ctx)
	if first {
		return begun
	}
	return job.WaitAsync(ctx, begun)
}

// startHandshake returns the job of the handshake, which it begins if it is the first call.
func (c *TLSConn) startHandshake(ctx context.Context) (begun *job.Job[job.Void], first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handshake != nil {
		return c.handshake, false
	}
	p := new(promise.Promise[job.Void])
	promise.Init(&p.Job)
	c.handshake = &p.Job
	go promise.Perform(p, ctx, func() (job.Void, error) {
		defer c.wire.stopBlocking()
		return job.Void{}, c.tls.HandshakeContext(ctx)
	})
	return c.handshake, true
}

// ConnectionState returns what the handshake has agreed on, as [tls.Conn.ConnectionState] does.
// Most of it is zero before the handshake has ended.
func (c *TLSConn) ConnectionState() tls.ConnectionState { return c.tls.ConnectionState() }

// Read is [Conn.Read] for the decrypted data. It blocks; its twin is [TLSConn.ReadAsync].
func (c *TLSConn) Read(p []byte) (int, error) { return tlsRead(c, p) }

// ReadAsync is [TLSConn.Read] as a job. p belongs to the job until it has ended.
func (c *TLSConn) ReadAsync(p []byte) *job.Job[int] { return tlsReadAsync(c, p) }

// Write is [Conn.Write] for data to be encrypted. It blocks; its twin is [TLSConn.WriteAsync].
func (c *TLSConn) Write(p []byte) (int, error) { return tlsWrite(context.Background(), c, p) }

// WriteAsync is [TLSConn.Write] as a job. p belongs to the job until it has ended.
func (c *TLSConn) WriteAsync(p []byte) *job.Job[int] {
	return tlsWriteAsync(context.Background(), c, p)
}

// WriteAll is [Conn.WriteAll] for data to be encrypted. If ctx ends in the middle of a record,
// all later writes fail. It blocks; its twin is [TLSConn.WriteAllAsync].
func (c *TLSConn) WriteAll(ctx context.Context, p []byte) (int, error) {
	return tlsWrite(ctx, c, p)
}

// WriteAllAsync is [TLSConn.WriteAll] as a job, which is Canceled when ctx ends first. p belongs
// to the job until it has ended.
func (c *TLSConn) WriteAllAsync(ctx context.Context, p []byte) *job.Job[int] {
	return tlsWriteAsync(ctx, c, p)
}

// Readable is [Conn.Readable] for the decrypted data: records without data do not count. It
// blocks; its twin is [TLSConn.ReadableAsync].
func (c *TLSConn) Readable(ctx context.Context) error { return tlsReadable(ctx, c) }

// ReadableAsync is [TLSConn.Readable] as a job, which is Canceled when ctx ends first.
func (c *TLSConn) ReadableAsync(ctx context.Context) *job.Job[job.Void] {
	return tlsReadableAsync(ctx, c)
}

// CloseWrite tells the peer, after all earlier writes, that nothing more follows. Reading
// remains possible. It blocks while those writes wait; its twin is [TLSConn.CloseWriteAsync].
func (c *TLSConn) CloseWrite() error { return tlsCloseWrite(c) }

// CloseWriteAsync is [TLSConn.CloseWrite] as a job.
func (c *TLSConn) CloseWriteAsync() *job.Job[job.Void] { return tlsCloseWriteAsync(c) }

// Close sends the closing alert if the system has room for it now, and closes the connection.
// Operations that wait end with an error that matches [net.ErrClosed], and so does a second
// Close.
func (c *TLSConn) Close() error { return c.tls.Close() }

// LocalAddr returns the address on this side.
func (c *TLSConn) LocalAddr() net.Addr { return c.wire.conn.LocalAddr() }

// RemoteAddr returns the address of the peer.
func (c *TLSConn) RemoteAddr() net.Addr { return c.wire.conn.RemoteAddr() }

// SetDeadline is [Conn.SetDeadline].
func (c *TLSConn) SetDeadline(t time.Time) error { return c.wire.conn.SetDeadline(t) }

// SetReadDeadline is [Conn.SetReadDeadline].
func (c *TLSConn) SetReadDeadline(t time.Time) error { return c.wire.conn.SetReadDeadline(t) }

// SetWriteDeadline is [Conn.SetWriteDeadline]. After a write that has timed out all writes fail.
func (c *TLSConn) SetWriteDeadline(t time.Time) error { return c.wire.conn.SetWriteDeadline(t) }
