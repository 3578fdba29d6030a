package job

import (
	"context"
	"io"
	"iter"
	"runtime"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

// Puller returns the values of a stream one by one, for cases that a range does not fit:
// two streams side by side, or a value now and the next one later. Make one with
// [Stream.Pull], and call Stop when no more values are needed. It is .NET's
// IAsyncEnumerator, and iter.Pull for streams.
//
// Any goroutine may use it, but only one at a time: a Next before the previous one has
// ended returns [ErrPulling].
type Puller[T any] struct {
	next func(context.Context) *Job[T]
	stop func(context.Context) *Job[Void]

	mu     interleave.Mutex
	asked  bool       // a caller begins a step, or waits for it
	step   *Job[T]    // begun, and its outcome not yet delivered; or nil
	ending *Job[Void] // Stop was called
	begin  func()     // the ending, left to a caller that is just beginning a step
}

// steps is implemented by a source that can be pulled without an extra goroutine: next
// begins the step to the next value, and stop begins the ending. Each is called only
// after the previous step has ended.
type steps[T any] interface {
	Steps() (next func(context.Context) *Job[T], stop func(context.Context) *Job[Void])
}

// Pull returns a Puller of the stream's values. Nothing happens before the first Next,
// and the stream's function continues only when the next value is wanted. Pull does not
// block. A stream made by [StreamOf] runs on its own goroutine from the first Next until
// its end, or Stop.
func (s *Stream[T]) Pull() *Puller[T] {
	p := &Puller[T]{}
	if source, ok := s.Source().(steps[T]); ok {
		p.next, p.stop = source.Steps()
	} else {
		c := &coroutine[T]{seq: s.All(), resume: make(chan bool, 1)}
		p.next, p.stop = c.next, c.end
	}
	return p
}

// Next returns the next value and its error, and io.EOF when there is none or Stop was
// called. When ctx ends first it returns a *[WaitError], and the value goes to the next
// caller. A machine that gets a value continues with it, even if its home has been shut
// down meanwhile. A panic of the stream's function, or its runtime.Goexit, continues in the
// caller of Next; then the stream has ended. It blocks; its twin is [Puller.NextAsync].
func (p *Puller[T]) Next(ctx context.Context) (T, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	known, r := p.ask(ctx)
	if r == nil {
		v, err := known.Await()
		raise(err)
		return v, err
	}
	j := &r.promise.job
	v, err := j.Wait(context.WithoutCancel(ctx))
	if err != nil {
		r.giveUp(err) // does nothing unless the wait itself was refused
		v, err = j.GetResult()
	}
	raise(err)
	return v, err
}

// NextAsync returns the job of the next value. It is the twin of [Puller.Next]; a panic
// of the stream's function becomes the job's *[PanicError]. It does not block: the
// stream's function runs on the caller's goroutine until it suspends.
func (p *Puller[T]) NextAsync(ctx context.Context) *Job[T] {
	if ctx == nil {
		ctx = context.Background()
	}
	known, r := p.ask(ctx)
	if r == nil {
		return known
	}
	return &r.promise.job
}

// Stop ends the stream: the yield that its function is in returns false, and Stop
// returns nil when the function has ended, deferred calls included; ctx bounds the wait
// for that. Further calls of Next return io.EOF. A panic of the ending function
// continues in the caller. Calling Stop again waits for the same end. It blocks; its
// twin is [Puller.StopAsync].
func (p *Puller[T]) Stop(ctx context.Context) error {
	_, err := p.StopAsync(ctx).Wait(ctx)
	raise(err)
	return err
}

// StopAsync returns the job of the stream's end. It is the twin of [Puller.Stop]. It does
// not block: the stream's function runs on the caller's goroutine until it suspends.
func (p *Puller[T]) StopAsync(ctx context.Context) *Job[Void] {
	p.mu.Lock()
	ending, step := p.ending, p.step
	if ending != nil {
		p.mu.Unlock()
		return ending
	}
	source := NewSource[*Job[Void]]()
	ending = Unwrap(context.Background(), source.Job())
	p.ending = ending
	begin := func() {
		defer source.TrySetError(ErrGoexit) // if stop does not return
		source.TrySetResult(p.stop(ctx))
	}
	if step == nil && p.asked {
		p.begin, begin = begin, nil // the caller that begins a step will see it
	}
	p.mu.Unlock()
	if begin != nil {
		callAfter(ctx, step, begin)
	}
	return ending
}

// callAfter calls f when a step has ended whose outcome may no longer be wanted.
func callAfter[T any](ctx context.Context, step *Job[T], f func()) {
	if step == nil || step.core.isCompleted() {
		f()
		return
	}
	ContinueWith(orBackground(ctx), step, func(_ context.Context, j *Job[T]) (Void, error) {
		j.observeFailure()
		f()
		return Void{}, nil
	}, Shielded())
}

func orBackground(ctx context.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx
}

// raise does what rethrow.From does in other packages. This package cannot import
// rethrow, which itself imports job.
func raise(err error) {
	if err == ErrGoexit {
		runtime.Goexit()
	}
	if p, ok := err.(*PanicError); ok {
		panic(p.Value)
	}
}

// ask returns a completed job if the outcome is known at once, else a request.
func (p *Puller[T]) ask(ctx context.Context) (known *Job[T], r *request[T]) {
	p.mu.Lock()
	step := p.step
	switch {
	case p.asked:
		known = FromError[T](ErrPulling)
	case p.ending != nil:
		known = FromError[T](io.EOF)
	case step != nil && step.core.isCompleted():
		known, p.step = step, nil
	case ctx.Err() != nil:
		known = failedWait[T](contextError(ctx))
	default:
		p.asked = true
	}
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}
	if step == nil {
		step = p.take(ctx)
	}
	r = &request[T]{puller: p, ctx: ctx}
	r.promise.initDependent()
	r.promise.setExclusive()
	if !r.source.enter(step, r) { // it has ended, and no request was notified
		p.release(true)
		return step, nil
	}
	r.watch.Start(ctx, r)
	if r.promise.taken() {
		r.watch.Stop()
	}
	return nil, r
}

