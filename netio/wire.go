package netio

import (
	"net"
	"sync"
	"time"
)

// wire is the connection beneath, as crypto/tls sees it.
type wire struct {
	conn  *Conn
	asked bool // crypto/tls was told that there is nothing yet; guarded by the turn to read
	shut  bool // there is nothing for now, without asking the system; guarded as asked is

	mu     sync.Mutex
	blocks bool // during the handshake
	out    *[]byte
}

// outBuffers are buffers for data to be sent.
var outBuffers = sync.Pool{New: func() any { return new([]byte) }}

func putOut(b *[]byte) {
	*b = (*b)[:0]
	outBuffers.Put(b)
}

// errNothingYet is the wire's error where it would have to block. crypto/tls
// checks whether the error itself is a net.Error, so it must not be wrapped.
var errNothingYet net.Error = nothingYetError{}

type nothingYetError struct{}

func (nothingYetError) Error() string { return "netio: there is nothing to read yet" }

func (nothingYetError) Timeout() bool { return false }

func (nothingYetError) Temporary() bool { return true }

func (w *wire) blocking() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.blocks
}

// stopBlocking makes the wire stop blocking.
func (w *wire) stopBlocking() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.blocks = false
}

// Read implements net.Conn.
func (w *wire) Read(p []byte) (int, error) {
	if w.blocking() {
		return w.conn.Read(p)
	}
	if w.shut {
		w.asked = true
		return 0, errNothingYet
	}
	n, err := w.conn.socket.readNow(p)
	w.asked = w.asked || err == errNothingYet
	return n, err
}

// Write implements net.Conn: it accepts all of p.
func (w *wire) Write(p []byte) (int, error) {
	if w.blocking() {
		return w.conn.Write(p)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.out == nil {
		w.out = outBuffers.Get().(*[]byte)
	}
	*w.out = append(*w.out, p...)
	return len(p), nil
}

// hasOutput reports whether there is something to send.
func (w *wire) hasOutput() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out != nil
}

// take takes the data to be sent, or nil.
func (w *wire) take() *[]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.out
	w.out = nil
	return b
}

// putBack puts what b has from index n on in front of the data to be sent.
func (w *wire) putBack(b *[]byte, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*b = append((*b)[:0], (*b)[n:]...)
	if w.out != nil {
		*b = append(*b, *w.out...)
		putOut(w.out)
	}
	w.out = b
}

// Close implements net.Conn. The closing alert is sent if that need not wait.
func (w *wire) Close() error {
	if b := w.take(); b != nil {
		w.conn.socket.writeNow(*b)
		putOut(b)
	}
	return w.conn.Close()
}

// LocalAddr implements net.Conn.
func (w *wire) LocalAddr() net.Addr { return w.conn.LocalAddr() }

// RemoteAddr implements net.Conn.
func (w *wire) RemoteAddr() net.Addr { return w.conn.RemoteAddr() }

// SetDeadline implements net.Conn. crypto/tls bounds its closing alert by a
// deadline; no write waits here.
func (w *wire) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.Conn.
func (w *wire) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.Conn.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }
