package netio

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// ErrNotAdoptable is what the error of [Adopt] matches for a connection that has no descriptor of its own.
var ErrNotAdoptable = errors.New("netio: the connection can not be adopted")

// errAhead is why NetConn refuses.
var errAhead = errors.New("netio: bytes that were read ahead are still to be read, and would be lost; read them before NetConn")

// Adopt makes a connection of package net one of this package: one of another library, or what [http.Hijacker] gave. ahead
// is what was read from it already; it is read first:
//
//	nc, rw, err := http.NewResponseController(w).Hijack()
//	…
//	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
//	c, err := netio.Adopt(nc, ahead...)
//
// The handler may return then, and its request's context ends with that: what serves the connection needs another
// context. After success nc must not be used any more: the connection goes on in the result; after an error nc is
// as it was. Deadlines are not carried over. Nothing else may use nc meanwhile. A connection without a descriptor, as net.Pipe and crypto/tls
// make them, is refused with [ErrNotAdoptable]. It does not block.
func Adopt(nc net.Conn, ahead ...byte) (*Conn, error) {
	switch nc := nc.(type) {
	case nil:
		return nil, fmt.Errorf("%w: it is nil", ErrNotAdoptable)
	case *Conn:
		return nil, fmt.Errorf("%w: it is a *netio.Conn already; use it as it is", ErrNotAdoptable)
	case *tls.Conn:
		return nil, fmt.Errorf("%w: a %T keeps what it has decrypted and has no descriptor; adopt the connection below it and pass that to Server or Client",
			ErrNotAdoptable, nc)
	}
	if _, ok := nc.(syscall.Conn); !ok {
		return nil, fmt.Errorf("%w: a %T has no descriptor to wait for; adopt the TCP or Unix connection beneath, or serve this one on a goroutine of its own",
			ErrNotAdoptable, nc)
	}
	return take(nc, ahead)
}

// NetConn is the way back: it returns the connection as one of package net, and ends c. Deadlines
// are not carried over. Nothing may wait for c. If c has bytes that were read ahead, which is so
// after [Adopt] until they are read, it fails, and c is as it was. It does not block.
func (c *Conn) NetConn() (net.Conn, error) { return c.end.netConn() }
