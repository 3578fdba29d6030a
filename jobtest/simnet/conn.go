package simnet

import (
	"context"
	"io"
	"net"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// Conn is an end of a connection. It implements net.Conn; Read and Write have twins, and
// so has Readable. Its reads are served in the order of the calls, and so are its writes.
// Errors are those of package net: a deadline is a net.Error, Close ends what waits with
// net.ErrClosed, a broken connection is syscall.ECONNRESET or syscall.EPIPE.
//
// All methods are safe for concurrent use.
type Conn struct {
	in, out         *stream
	local, remote   address
	reading         coord.Mutex
	writing         coord.Mutex
	readBy, writeBy deadline
}

// pipe returns both ends of a new connection.
func pipe(n *Network, client, server address) (c, s *Conn) {
	up, down := newStream(n), newStream(n)
	c = &Conn{in: down, out: up, local: client, remote: server}
	s = &Conn{in: up, out: down, local: server, remote: client}
	up.other, down.other = down, up
	c.readBy, c.writeBy = deadline{stream: down}, deadline{stream: up}
	s.readBy, s.writeBy = deadline{stream: up}, deadline{stream: down}
	return c, s
}

func clientAddress(n int) address { return address("client:" + strconv.Itoa(n)) }

// The receivers of the entries for generated code, which documentation does not show: see
// package coord.
type (
	conn     = Conn
	listener = Listener
	network  = Network
)

// Read reads what has arrived, up to len(p) bytes. It returns io.EOF when the peer has
// ended its direction. It blocks; its twin is ReadAsync.
func (c *Conn) Read(p []byte) (int, error) { return readSome(c, p) }

// ReadAsync is [Conn.Read] as a job. It does not block.
func (c *Conn) ReadAsync(p []byte) *job.Job[int] { return readSomeAsync(c, p) }

// ReadEnter is [Conn.Read] as generated machines call it.
func (c *conn) ReadEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	m, n, err := readSomeEnter(r, c, p)
	return statemachine.WaitingFor(m), n, err
}

//movenext:async
func readSome(c *Conn, p []byte) (int, error) {
	if err := c.reading.Lock(context.Background()); err != nil {
		return 0, err
	}
	defer c.reading.Unlock()
	for {
		n, wait, err := c.in.read(p, &c.readBy)
		if wait == nil {
			return n, c.wrapError("read", err)
		}
		if _, err := wait.Await(); err != nil {
			return 0, err
		}
	}
}

// Readable waits until a read would return data, the end, or an error other than that of a
// deadline. It returns nil, or why ctx ended, or the error of the read deadline. It blocks;
// its twin is ReadableAsync. A nil ctx is context.Background.
func (c *Conn) Readable(ctx context.Context) error { return waitReadable(ctx, c) }

// ReadableAsync is [Conn.Readable] as a job, which is Canceled when ctx ends first. It does
// not block.
func (c *Conn) ReadableAsync(ctx context.Context) *job.Job[job.Void] {
	return waitReadableAsync(ctx, c)
}

// ReadableEnter is [Conn.Readable] as generated machines call it.
func (c *conn) ReadableEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	m, err := waitReadableEnter(r, ctx, c)
	return statemachine.WaitingForVoid(m), err
}

//movenext:async
func waitReadable(ctx context.Context, c *Conn) error {
	if ctx == nil {
		ctx = context.Background()
	}
	for {
		wait, err := c.in.readable(&c.readBy)
		if wait == nil {
			return c.wrapError("read", err)
		}
		if _, err := job.WaitAsync(ctx, wait).Await(); err != nil {
			return err
		}
	}
}

// Write writes all of p, and waits while the peer does not read. It returns how much was
// written: less than all only with an error. It blocks; its twin is WriteAsync.
func (c *Conn) Write(p []byte) (written int, err error) { return writeAll(c, p) }

// WriteAsync is [Conn.Write] as a job. It does not block.
func (c *Conn) WriteAsync(p []byte) *job.Job[int] { return writeAllAsync(c, p) }

