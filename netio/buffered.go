package netio

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// ErrLineTooLong is returned by [Buffered.ReadLine] for a line with more bytes
// than allowed.
var ErrLineTooLong = errors.New("netio: line too long")

// Buffered reads from an [AsyncReader] in large pieces, and returns small ones.
// It is bufio.Reader for machines, with a difference: its buffer comes from a
// pool and goes back when it is empty, so a connection that idles between two
// lines holds no buffer. Make one with [NewBuffered].
//
// It is for one goroutine or machine at a time. The results of ReadLine and Peek
// are parts of the buffer, and valid until the next call of any method.
type Buffered struct {
	src   AsyncReader
	chunk *[chunk]byte // from the pool, or nil
	buf   []byte       // chunk, or a longer buffer
	lo    int          // buf[lo:hi] has not been returned yet
	hi    int
	err   error // of the last read, to be returned after the data
}

var (
	_ AsyncReader    = (*Buffered)(nil)
	_ waitableReader = (*Buffered)(nil)
)

// NewBuffered returns a Buffered that reads from r, beginning with ahead, which
// was read from r before. The Buffered owns ahead.
func NewBuffered(r AsyncReader, ahead ...byte) *Buffered {
	return &Buffered{src: r, buf: ahead, hi: len(ahead)}
}

// empty reports whether a read has to ask for more: there are no data, and no
// error after them.
func (b *Buffered) empty() bool { return b.lo == b.hi && b.err == nil }

// Buffered returns how many bytes can be read without waiting.
func (b *Buffered) Buffered() int { return b.hi - b.lo }

// Read reads up to len(p) bytes: from the buffer if it has data, else with one
// read. It blocks; its twin is [Buffered.ReadAsync].
func (b *Buffered) Read(p []byte) (int, error) { return bufferedRead(b, p) }

// ReadAsync is [Buffered.Read] as a job. p belongs to the job until it has ended.
func (b *Buffered) ReadAsync(p []byte) *job.Job[int] { return bufferedReadAsync(b, p) }

// ReadEnter is [Buffered.Read] as generated machines call it.
func (b *buffered) ReadEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	m, n, err := bufferedReadEnter(r, b, p)
	return statemachine.WaitingFor(m), n, err
}

// bufferedRead is what the forms of Read run. It is a function of its own, like those of
// the other methods, because the frame of its machine would otherwise be an exported name.
//
//movenext:async
func bufferedRead(b *Buffered, p []byte) (int, error) {
	if len(p) > 0 && b.empty() {
		b.giveBack()
		if len(p) >= chunk {
			return readOnce(b.src, p)
		}
		fillOnce(b)
	}
	return b.take(p)
}

// take returns data from the buffer.
func (b *Buffered) take(p []byte) (int, error) {
	n := copy(p, b.buf[b.lo:b.hi])
	b.lo += n
	if b.lo == b.hi {
		b.giveBack()
	}
	if n == 0 && len(p) > 0 {
		return 0, b.takeError()
	}
	return n, nil
}

// Readable waits until a read would make progress, as [Conn.Readable] does. It
// holds no buffer. It returns nil, or why ctx ended. It blocks; its twin is
// [Buffered.ReadableAsync].
func (b *Buffered) Readable(ctx context.Context) error { return bufferedReadable(ctx, b) }

// ReadableAsync is [Buffered.Readable] as a job, which is Canceled when ctx ends first.
func (b *Buffered) ReadableAsync(ctx context.Context) *job.Job[job.Void] {
	return bufferedReadableAsync(ctx, b)
}

// ReadableEnter is [Buffered.Readable] as generated machines call it. Over a connection it
// enters the connection's own wait. A frame and its handle, 112 bytes, would be kept by each
// idle connection.
func (b *buffered) ReadableEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[int], error) {
	if c, ok := b.src.(*Conn); ok && b.empty() {
		b.giveBack()
		return c.ReadableEnter(r, ctx)
	}
	m, err := bufferedReadableEnter(r, ctx, b)
	if m == nil {
		return nil, err
	}
	w := &framedWait{frame: m}
	w.Init(w)
	return (*statemachine.WaitingVoid[int])(&w.Waiting), nil
}

// framedWait is the frame of a wait, and its handle of the type that a connection's has.
type framedWait struct {
	statemachine.Waiting[int]
	frame *bufferedReadableFrame
}

// Results implements [statemachine.Outcome].
func (w *framedWait) Results(r *statemachine.Run) (int, error) { return 0, w.frame.Results(r) }

//movenext:async
func bufferedReadable(ctx context.Context, b *Buffered) error {
	if b.empty() {
		b.giveBack()
		return waitReadable(ctx, b.src)
	}
	return nil
}

// ReadLine returns the next line, without its end, which is "\n" or "\r\n". For a
// line of more than limit bytes the error is [ErrLineTooLong]; the part already
// read remains available to other methods. At the end ReadLine returns [io.EOF], or an
// unterminated line and [io.ErrUnexpectedEOF]. If ctx ends first, it returns
// the cause, and keeps the part of the line that it has read for the next call. It
// blocks; its twin is [Buffered.ReadLineAsync].
func (b *Buffered) ReadLine(ctx context.Context, limit int) ([]byte, error) {
	return bufferedReadLine(ctx, b, limit)
}

