//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd) || netio_portable

package netio

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// # Systems without a poller of this package
//
// On these systems a socket is one of package net, and a wait is a goroutine that
// blocks in it. Order, deadlines and errors are as on the systems with a poller.
// The goroutine takes no OS thread, since Go's runtime polls for it. The lane of
// job.Blocking is not suited for these waits: its limit is meant for calls that
// hold a thread, and a server with more idle connections than that would stall.
//
// An operation that a context ends must not lose a byte that a look has read, or
// a connection that an accept has got. So looks and accepts are jobs of the
// socket: a waiter whose context ends leaves the job to the next waiter.

// socket is what Conn and Listener are made of.
type socket struct {
	conn     net.Conn     // or nil
	listener net.Listener // or nil

	// The turn to read or accept, and to write. The fields after it in its group belong to the
	// operation that has the turn.
	in        coord.Mutex
	ahead     []byte
	readErr   error
	looking   *job.Job[[]byte]
	accepting *job.Job[net.Conn]

	out coord.Mutex

	mu        sync.Mutex
	handedOut bool // NetConn has handed conn out

	kept      keptConns             // of a listener
	keptMore  *job.Source[job.Void] // of the accept that waits: it ends with the next one
	keepsNone bool                  // the listener is closed

	readUntil  time.Time
	writeUntil time.Time
	writeCut   bool // a context has ended the write
}

// systemPart is the part of a transfer that these systems need besides its buffer.
type systemPart struct {
	accepted net.Conn
	kept     *Conn // or a connection that the listener has kept
}

// do runs t to its end, and blocks the calling goroutine meanwhile.
func (s *socket) do(t *transfer) {
	ctx := context.Background()
	s.perform(ctx, t, s.queue(ctx, t.kind))
}

// queue joins the queue for the turn, in the order of the calls.
func (s *socket) queue(ctx context.Context, k kind) *job.Job[job.Void] {
	return s.turnOf(k).LockAsync(ctx)
}

func (s *socket) turnOf(k kind) *coord.Mutex {
	if k.outward() {
		return &s.out
	}
	return &s.in
}

// perform runs t when its turn has come, unless ctx ends before.
func (s *socket) perform(ctx context.Context, t *transfer, turn *job.Job[job.Void]) {
	if _, t.err = turn.Await(); t.err != nil {
		return
	}
	defer s.turnOf(t.kind).Unlock()
	if t.err = s.checkNotHandedOut(t.kind); t.err != nil {
		return
	}
	switch t.kind {
	case reading:
		if len(t.buf) > 0 { // as on the other systems, where an empty read would look like the end
			t.n, t.err = s.Read(t.buf)
		}
	case filling:
		t.n, t.err = io.ReadFull(s, t.buf)
	case looking:
		t.err = s.look(ctx)
	case accepting:
		t.err = t.accept(ctx, s)
	case writing:
		t.n, t.err = s.write(ctx, t.buf)
	case shutting:
		t.err = errors.ErrUnsupported
		if c, ok := s.conn.(interface{ CloseWrite() error }); ok {
			t.err = c.CloseWrite()
		}
	}
}

// checkNotHandedOut returns the error of operations after NetConn.
func (s *socket) checkNotHandedOut(k kind) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handedOut {
		return s.wrap(k.name(), net.ErrClosed)
	}
	return nil
}

// Read implements io.Reader. Its caller has the turn.
func (s *socket) Read(p []byte) (int, error) {
	if err := s.checkDeadline(reading); err != nil {
		return 0, err
	}
	if s.looking != nil {
		if err := s.finishLook(context.Background()); err != nil {
			return 0, err
		}
	}
	if len(s.ahead) > 0 {
		n := copy(p, s.ahead)
		s.ahead = s.ahead[n:]
		return n, nil
	}
	if err := s.readErr; err != nil {
		s.readErr = nil
		return 0, err
	}
	return s.conn.Read(p)
}

// write writes all of p, unless ctx ends first: then a deadline that has passed ends it, and the
// user's deadline is put back. Its caller has the turn.
func (s *socket) write(ctx context.Context, p []byte) (int, error) {
	if err := s.checkDeadline(writing); err != nil {
		return 0, err
	}
	if !ctxwatch.OriginOf(ctx).CanEnd() {
		return s.conn.Write(p)
	}
	var cut promise.Promise[job.Void]
	promise.Init(&cut.Job)
	stop := context.AfterFunc(ctx, func() {
		promise.Perform(&cut, context.Background(), func() (job.Void, error) { // the connection may be of a user's type
			s.cutWrite(true)
			return job.Void{}, nil
		})
	})
	n, err := s.conn.Write(p)
	if stop() {
		return n, err
	}
	if _, failed := cut.Job.Wait(context.Background()); failed != nil {
		return n, errors.Join(err, failed)
	}
	s.cutWrite(false)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = endReason(ctx)
	}
	return n, err
}

