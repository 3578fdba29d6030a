//go:build interleave

package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/movenext/movenext/continuation"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/linear"
	"github.com/movenext/movenext/schedulers"
)

// These programs run in each order of their steps; see package interleave. The following
// must hold in all of them:
//
//   - a job's function is called at most once, and not if the job was canceled before
//   - a job ends once: its status and result do not change after they were seen
//   - of all calls that could decide its end, exactly one reports that it did
//   - each registered waiter is notified once; each refused one sees the result
//   - a registration that is no longer needed is withdrawn
//   - the context of a job ends with its last user, and not before

// spawner is a scheduler that gives each work item a goroutine of the program.
type spawner struct{}

func (s spawner) Submit(w schedulers.Work, _ schedulers.Hint) error {
	interleave.Go(func() { w.Run(nil) })
	return nil
}

// trial records what happens to one job.
type trial struct {
	calls   int // of the function
	decided int // calls that report that they have decided
	seen    string
	told    int
	added   int
	wrong   error
}

// onSpawner is a context whose jobs run at once, as goroutines of the program.
func onSpawner() context.Context { return schedulers.With(context.Background(), spawner{}) }

func (p *trial) failf(format string, args ...any) {
	if p.wrong == nil {
		p.wrong = fmt.Errorf(format, args...)
	}
}

func (p *trial) call(context.Context) (int, error) {
	p.calls++
	return 7, nil
}

// look compares the outcome that a job reports with the one that it reported before.
func (p *trial) look(j *Job[int]) {
	before := p.seen
	s := j.Status()
	if !s.IsFinal() {
		if before != "" {
			p.failf("the job has ended as %s, and is %s", before, s)
		}
		return
	}
	v, err := j.GetResult()
	now := fmt.Sprint(s, v, err)
	if p.seen != "" && p.seen != now {
		p.failf("the job has ended as %s, and then as %s", p.seen, now)
	}
	p.seen = now
}

// hearing is a registration.
type hearing struct {
	continuation.Node
	of *trial
	j  *Job[int]
}

// Completed implements continuation.Target.
func (h *hearing) Completed(schedulers.Worker) continuation.Chain {
	h.of.told++
	h.of.look(h.j)
	return continuation.Chain{}
}

func (p *trial) register(j *Job[int]) {
	h := &hearing{of: p, j: j}
	h.Prepare(h)
	if j.Register(&h.Node) {
		p.added++
	} else if p.look(j); p.seen == "" {
		p.failf("a refused registration does not see the end")
	}
}

func (p *trial) check(j *Job[int]) error {
	p.look(j)
	switch {
	case p.wrong != nil:
		return p.wrong
	case p.seen == "":
		return errors.New("the job has not ended")
	case p.told != p.added:
		return fmt.Errorf("%d of %d registrations were told", p.told, p.added)
	case p.calls > 1:
		return fmt.Errorf("the function was called %d times", p.calls)
	}
	return nil
}

func explore(t *testing.T, program interleave.Program) {
	t.Helper()
	interleave.Explore(t, program)
}

func TestInterleavingsOfAWorkerAndACanceler(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		p := new(trial)
		j := Run(onSpawner(), p.call)
		s.Go("canceler", func() {
			if j.Cancel() {
				p.decided++
			}
		})
		s.Go("other canceler", func() { j.Cancel() })
		s.Go("waiter", func() { p.register(j) })
		return func() error {
			if (j.Status() == Completed) != (p.calls == 1) {
				return fmt.Errorf("%d calls of a job that is %s", p.calls, j.Status())
			}
			if j.Status() == Canceled && p.calls > 0 {
				return errors.New("a canceled job was called")
			}
			return p.check(j)
		}
	})
}

func TestInterleavingsOfTwoStartsAndACancel(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		p := new(trial)
		j := New(onSpawner(), p.call)
		start := func() {
			if j.Start() == nil {
				p.decided++
			}
		}
		s.Go("starter", start)
		s.Go("other starter", start)
		s.Go("canceler", func() {
			j.Cancel()
			if s := j.Status(); s == Created || s == Scheduled {
				p.failf("a canceled job is %s", s)
			}
		})
		return func() error {
			if p.decided > 1 {
				return fmt.Errorf("%d starts", p.decided)
			}
			if p.calls == 1 != (j.Status() == Completed) {
				return fmt.Errorf("%d calls of a job that is %s", p.calls, j.Status())
			}
			return p.check(j)
		}
	})
}

// Waiters start a job that was made and not started.
func TestInterleavingsOfRegistrationsThatStart(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		p := new(trial)
		j := New(onSpawner(), p.call)
		s.Go("waiter", func() { p.register(j) })
		s.Go("other waiter", func() { p.register(j) })
		return func() error { return p.check(j) }
	})
}