// WriteEnter is [Conn.Write] as generated machines call it.
func (c *conn) WriteEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	m, n, err := writeAllEnter(r, c, p)
	return statemachine.WaitingFor(m), n, err
}

//movenext:async
func writeAll(c *Conn, p []byte) (written int, err error) {
	if err := c.writing.Lock(context.Background()); err != nil {
		return 0, err
	}
	defer c.writing.Unlock()
	for {
		n, wait, err := c.out.write(p[written:], &c.writeBy)
		written += n
		if err != nil || written == len(p) && wait == nil {
			return written, c.wrapError("write", err)
		}
		if wait == nil {
			continue
		}
		if _, err := wait.Await(); err != nil {
			return written, err
		}
	}
}

// wrapError makes an error one of package net. The end of the data is not an error.
func (c *Conn) wrapError(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &net.OpError{Op: op, Net: "simnet", Source: c.local, Addr: c.remote, Err: err}
}

// CloseWrite ends this direction: the peer reads what is on its way, and then io.EOF. It
// does not block.
func (c *Conn) CloseWrite() error { return c.wrapError("close", c.out.end()) }

// Close closes the connection. What waits here ends with net.ErrClosed; the peer reads what
// is on its way, and can write no more. A second call returns net.ErrClosed. Close does not
// block.
func (c *Conn) Close() error {
	c.readBy.stop()
	c.writeBy.stop()
	if !c.in.closeReader() {
		return c.wrapError("close", net.ErrClosed)
	}
	_ = c.out.end()
	c.out.closeWriter()
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the peer.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines. See [Conn.SetReadDeadline].
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline limits all reads, including waiting ones; the zero time means no limit. The time
// counts from now on the clock of the network. It does not block.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.wrapError("set", c.readBy.set(t)) }

// SetWriteDeadline limits the writes, like [Conn.SetReadDeadline].
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.wrapError("set", c.writeBy.set(t)) }

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

// deadline limits the reads or the writes of an end. The lock of the stream guards it.
type deadline struct {
	stream *stream
	passed bool
	closed bool
	cancel context.CancelFunc // of the timer, or nil
	number int                // of the deadline that was set last
}

func (d *deadline) set(t time.Time) error {
	left := time.Until(t)
	ctx, number, err := d.reset(left, t.IsZero())
	if ctx != nil {
		_ = d.expireAsync(ctx, left, number) // without the lock, which it takes
	}
	return err
}

// reset sets the deadline to the remaining time. It returns the context of its timer, if it needs
// one, and its number.
func (d *deadline) reset(left time.Duration, none bool) (ctx context.Context, number int, err error) {
	d.stream.mu.Lock()
	defer d.stream.mu.Unlock()
	if d.closed {
		return nil, 0, net.ErrClosed
	}
	d.drop()
	d.passed = !none && left <= 0
	switch {
	case d.passed:
		d.stream.changed.open()
	case !none:
		ctx, d.cancel = context.WithCancel(context.WithoutCancel(d.stream.net.ctx))
	}
	return ctx, d.number, nil
}

// drop removes the deadline; the stream's lock is held.
func (d *deadline) drop() {
	d.number++
	if d.cancel != nil {
		d.cancel()
		d.cancel = nil
	}
}

func (d *deadline) stop() {
	d.stream.mu.Lock()
	defer d.stream.mu.Unlock()
	d.drop()
	d.closed = true
}

//movenext:async
func (d *deadline) expire(ctx context.Context, after time.Duration, number int) {
	if job.Sleep(ctx, after) != nil {
		return
	}
	d.pass(number)
}

// pass ends the waiting operations, unless the deadline has been moved.
func (d *deadline) pass(number int) {
	d.stream.mu.Lock()
	defer d.stream.mu.Unlock()
	if d.number == number {
		d.passed = true
		d.drop()
		d.stream.changed.open()
	}
}