// cutWrite ends the present write, or lets the next one begin.
func (s *socket) cutWrite(cut bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeCut = cut
	until := s.writeUntil
	if cut {
		until = time.Unix(1, 0)
	}
	_ = s.conn.SetWriteDeadline(until)
}

// checkDeadline returns the error of an operation after its deadline. Bytes that were read ahead
// must not be returned then; and package net has a timer for each direction, so that of a write
// may expire after that of a read with the same deadline has ended a wait.
func (s *socket) checkDeadline(k kind) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := s.readUntil
	if k.outward() {
		until = s.writeUntil
	}
	if until.IsZero() || time.Now().Before(until) {
		return nil
	}
	return s.wrap(k.name(), os.ErrDeadlineExceeded)
}

// wrap returns err in the form in which package net returns it.
func (s *socket) wrap(op string, err error) error {
	return &net.OpError{Op: op, Net: s.LocalAddr().Network(), Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: err}
}

// lookSize is the number of bytes that a look reads ahead at most.
const lookSize = 4096

// look waits until a read would make progress, or ctx ends.
func (s *socket) look(ctx context.Context) error {
	if err := s.checkDeadline(reading); err != nil {
		return err
	}
	if len(s.ahead) > 0 || s.readErr != nil {
		return nil
	}
	if s.looking == nil {
		s.looking = startJob(func() ([]byte, error) {
			p := make([]byte, lookSize)
			n, err := s.conn.Read(p)
			return p[:n], err
		})
	}
	return s.finishLook(ctx)
}

// finishLook waits for the look that is under way. Its bytes become ahead, and its error is kept
// for the next read, except for that of a deadline or of closing, which finishLook returns.
func (s *socket) finishLook(ctx context.Context) error {
	p, err := s.looking.Wait(ctx)
	if !s.looking.IsCompleted() {
		return endReason(ctx)
	}
	s.looking = nil
	s.ahead = append(s.ahead, p...)
	switch {
	case err == nil:
	case errors.Is(err, os.ErrDeadlineExceeded), isClosed(err):
		return err
	default:
		s.readErr = err
	}
	return nil
}

const (
	firstRetry = 5 * time.Millisecond
	lastRetry  = time.Second
)

// accept waits for a connection, or until ctx ends.
func (t *transfer) accept(ctx context.Context, s *socket) error {
	for pause := firstRetry; ; pause = min(2*pause, lastRetry) {
		more := job.NewSource[job.Void]()
		if t.sys.kept = s.takeKept(more); t.sys.kept != nil {
			return nil
		}
		if s.accepting == nil {
			s.accepting = startJob(s.listener.Accept)
		}
		_, err := job.WhenAnyOf(s.accepting, more.Job()).Wait(ctx)
		kept := !more.TrySetResult(job.Void{})
		if !s.accepting.IsCompleted() {
			switch {
			case kept:
				continue
			case ctx.Err() != nil:
				return endReason(ctx)
			}
			return err
		}
		nc, err := s.accepting.Await()
		s.accepting = nil
		if !errors.Is(err, syscall.EMFILE) && !errors.Is(err, syscall.ENFILE) {
			t.sys.accepted = nc
			return err
		}
		if err := job.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// takeKept returns the connection that was kept last. If there is none, it returns nil, and more
// ends when there is one.
func (s *socket) takeKept(more *job.Source[job.Void]) *Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.kept.take()
	if c == nil {
		s.keptMore = more
	}
	return c
}

// keep keeps a connection, which was accepted last, for the next accept, and lets one that waits
// have it. If the listener is closed, the connection is closed too, like one in the system's
// queue.
func (s *socket) keep(c *Conn) {
	s.mu.Lock()
	if s.keepsNone {
		s.mu.Unlock()
		_ = c.Close()
		return
	}
	s.kept = append(s.kept, c)
	more := s.keptMore
	s.keptMore = nil
	s.mu.Unlock()
	if more != nil {
		more.TrySetResult(job.Void{})
	}
}

// startJob runs f on a goroutine.
func startJob[T any](f func() (T, error)) *job.Job[T] {
	p := new(promise.Promise[T])
	promise.Init(&p.Job)
	go promise.Perform(p, context.Background(), f)
	return &p.Job
}
