package coord

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/internal/promise"
	"github.com/movenext/movenext/job"
)

// Case is one of the alternatives of a [Select]. It is a plain value, made by
// [OnReceive], [OnSend], [OnLock], [OnAcquire], [OnEnd], [OnTimeout] or [Default], and can
// be reused. The zero Case is never ready.
type Case struct{ kind caseKind }

// caseKind is what a select waits for in one case.
type caseKind interface {
	// poll takes the case if it is ready, and reports whether it was.
	poll() (ready bool, err error)
	// branch returns the wait for the case, which begins when it is entered.
	branch(ctx context.Context, a alternative) branch
}

// OnReceive is ready when c has an element, which it takes and stores in *to, unless to
// is nil. It is also ready when c is closed and nothing is left, with the error of
// [Channel.Receive]. A nil channel is never ready, so a nil channel disables a case, as
// in Go.
func OnReceive[T any](c *Channel[T], to *T) Case {
	if c == nil {
		return Case{}
	}
	return Case{&receiveCase[T]{c, to}}
}

// OnSend is ready when c has room for v or a receiver waits for it, and sends v. It is also
// ready when [Channel.Send] would fail, with its error. A nil channel is never ready.
func OnSend[T any](c *Channel[T], v T) Case {
	if c == nil {
		return Case{}
	}
	return Case{&sendCase[T]{c, v}}
}

// OnLock is ready when m is free, and locks it. If it is chosen, the caller holds m. A nil
// Mutex is never ready.
func OnLock(m *Mutex) Case {
	if m == nil {
		return Case{}
	}
	return Case{lockCase{m}}
}

// OnAcquire is ready when n permits of s are free and no earlier request waits, and takes
// them. If it is chosen without an error, the caller holds them. It is also ready when
// [Semaphore.Acquire] would fail, with its error. A nil Semaphore is never ready.
func OnAcquire(s *Semaphore, n int64) Case {
	if s == nil {
		return Case{}
	}
	return Case{&acquireCase{s, n}}
}

// OnEnd is ready when j has ended; the job itself has the outcome. A job that is Created
// is started if Select has to wait. A nil job counts as one that has ended.
func OnEnd(j job.Handle) Case { return Case{endCase{j}} }

// OnTimeout is ready when Select has waited for d, by the clock of the scheduler in its
// context. With a d of zero or less it is [Default].
func OnTimeout(d time.Duration) Case { return Case{timeoutCase(d)} }

// Default is always ready: a Select with it does not wait. Cases after it are ignored.
func Default() Case { return OnTimeout(0) }

// Select waits until one of the cases is ready and returns its index. Exactly one case takes
// effect, and leaves the others unchanged: nothing that was not chosen is received, sent,
// locked, acquired, started or lost. Of several that are ready when Select is called it takes
// the first in the order given. If none is, it waits in the queues of all its cases, behind
// those that came before, and takes the case whose turn comes first. The error is that of the
// chosen case, such as [ErrClosed]. If ctx ends, Select returns -1 and the reason. If no
// case can ever become ready, it waits until ctx ends.
//
// Two selects meet, one of which sends what the other one receives. A select does not meet
// itself.
//
// In a loop, a first case that is always ready starves the others, as with Kotlin's select
// and tokio's biased one. Go's select takes one at random. To be fair, rotate the cases.
//
// It blocks; its twin is [SelectAsync].
func Select(ctx context.Context, cases ...Case) (chosen int, err error) {
	budget.Yield()
	if ctx, err = checkContext(ctx); err != nil {
		return -1, err
	}
	if chosen, err = poll(cases); chosen >= 0 {
		// Yield again: in a search, others must be able to find a lock held.
		budget.Yield()
		return chosen, err
	}
	return newSelection(cases).wait(ctx, cases)
}

// SelectAsync returns a job that completes with the index of the chosen case, or is
// Canceled when ctx ends first. If the chosen case has an error, the job has faulted
// with it, and its value is still the index. Dropping the job drops what the case has received
// or locked. It does not block.
func SelectAsync(ctx context.Context, cases ...Case) *job.Job[int] {
	ctx, err := checkContext(ctx)
	if err != nil {
		return endedSelect(ctx, -1, err)
	}
	if chosen, err := poll(cases); chosen >= 0 {
		if err == nil && chosen < len(chosenAtOnce) {
			return chosenAtOnce[chosen]
		}
		return endedSelect(context.Background(), chosen, err)
	}
	return newSelection(cases).start(ctx, cases)
}

// poll takes the first case that is ready and returns its index, or -1.
func poll(cases []Case) (int, error) {
	for i, c := range cases {
		if c.kind == nil {
			continue
		}
		if ready, err := c.kind.poll(); ready {
			return i, err
		}
	}
	return -1, nil
}

// chosenAtOnce are jobs of selects that need not wait.
var chosenAtOnce = func() (jobs [8]*job.Job[int]) {
	for i := range jobs {
		jobs[i] = endedSelect(context.Background(), i, nil)
	}
	return jobs
}()

// endedSelect returns the job of a select that ends at once. If ctx has ended with err, the job
// is Canceled.
func endedSelect(ctx context.Context, chosen int, err error) *job.Job[int] {
	p := new(promise.Promise[int])
	promise.Init(&p.Job)
	promise.SetExclusive(&p.Job)
	promise.TryComplete(p, ctx, chosen, err) // the job is not shared yet and has no continuations
	return &p.Job
}

type receiveCase[T any] struct {
	channel *Channel[T]
	to      *T
}

func (c *receiveCase[T]) poll() (bool, error) {
	v, mustWait, err := c.channel.poll()
	if !mustWait && err == nil && c.to != nil {
		*c.to = v
	}
	return !mustWait, err
}

func (c *receiveCase[T]) branch(_ context.Context, a alternative) branch {
	return newCaseWaiter(a, c.channel.receiverHost(), job.Void{}, c.to)
}

type sendCase[T any] struct {
	channel *Channel[T]
	element T
}

func (c *sendCase[T]) poll() (bool, error) {
	mustWait, err := c.channel.offer(c.element)
	return !mustWait, err
}

func (c *sendCase[T]) branch(_ context.Context, a alternative) branch {
	return newCaseWaiter[job.Void](a, c.channel.senderHost(), c.element, nil)
}

type lockCase struct{ mutex *Mutex }

func (c lockCase) poll() (bool, error) { return c.mutex.TryLock(), nil }

func (c lockCase) branch(_ context.Context, a alternative) branch {
	return newCaseWaiter[job.Void](a, c.mutex, job.Void{}, nil)
}

type acquireCase struct {
	semaphore *Semaphore
	permits   int64
}

func (c *acquireCase) poll() (bool, error) {
	if c.permits < 0 {
		return true, fmt.Errorf("%w: %d", ErrNegativeWeight, c.permits)
	}
	return c.semaphore.TryAcquire(c.permits), nil
}

func (c *acquireCase) branch(_ context.Context, a alternative) branch {
	return newCaseWaiter[job.Void](a, c.semaphore, c.permits, nil)
}

type endCase struct{ job job.Handle }

func (c endCase) poll() (bool, error) { return c.job == nil || c.job.IsCompleted(), nil }

func (c endCase) branch(_ context.Context, a alternative) branch {
	return &endBranch{alternative: a, job: c.job}
}

type timeoutCase time.Duration

func (d timeoutCase) poll() (bool, error) { return d <= 0, nil }

func (d timeoutCase) branch(ctx context.Context, a alternative) branch {
	return newTimeoutBranch(ctx, a, time.Duration(d))
}
