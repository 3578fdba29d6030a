package parallel

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/errtree"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/internal/rethrow"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

//go:generate go tool movenext .

// ErrSkip is the error of the job of a [Stage]'s body that leaves the value out: it
// makes the stage a filter too. An error that wraps it means the same, unless it also
// contains another one.
var ErrSkip = errors.New("parallel: the value is left out")

// Stage calls body for the values of in and returns a sequence of the results of its
// jobs, with up to [Degree] of them under way at a time. Stages make a pipeline: the
// sequence of one is the stream of the next, and each has its own degree. The results are
// in the order of the values, or with [AsCompleted] in the order in which the jobs ended.
//
// A stage is lazy. Nothing happens before it is ranged over, each range starts again,
// and a value of in is requested only when a body can take it: the bodies under way, and
// those that have ended and whose results are not taken yet, are together no more than
// the degree. So a slow consumer slows all stages before it, and a loop that ends early
// leaves the rest of in unread. Bodies begin only while the consumer requests or
// receives a result: when a result is passed on, the values that then fit are requested, before
// the consumer asks for another result. A stage with nothing requested ahead is a loop that
// awaits body.
//
// Bodies are called by the goroutine or machine that ranges. A body is usually the twin of
// an async function; one that computes starts a job, by [job.Run].
//
// The first failure ends the sequence, and is its last pair: an error of a job or of in
// (after the results of the values before it), a nil job, or the end of ctx. A panic of
// body continues in the range. In each case, and if the loop ends early, the context of
// the bodies is canceled, and the sequence does not return before their jobs have ended. What in
// waits for is given up, in all stages before this one too ([job.Puller.Stop]): a value that no
// body has got stays in, or goes back to, the channel or listener that it comes from.
// A failure of these, which nobody asks for, is reported to [job.OnUnobserved].
//
// Ranging over it blocks between results; in a function marked //movenext:async a range
// over the call suspends, since its twin is [StageAsync]. It is buffered and
// buffer_unordered of Rust's streams, and flatMapMerge of Kotlin's flows.
func Stage[T, R any](ctx context.Context, in *job.Stream[T], body func(ctx context.Context, v T) *job.Job[R], opts ...Option) iter.Seq2[R, error] {
	return runStage(ctx, in, body, opts)
}

// StageAsync is [Stage] as a stream. A range over it holds neither a worker nor a
// goroutine between results. It does not block.
func StageAsync[T, R any](ctx context.Context, in *job.Stream[T], body func(ctx context.Context, v T) *job.Job[R], opts ...Option) *job.Stream[R] {
	return runStageAsync(ctx, in, body, opts)
}