func TestInterleavingsOfProducers(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		p := new(trial)
		source := NewSource[int]()
		j := source.Job()
		won := ""
		try := func(name string, set func() bool) {
			s.Go(name, func() {
				if set() {
					p.decided++
					won = name
				}
				p.look(j)
			})
		}
		try("one", func() bool { return source.TrySetResult(1) })
		try("failure", func() bool { return source.TrySetError(errors.New("no")) })
		try("cancel", source.TrySetCanceled)
		s.Go("waiter", func() { p.look(j); p.register(j); p.look(j) })
		return func() error {
			want := map[string]Status{"one": Completed, "failure": Faulted, "cancel": Canceled}[won]
			if p.decided != 1 || j.Status() != want {
				return fmt.Errorf("%d producers won, the last was %q, the job is %s", p.decided, won, j.Status())
			}
			return p.check(j)
		}
	})
}

// A continuation is canceled while its antecedent completes.
func TestInterleavingsOfAContinuationAndItsCancel(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		p := new(trial)
		source := NewSource[int]()
		c := ContinueWith(onSpawner(), source.Job(), func(_ context.Context, j *Job[int]) (int, error) {
			p.calls++
			return j.GetResult()
		})
		s.Go("producer", func() { source.TrySetResult(3) })
		s.Go("canceler", func() { c.Cancel() })
		s.Go("waiter", func() { p.register(c) })
		return func() error {
			if v, _ := c.GetResult(); p.calls == 1 != (c.Status() == Completed && v == 3) {
				return fmt.Errorf("%d calls, and the continuation is %s with %d", p.calls, c.Status(), v)
			}
			return p.check(c)
		}
	})
}

// given is a context that a goroutine of the program ends. Its watchers are notified on
// a goroutine of the program too.
type given struct {
	context.Context
	done chan struct{}
	mu   interleave.Mutex
	tell []func() // nil: withdrawn
	over interleave.Bool
}

func newGiven() *given { return &given{Context: onSpawner(), done: make(chan struct{})} }

func (c *given) Done() <-chan struct{} { return c.done }

func (c *given) Err() error {
	if c.over.Load() {
		return context.Canceled
	}
	return nil
}

// AfterFunc does what package context does for its own contexts.
func (c *given) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		interleave.Go(f)
		return func() bool { return false }
	}
	c.tell = append(c.tell, f)
	i := len(c.tell) - 1
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		if i >= len(c.tell) || c.tell[i] == nil {
			return false
		}
		c.tell[i] = nil
		return true
	}
}

// watched reports whether somebody is to be notified of the end.
func (c *given) watched() bool {
	return slices.ContainsFunc(c.tell, func(f func()) bool { return f != nil })
}

func (c *given) end() {
	c.mu.Lock()
	c.over.Store(true)
	close(c.done)
	for _, f := range c.tell {
		if f != nil {
			interleave.Go(f)
		}
	}
	c.tell = nil
	c.mu.Unlock()
}

// The context of a continuation ends while the continuation is made. The antecedent does
// not complete.
func TestInterleavingsOfAContinuationAndItsContext(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		source, ctx := NewSource[int](), newGiven()
		var c *Job[int]
		s.Go("maker", func() {
			c = Then(ctx, source.Job(), func(context.Context, int) (int, error) { return 0, nil })
		})
		s.Go("ender", ctx.end)
		return func() error {
			switch {
			case c.Status() != Canceled:
				return fmt.Errorf("the continuation is %s", c.Status())
			case !source.Job().core.waiting.Empty():
				return errors.New("a registration is left")
			}
			return nil
		}
	})
}

// The antecedent and the context of a continuation end while it is made.
func TestInterleavingsOfAContinuationItsAntecedentAndItsContext(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		p := new(trial)
		source, ctx := NewSource[int](), newGiven()
		var c *Job[int]
		s.Go("maker", func() {
			c = Then(ctx, source.Job(), func(context.Context, int) (int, error) { p.calls++; return 7, nil })
		})
		s.Go("producer", func() { source.TrySetResult(1) })
		s.Go("ender", ctx.end)
		return func() error {
			if ctx.watched() {
				return errors.New("a watch is left")
			}
			if !c.IsCompleted() || p.calls == 0 && c.Status() != Canceled {
				return fmt.Errorf("after %d calls the continuation is %s", p.calls, c.Status())
			}
			return p.check(c)
		}
	})
}

// A continuation is canceled while its antecedent fails: it either takes the failure
// over or has not seen it.
func TestInterleavingsOfAContinuationThatTakesAFailureOver(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		source := NewSource[int]()
		c := Then(onSpawner(), source.Job(), func(context.Context, int) (int, error) { return 0, nil })
		s.Go("producer", func() { source.TrySetError(errBoom) })
		s.Go("canceler", func() { c.Cancel() })
		return func() error {
			seen := source.Job().core.state.word.Load()&observed != 0
			if took := c.Status() == Faulted; took != seen {
				return fmt.Errorf("the continuation is %s, and the failure observed: %v", c.Status(), seen)
			}
			return nil
		}
	})
}

