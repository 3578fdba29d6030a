//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd) || netio_portable

package netio

import (
	"context"
	"net"
	"time"
)

func (s *socket) close() error {
	if s.listener == nil {
		return s.conn.Close()
	}
	err := s.listener.Close()
	s.mu.Lock()
	kept := s.kept
	s.kept, s.keepsNone = nil, true
	s.mu.Unlock()
	kept.close()
	go s.dropAccepted()
	return err
}

// dropAccepted closes a connection that was accepted for a waiter that had given up, and
// that no other waiter has taken.
func (s *socket) dropAccepted() {
	if s.in.Lock(context.Background()) != nil {
		return
	}
	defer s.in.Unlock()
	if s.accepting == nil {
		return
	}
	nc, err := s.accepting.Await()
	s.accepting = nil
	if err == nil {
		_ = nc.Close()
	}
}

// LocalAddr returns the address on this side.
func (s *socket) LocalAddr() net.Addr {
	if s.listener != nil {
		return s.listener.Addr()
	}
	return s.conn.LocalAddr()
}

// RemoteAddr returns the address of the peer, or nil.
func (s *socket) RemoteAddr() net.Addr {
	if s.listener != nil {
		return nil
	}
	return s.conn.RemoteAddr()
}

func (s *socket) setDeadlines(t time.Time, in, out bool) error {
	if err := s.checkNotHandedOut(reading); err != nil {
		return err
	}
	if in {
		s.mu.Lock()
		s.readUntil = t
		s.mu.Unlock()
		if err := s.conn.SetReadDeadline(t); err != nil {
			return err
		}
	}
	if out {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.writeUntil = t
		if !s.writeCut {
			return s.conn.SetWriteDeadline(t)
		}
	}
	return nil
}
