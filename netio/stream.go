package netio

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/movenext/movenext/internal/errtree"
	"github.com/movenext/movenext/job"
)

// AsyncReader is an [io.Reader] with a twin, for functions that read from
// anything and suspend while they wait: [*Conn], [*TLSConn], [*Buffered], and
// your own types. ReadAsync does as a job what Read does; p belongs to the job
// until it has ended. In an annotated function a call of Read suspends.
type AsyncReader interface {
	io.Reader
	ReadAsync(p []byte) *job.Job[int]
}

// AsyncWriter is an [io.Writer] with a twin. WriteAsync does as a job what Write
// does; p belongs to the job until it has ended.
type AsyncWriter interface {
	io.Writer
	WriteAsync(p []byte) *job.Job[int]
}

// AsyncConn is a [net.Conn] whose waits have twins: [*Conn], [*TLSConn], and the connections of
// package jobtest/simnet, with which a test needs no socket. The methods are those of [Conn].
type AsyncConn interface {
	net.Conn
	ReadAsync(p []byte) *job.Job[int]
	WriteAsync(p []byte) *job.Job[int]
	Readable(ctx context.Context) error
	ReadableAsync(ctx context.Context) *job.Job[job.Void]
	WriteAll(ctx context.Context, p []byte) (int, error)
	WriteAllAsync(ctx context.Context, p []byte) *job.Job[int]
	CloseWrite() error
	CloseWriteAsync() *job.Job[job.Void]
}

// waitableReader is a reader that can wait without a buffer.
type waitableReader interface {
	Readable(ctx context.Context) error
	ReadableAsync(ctx context.Context) *job.Job[job.Void]
}

// boundWriter is a writer whose wait a context ends.
type boundWriter interface {
	WriteAll(ctx context.Context, p []byte) (int, error)
	WriteAllAsync(ctx context.Context, p []byte) *job.Job[int]
}

var (
	_ AsyncConn = (*Conn)(nil)
	_ AsyncConn = (*TLSConn)(nil)

	_ AsyncReader    = AsyncConn(nil)
	_ AsyncWriter    = AsyncConn(nil)
	_ waitableReader = AsyncConn(nil)
	_ boundWriter    = AsyncConn(nil)
)

// chunk is the size of a pooled buffer.
const chunk = 4096

// chunks are buffers of readers and writers that are in use.
var chunks = sync.Pool{New: func() any { return new([chunk]byte) }}

// Copy copies from src to dst until src ends, as [io.Copy] does, and returns the
// number of bytes written. It holds a pooled buffer only while it has data: while
// src is idle it has none, if src has a method Readable as [*Conn] does. When ctx
// ends, it stops between two reads, or in the middle of a write if dst has a
// method WriteAll as [*Conn] does, and returns why. The end of src is not an error.
// It blocks; its twin is [CopyAsync]. Neither side is closed.
func Copy(ctx context.Context, dst AsyncWriter, src AsyncReader) (written int64, err error) {
	return copyAll(ctx, dst, src)
}

// CopyAsync is [Copy] as a job.
func CopyAsync(ctx context.Context, dst AsyncWriter, src AsyncReader) *job.Job[int64] {
	return copyAllAsync(ctx, dst, src)
}

//movenext:async
func copyAll(ctx context.Context, dst AsyncWriter, src AsyncReader) (written int64, err error) {
	for {
		if err := waitReadable(ctx, src); err != nil {
			return written, err
		}
		n, end, err := copyChunk(ctx, dst, src)
		written += int64(n)
		switch {
		case err != nil:
			return written, err
		case end:
			return written, nil
		}
	}
}

// copyChunk copies the data that src has now, and reports whether src is at its end. Only
// an error of src means that: a pipe that nobody reads may refuse a write with io.EOF too.
//
//movenext:async
func copyChunk(ctx context.Context, dst AsyncWriter, src AsyncReader) (n int, end bool, err error) {
	p := chunks.Get().(*[chunk]byte)
	defer chunks.Put(p)
	n, failed := readOnce(src, p[:])
	if n > 0 {
		if n, err = writeAll(ctx, dst, p[:n]); err != nil {
			return n, false, err
		}
	}
	if isEnd(failed) {
		return n, true, nil
	}
	return n, false, failed
}

// isEnd reports whether err is io.EOF and nothing else: not a failure that was joined to it,
// nor a panic.
func isEnd(err error) bool {
	_, panicked := errors.AsType[*job.PanicError](err)
	return !panicked && errtree.ConsistsOf(err, io.EOF)
}

// waitReadable waits until a read would make progress, if src can tell.
//
//movenext:async
func waitReadable(ctx context.Context, src AsyncReader) error {
	switch src := src.(type) {
	case *Conn: // without a job
		return src.Readable(ctx)
	case waitableReader:
		return src.Readable(ctx)
	default:
		return endReason(ctx)
	}
}

// readOnce reads once.
//
//movenext:async
func readOnce(src AsyncReader, p []byte) (int, error) {
	if c, ok := src.(*Conn); ok { // without a job
		return c.Read(p)
	}
	return src.Read(p)
}

// writeAll writes all of p.
//
//movenext:async
func writeAll(ctx context.Context, dst AsyncWriter, p []byte) (int, error) {
	switch dst := dst.(type) {
	case *Conn: // without a job
		return dst.WriteAll(ctx, p)
	case boundWriter:
		return dst.WriteAll(ctx, p)
	default:
		return writeFull(dst, p)
	}
}

// writeFull writes, and makes an error of a short write, which io.Writer forbids.
//
//movenext:async
func writeFull(dst AsyncWriter, p []byte) (int, error) {
	n, err := dst.Write(p)
	if n < len(p) && err == nil {
		err = io.ErrShortWrite
	}
	return n, err
}
