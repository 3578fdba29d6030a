package job

import (
	"context"
	"iter"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/pullcontext"
)

// Stream is a sequence of values, each of which may take time. The twin of a function
// that returns an iter.Seq2[T, error] returns a stream. A stream is cold: nothing
// happens before it is ranged over, each range runs the function again from its start,
// and the function continues only when the next value is wanted. It is .NET's
// IAsyncEnumerable and Kotlin's Flow.
//
//	//movenext:async
//	func pages(ctx context.Context, first string) iter.Seq2[Page, error] {
//		return func(yield func(Page, error) bool) {
//			for next := first; next != ""; {
//				p, err := fetch(ctx, next) // suspends
//				if !yield(p, err) || err != nil {
//					return
//				}
//				next = p.Next
//			}
//		}
//	}
//
// In a function marked //movenext:async a range over pages(ctx, first), or over All of
// a Stream, suspends while there is no value. If the loop is left early, yield returns
// false to the stream's function, which runs to its end, deferred calls included, before
// the loop is left.
//
// Where a loop does not fit, [Stream.Pull] returns one value after the other.
//
// A Stream is safe for concurrent use if its function is.
type Stream[T any] struct{ source streamSource[T] }

// streamSource produces the values of a [Stream]. The sources of machines have more methods than
// this.
type streamSource[T any] = interface {
	// All returns the values as a sequence that blocks between them.
	All() iter.Seq2[T, error]
}

// StreamOf returns the stream of a plain sequence. If a machine ranges over it, seq runs on
// its own goroutine, one value at a time. A nil seq makes a stream of one error, [ErrNilFunc].
//
// A consumer that leaves such a stream while seq waits for something has to wait for that too:
// nobody can end a wait of plain code. If seq has a context, use [StreamFunc].
func StreamOf[T any](seq iter.Seq2[T, error]) *Stream[T] {
	if seq == nil {
		seq = failedSequence[T]
	}
	return &Stream[T]{sequence[T](seq)}
}

// StreamFunc is [StreamOf] for a sequence whose waits end with a context: each range, and each
// [Stream.Pull], calls seq for a sequence. A range passes ctx to it. A pull passes a context that
// also ends when the consumer leaves while the sequence waits, so that it need not wait for the
// next value. A nil seq makes a stream of one error, [ErrNilFunc].
//
//	job.StreamFunc(ctx, channel.All)
func StreamFunc[T any](ctx context.Context, seq func(ctx context.Context) iter.Seq2[T, error]) *Stream[T] {
	if seq == nil {
		return StreamOf[T](nil)
	}
	return &Stream[T]{&contextSequence[T]{ctx, seq}}
}

// contextSequence is the source of StreamFunc.
type contextSequence[T any] struct {
	ctx context.Context
	seq func(context.Context) iter.Seq2[T, error]
}

// All implements streamSource.
func (s *contextSequence[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { s.begin(s.ctx)(yield) }
}

// AllWithin is All for a machine whose own consumer may leave. consumer ends then.
func (s *contextSequence[T]) AllWithin(consumer context.Context) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { s.run(pullcontext.New(s.ctx, consumer), yield) }
}

// Steps is the form for pulling.
func (s *contextSequence[T]) Steps(consumer context.Context) (next func(context.Context) *Job[T], stop func(context.Context) *Job[Void], leave func()) {
	ctx := pullcontext.New(s.ctx, consumer)
	return pullSequence(func(yield func(T, error) bool) { s.run(ctx, yield) }, ctx.Leave)
}

func (s *contextSequence[T]) run(ctx *pullcontext.Context, yield func(T, error) bool) {
	defer ctx.Over()
	s.begin(ctx)(yield)
}

func (s *contextSequence[T]) begin(ctx context.Context) iter.Seq2[T, error] {
	if seq := s.seq(ctx); seq != nil {
		return seq
	}
	return failedSequence[T]
}

// sequence is a plain sequence in the role of a source.
type sequence[T any] iter.Seq2[T, error]

func (s sequence[T]) All() iter.Seq2[T, error] { return iter.Seq2[T, error](s) }

// All returns the stream's values as a sequence. In a function marked //movenext:async
// a range over it suspends; everywhere else it blocks the goroutine between values. A
// nil *Stream has one error, [ErrNilFunc].
func (s *Stream[T]) All() iter.Seq2[T, error] {
	if s == nil {
		return failedSequence[T]
	}
	return s.source.All()
}

// Source is for the runtime: it returns a pointer to the source of the values, which the runtime
// sets in a new Stream; nil for a nil *Stream.
func (s *Stream[T]) Source(jobcore.Key) *interface{ All() iter.Seq2[T, error] } {
	if s == nil {
		return nil
	}
	return &s.source
}

func failedSequence[T any](yield func(T, error) bool) {
	var zero T
	yield(zero, ErrNilFunc)
}
