//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

// extras is the part of a socket's state that few sockets need.
type extras struct {
	in, out deadline

	// Owned by the operation that has the turn to read.
	ahead   []byte // bytes that were read ahead: they are read first
	readErr error  // what the next read returns

	kept    keptConns // of a listener
	unlink  string    // the file of a Unix listener
	retry   retry
	retries uint
}

// makeExtras returns s.extras, which it makes if necessary; mu is held.
func (s *socket) makeExtras() *extras {
	if s.extras == nil {
		s.extras = new(extras)
		s.extras.in.socket, s.extras.out.socket, s.extras.retry.socket = s, s, s
		s.extras.out.outward = true
	}
	return s.extras
}

// takeAhead moves bytes that were read ahead to p. Its caller has the turn.
func (s *socket) takeAhead(p []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.extras == nil {
		return 0
	}
	n := copy(p, s.extras.ahead)
	if s.extras.ahead = s.extras.ahead[n:]; len(s.extras.ahead) == 0 {
		s.extras.ahead = nil
	}
	return n
}

func (s *socket) hasAhead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.extras != nil && (len(s.extras.ahead) > 0 || s.extras.readErr != nil)
}

// setReadErr makes the next read return err.
func (s *socket) setReadErr(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.makeExtras().readErr = err
}

func (s *socket) takeReadErr() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.extras != nil {
		err, s.extras.readErr = s.extras.readErr, nil
	}
	return err
}

// keep keeps a connection, which was accepted last, for the next accept, and lets one that waits
// have it. If the listener is closed, the connection is closed too, like one in the system's
// queue.
func (s *socket) keep(c *Conn) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		_ = c.Close()
		return
	}
	x := s.makeExtras()
	x.kept = append(x.kept, c)
	next := s.in.signal(false, s.in.drainedAt)
	s.mu.Unlock()
	next.notify()
}

// takeKept returns the connection that was kept last, or nil.
func (s *socket) takeKept() *Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.extras.kept.take()
}
