package job

import "github.com/movenext/movenext/schedulers"

// Option changes how a job is made or started. Options are plain values, not functions,
// so that passing them allocates nothing. Where a job is made, one that makes no sense
// there makes the job fault with [ErrOption]. [Job.Start] returns ErrOption, and changes
// nothing.
type Option struct {
	on    schedulers.Scheduler
	setOn bool
	name  string
	flags schedulers.Flags
	only  filter
	mode  mode

	diagnose Diagnostics
}

// mode is how a job differs from the usual.
type mode uint8

const (
	synchronous mode          = 1 << iota // run by the antecedent's runner
	lazy                                  // ignores the end of ctx until the antecedent has ended
	shielded                              // ctx ends without the job noticing
	unstoppable                           // refuses Cancel; set by us, not by an option
	labeled                               // see FollowLabels
	traced                                // see FollowTrace
	supervising                           // of a scope
	reported                              // another job takes the failure over
	dependent   = supervising             // ends after other jobs: see initDependent
	staying     = lazy                    // a promise with its operation's context: insides.Stay
	handing     = shielded                // a promise with the only copy: insides.HandOver
	continuing  = synchronous | lazy
)

// filter is a set of final statuses; the empty one stands for all.
type filter uint8

func only(s Status) filter { return 1 << s }

// admits reports whether the filter lets s through.
func (f filter) admits(s Status) bool { return f == 0 || f&only(s) != 0 }

// On has the job run on s. A nil s makes the job fault with [ErrNilScheduler].
func On(s schedulers.Scheduler) Option { return Option{on: s, setOn: true} }

// Named gives the job a name, for logs and dumps. Names need not be unique.
func Named(name string) Option { return Option{name: name} }

// LongRunning says that the job keeps its worker for long, so that a scheduler of few
// workers runs it outside them.
func LongRunning() Option { return Option{flags: schedulers.LongRunning} }

// PreferFairness asks for the queue that is served in order of arrival, also when the
// job is started inside another one.
func PreferFairness() Option { return Option{flags: schedulers.PreferFairness} }

// Shielded shields the job from the end of the context that it is made with: the job
// runs even if that context has ended, and its own context has no deadline. Values, the
// ambient scheduler and the worker pass through, and [Job.Cancel] works. It is for work
// that must be finished once it was begun, as context.WithoutCancel is for a call.
func Shielded() Option { return Option{mode: shielded} }

// OnlyOnCompleted is for [ContinueWith]: the continuation runs if its antecedent has
// Completed; it is Canceled with [ErrFiltered] if not. Several filters add up.
func OnlyOnCompleted() Option { return Option{only: only(Completed)} }

// OnlyOnFaulted is for [ContinueWith] and [Catch]: the continuation runs if its
// antecedent has Faulted. See [OnlyOnCompleted].
func OnlyOnFaulted() Option { return Option{only: only(Faulted)} }

// OnlyOnCanceled is for [ContinueWith] and [Catch]: the continuation runs if its
// antecedent was Canceled. See [OnlyOnCompleted].
func OnlyOnCanceled() Option { return Option{only: only(Canceled)} }

// RunSynchronously is for continuations: one whose antecedent has a function runs right
// after that function on the same goroutine, before its worker takes other work,
// whatever its own scheduler is. It saves a handoff; use it for short functions that do
// not block.
//
// It is a request. An antecedent that has no function (a [Source], a timer, a machine,
// WhenAll), or that had ended before, does not run the continuation, which is submitted
// like any other. The completer of a source may hold locks, and never has to run user
// code.
func RunSynchronously() Option { return Option{mode: synchronous} }

// LazyCancellation is for continuations: the end of ctx does not cancel the
// continuation before its antecedent has ended. So it never ends before its antecedent
// does, unless [Job.Cancel] is called.
func LazyCancellation() Option { return Option{mode: lazy} }

// usage says which of the options that not all jobs know make sense for one kind of
// job.
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

// check returns the error of options that do not belong there.
func (o *Option) check(p usage) error {
	switch {
	case o.mode&^p.modes != 0 || o.only&^p.filters != 0:
		return ErrOption
	case o.setOn && o.on == nil:
		return ErrNilScheduler
	}
	return nil
}

// home returns the scheduler that the option On names, or nil. Jobs with that option
// are few, and have one more object than others.
func (o *Option) home() *schedulers.Home {
	if o.on == nil {
		return nil
	}
	return schedulers.HomeFor(o.on)
}

// merge folds several options into one; of two that contradict, the later wins.
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
