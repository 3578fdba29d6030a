package job

import "github.com/movenext/movenext/schedulers"

// Option changes how a job is made or started. Options are plain values, not
// functions, so that passing them allocates nothing.
type Option struct {
	on    schedulers.Scheduler
	setOn bool
	name  string
	flags schedulers.Flags
}

// On has the job run on s. A nil s makes the job fault with [ErrNilScheduler].
func On(s schedulers.Scheduler) Option { return Option{on: s, setOn: true} }

// Named gives the job a name, for logs and dumps. Names need not be unique.
func Named(name string) Option { return Option{name: name} }

// LongRunning says that the job keeps its worker for long, so that a scheduler of few
// workers runs it outside of them.
func LongRunning() Option { return Option{flags: schedulers.LongRunning} }

// PreferFairness asks for the queue that is served in order of arrival, also when
// the job is started inside of another one.
func PreferFairness() Option { return Option{flags: schedulers.PreferFairness} }

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
	}
	return all
}
