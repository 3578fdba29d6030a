package job

import (
	"context"
	"io"
	"iter"
	"runtime"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/schedulers"
)

// Puller returns the values of a stream one by one, for cases that a range does not fit:
// two streams side by side, or a value now and the next one later. Make one with
// [Stream.Pull], and call Stop when no more values are needed. It is .NET's
// IAsyncEnumerator, and iter.Pull for streams.
//
// Any goroutine may use it, but only one at a time: a Next before the previous one has
// ended returns [ErrPulling].
//
// # Leaving
//
// A step is the part of the stream's function between two values. It belongs to the stream and
// not to the call of Next that began it, whose context ends the call alone. So when Stop is
// called, a step may be under way that nobody waits for. It is not waited for either:
//
//	Stop                                   the step
//	 1. ending is set: no step begins       1. its wait ends with its context, or has ended
//	 2. leave: the function's context       2. it yields a value, or an error, or ends
//	    ends, if a step is under way        3. its job is complete
//	 3. wait for the request and the step
//	 4. put the value back
//	 5. the yield returns false
//
// A value that arrives in step 2 on the right nevertheless was taken from somewhere. If its
// source can take it back, it does in step 4: a channel gets its element back in front, and a
// listener keeps the connection. The function's context does not end if it is at a yield: its
// deferred calls may need it, as after a break in a loop. A step that ends while Stop is called
// may count as under way.
type Puller[T any] struct {
	next    func(context.Context) *Job[T]
	stop    func(context.Context) *Job[Void]
	leave   func()
	putBack func(T) // nil: the source takes nothing back

	mu      interleave.Mutex
	asked   bool              // a caller begins a step, or waits for it
	request *request[T]       // that caller waits
	step    *Job[T]           // begun, and its outcome not yet delivered; or nil
	ending  *Job[Void]        // Stop was called
	begin   func(*request[T]) // the ending, left to a caller that is just beginning a step
}

// steps is implemented by a source that can be pulled without an extra goroutine: next
// begins the step to the next value, and stop begins the ending. Each is called only
// after the previous step has ended. leave ends what the step waits for, at any time.
type steps[T any] interface {
	Steps(consumer context.Context) (next func(context.Context) *Job[T], stop func(context.Context) *Job[Void], leave func())
}

// Pull returns a Puller of the stream's values. Nothing happens before the first Next,
// and the stream's function continues only when the next value is wanted. A stream made by
// [StreamOf] or [StreamFunc] runs on its own goroutine from the first Next until its end, or
// Stop.
func (s *Stream[T]) Pull() *Puller[T] { return s.pull(nil) } //nolint:staticcheck // it has none

// PullContext is [Stream.Pull] for a consumer with a context of its own: when ctx ends, the
// context with which the stream's function runs ends too. A function that waits gets that error,
// and usually yields it as its last value. A stream that has no context, made by [StreamOf], is
// not affected. Call Stop also after the end of ctx.
func (s *Stream[T]) PullContext(ctx context.Context) *Puller[T] { return s.pull(ctx) }

