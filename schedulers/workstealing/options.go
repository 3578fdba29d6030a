package workstealing

import (
	"runtime"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Option changes how a scheduler is made.
type Option func(*Scheduler)

// Processors sets how much work runs at a time; the default is GOMAXPROCS at the time of New. A
// number below one is one, and one above 65 536 is that.
func Processors(n int) Option {
	return func(s *Scheduler) { s.procs = make([]*processor, min(max(1, n), mostProcessors)) }
}

// mostProcessors is far beyond what any machine has, and not more than memory holds.
const mostProcessors = 1 << 16

// DefaultPatience is how long nothing may move before processors are taken from workers that
// do not return, unless the option [Patience] says otherwise.
const DefaultPatience = 10 * time.Millisecond

// Patience sets how long work may wait without any worker beginning or ending work before the
// processors of those that run are handed on. Zero or less turns that off: work
// that blocks without [schedulers.Blocker] can then bring the scheduler to a halt.
func Patience(d time.Duration) Option {
	return func(s *Scheduler) { s.watch.patience = d }
}

// MaxWorkers bounds the workers, those that have lost their processors among them; the
// default is 10 000, as in Go. It is never less than the number of processors.
func MaxWorkers(n int) Option {
	return func(s *Scheduler) { s.maxWorkers = n }
}

// Looks sets how often a worker that has nothing to do looks at all queues before it ends; a number below one is
// one, the default. Between two looks it lets other goroutines run. More of them may find work
// sooner, and cost processor time in any case; `go run ./internal/experiments spinning` measures both.
func Looks(n int) Option { return func(s *Scheduler) { s.looks = max(1, n) } }

// Name names the scheduler in logs and traces; the default is "workstealing".
func Name(name string) Option { return func(s *Scheduler) { s.name = name } }

// Trace has f called with each decision. See [Event]. A panic in it is contained: see
// [schedulers.Hook].
func Trace(f func(Event)) Option {
	return func(s *Scheduler) { s.observe = schedulers.NewHook("workstealing.Trace", f) }
}

const defaultMaxWorkers = 10_000

func (s *Scheduler) settleOptions(opts []Option) {
	s.watch.patience = DefaultPatience
	s.maxWorkers = defaultMaxWorkers
	s.name = "workstealing"
	s.looks = 1
	for _, o := range opts {
		if o != nil {
			o(s)
		}
	}
	if s.procs == nil {
		s.procs = make([]*processor, runtime.GOMAXPROCS(0))
	}
	s.maxWorkers = max(s.maxWorkers, len(s.procs))
}
