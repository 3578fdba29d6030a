package job

import (
	"context"
	"fmt"
	"strings"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/ctxwatch"
)

// # Waits that close a cycle
//
// A job that waits for itself, or for a job that waits for it, waits forever. How many
// of these cycles can be detected without slowing anything else down?
//
// A job's waiters are in its list, so a search can walk from a job to its waiters, to
// their waiters, and so on. If it gets from the job that is about to wait to the job
// that it is about to wait for, the wait closes a cycle. Only a job that is about to
// block pays for the search, and it usually has no waiters.
//
// But which job is about to wait? Go does not report which job a goroutine runs. The
// context does: a job's function passes its own context to Wait. So a wait with a job's
// context, or one derived from it, counts as a wait of that job until the job has ended.
// A goroutine that a job started and that waits independently, say for the job itself,
// must not use the job's context. Such a wait is refused; a wait with
// context.WithoutCancel of it is not. (Using the context would rarely help anyway: it
// ends with the job, unless the job has started others that continue.)
//
// This finds cycles of waits by [Job.Wait] with a job's own context or one derived
// from it, and of continuations, combinators, scopes and machines between them. It
// does not find waits by [Job.Await] in plain code, which has no context, or waits for
// channels, locks and the like. It does not follow a wait that may end in another way,
// even if that way is part of a cycle too: a [Race], [WhenAny] or [Completions] with two
// jobs that can still be the first, a [WaitTimeout], a wait with a deadline before that
// of the waiting job. And it visits only the 64 nearest jobs, and of each job's waiters
// only the last 8.

// CycleError names the jobs of a cycle. It matches [ErrCycle] and [ErrWouldDeadlock].
type CycleError struct {
	// Jobs are names in quotes or IDs as #n. Each waits for the next, the last for the
	// first.
	Jobs []string
}

// Error implements error.
func (e *CycleError) Error() string {
	switch len(e.Jobs) {
	case 0:
		return ErrCycle.Error()
	case 1:
		return fmt.Sprintf("job: %s waits for itself", e.Jobs[0])
	default:
		return fmt.Sprintf("job: %s waits for %s", strings.Join(e.Jobs, " waits for "), e.Jobs[0])
	}
}

// Unwrap returns ErrCycle.
func (e *CycleError) Unwrap() error { return ErrCycle }

// # A machine that closes a cycle
//
// A machine registers first and then searches ([internals.WithdrawIfCycle]). In the other order,
// two machines that close a cycle at the same moment could both search before either is
// registered, and both would wait forever. Registering is a compare-and-swap on the list
// of the awaited job, so all registrations of a cycle have an order. The last to
// register searches when all others are visible.
//
// The difficulty: as soon as it is registered, the machine belongs to the completer of
// the awaited job. So everything that the search needs is collected before; the search
// visits only jobs, which the machine does not own; and the node is withdrawn by finding
// it in that list ([continuation.List.Withdraw]), without reading the node's own fields.
// If the node is found there, the machine has not been notified, and belongs to the
// caller again.

// mayWait reports whether the job may be waiting for another one: it depends on others,
// or its function has begun.
func (c *core) mayWait() bool {
	if c.own == nil {
		return true
	}
	s := c.state.status()
	return s != Created && s != Scheduled
}

// maxCycleJobs is the maximum number of jobs that a search visits.
const maxCycleJobs = 64

// findCycle searches, breadth first, from waiter to awaited, along the waiters.
func findCycle(waiter, awaited *core) error {
	seen := append(make(search, 0, 8), step{waiter, -1})
	for i := 0; ; i++ {
		if i == len(seen) { // it grows as we go
			return nil
		}
		c := seen[i].job
		if c == awaited {
			return seen.cycle(i)
		}
		seen.add(c.runner(), i)
		if !c.waiting.Empty() {
			c.waiting.Visit(maxVisited, func(t continuation.Target) { seen.add(jobBehind(t), i) })
		}
	}
}

// search holds the jobs that were found to wait for the first one, and for each the job
// that it waits for.
type search []step

type step struct {
	job   *core
	below int // the step whose job this one waits for
}

// add adds a job that waits for the job of step below, if it is new.
func (s *search) add(c *core, below int) {
	if c == nil || len(*s) >= maxCycleJobs {
		return
	}
	for i := range *s {
		if (*s)[i].job == c {
			return
		}
	}
	*s = append(*s, step{c, below})
}

// cycle returns the error of the cycle that the last step closes.
func (s search) cycle(last int) error {
	e := &CycleError{Jobs: []string{s[0].job.label()}}
	for k := last; k > 0; k = s[k].below {
		e.Jobs = append(e.Jobs, s[k].job.label())
	}
	return e
}

type jobKey struct{}

// enclosingBody returns the job context that ctx is derived from, or nil.
func enclosingBody(ctx context.Context) *body {
	if b, ok := ctx.(*body); ok {
		return b
	}
	c, _ := ctx.Value(jobKey{}).(*core)
	if c == nil {
		return nil
	}
	return c.own
}

// current returns the job that a wait with ctx is attributed to, or nil. Only a context
// that is not a job's own is checked for whether it can end (context.WithoutCancel
// cannot): the check would make a job's own context create a real one.
func current(ctx context.Context) *core {
	if b, ok := ctx.(*body); ok {
		return b.owner.base().unlessCompleted()
	}
	c, _ := ctx.Value(jobKey{}).(*core)
	if c == nil || !ctxwatch.OriginOf(ctx).CanEnd() {
		return nil
	}
	return c.unlessCompleted()
}

// bounded reports whether a wait with ctx, on behalf of that job or of none, has a
// deadline before the job's own. Such a wait closes no cycle, since it ends before the
// job's context does. A wait that ends no earlier than the job's context would not help
// the job.
func bounded(ctx context.Context, behalf *core) bool {
	at, ok := ctx.Deadline()
	if !ok || behalf == nil || behalf.own == nil {
		return ok
	}
	own, ok := behalf.own.Deadline()
	return !ok || at.Before(own)
}

func (c *core) unlessCompleted() *core {
	if c.isCompleted() {
		return nil
	}
	return c
}