func (s *Stream[T]) pull(consumer context.Context) *Puller[T] {
	p := &Puller[T]{}
	var source streamSource[T]
	if s != nil {
		source = s.source
	}
	if source, ok := source.(steps[T]); ok {
		p.next, p.stop, p.leave = source.Steps(consumer)
	} else {
		p.next, p.stop, p.leave = pullSequence(s.All(), func() {})
	}
	if source, ok := source.(interface{ PutBack(v T) }); ok {
		p.putBack = source.PutBack
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
	var v T
	var err error
	orDesert(r.desert, func() { v, err = j.Wait(context.WithoutCancel(ctx)) })
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
// for that. If the function is between two values, because a Next has given up or still
// waits, the function's context ends, and with it what the function waits for. A value that it
// yields then goes back to the channel or listener that it came from; otherwise it is dropped.
// Plain code in a stream made by [StreamOf] has no such context, so Stop waits for its next
// yield; see [StreamFunc].
//
// Further calls of Next return io.EOF. A panic of the ending function continues in the caller.
// Calling Stop again waits for the same end. It blocks; its twin is [Puller.StopAsync].
func (p *Puller[T]) Stop(ctx context.Context) error {
	_, err := p.StopAsync(ctx).Wait(ctx)
	raise(err)
	return err
}

// StopAsync returns the job of the stream's end. It is the twin of [Puller.Stop]. It does
// not block: the stream's function runs on the caller's goroutine until it suspends.
func (p *Puller[T]) StopAsync(ctx context.Context) *Job[Void] {
	p.mu.Lock()
	ending, r := p.ending, p.request
	if ending != nil {
		p.mu.Unlock()
		return ending
	}
	source := NewSource[*Job[Void]]()
	ending = Unwrap(context.Background(), source.Job())
	p.ending = ending
	begin := func(r *request[T]) { afterRequest(ctx, r, func() { p.end(ctx, source) }) }
	if p.asked && r == nil {
		p.begin, begin = begin, nil // the caller that begins a step will see it
	}
	busy := p.asked || p.step != nil && !p.step.core.isCompleted()
	p.mu.Unlock()
	if busy {
		p.leave()
	}
	if begin != nil {
		begin(r)
	}
	return ending
}

// afterRequest calls f when the request has ended, and has taken the step's outcome or not.
func afterRequest[T any](ctx context.Context, r *request[T], f func()) {
	if r == nil {
		f()
		return
	}
	callAfter(ctx, &r.promise.job, f)
}

// end begins the ending. No caller waits for the step any more.
func (p *Puller[T]) end(ctx context.Context, ending *Source[*Job[Void]]) {
	p.mu.Lock()
	step := p.step
	p.mu.Unlock()
	callAfter(ctx, step, func() {
		defer ending.TrySetError(ErrGoexit) // if stop does not return
		err := p.returnLate(step)
		if j := p.stop(ctx); err == nil {
			ending.TrySetResult(j)
		} else {
			ending.TrySetError(err)
		}
	})
}

// returnLate puts back the value of a step whose outcome no caller has taken. If the step has
// panicked, or called runtime.Goexit, it returns that.
func (p *Puller[T]) returnLate(step *Job[T]) error {
	p.mu.Lock()
	p.step = nil
	p.mu.Unlock()
	if step == nil {
		return nil
	}
	v, err := step.GetResult()
	if _, panicked := err.(*PanicError); panicked || err == ErrGoexit {
		return err
	}
	if err == nil {
		p.PutBack(jobcore.Key{}, v)
	}
	return nil
}

// PutBack puts v, which Next has returned last, back to where the stream has taken it from, if
// that is possible. It is for the other packages of this module, which have a key; programs can
// neither make nor need one.
func (p *Puller[T]) PutBack(_ jobcore.Key, v T) {
	if p.putBack != nil {
		p.putBack(v)
	}
}

// callAfter calls f when a step has ended whose outcome may no longer be wanted.
func callAfter[T any](ctx context.Context, step *Job[T], f func()) {
	if step == nil || step.core.isCompleted() {
		f()
		return
	}
	ContinueWith(orBackground(ctx), step, func(context.Context, *Job[T]) (Void, error) {
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
	p, panicked := err.(*PanicError)
	switch {
	case err == ErrGoexit:
		runtime.Goexit()
	case panicked && p.exits:
		defer panic(p.Value)
		runtime.Goexit()
	case panicked:
		panic(p.Value)
	}
}

// ask returns a completed job if the outcome is known at once, else a request.
func (p *Puller[T]) ask(ctx context.Context) (known *Job[T], r *request[T]) {
	var why error
	if ctx.Err() != nil {
		why = contextError(ctx)
	}
	p.mu.Lock()
	step := p.step
	switch {
	case p.asked:
		known = FromError[T](ErrPulling)
	case p.ending != nil:
		known = FromError[T](io.EOF)
	case step != nil && step.core.isCompleted():
		known, p.step = step, nil
	case why != nil:
		known = failedWait[T](why)
	default:
		p.asked = true
	}
	p.mu.Unlock()
	if known != nil {
		return known, nil
	}
	begun := false
	defer func() { p.hasAsked(ctx, r, begun) }()
	if step == nil {
		step = p.take(ctx)
	}
	begun = true
	r = &request[T]{puller: p, ctx: ctx, step: step}
	r.promise.job.core.initDependent()
	r.promise.job.core.setExclusive()
	if !r.source.enter(step, r) { // it has ended, and no request was notified
		r.release(true)
		return step, nil
	}
	r.watchContext()
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
		p.mu.Unlock()
	}()
	return p.next(ctx)
}

// hasAsked ends ask, which has made the request r, or none. If begun is false, the function has
// called runtime.Goexit meanwhile. If a method of ctx has failed, r has ended.
func (p *Puller[T]) hasAsked(ctx context.Context, r *request[T], begun bool) {
	p.mu.Lock()
	if !begun {
		p.asked = false
	}
	if r != nil && !r.over {
		p.request = r
	}
	begin := p.begin
	p.begin = nil
	p.mu.Unlock()
	if begin != nil {
		begin(r)
	}
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
	step    *Job[T]

	// Protected by the puller's mu.
	over     bool // another caller may ask
	taken    bool // it has got the step's outcome
	deserted bool // nobody has it: it must not get the outcome
}

// watchContext ends r with its context. If a method of the context fails there, nobody gets r, so
// it must not take the step's outcome.
func (r *request[T]) watchContext() {
	orDesert(r.desert, func() { r.watch.Start(r.ctx, r) })
	if r.promise.job.core.taken() {
		r.watch.Stop()
	}
}

// Completed implements continuation.Target: the step has ended.
func (r *request[T]) Completed(schedulers.Worker) continuation.Chain {
	step := r.source.takeDelivered()
	if !r.promise.job.core.reserve() {
		return continuation.Chain{}
	}
	r.watch.Stop()
	r.release(true) // before the request is seen to have ended, and Next is called again
	step.core.observeFailure()
	return publish(&r.promise, step.Status(), step.value, step.core.err())
}

// ContextEnded implements ctxwatch.Listener.
func (r *request[T]) ContextEnded(*ctxwatch.Watch) {
	whenEnded(r.ctx, func(why error) { r.giveUp(&WaitError{Err: why}) })
}

func (r *request[T]) giveUp(why error) bool {
	if !r.promise.job.core.reserve() {
		return false
	}
	r.source.leave()
	r.watch.Stop()
	r.release(false)
	var zero T
	publish(&r.promise, Canceled, zero, why).Deliver(nil)
	return true
}

// desert ends a request whose wait is unwound: the step's outcome goes to the next call. The step
// may be about to deliver it to r, and finds then that it must not.
func (r *request[T]) desert() {
	if r.giveUp(context.Canceled) {
		return
	}
	p := r.puller
	p.mu.Lock()
	r.deserted = true
	stopped := r.taken && p.ending != nil
	if r.taken && !stopped {
		p.step = r.step
	}
	p.mu.Unlock()
	if stopped {
		if v, err := r.step.GetResult(); err == nil {
			p.PutBack(jobcore.Key{}, v)
		}
	}
}

func (r *request[T]) waitingJob() (*core, string) { return &r.promise.job.core, "Next" }

// release lets another caller ask. delivered reports whether r gets the step's outcome.
func (r *request[T]) release(delivered bool) {
	p := r.puller
	p.mu.Lock()
	defer p.mu.Unlock()
	r.over = true
	p.asked, p.request = false, nil
	if delivered && !r.deserted {
		r.taken = true
		p.step = nil
	}
}

// pullSequence begins a pull of a plain sequence. leave ends what it waits for.
func pullSequence[T any](seq iter.Seq2[T, error], leave func()) (next func(context.Context) *Job[T], stop func(context.Context) *Job[Void], _ func()) {
	c := &coroutine[T]{seq: seq, resume: make(chan bool, 1)}
	return c.next, c.end, leave
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
	c.step.job.core.initDependent()
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
	c.ending.job.core.initDependent()
	j := &c.ending.job
	c.resume <- false
	return j
}

// run is the sequence's goroutine.
func (c *coroutine[T]) run() {
	how, exits := ErrGoexit, true
	defer func() {
		if p, panicked := how.(*PanicError); panicked && exits {
			how = &PanicError{Value: p.Value, Stack: p.Stack, Async: p.Async, exits: true}
		}
		c.over = true
		switch {
		case c.ending == nil:
			var zero T
			c.reply(zero, how)
		case how == io.EOF:
			settle(c.ending, Completed, Void{}, nil)
		default:
			settle(c.ending, Faulted, Void{}, how)
		}
	}()
	c.callSeq(&how)
	exits = false
}

// callSeq calls the sequence, and writes how it ends. It does not return if the sequence calls
// runtime.Goexit.
func (c *coroutine[T]) callSeq(how *error) {
	defer func() {
		if v := recover(); v != nil {
			*how = newPanicError(v)
		}
	}()
	c.seq(c.yield)
	*how = io.EOF
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
	settle(c.step, final, v, err)
}
