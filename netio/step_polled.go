//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
)

// systemPart is the part of a transfer that this system needs besides its buffer.
type systemPart struct {
	extras bool // the socket may have bytes that were read ahead, or a saved error
	proven bool // see direction

	// Accepted: a descriptor, and the other end's address, of which a Unix socket
	// has only the name. Or a connection that the listener has kept.
	kept *Conn
	fd   int
	from netip.AddrPort
	name string
}

// step makes system calls until the transfer is done, or until the socket would block: then done
// is false. An error of the transfer ends it. drained says that a short read has shown that
// nothing is left.
func (t *transfer) step(s *socket) (done, drained bool) {
	switch t.kind {
	case reading, filling:
		return t.read(s)
	case looking:
		return t.look(s)
	case accepting:
		return t.accept(s), false
	case shutting:
		t.err = s.wrap("shutdown", os.NewSyscallError("shutdown", syscall.Shutdown(s.fd, syscall.SHUT_WR)))
		return true, false
	default:
		return t.write(s), false
	}
}

func (t *transfer) read(s *socket) (done, drained bool) {
	if len(t.buf) == 0 {
		return true, false // the result of an empty read would look like the end
	}
	if t.sys.extras {
		t.n += s.takeAhead(t.buf[t.n:])
		if t.n > 0 && t.kind == reading || t.n == len(t.buf) {
			return true, false
		}
		if t.err = s.takeReadErr(); t.err != nil {
			return true, false
		}
	}
	for {
		want := t.buf[t.n:]
		want = want[:min(len(want), maxCall)]
		n, err := recv(s.fd, want)
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			return false, true
		case err != nil:
			t.err = s.wrap("read", os.NewSyscallError("read", err))
			return true, false
		case n == 0 && s.stream:
			t.err = io.EOF
			if t.n > 0 {
				t.err = io.ErrUnexpectedEOF
			}
			return true, false
		}
		t.n += n
		drained = s.stream && n < len(want)
		if t.kind == reading || t.n == len(t.buf) {
			return true, drained
		}
	}
}

func (t *transfer) look(s *socket) (done, drained bool) {
	if t.sys.proven || t.sys.extras && s.hasAhead() {
		return true, false
	}
	for {
		err := peek(s.fd)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			return false, true
		case nil:
			return true, false
		}
		// The system reports an error once, and it belongs to the next read.
		s.setReadErr(s.wrap("read", os.NewSyscallError("read", err)))
		return true, false
	}
}

// maxCall limits the bytes of one system call: some systems refuse 2 GB and more.
const maxCall = 1 << 30

func (t *transfer) write(s *socket) (done bool) {
	for {
		rest := t.buf[t.n:]
		n, err := send(s.fd, rest[:min(len(rest), maxCall)])
		switch {
		case err == syscall.EINTR:
			continue
		case err == syscall.EAGAIN:
			return false
		case err != nil:
			t.err = s.wrap("write", os.NewSyscallError("write", err))
			return true
		}
		t.n += n
		if t.n == len(t.buf) {
			return true
		}
		if n == 0 {
			t.err = io.ErrUnexpectedEOF
			return true
		}
	}
}

func (t *transfer) accept(s *socket) (done bool) {
	if t.sys.extras {
		if t.sys.kept = s.takeKept(); t.sys.kept != nil {
			return true
		}
	}
	for {
		fd, from, err := accept(s.fd)
		switch err {
		case nil:
			s.resetRetries()
			t.sys.fd = fd
			t.sys.from, t.sys.name = addressOf(from)
			return true
		case syscall.EINTR, syscall.ECONNABORTED: // the peer has given up in the queue
			continue
		case syscall.EAGAIN:
			return false
		case syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM:
			s.retryLater()
			return false
		}
		t.err = s.wrap("accept", os.NewSyscallError(acceptCall, err))
		return true
	}
}

// wrap returns err in the form in which package net returns it; nil stays nil.
func (s *socket) wrap(op string, err error) error {
	if err == nil {
		return nil
	}
	return &net.OpError{Op: op, Net: s.network, Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: err}
}
