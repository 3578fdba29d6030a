//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

// rare is the state that few sockets need.
type rare struct {
	in, out deadline

	// Owned by the operation that has the turn to read.
	ahead []byte // is read first
	kept  error  // is returned by the next read

	unlink  string // the file of a Unix listener
	retry   retry
	retries uint
}

// needed returns s.rare, which it makes if necessary; mu is held.
func (s *socket) needed() *rare {
	if s.rare == nil {
		s.rare = new(rare)
		s.rare.in.of, s.rare.out.of, s.rare.retry.of = s, s, s
		s.rare.out.outward = true
	}
	return s.rare
}

// takeAhead moves bytes that were read ahead to p. Its caller has the turn.
func (s *socket) takeAhead(p []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rare == nil {
		return 0
	}
	n := copy(p, s.rare.ahead)
	if s.rare.ahead = s.rare.ahead[n:]; len(s.rare.ahead) == 0 {
		s.rare.ahead = nil
	}
	return n
}

func (s *socket) hasAhead() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rare != nil && (len(s.rare.ahead) > 0 || s.rare.kept != nil)
}

// keep makes the next read return err.
func (s *socket) keep(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.needed().kept = err
}

func (s *socket) takeKept() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.rare != nil {
		err, s.rare.kept = s.rare.kept, nil
	}
	return err
}