// The antecedent does not complete: a canceled continuation leaves nothing behind in it.
func TestInterleavingsOfCanceledContinuations(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		source := NewSource[int]()
		for i := range 2 {
			s.Go(fmt.Sprint("continuation ", i), func() {
				c := ContinueWith(onSpawner(), source.Job(), func(context.Context, *Job[int]) (int, error) { return 0, nil })
				c.Cancel()
			})
		}
		return func() error {
			if !source.Job().core.waiting.Empty() {
				return errors.New("a registration is left")
			}
			return nil
		}
	})
}

func TestInterleavingsOfTheFirstOfSeveral(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		var sources [3]*Source[int]
		for i := range sources {
			sources[i] = NewSource[int]()
		}
		var first *Job[*Job[int]]
		s.Go("waiter", func() { first = WhenAny(sources[0].Job(), sources[2].Job(), sources[1].Job()) })
		for i := range 2 {
			s.Go(fmt.Sprint("producer ", i), func() { sources[i].TrySetResult(i) })
		}
		return func() error {
			j, err := first.GetResult()
			switch {
			case first.Status() != Completed || err != nil || j.Status() != Completed:
				return fmt.Errorf("the first of several is %s, %v", first.Status(), err)
			case !sources[2].Job().core.waiting.Empty():
				return errors.New("a registration is left at the job that has not ended")
			}
			return nil
		}
	})
}

func TestInterleavingsOfAllOfSeveral(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		var sources [2]Source[int]
		var all *Job[[]int]
		s.Go("waiter", func() { all = WhenAll(sources[0].Job(), sources[1].Job()) })
		for i := range sources {
			s.Go(fmt.Sprint("producer ", i), func() { sources[i].TrySetResult(i + 1) })
		}
		return func() error {
			v, err := all.GetResult()
			if all.Status() != Completed || err != nil || fmt.Sprint(v) != "[1 2]" {
				return fmt.Errorf("all of several is %s with %v, %v", all.Status(), v, err)
			}
			return nil
		}
	})
}

// A job starts another one and does not wait for it. Its context ends with the last of
// the two.
func TestInterleavingsOfTheUsersOfAContext(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		p := new(trial)
		var of context.Context
		var child *Job[int]
		parent := Run(onSpawner(), func(ctx context.Context) (int, error) {
			of = ctx
			child = Run(ctx, func(inner context.Context) (int, error) {
				done := ctx.Done()
				if ctx.Err() != nil {
					p.failf("the context ended before its last user")
				}
				select {
				case <-done:
					p.failf("the context's channel was closed before its last user ended")
				default:
				}
				return 1, nil
			})
			return 0, nil
		})
		return func() error {
			if parent.Status() != Completed || child.Status() != Completed {
				return fmt.Errorf("the jobs are %s and %s", parent.Status(), child.Status())
			}
			if of.Err() == nil {
				return errors.New("the context did not end with its last user")
			}
			return p.wrong
		}
	})
}

// A job ends while other goroutines get its context's channel: they get one.
func TestInterleavingsOfAContextThatIsAskedAndItsEnd(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		var of context.Context
		parent := New(onSpawner(), func(context.Context) (int, error) { return 0, nil })
		of = parent.core.own
		var channels [2]<-chan struct{}
		s.Go("starter", func() { _ = parent.Start() })
		for i := range channels {
			s.Go(fmt.Sprint("asker ", i), func() { channels[i] = of.Done() })
		}
		return func() error {
			if channels[0] != channels[1] {
				return errors.New("the context has two channels")
			}
			select {
			case <-channels[0]:
				return nil
			default:
				return errors.New("the channel is open, and the job has ended")
			}
		}
	})
}

// Other goroutines start jobs with the context of a job that ends: either the context
// has ended, or it lasts until they end.
func TestInterleavingsOfAContextThatIsUsedAndItsEnd(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		p := new(trial)
		parent := New(onSpawner(), func(context.Context) (int, error) { return 0, nil })
		of := context.Context(parent.core.own)
		s.Go("starter", func() { _ = parent.Start() })
		s.Go("user", func() {
			if b := parent.core.own; b.Hold() {
				if of.Err() != nil {
					p.failf("the context has ended, and has a user")
				}
				b.Release()
			}
		})
		s.Go("reader", func() {
			if ended := of.Err() != nil; ended && of.Err() == nil {
				p.failf("the context had ended, and has not")
			}
		})
		return func() error {
			if of.Err() == nil {
				return errors.New("the context did not end with its last user")
			}
			return p.wrong
		}
	})
}

