//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd) || netio_portable

package netio

import (
	"context"
	"net"
	"time"
)

// take makes a Conn that uses nc.
func take(nc net.Conn, ahead []byte) (*Conn, error) {
	if err := nc.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	return &Conn{&socket{conn: nc, ahead: append([]byte(nil), ahead...)}}, nil
}

func takeListener(l net.Listener) (*Listener, error) { return &Listener{&socket{listener: l}}, nil }

// newConn makes a Conn from the connection that t has accepted.
func (l *Listener) newConn(t *transfer) (*Conn, error) {
	if t.err != nil {
		return nil, t.err
	}
	if t.sys.kept != nil {
		return t.sys.kept, nil
	}
	return take(t.sys.accepted, nil)
}

// netConn is [Conn.NetConn].
func (s *socket) netConn() (net.Conn, error) {
	if err := s.in.Lock(context.Background()); err != nil {
		return nil, err
	}
	defer s.in.Unlock()
	if len(s.ahead) > 0 || s.readErr != nil || s.looking != nil {
		return nil, errAhead
	}
	if err := s.checkNotHandedOut(reading); err != nil {
		return nil, err
	}
	if err := s.conn.SetDeadline(time.Time{}); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handedOut = true
	return s.conn, nil
}
