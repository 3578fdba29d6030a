package netio

import (
	"context"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/statemachine"
)

// BufferedWriter coalesces small writes to an [AsyncWriter]: each Write of less
// than 4 KiB goes into a buffer, and the buffer goes out when it is full and with
// Flush. It is bufio.Writer for machines, and its buffer comes from a pool and
// goes back when it is empty. Make one with [NewBufferedWriter]. It is for one
// goroutine or machine at a time. After an error all calls return that error,
// since it is not known how much the peer has received.
type BufferedWriter struct {
	dst   AsyncWriter
	chunk *[chunk]byte // nil: empty
	n     int
	err   error
}

var _ AsyncWriter = (*BufferedWriter)(nil)

// NewBufferedWriter returns a BufferedWriter that writes to w.
func NewBufferedWriter(w AsyncWriter) *BufferedWriter { return &BufferedWriter{dst: w} }

// Buffered returns how many bytes wait for Flush.
func (b *BufferedWriter) Buffered() int { return b.n }

// Write takes all of p. If p does not fit into the buffer, it flushes that first, and
// blocks then. Its twin is [BufferedWriter.WriteAsync].
func (b *BufferedWriter) Write(p []byte) (int, error) { return bufferedWrite(b, p) }

// WriteAsync is [BufferedWriter.Write] as a job. p belongs to the job until it has
// ended.
func (b *BufferedWriter) WriteAsync(p []byte) *job.Job[int] { return bufferedWriteAsync(b, p) }

// WriteEnter is [BufferedWriter.Write] as generated machines call it.
func (b *bufferedWriter) WriteEnter(r *statemachine.Run, p []byte) (*statemachine.Waiting[int], int, error) {
	m, n, err := bufferedWriteEnter(r, b, p)
	return statemachine.WaitingFor(m), n, err
}

// bufferedWrite is what the forms of Write run; see bufferedRead.
//
//movenext:async
func bufferedWrite(b *BufferedWriter, p []byte) (int, error) {
	if b.n+len(p) > chunk {
		if err := bufferedFlush(context.Background(), b); err != nil {
			return 0, err
		}
	}
	if b.err != nil {
		return 0, b.err
	}
	if len(p) >= chunk {
		n, err := writeAll(context.Background(), b.dst, p)
		b.err = err
		return n, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	if b.chunk == nil {
		b.chunk = chunks.Get().(*[chunk]byte)
	}
	b.n += copy(b.chunk[b.n:], p)
	return len(p), nil
}

// Flush writes the contents of the buffer. If ctx ends first, some of them may have
// been written, and Flush and all later calls return the cause. It
// blocks; its twin is [BufferedWriter.FlushAsync].
func (b *BufferedWriter) Flush(ctx context.Context) error { return bufferedFlush(ctx, b) }

// FlushAsync is [BufferedWriter.Flush] as a job, which is Canceled when ctx ends first.
func (b *BufferedWriter) FlushAsync(ctx context.Context) *job.Job[job.Void] {
	return bufferedFlushAsync(ctx, b)
}

// FlushEnter is [BufferedWriter.Flush] as generated machines call it.
func (b *bufferedWriter) FlushEnter(r *statemachine.Run, ctx context.Context) (*statemachine.WaitingVoid[job.Void], error) {
	m, err := bufferedFlushEnter(r, ctx, b)
	return statemachine.WaitingForVoid(m), err
}

//movenext:async
func bufferedFlush(ctx context.Context, b *BufferedWriter) error {
	if b.err != nil || b.chunk == nil {
		return b.err
	}
	_, b.err = writeAll(ctx, b.dst, b.chunk[:b.n])
	chunks.Put(b.chunk)
	b.chunk, b.n = nil, 0
	return b.err
}