// take begins a step. It does so without the lock, since the stream's function may run.
func (p *Puller[T]) take(ctx context.Context) (step *Job[T]) {
	defer func() {
		if step == nil { // it has called runtime.Goexit
			step = FromError[T](io.EOF)
		}
		p.mu.Lock()
		p.step = step
		begin := p.begin
		p.begin = nil
		p.mu.Unlock()
		if begin != nil {
			callAfter(ctx, step, begin)
		}
	}()
	return p.next(ctx)
}

// request is a wait for a step. As with a relay, the step or the context may end it, and
// the first of them withdraws the other. If the context is first, the step's outcome
// goes to the next request.
type request[T any] struct {
	puller  *Puller[T]
	promise promise[T]
	source  listing[T]
	watch   ctxwatch.Watch
	ctx     context.Context
}

// Completed implements continuation.Target: the step has ended.
func (r *request[T]) Completed(schedulers.Worker) continuation.Chain {
	step := r.source.takeDelivered()
	if !r.promise.reserve() {
		return continuation.Chain{}
	}
	r.watch.Stop()
	r.puller.release(true) // before the request is seen to have ended, and Next is called again
	step.observeFailure()
	return r.promise.publish(step.Status(), step.value, step.core.err())
}

// ContextEnded implements ctxwatch.Listener.
func (r *request[T]) ContextEnded(*ctxwatch.Watch) { r.giveUp(&WaitError{Err: contextError(r.ctx)}) }

func (r *request[T]) giveUp(why error) {
	if !r.promise.reserve() {
		return
	}
	r.source.leave()
	r.watch.Stop()
	r.puller.release(false)
	var zero T
	r.promise.publish(Canceled, zero, why).Deliver(nil)
}

func (r *request[T]) waitingJob() (*core, string) { return r.promise.job.base(), "Next" }

// release ends a request. taken reports whether it has taken the step's outcome.
func (p *Puller[T]) release(taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = false
	if taken {
		p.step = nil
	}
}

// coroutine is a plain sequence that is pulled: it runs on its own goroutine and takes
// turns with its consumer. Two handoffs make locks on the fields unnecessary: resume
// gives the turn to the sequence, and the completion of the step gives it back.
// iter.Pull does not fit: the next pull may come from any goroutine, and must not block.
type coroutine[T any] struct {
	seq     iter.Seq2[T, error]
	resume  chan bool // true: to the next value; false: to the end
	step    *promise[T]
	ending  *promise[Void] // instead of a step, when the sequence must end
	started bool
	over    bool
}

// next begins the step to the next value.
func (c *coroutine[T]) next(context.Context) *Job[T] {
	if c.over {
		return FromError[T](io.EOF)
	}
	c.step = new(promise[T])
	c.step.initDependent()
	j := &c.step.job
	if c.started {
		c.resume <- true
	} else {
		c.started = true
		go c.run()
	}
	return j
}

// end lets the sequence run to its end.
func (c *coroutine[T]) end(context.Context) *Job[Void] {
	if c.over || !c.started {
		c.over = true
		return FromResult(Void{})
	}
	c.ending = new(promise[Void])
	c.ending.initDependent()
	j := &c.ending.job
	c.resume <- false
	return j
}

// run is the sequence's goroutine.
func (c *coroutine[T]) run() {
	how := ErrGoexit
	defer func() {
		if v := recover(); v != nil {
			how = newPanicError(v)
		}
		c.over = true
		switch {
		case c.ending == nil:
			var zero T
			c.reply(zero, how)
		case how == io.EOF:
			c.ending.settle(Completed, Void{}, nil)
		default:
			c.ending.settle(Faulted, Void{}, how)
		}
	}()
	c.seq(c.yield)
	how = io.EOF
}

func (c *coroutine[T]) yield(v T, err error) bool {
	if c.ending != nil {
		panic("job: a stream has called yield after it had returned false")
	}
	c.reply(v, err)
	return <-c.resume
}

func (c *coroutine[T]) reply(v T, err error) {
	final := Completed
	if err != nil {
		final = Faulted
	}
	c.step.settle(final, v, err)
}
