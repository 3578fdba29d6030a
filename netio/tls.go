package netio

import (
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// # crypto/tls without a goroutine
//
// A tls.Conn reads from the connection beneath until it has a record, and blocks there. But what it has read so far it keeps,
// and an error that is a net.Error and says that it is temporary is not final: the next Read goes on in the middle of the
// record. So the connection beneath, as tls.Conn sees it (wire), never blocks. Where there is nothing to read it
// says so by such an error, and the machine waits outside, with nothing of crypto/tls on any stack.
//
//	a read                                      a write
//	 1. take the turn to read                    1. take the turn to write
//	 2. tls.Conn.Read: records from the wire     2. tls.Conn.Write of a part: records into out
//	 3. out is not empty: flush                  3. flush
//	 4. there is data, or an end: return         4. again from 2
//	 5. wait until the wire is readable
//	 6. again from 2
//
// Writing is the other half. To tell tls.Conn that there is no room is final for it, since it can not know how much of a
// record went out. So the wire takes everything, into out, and it is bounded because neither list goes on before
// out is flushed: it holds one part of a write, and the answers to the records of one read. A peer that floods us with
// records which want an answer (a key update), and does not read, stops being read.
//
// The order of what is sent is that in which tls.Conn made it: it appends to out under its own lock, and who flushes takes
// all of out, under the turn to write.
//
// The handshake is different: it reads and writes in the middle of its own stack. It has a goroutine
// until it is over, and the wire blocks as long.

// TLSConn is a [Conn] with TLS, by package crypto/tls: [Server] and [Client] make one. While it idles it
// holds no goroutine; crypto/tls keeps its keys, and a buffer that has the size of the records that have come.
//
// It is a [net.Conn]. All methods may be called by many at a time, and reads and writes are served in the order in which they came.
// The handshake is made by the first call that needs it. After a write that has failed or timed out all
// writes fail, as with crypto/tls. It must be closed.
type TLSConn struct {
	wire *wire
	tls  *tls.Conn

	in, out coord.Mutex // the turns
	peeked  []byte      // read by Readable; belongs to who has the turn to read

	mu        sync.Mutex
	handshake *job.Job[job.Void]
	broken    error // why all writes fail
}

var _ net.Conn = (*TLSConn)(nil)

// Server makes the side of a server on c, which belongs to the result from then on. config is that of [tls.Server]. It
// does not block.
func Server(c *Conn, config *tls.Config) *TLSConn { return newTLS(c, config, tls.Server) }

// Client makes the side of a client on c, which belongs to the result from then on. config is that of [tls.Client]: it
// has a ServerName, or InsecureSkipVerify. It does not block.
func Client(c *Conn, config *tls.Config) *TLSConn { return newTLS(c, config, tls.Client) }

func newTLS(c *Conn, config *tls.Config, side func(net.Conn, *tls.Config) *tls.Conn) *TLSConn {
	w := &wire{conn: c, blocks: true}
	return &TLSConn{wire: w, tls: side(w, config)}
}

// Handshake makes the handshake, or returns how it has ended. If ctx ends while it goes on, it fails, and the
// connection is closed. It blocks; its twin is [TLSConn.HandshakeAsync].
func (c *TLSConn) Handshake(ctx context.Context) error {
	_, err := c.HandshakeAsync(ctx).Wait(withoutEnd(ctx))
	return err
}

// HandshakeAsync is [TLSConn.Handshake] as a job. It holds a goroutine until it ends. The ctx of the first call counts. It does not block.
func (c *TLSConn) HandshakeAsync(ctx context.Context) *job.Job[job.Void] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handshake != nil {
		return c.handshake
	}
	if ctx == nil {
		ctx = context.Background()
	}
	p := new(job.Promise[job.Void])
	p.Init()
	c.handshake = p.Job()
	go func() {
		err := c.tls.HandshakeContext(ctx)
		c.wire.free()
		told, _ := p.TryComplete(ctx, job.Void{}, err)
		told.Deliver(nil)
	}()
	return c.handshake
}

// ConnectionState returns what the handshake has agreed on, as [tls.Conn.ConnectionState] does.
// Before its end that is little. It does not block.
func (c *TLSConn) ConnectionState() tls.ConnectionState { return c.tls.ConnectionState() }

// Read is [Conn.Read] for what was decrypted. It blocks; its twin is [TLSConn.ReadAsync].
func (c *TLSConn) Read(p []byte) (int, error) { return decrypted(c, p) }

// ReadAsync is [TLSConn.Read] as a job. p belongs to the job until it has ended. It does not block.
func (c *TLSConn) ReadAsync(p []byte) *job.Job[int] { return decryptedAsync(c, p) }

// Write is [Conn.Write] for what is encrypted. It blocks; its twin is [TLSConn.WriteAsync].
func (c *TLSConn) Write(p []byte) (int, error) { return encrypted(c, p) }

// WriteAsync is [TLSConn.Write] as a job. p belongs to the job until it has ended. It does not block.
func (c *TLSConn) WriteAsync(p []byte) *job.Job[int] { return encryptedAsync(c, p) }

// Readable is [Conn.Readable] for what was decrypted: records without data do not count. It blocks; its twin is
// [TLSConn.ReadableAsync].
func (c *TLSConn) Readable(ctx context.Context) error { return decryptable(ctx, c) }

// ReadableAsync is [TLSConn.Readable] as a job, which is Canceled when ctx ends first. It does not block.
func (c *TLSConn) ReadableAsync(ctx context.Context) *job.Job[job.Void] {
	return decryptableAsync(ctx, c)
}

// CloseWrite tells the peer that nothing more comes, after the writes that came before it. Reading goes on. It blocks
// while those writes wait; its twin is [TLSConn.CloseWriteAsync].
func (c *TLSConn) CloseWrite() error { return finished(c) }

// CloseWriteAsync is [TLSConn.CloseWrite] as a job. It does not block.
func (c *TLSConn) CloseWriteAsync() *job.Job[job.Void] { return finishedAsync(c) }

// Close tells the peer, if the system has room for that now, and closes the connection. Whatever waits for
// it ends with an error that matches [net.ErrClosed], and so does a second Close. It does not block.
func (c *TLSConn) Close() error { return c.tls.Close() }

// LocalAddr returns the address on this side. It does not block.
func (c *TLSConn) LocalAddr() net.Addr { return c.wire.conn.LocalAddr() }

// RemoteAddr returns the address of the peer. It does not block.
func (c *TLSConn) RemoteAddr() net.Addr { return c.wire.conn.RemoteAddr() }

// SetDeadline is [Conn.SetDeadline].
func (c *TLSConn) SetDeadline(t time.Time) error { return c.wire.conn.SetDeadline(t) }

// SetReadDeadline is [Conn.SetReadDeadline].
func (c *TLSConn) SetReadDeadline(t time.Time) error { return c.wire.conn.SetReadDeadline(t) }

// SetWriteDeadline is [Conn.SetWriteDeadline]. After a write that has timed out all writes fail.
func (c *TLSConn) SetWriteDeadline(t time.Time) error { return c.wire.conn.SetWriteDeadline(t) }
