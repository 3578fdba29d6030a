//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd) || netio_portable

package netio

import "time"

// The operations that crypto/tls needs of a socket; they never wait.

// check returns why no operation may begin. Only write looks whether it is late: what has refused
// a record of TLS there refuses all that would follow it.
func (s *socket) check(k kind) error {
	if err := s.checkNotHandedOut(k); err != nil || k.outward() {
		return err
	}
	return s.checkDeadline(k)
}

// readNow reads what there is, or returns errNothingYet.
func (s *socket) readNow(p []byte) (int, error) {
	if !s.in.TryLock() {
		return 0, errNothingYet
	}
	defer s.in.Unlock()
	if s.looking != nil && !s.looking.IsCompleted() || s.looking == nil && len(s.ahead) == 0 && s.readErr == nil {
		return 0, errNothingYet
	}
	return s.Read(p)
}

// lastWriteTimeout is the time that the last write may take.
const lastWriteTimeout = 5 * time.Second

// writeNow writes p right before the connection is closed, unless another write
// is under way.
func (s *socket) writeNow(p []byte) {
	if !s.out.TryLock() {
		return
	}
	defer s.out.Unlock()
	if s.conn.SetWriteDeadline(time.Now().Add(lastWriteTimeout)) == nil {
		_, _ = s.conn.Write(p)
	}
}