// ReadLineAsync is [Buffered.ReadLine] as a job, which is Canceled when ctx ends first.
func (b *Buffered) ReadLineAsync(ctx context.Context, limit int) *job.Job[[]byte] {
	return bufferedReadLineAsync(ctx, b, limit)
}

// ReadLineEnter is [Buffered.ReadLine] as generated machines call it.
func (b *buffered) ReadLineEnter(r *statemachine.Run, ctx context.Context, limit int) (*statemachine.Waiting[[]byte], []byte, error) {
	m, line, err := bufferedReadLineEnter(r, ctx, b, limit)
	return statemachine.WaitingFor(m), line, err
}

//movenext:async
func bufferedReadLine(ctx context.Context, b *Buffered, limit int) ([]byte, error) {
	seen := 0
	for {
		rest := b.buf[b.lo:b.hi]
		if i := bytes.IndexByte(rest[seen:], '\n'); i >= 0 {
			return b.line(seen+i, limit)
		}
		seen = len(rest)
		if seen-1 > limit { // more than a line and "\r"
			return nil, ErrLineTooLong
		}
		if b.err != nil {
			return b.lastLine(limit)
		}
		if err := fill(ctx, b); err != nil {
			return nil, err
		}
	}
}

// line takes a line of n bytes, and its end, from the buffer.
func (b *Buffered) line(n, limit int) ([]byte, error) {
	line := bytes.TrimSuffix(b.buf[b.lo:b.lo+n], []byte("\r"))
	if len(line) > limit {
		return nil, ErrLineTooLong
	}
	b.lo += n + len("\n")
	return line, nil
}

// lastLine returns the rest at the end.
func (b *Buffered) lastLine(limit int) ([]byte, error) {
	line := b.buf[b.lo:b.hi]
	if len(line) > limit {
		return nil, ErrLineTooLong
	}
	if len(line) == 0 || !errors.Is(b.err, io.EOF) {
		return nil, b.takeError()
	}
	b.lo = b.hi
	return line, io.ErrUnexpectedEOF
}

// Peek returns the next n bytes without taking them; fewer only with an error,
// which is [io.EOF] if there is nothing more. If ctx ends first, it returns why.
// It blocks; its twin is [Buffered.PeekAsync].
func (b *Buffered) Peek(ctx context.Context, n int) ([]byte, error) { return bufferedPeek(ctx, b, n) }

// PeekAsync is [Buffered.Peek] as a job, which is Canceled when ctx ends first.
func (b *Buffered) PeekAsync(ctx context.Context, n int) *job.Job[[]byte] {
	return bufferedPeekAsync(ctx, b, n)
}

// PeekEnter is [Buffered.Peek] as generated machines call it.
func (b *buffered) PeekEnter(r *statemachine.Run, ctx context.Context, n int) (*statemachine.Waiting[[]byte], []byte, error) {
	m, p, err := bufferedPeekEnter(r, ctx, b, n)
	return statemachine.WaitingFor(m), p, err
}

//movenext:async
func bufferedPeek(ctx context.Context, b *Buffered, n int) ([]byte, error) {
	for b.hi-b.lo < n {
		if b.err != nil {
			return b.buf[b.lo:b.hi], b.takeError()
		}
		if err := fill(ctx, b); err != nil {
			return b.buf[b.lo:b.hi], err
		}
	}
	return b.buf[b.lo : b.lo+n], nil
}

// fill reads once; if the Buffered is empty it first waits for data, without a
// buffer. The returned error is that of the wait. The error of the read is kept,
// to come after the data.
//
//movenext:async
func fill(ctx context.Context, b *Buffered) error {
	if b.lo == b.hi {
		b.giveBack()
	}
	if err := waitReadable(ctx, b.src); err != nil {
		return err
	}
	fillOnce(b)
	return nil
}

// fillOnce reads once into the buffer.
//
//movenext:async
func fillOnce(b *Buffered) {
	b.makeRoom()
	n, err := readOnce(b.src, b.buf[b.hi:])
	b.hi += n
	b.err = err
}

// makeRoom makes a buffer with room for more data.
func (b *Buffered) makeRoom() {
	switch have := b.buf[b.lo:b.hi]; {
	case len(have) == 0:
		b.giveBack()
		b.chunk = chunks.Get().(*[chunk]byte)
		b.buf = b.chunk[:]
	case b.hi < len(b.buf):
	case len(have) <= len(b.buf)/2:
		copy(b.buf, have)
		b.lo, b.hi = 0, len(have)
	default:
		long := make([]byte, max(chunk, 2*len(have)))
		copy(long, have)
		b.giveBack()
		b.buf, b.hi = long, len(have)
	}
}

// giveBack drops the buffer and its contents.
func (b *Buffered) giveBack() {
	if b.chunk != nil {
		chunks.Put(b.chunk)
	}
	b.chunk, b.buf, b.lo, b.hi = nil, nil, 0, 0
}

// takeError returns the error of the last read and forgets it: after a deadline, reading may
// continue.
func (b *Buffered) takeError() error {
	err := b.err
	b.err = nil
	return err
}
