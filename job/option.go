package job

import (
	"github.com/movenext/movenext/internal/dispatch"
	"github.com/movenext/movenext/schedulers"
)

// Option changes how a job is made or started. Options are plain values, not functions,
// so that passing them allocates nothing. A function that makes a job and gets an option
// that does not apply to it returns a job that has faulted with [ErrOption]. [Job.Start]
// returns ErrOption, and changes nothing.
type Option struct {
	on    schedulers.Scheduler
	setOn bool
	name  string
	flags schedulers.Flags
	only  filter
	mode  mode

	diagnose Diagnostics
}

// mode is a set of ways in which a job with a function, or a scope, differs from the usual.
// For a promise, which is made without options, see promiseMode.
type mode uint8

const (
	synchronous mode = 1 << iota // run by the antecedent's runner
	lazy                         // ignores the end of ctx until the antecedent has ended
	shielded                     // ctx ends without the job noticing
	unstoppable                  // refuses Cancel; set by Finally, not by an option
	labeled                      // see FollowLabels
	traced                       // see FollowTrace
	supervising                  // of a scope
	reported                     // another job takes the failure over; also of promises
	continuing  = synchronous | lazy
)

// promiseMode is a set of ways in which a job without a function differs from the usual. It
// has bits of its own, but is stored in the same byte as a mode: a second byte would make
// each job larger by a word. core.setPromiseMode and core.hasPromiseMode access it.
type promiseMode uint8

const (
	dependent    promiseMode = 1 << iota // cannot end before other jobs; see initDependent
	holdsContext                         // see internals.HoldContext
	exclusive                            // only its waiter gets the value: see promise.setExclusive
)

// setPromiseMode adds m to the modes of a job that has no function.
func (c *core) setPromiseMode(m promiseMode) { c.mode |= mode(m) }

// hasPromiseMode reports whether the job has no function and the mode m.
func (c *core) hasPromiseMode(m promiseMode) bool { return c.own == nil && c.mode&mode(m) != 0 }

// filter is a set of final statuses; the empty one stands for all.
type filter uint8

func only(s Status) filter { return 1 << s }

// admits reports whether the filter lets s through.
func (f filter) admits(s Status) bool { return f == 0 || f&only(s) != 0 }

// On makes the job run on s. A nil s makes the job fault with [ErrNilScheduler].
func On(s schedulers.Scheduler) Option { return Option{on: s, setOn: true} }

// Named gives the job a name, for logs and dumps. Names need not be unique.
func Named(name string) Option { return Option{name: name} }

// LongRunning declares that the job keeps its worker for a long time. A scheduler with
// few workers runs such a job outside them.
func LongRunning() Option { return Option{flags: schedulers.LongRunning} }

// PreferFairness puts the job into the queue that is served in order of arrival, even
// when it is started inside another job. Use it for children that are independent of each
// other and of their parent's data: on schedulers with a queue for each worker, any worker
// that is free takes them before it steals, while the parent's worker turns to its own queue
// first. So they may run in parallel. For another order alone, start them in that order.
func PreferFairness() Option { return Option{flags: schedulers.PreferFairness} }

// Shielded shields the job from the end of the context that it is made with: the job
// runs even if that context has ended, and its own context has no deadline. Values, the
// ambient scheduler and the worker pass through, and [Job.Cancel] works. It is for work
// that must be finished once begun, as context.WithoutCancel is for a call.
func Shielded() Option { return Option{mode: shielded} }

// OnlyOnCompleted is for [ContinueWith]: the continuation runs if its antecedent has
// Completed; otherwise it is Canceled with [ErrFiltered]. Several filters add up.
func OnlyOnCompleted() Option { return Option{only: only(Completed)} }

// OnlyOnFaulted is for [ContinueWith] and [Catch]: the continuation runs if its
// antecedent has Faulted. See [OnlyOnCompleted].
func OnlyOnFaulted() Option { return Option{only: only(Faulted)} }

// OnlyOnCanceled is for [ContinueWith] and [Catch]: the continuation runs if its
// antecedent was Canceled. See [OnlyOnCompleted].
func OnlyOnCanceled() Option { return Option{only: only(Canceled)} }

// RunSynchronously is for continuations. If the antecedent has a function, the
// continuation runs right after that function on the same goroutine, before the worker
// takes other work, whatever the scheduler of the continuation is. This saves a handoff;
// use it for short functions that do not block.
//
// It is a request. If the antecedent has no function (a [Source], a timer, a machine,
// WhenAll), or had ended before, the continuation is submitted like any other. The
// completer of a source may hold locks, so it never has to run user code.
func RunSynchronously() Option { return Option{mode: synchronous} }

// LazyCancellation is for continuations: the end of ctx does not cancel the continuation
// before its antecedent has ended. So the continuation never ends before its antecedent,
// unless [Job.Cancel] is called.
func LazyCancellation() Option { return Option{mode: lazy} }

// usage lists which of the options that apply only to some jobs apply to one kind of job.
type usage struct {
	modes   mode
	filters filter
}

var (
	forJob          = usage{modes: shielded}
	forContinuation = usage{shielded | continuing, only(Completed) | only(Faulted) | only(Canceled)}
	forThen         = usage{modes: shielded | continuing}
	forCatch        = usage{shielded | continuing, only(Faulted) | only(Canceled)}
	forFinally      = usage{modes: continuing}
	forStart        = usage{}
	forScope        = usage{modes: shielded | supervising}
)

// check returns the error if one of the options does not apply.
func (o *Option) check(p usage) error {
	switch {
	case o.mode&^p.modes != 0 || o.only&^p.filters != 0:
		return ErrOption
	case o.setOn && o.on == nil:
		return ErrNilScheduler
	}
	return nil
}

// home returns the home that the option On names, or nil. Few jobs have that option;
// they have one more object than others.
func (o *Option) home() *schedulers.Home {
	if o.on == nil {
		return nil
	}
	return dispatch.HomeFor(o.on)
}

// merge folds several options into one; if two conflict, the later one wins.
func merge(opts []Option) Option {
	var all Option
	for i := range opts {
		o := &opts[i]
		if o.setOn {
			all.on, all.setOn = o.on, true
		}
		if o.name != "" {
			all.name = o.name
		}
		all.flags |= o.flags
		all.only |= o.only
		all.mode |= o.mode
		all.diagnose |= o.diagnose
	}
	return all
}
