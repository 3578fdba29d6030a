//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

// The operations that crypto/tls needs of a socket; they never wait.

// check returns why no operation may begin.
func (s *socket) check(k kind) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wrap(k.name(), s.refusal(k))
}

// readNow reads what there is, or returns errNothingYet.
func (s *socket) readNow(p []byte) (int, error) {
	t := transfer{kind: reading, buf: p}
	if s.try(&t, false) != finished {
		return 0, errNothingYet
	}
	return t.n, t.err
}

// writeNow writes as much as there is room for, right before the connection is
// closed: nothing follows a partial write.
func (s *socket) writeNow(p []byte) { _ = s.try(&transfer{kind: writing, buf: p}, false) }
