package workstealing

import (
	"runtime"
	"time"

	"github.com/movenext/movenext/schedulers"
)

// Option configures a scheduler that is being made.
type Option func(*Scheduler)

// Processors sets how many work items run at a time, not counting those that have
// blocked: work that has lost its processor in a wait runs to its end without
// one, next to the work that got the processor. So a single processor does not
// rule out concurrent work; a strand over the scheduler does (package exclusive).
// The default is GOMAXPROCS at the time of New. The number is limited to 1 to 65536.
func Processors(n int) Option {
	return func(s *Scheduler) { s.procs = make([]*processor, min(max(1, n), maxProcessors)) }
}

// maxProcessors is far more than any machine has, and the queues still fit into memory.
const maxProcessors = 1 << 16

// DefaultPatience is how long work waits without any progress before processors are taken
// from workers that do not return, unless the option [Patience] sets another value.
const DefaultPatience = 10 * time.Millisecond

// Patience sets how long work may wait while no worker begins or ends work, before the
// processors of the running workers are handed off. Zero or less turns that off: work
// that blocks without [schedulers.Blocker] can then bring the scheduler to a halt.
func Patience(d time.Duration) Option {
	return func(s *Scheduler) { s.watch.timeout = d }
}

// MaxWorkers bounds the workers, including those that have lost their processors, and not
// the goroutines of long-running work; the default is 10 000, as in Go. It is never less than
// the number of processors.
func MaxWorkers(n int) Option {
	return func(s *Scheduler) { s.maxWorkers = n }
}

// Looks sets how often an idle worker searches all queues before it ends; a number below
// one means one, the default. Between two searches it lets other goroutines run. More
// searches may find work sooner, but always cost processor time; `go run
// ./experiments spinning` measures both.
func Looks(n int) Option { return func(s *Scheduler) { s.looks = max(1, n) } }

// Name names the scheduler in logs and traces; the default is "workstealing".
func Name(name string) Option { return func(s *Scheduler) { s.name = name } }

// Trace calls f with each decision of the scheduler. See [Event]. A panic in f is
// contained: see [schedulers.Hook].
func Trace(f func(Event)) Option {
	return func(s *Scheduler) { s.observe = schedulers.NewHook("workstealing.Trace", f) }
}

const defaultMaxWorkers = 10_000

func (s *Scheduler) applyOptions(opts []Option) {
	s.watch.timeout = DefaultPatience
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
