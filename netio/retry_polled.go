//go:build (linux || darwin || dragonfly || freebsd || netbsd || openbsd) && !netio_portable

package netio

import (
	"time"

	"github.com/movenext/movenext/schedulers"
)

// retry makes accepting continue some time after the system had no descriptor or
// no memory left. Connections that wait in the backlog cause no new event.
type retry struct {
	socket *socket
	armed  bool
	timer  schedulers.Timer
}

const (
	firstRetry = 5 * time.Millisecond
	lastRetry  = time.Second
)

// retryLater arms the timer. It is called by the operation that has the turn.
func (s *socket) retryLater() {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.makeExtras()
	if s.closed || r.retry.armed {
		return
	}
	pause := min(firstRetry<<min(r.retries, 8), lastRetry)
	r.retries++
	r.retry.armed = true
	r.retry.timer.OnExpire = &r.retry
	s.poller.timers.StartTimer(&r.retry.timer, pause)
}

// resetRetries resets the pause after a successful accept.
func (s *socket) resetRetries() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.extras != nil {
		s.extras.retries = 0
	}
}

// Expire implements schedulers.Expirer.
func (r *retry) Expire(*schedulers.Timer) {
	r.socket.mu.Lock()
	r.armed = false
	closed := r.socket.closed
	r.socket.mu.Unlock()
	if !closed {
		r.socket.event(readable, 0)
	}
}
