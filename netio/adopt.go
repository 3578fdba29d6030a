package netio

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// ErrNotAdoptable is matched by the error of [Adopt] for a connection that has no
// descriptor of its own.
var ErrNotAdoptable = errors.New("netio: the connection cannot be adopted")

// errAhead is the error with which NetConn refuses.
var errAhead = errors.New("netio: bytes that were read ahead are still to be read, and would be lost; read them before NetConn")

// Adopt turns a [net.Conn] into a connection of this package: one that another library made, or
// one from [net/http.Hijacker]. ahead holds the bytes that were already read from it; they are
// read first:
//
//	nc, rw, err := http.NewResponseController(w).Hijack()
//	…
//	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered())
//	c, err := netio.Adopt(nc, ahead...)
//
// After that the handler may return, which ends its request's context: use another context to
// serve the connection. After success nc must not be used anymore; after an error nc is
// unchanged. Deadlines are not carried over. No other goroutine may use nc during the call. A
// connection without a descriptor, such as those of net.Pipe and crypto/tls, is refused with
// [ErrNotAdoptable].
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

// NetConn is the reverse of [Adopt]: it returns the connection as one of package
// net, and ends c. Deadlines are not carried over. No operation may be waiting on
// c. If c still has bytes that were read ahead (the second parameter of Adopt),
// NetConn fails and c is unchanged.
func (c *Conn) NetConn() (net.Conn, error) { return c.socket.netConn() }