// runStage implements Stage. It is a separate function because the frame of its machine
// would otherwise be an exported name.
//
//movenext:async
func runStage[T, R any](ctx context.Context, in *job.Stream[T], body func(ctx context.Context, v T) *job.Job[R], opts []Option) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		s := &stage[T, R]{body: body}
		err := s.open(ctx, in, opts)
		if err != nil {
			var none R
			yield(none, err)
			return
		}
		defer s.close()
		for {
			v, err := s.next()
			if err == io.EOF { // itself: of the stage, and not of a body
				return
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// stage is one range over a Stage. All fields belong to the consumer, except for the bell.
type stage[T, R any] struct {
	operation
	ctx    context.Context // of the bodies
	body   func(ctx context.Context, v T) *job.Job[R]
	degree int

	in        *job.Puller[T]
	requested *job.Job[T]     // the next value; nil: it has not been requested
	inputEnd  error           // of in: io.EOF, or its failure
	bodies    []*stageBody[R] // not taken yet, the oldest first; unordered: in no order
	bell      bell[R]
}

// stageBody is a body under way.
type stageBody[R any] struct {
	node  continuation.Node
	bell  *bell[R]
	job   *job.Job[R]
	index int // in stage.bodies
}

// bell tells the consumer of a stage that a job has ended.
type bell[R any] struct {
	mu        sync.Mutex
	keepsDone bool                       // done is filled
	rung      bool                       // since the last wait
	consumer  *promise.Promise[job.Void] // the consumer
	done      []*stageBody[R]            // bodies that have ended, in that order
}

func (s *stage[T, R]) open(ctx context.Context, in *job.Stream[T], opts []Option) error {
	o, err := settingsOf(opts)
	if err != nil {
		return err
	}
	if s.body == nil || in == nil {
		return ErrNilFunc
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	s.ctx = &bodyContext{&s.operation, nil}
	s.degree, s.bell.keepsDone = o.degree, o.asCompleted
	s.in = in.Pull()
	return nil
}

// next returns the next result, the failure of the stage, or io.EOF.
//
//movenext:async
func (s *stage[T, R]) next() (v R, err error) {
	for s.continues() {
		s.advance()
		if b := s.ready(); b != nil {
			v, err := b.job.GetResult()
			if skips(err) {
				continue
			}
			if err != nil {
				s.fail(err)
				break
			}
			s.advance() // into the room of this one, while the consumer is busy with it
			return v, nil
		}
		if s.inputEnd != nil && len(s.bodies) == 0 {
			if s.inputEnd == io.EOF {
				return v, io.EOF
			}
			s.fail(s.inputEnd)
			break
		}
		if _, err := s.bell.wait().Await(); err != nil {
			s.fail(err)
		}
	}
	_, err = s.outcome()
	return v, err
}

// skips reports whether a body leaves its value out. An error that contains another
// failure as well does not, nor does a panic, even one with ErrSkip as its value.
func skips(err error) bool {
	_, panicked := errors.AsType[*job.PanicError](err)
	return !panicked && errtree.ConsistsOf(err, ErrSkip)
}

// advance requests values and begins bodies, as far as this is possible without waiting.
func (s *stage[T, R]) advance() {
	for s.inputEnd == nil && len(s.bodies) < s.degree {
		if s.requested == nil {
			s.requested = s.in.NextAsync(s.ctx)
			if ringAtEnd(s.requested, &s.bell) {
				return
			}
		}
		if !s.requested.IsCompleted() {
			return
		}
		v, err := s.requested.GetResult()
		s.requested = nil
		if err != nil {
			rethrow.From(err)
			s.inputEnd = err
			return
		}
		s.start(v)
	}
}

func (s *stage[T, R]) start(v T) {
	j := s.body(s.ctx, v)
	if j == nil {
		j = job.FromError[R](job.ErrNilJob)
	}
	b := &stageBody[R]{bell: &s.bell, job: j, index: len(s.bodies)}
	s.bodies = append(s.bodies, b)
	b.node.Prepare(b)
	if !j.Register(&b.node) {
		s.bell.ring(b).Deliver(nil)
	}
}

// ready takes the ended body whose result is the next one, or returns nil.
func (s *stage[T, R]) ready() *stageBody[R] {
	if s.bell.keepsDone {
		b := s.bell.take()
		if b != nil {
			last := len(s.bodies) - 1
			s.bodies[b.index] = s.bodies[last]
			s.bodies[b.index].index = b.index
			s.bodies[last] = nil
			s.bodies = s.bodies[:last]
		}
		return b
	}
	if len(s.bodies) == 0 || !s.bodies[0].job.IsCompleted() {
		return nil
	}
	b := s.bodies[0]
	s.bodies[0] = nil
	s.bodies = s.bodies[1:]
	return b
}

// close ends in, and returns when in and all bodies have ended. A value that no body has got goes
// back to where in has taken it from.
//
//movenext:async
func (s *stage[T, R]) close() {
	if len(s.bodies) > 0 || s.requested != nil {
		s.stop(true, context.Canceled)
	}
	_, err := s.in.StopAsync(s.ctx).Await()
	if s.requested != nil {
		if v, err := s.requested.Await(); err == nil {
			s.in.PutBack(jobcore.Key{}, v)
		}
	}
	for _, b := range s.bodies {
		_, _ = job.WhenAny(b.job).Await() // does not look at its error: nobody will
	}
	s.end()
	rethrow.From(err)
}

// Completed implements continuation.Target: the body has ended.
func (b *stageBody[R]) Completed(schedulers.Worker) continuation.Chain { return b.bell.ring(b) }

// inputWait is a wait for a value of in.
type inputWait[R any] struct {
	node continuation.Node
	bell *bell[R]
}

// Completed implements continuation.Target.
func (a *inputWait[R]) Completed(schedulers.Worker) continuation.Chain { return a.bell.ring(nil) }

// ringAtEnd makes the bell ring when j ends. It returns false if j has already ended.
func ringAtEnd[T, R any](j *job.Job[T], b *bell[R]) bool {
	if j.IsCompleted() {
		return false
	}
	a := &inputWait[R]{bell: b}
	a.node.Prepare(a)
	return j.Register(&a.node)
}

// ring wakes the consumer. The caller delivers the chain.
func (b *bell[R]) ring(ended *stageBody[R]) (waiters continuation.Chain) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ended != nil && b.keepsDone {
		b.done = append(b.done, ended)
	}
	b.rung = true
	if w := b.consumer; w != nil {
		b.consumer, b.rung = nil, false
		waiters, _ = promise.TryComplete(w, context.Background(), job.Void{}, nil)
	}
	return waiters
}

// wait returns a job that ends when the bell rings, or has rung since the last wait.
func (b *bell[R]) wait() *job.Job[job.Void] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rung {
		b.rung = false
		return job.FromResult(job.Void{})
	}
	b.consumer = new(promise.Promise[job.Void])
	promise.InitDependent(&b.consumer.Job)
	return &b.consumer.Job
}

// take returns the body that ended first among those not taken, or nil.
func (b *bell[R]) take() *stageBody[R] {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.done) == 0 {
		return nil
	}
	first := b.done[0]
	b.done[0] = nil
	b.done = b.done[1:]
	return first
}

// FromSlice returns the stream of a slice's elements, for the first [Stage] of a pipeline.
// It does not block, and needs no goroutine. The stream is safe for concurrent use.
func FromSlice[S ~[]T, T any](items S) *job.Stream[T] {
	return promise.NewStream(elements[T](items))
}

// FromSeq returns the stream of a sequence without errors, such as maps.Keys(m), for the
// first [Stage] of a pipeline. Pulled by a stage, the sequence runs on its own goroutine,
// one value at a time. A nil sequence makes a stream of one error, [ErrNilFunc]. It does
// not block. The stream is safe for concurrent use if the sequence is.
func FromSeq[T any](seq iter.Seq[T]) *job.Stream[T] {
	if seq == nil {
		return job.StreamOf[T](nil)
	}
	return job.StreamOf(func(yield func(T, error) bool) {
		for v := range seq {
			if !yield(v, nil) {
				return
			}
		}
	})
}

// elements is a slice as the source of a stream.
type elements[T any] []T

// All makes elements the source of a job.Stream.
func (e elements[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range e {
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Steps is the form for pulling: next returns the job of the next element, which fails
// with io.EOF at the end.
func (e elements[T]) Steps(context.Context) (next func(context.Context) *job.Job[T], stop func(context.Context) *job.Job[job.Void], leave func()) {
	next = func(context.Context) *job.Job[T] {
		if len(e) == 0 {
			return job.FromError[T](io.EOF)
		}
		v := e[0]
		e = e[1:]
		return job.FromResult(v)
	}
	stop = func(context.Context) *job.Job[job.Void] { return job.FromResult(job.Void{}) }
	return next, stop, func() {}
}
