package simnet

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/movenext/movenext/job"
)

// stream is one direction of a connection.
type stream struct {
	net   *Network
	other *stream

	mu           sync.Mutex // guards the fields below
	sent         []byte     // in transit
	fin          bool       // so is the end
	inTransit    bool       // a courier is running
	arrived      []byte
	ended        bool  // all data has arrived
	closing      bool  // no more writes
	readerClosed bool  // the reader has closed: no more reads
	writerClosed bool  // the writer has closed its connection
	broken       error // the connection was reset
	changed      gate
}

func newStream(n *Network) *stream { return &stream{net: n} }

// read takes data that has arrived. If there is none, it returns a job that ends when the call is
// worth repeating.
func (s *stream) read(p []byte, limit *deadline) (int, *job.Job[job.Void], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.readerClosed:
		return 0, nil, net.ErrClosed
	case limit.passed:
		return 0, nil, os.ErrDeadlineExceeded
	case len(p) == 0:
		return 0, nil, nil
	case len(s.arrived) > 0:
		n := copy(p[:s.chooseSize(min(len(p), len(s.arrived)))], s.arrived)
		s.arrived = s.arrived[n:]
		s.changed.open() // there is space
		return n, nil, nil
	case s.broken != nil:
		return 0, nil, s.broken
	case s.ended:
		return 0, nil, io.EOF
	}
	return 0, s.changed.wait(), nil
}

// chooseSize chooses how much of n bytes a read returns.
func (s *stream) chooseSize(n int) int {
	if !s.net.short || n < 2 {
		return n
	}
	return [3]int{n, 1, n / 2}[s.net.pick(3)]
}

func (s *stream) readable(limit *deadline) (*job.Job[job.Void], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.readerClosed || len(s.arrived) > 0 || s.broken != nil || s.ended:
		return nil, nil
	case limit.passed:
		return nil, os.ErrDeadlineExceeded
	}
	return s.changed.wait(), nil
}

// write sends as much of p as there is space for. If there is none, it returns a job that ends
// when the call is worth repeating.
func (s *stream) write(p []byte, limit *deadline) (int, *job.Job[job.Void], error) {
	if len(p) > 0 && s.net.fails(Reset) {
		s.reset()
		s.other.reset()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.writerClosed:
		return 0, nil, net.ErrClosed
	case limit.passed:
		return 0, nil, os.ErrDeadlineExceeded
	case s.broken != nil || s.closing || s.readerClosed:
		return 0, nil, syscall.EPIPE
	}
	n := min(len(p), s.net.capacity-len(s.sent)-len(s.arrived))
	if n == 0 && len(p) > 0 {
		return 0, s.changed.wait(), nil
	}
	s.sent = append(s.sent, p[:n]...)
	s.deliver()
	return n, nil, nil
}

// end ends the direction, after the data in transit.
func (s *stream) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.writerClosed {
		return net.ErrClosed
	}
	if !s.closing {
		s.closing, s.fin = true, true
		s.deliver()
	}
	return nil
}

// closeWriter is end for a closed connection.
func (s *stream) closeWriter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writerClosed = true
	s.changed.open()
}

// closeReader records, once, that the reader has closed.
func (s *stream) closeReader() (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first = !s.readerClosed
	s.readerClosed, s.arrived = true, nil
	s.changed.open()
	return first
}

// reset drops the data in transit and notifies both ends.
func (s *stream) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = syscall.ECONNRESET
	s.sent, s.arrived = nil, nil
	s.changed.open()
}

// deliver delivers sent data to the other side; mu is held. Without a latency it does so at once,
// and otherwise with a courier.
func (s *stream) deliver() {
	if s.inTransit {
		return
	}
	if s.net.maxLatency == 0 && !s.net.fails(Loss) {
		s.arrive(len(s.sent))
		return
	}
	s.inTransit = true
	_ = s.courierAsync(context.WithoutCancel(s.net.ctx)) // ends when nothing is in transit
}

// courier delivers sent data to the other side. Data written during a journey is delivered by the
// next one, so the order is kept.
//
//movenext:async
func (s *stream) courier(ctx context.Context) {
	job.Yield() // the caller holds mu
	for {
		n, latency := s.startJourney()
		if latency > 0 {
			_ = job.Sleep(ctx, latency)
		}
		if !s.finishJourney(n) {
			return
		}
	}
}

// startJourney returns how much this journey delivers, and how long it takes.
func (s *stream) startJourney() (n int, latency time.Duration) {
	latency = s.net.latency()
	if s.net.maxLatency == 0 || s.net.fails(Loss) {
		latency += retransmission
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sent), latency
}

// retransmission is the time until a loss is noticed and repaired.
const retransmission = 200 * time.Millisecond

// finishJourney delivers n bytes, and reports whether more data is in transit.
func (s *stream) finishJourney(n int) (more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arrive(min(n, len(s.sent)))
	s.inTransit = len(s.sent) > 0 || s.fin
	return s.inTransit
}

// arrive delivers n bytes, and the end after the last one; mu is held.
func (s *stream) arrive(n int) {
	if !s.readerClosed && s.broken == nil {
		s.arrived = append(s.arrived, s.sent[:n]...)
	}
	s.sent = s.sent[n:]
	if s.fin && len(s.sent) == 0 {
		s.fin, s.ended = false, true
	}
	s.changed.open()
}