func TestInterleavingsOfASourceAreLinearizable(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		h, source := new(linear.History), NewSource[int]()
		for _, v := range []int{1, setCancel} {
			s.Go(fmt.Sprint("setter of ", v), func() { set(h, source, v) })
		}
		s.Go("reader", func() { read(h, source.Job()); read(h, source.Job()) })
		return func() error { return explained(h) }
	})
}

// Time passes, a timeout is canceled, and its parent ends, while something waits within it and
// somebody asks for its channel.
func TestInterleavingsOfATimeoutThatEnds(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		source, parent := NewSource[int](), newGiven()
		ctx, cancel := WithTimeout(parent, time.Hour)
		var wait *Job[int]
		var done <-chan struct{}
		s.Go("waiter", func() { wait = WaitAsync(ctx, source.Job()) })
		s.Go("asker", func() { done = ctx.Done() })
		s.Go("canceler", cancel)
		s.Go("timer", func() { own := ctx.(*timeout); own.timer.OnExpire.Expire(&own.timer) })
		s.Go("ender", parent.end)
		return func() error {
			select {
			case <-done:
			default:
				return errors.New("the channel is open")
			}
			within := interleave.LoadPointer(&ctx.(*timeout).ownRest().inner)
			switch {
			case wait.Status() != Canceled:
				return fmt.Errorf("the wait is %s", wait.Status())
			case ctx.Err() == nil || within.ctx.Err() != ctx.Err() || context.Cause(ctx) != ctx.Err():
				return fmt.Errorf("it has ended with %w, inside with %w", ctx.Err(), within.ctx.Err())
			case parent.watched():
				return errors.New("a watch is left")
			case !source.Job().core.waiting.Empty():
				return errors.New("a registration is left")
			}
			return nil
		}
	})
}

// A timeout is canceled while somebody asks for its channel, and leaves no watch of its parent.
func TestInterleavingsOfATimeoutThatIsAsked(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		parent := newGiven()
		ctx, cancel := WithTimeout(parent, time.Hour)
		s.Go("asker", func() { ctx.Done() })
		s.Go("canceler", cancel)
		return func() error {
			if parent.watched() {
				return errors.New("a watch is left")
			}
			return nil
		}
	})
}

// Time passes, a timeout is canceled, and its parent ends, while something waits within it.
func TestInterleavingsOfATimeoutThatNobodyAsks(t *testing.T) {
	explore(t, func(s *interleave.Schedule) func() error {
		source, parent := NewSource[int](), newGiven()
		ctx, cancel := WithTimeout(parent, time.Hour)
		var wait *Job[int]
		s.Go("waiter", func() { wait = WaitAsync(ctx, source.Job()) })
		s.Go("timer", func() { own := ctx.(*timeout); own.timer.OnExpire.Expire(&own.timer) })
		s.Go("canceler", cancel)
		s.Go("ender", parent.end)
		return func() error {
			rest := interleave.LoadPointer(&ctx.(*timeout).rest)
			switch {
			case wait.Status() != Canceled:
				return fmt.Errorf("the wait is %s", wait.Status())
			case ctx.Err() == nil || rest.why != ctx.Err() || context.Cause(ctx) != ctx.Err():
				return fmt.Errorf("it has ended with %w", ctx.Err())
			case parent.watched():
				return errors.New("a watch is left")
			case !source.Job().core.waiting.Empty():
				return errors.New("a registration is left")
			}
			return nil
		}
	})
}

// A wait under a job's context begins while the job ends. It ends with its operation, with the
// context, or at once if the context has no users any more.
func TestInterleavingsOfAWaitUnderAJobsContext(t *testing.T) {
	for _, end := range []string{"", "cancel", "parent"} {
		t.Run(end, func(t *testing.T) {
			explore(t, func(s *interleave.Schedule) func() error {
				source, parent := NewSource[int](), newGiven()
				var wait *Job[int]
				over := end == "parent"
				j := New(parent, func(ctx context.Context) (int, error) {
					interleave.Go(func() { wait = WaitAsync(ctx, source.Job()) })
					return 7, nil
				})
				s.Go("starter", func() { _ = j.Start() })
				switch end {
				case "":
					s.Go("producer", func() { source.TrySetResult(1) })
				case "cancel":
					s.Go("canceler", func() { over = j.Cancel() })
				case "parent":
					s.Go("ender", parent.end)
				}
				return func() error {
					if over && wait != nil && wait.Status() != Canceled {
						return fmt.Errorf("the wait is %s", wait.Status())
					}
					source.TrySetResult(1)
					switch {
					case !j.IsCompleted():
						return fmt.Errorf("the job is %s", j.Status())
					case parent.watched():
						return errors.New("a watch is left")
					case wait != nil && !wait.IsCompleted():
						return fmt.Errorf("the wait is %s", wait.Status())
					}
					return nil
				}
			})
		})
	}
}
