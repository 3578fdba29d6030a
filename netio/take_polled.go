//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// take makes a Conn of nc: it duplicates the descriptor and closes nc. It cannot
// use the descriptor itself, since package net polls that too. It is tempting to
// duplicate it with File().Fd(), but that makes the file description that the two
// share a blocking one.
func take(nc net.Conn, ahead []byte) (*Conn, error) {
	s, err := adoptSocket(nc.(syscall.Conn), nc.LocalAddr(), func(s *socket) error {
		if len(ahead) > 0 {
			s.makeExtras().ahead = append([]byte(nil), ahead...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	_ = nc.Close() // its descriptor; the connection is open
	return &Conn{s}, nil
}

// adoptSocket makes a socket of a duplicate of c's descriptor. The poller knows it after prepare.
func adoptSocket(c syscall.Conn, local net.Addr, prepare func(*socket) error) (*socket, error) {
	fd, err := duplicateOf(c)
	if err != nil {
		return nil, err
	}
	s := &socket{fd: fd, network: local.Network()}
	err = s.queryProperties()
	if err == nil {
		err = prepare(s)
	}
	if err == nil {
		err = register(s)
	}
	if err != nil {
		_ = syscall.Close(fd)
		return nil, err
	}
	return s, nil
}

// duplicateOf returns a duplicate of c's descriptor.
func duplicateOf(c syscall.Conn) (int, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	return duplicate(raw.Control)
}

// queryProperties queries the system for the properties of s. It refuses anything but a socket.
func (s *socket) queryProperties() error {
	typ, err := syscall.GetsockoptInt(s.fd, syscall.SOL_SOCKET, syscall.SO_TYPE)
	if err != nil {
		return fmt.Errorf("%w: it is not a socket: %w", ErrNotAdoptable, os.NewSyscallError("getsockopt", err))
	}
	s.stream = typ == syscall.SOCK_STREAM
	if local, err := syscall.Getsockname(s.fd); err == nil {
		s.addrs.local, s.addrs.localName = addressOf(local)
	}
	if remote, err := syscall.Getpeername(s.fd); err == nil {
		s.addrs.remote, s.addrs.remoteName = addressOf(remote)
	}
	return nil
}

// takeListener makes a Listener of l, as take makes a Conn.
func takeListener(l net.Listener) (*Listener, error) {
	defer func() { _ = l.Close() }()
	s, err := adoptSocket(l.(syscall.Conn), l.Addr(), (*socket).setInheritedOptions)
	if err != nil {
		return nil, err
	}
	if u, ok := l.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(false)
		if name := s.addrs.localName; name != "" && name[0] != '@' {
			s.makeExtras().unlink = name
		}
	}
	return &Listener{s}, nil
}

// setInheritedOptions sets the options that connections inherit from their listener: small
// writes go out at once and idle peers are probed. Package net sets the same for
// each connection, in five system calls.
func (s *socket) setInheritedOptions() error {
	if s.isUnix() {
		return nil
	}
	set := func(level, option, value int) error {
		return os.NewSyscallError("setsockopt", syscall.SetsockoptInt(s.fd, level, option, value))
	}
	err := errors.Join(
		set(syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1),
		set(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, 1),
	)
	for _, o := range probing {
		err = errors.Join(err, set(syscall.IPPROTO_TCP, o.name, o.value))
	}
	return err
}

// option is an option of TCP.
type option struct{ name, value int }

// When idle peers are probed, as in package net.
const (
	probeAfter = 15 // seconds, also between two probes
	probes     = 9
)

// newConn makes a Conn from the connection that t has accepted.
func (l *Listener) newConn(t *transfer) (*Conn, error) {
	if t.err != nil {
		return nil, t.err
	}
	if t.sys.kept != nil {
		return t.sys.kept, nil
	}
	s := &socket{fd: t.sys.fd, stream: true, network: l.socket.network}
	s.addrs.remote, s.addrs.remoteName = t.sys.from, t.sys.name
	s.addrs.local, s.addrs.localName = l.socket.addrs.local, l.socket.addrs.localName
	if s.addrs.local.IsValid() && s.addrs.local.Addr().IsUnspecified() {
		if local, err := syscall.Getsockname(s.fd); err == nil {
			s.addrs.local, s.addrs.localName = addressOf(local)
		}
	}
	if err := register(s); err != nil {
		_ = syscall.Close(s.fd)
		return nil, s.wrap("accept", err)
	}
	return &Conn{s}, nil
}

// netConn is [Conn.NetConn].
func (s *socket) netConn() (net.Conn, error) {
	if s.hasAhead() {
		return nil, errAhead
	}
	fd, err := duplicate(s.control)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), "socket")
	defer func() { _ = file.Close() }()
	nc, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	_ = s.close()
	return nc, nil
}

// control calls f with the descriptor, which stays open while f runs.
func (s *socket) control(f func(fd uintptr)) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return s.wrap("raw-control", net.ErrClosed)
	}
	s.inside++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.leave()
	}()
	f(uintptr(s.fd))
	return nil
}
