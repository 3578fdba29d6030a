//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"net"
	"syscall"
)

// # Closing
//
//	Close                                 an operation
//	 1. lock; closed = true                1. lock; closed: fail. inside++; unlock
//	 2. take all out of the queues         2. system calls
//	 3. end the registration: remove it    3. lock; inside--
//	    from epoll, advance the            4. inside is 0 and closed: close the descriptor
//	    generation of its slot
//	 4. inside is 0: close the descriptor
//	 5. unlock; notify those of step 2
//
// Proof. The descriptor is closed once: by step 4 on the left if inside is 0
// then, after which no operation gets past step 1; otherwise by the last
// operation that reaches step 4 on the right. So no system call uses a number
// that the system has given to another socket. An event that was fetched before
// step 3 and is handled later names a slot of an older generation: it is dropped,
// even if the slot and the descriptor are in use again.

// close is [Conn.Close]; the error is net.ErrClosed if it was closed before.
func (s *socket) close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return s.wrap("close", net.ErrClosed)
	}
	s.closed = true
	var few [4]*operation
	ended := s.in.takeAll(few[:0], s.wrap("read", net.ErrClosed))
	ended = s.out.takeAll(ended, s.wrap("write", net.ErrClosed))
	s.disarm()
	var kept keptConns
	if s.extras != nil {
		kept, s.extras.kept = s.extras.kept, nil
		if s.extras.unlink != "" {
			_ = syscall.Unlink(s.extras.unlink)
		}
	}
	s.poller.unregister(s)
	if s.inside == 0 {
		_ = syscall.Close(s.fd)
	}
	s.mu.Unlock()
	for _, o := range ended {
		o.notify()
	}
	kept.close()
	return nil
}

// leave ends an operation's system calls, and closes the descriptor if close left that to it.
func (s *socket) leave() {
	s.inside--
	if s.inside == 0 && s.closed {
		_ = syscall.Close(s.fd)
	}
}
