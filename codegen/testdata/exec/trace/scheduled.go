package trace

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"time"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/cancellable"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/simulation"
	"github.com/movenext/movenext/schedulers/ums"
	"github.com/movenext/movenext/schedulers/workset"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// setup is one configuration of a scheduler. A case needs one worker and no more, so each of them runs all cases.
type setup struct {
	name string
	make func(*stack) schedulers.Scheduler
}

// stack is a scheduler and those that it is built over, from the bottom up.
type stack []schedulers.Shutdowner

// on puts a scheduler on a stack.
func on[S schedulers.Shutdowner](k *stack, s S) S {
	*k = append(*k, s)
	return s
}

// shutDown ends all of them, from the top down.
func (k stack) shutDown() {
	for _, s := range slices.Backward(k) {
		wait, cancel := context.WithTimeout(context.Background(), patience)
		if err := s.Shutdown(wait); err != nil {
			panic(err)
		}
		cancel()
	}
}

// setups are all schedulers of the module: bounded ones with one worker, which a machine that blocks would hang,
// and others with several.
var setups = []setup{
	{"pool of one", func(k *stack) schedulers.Scheduler { return on(k, pool.New(pool.Workers(1, 1))) }},
	{"pool of two", func(k *stack) schedulers.Scheduler { return on(k, pool.New(pool.Workers(2, 2))) }},
	{"pool that grows", func(k *stack) schedulers.Scheduler { return on(k, pool.New(pool.Workers(1, 4))) }},
	{"pool with a short queue", func(k *stack) schedulers.Scheduler {
		return on(k, pool.New(pool.Workers(1, 1), pool.QueueLimit(4, pool.Block)))
	}},
	{"workstealing of one", func(k *stack) schedulers.Scheduler {
		return on(k, workstealing.New(workstealing.Processors(1), workstealing.MaxWorkers(1)))
	}},
	{"workstealing", func(k *stack) schedulers.Scheduler { return on(k, workstealing.New(workstealing.Processors(4))) }},
	{"dedicated thread", func(k *stack) schedulers.Scheduler { return on(k, dedicated.New(1)) }},
	{"dedicated threads", func(k *stack) schedulers.Scheduler { return on(k, dedicated.New(3)) }},
	{"roundrobin", func(k *stack) schedulers.Scheduler { return on(k, roundrobin.New(on(k, pool.New(pool.Workers(1, 1))))) }},
	{"priority", func(k *stack) schedulers.Scheduler { return on(k, priority.New(on(k, dedicated.New(1)), 3)) }},
	{"limited to one", func(k *stack) schedulers.Scheduler { return on(k, limited.New(on(k, pool.New(pool.Workers(2, 2))), 1)) }},
	{"limited goroutines", func(k *stack) schedulers.Scheduler { return on(k, limited.New(on(k, goroutine.New()), 2)) }},
	{"strand", func(k *stack) schedulers.Scheduler {
		return on(k, exclusive.NewStrand(on(k, pool.New(pool.Workers(2, 2)))))
	}},
	{"strand over a strand", func(k *stack) schedulers.Scheduler {
		return on(k, exclusive.NewStrand(on(k, exclusive.NewStrand(on(k, pool.New(pool.Workers(1, 1)))))))
	}},
	{"event loop", func(k *stack) schedulers.Scheduler { return on(k, eventloop.Start()) }},
	{"ums of one", func(k *stack) schedulers.Scheduler { return on(k, ums.New(1)) }},
	{"ums", func(k *stack) schedulers.Scheduler { return on(k, ums.New(2)) }},
	{"goroutine", func(k *stack) schedulers.Scheduler { return on(k, goroutine.New()) }},
	{"inline", func(k *stack) schedulers.Scheduler { return on(k, inline.New()) }},
	{"manual", func(k *stack) schedulers.Scheduler { return driven(k, manual.New()) }},
	{"simulation", func(k *stack) schedulers.Scheduler { return driven(k, simulation.New(7)) }},
	{"observed", func(k *stack) schedulers.Scheduler {
		return on(k, observed.New(on(k, pool.New(pool.Workers(1, 1))), func(observed.Event) {}))
	}},
	{"cancellable", func(k *stack) schedulers.Scheduler { return on(k, cancellable.New(on(k, dedicated.New(1)))) }},
	{"workset", func(k *stack) schedulers.Scheduler { return on(k, workset.New(on(k, pool.New(pool.Workers(1, 1))))) }},
}

// stepped is a scheduler that runs work when it is told to.
type stepped interface {
	schedulers.Scheduler
	schedulers.Shutdowner
	RunUntil(ctx context.Context, done <-chan struct{}) error
}

// driven runs the work of a stepped scheduler until that is shut down.
func driven(k *stack, s stepped) schedulers.Scheduler {
	d := drive{s, make(chan struct{})}
	*k = append(*k, d)
	go d.run()
	return s
}

// tick is how long a stepped scheduler waits for work before a clock that stands still is advanced.
const tick = time.Millisecond

// drive is a stepped scheduler with the goroutine that runs its work.
type drive struct {
	stepped
	ended chan struct{}
}

// run steps the scheduler. Work that calls runtime.Goexit ends the goroutine, so another
// one goes on.
func (d drive) run() {
	ended := false
	defer func() {
		if !ended {
			go d.run()
		}
	}()
	for !d.hasEnded() {
		// A simulation in which nothing can run speaks of a deadlock, since it does not know of the other workers.
		wait, cancel := context.WithTimeout(context.Background(), tick)
		_ = d.RunUntil(wait, d.ended)
		cancel()
		if m, ok := d.stepped.(*manual.Scheduler); ok && !d.hasEnded() { // its clock stands still until it is told
			if at, set := m.Next(); set {
				m.Advance(at - m.Now())
			}
		}
	}
	ended = true
}

func (d drive) hasEnded() bool {
	select {
	case <-d.ended:
		return true
	default:
		return false
	}
}

func (d drive) Shutdown(ctx context.Context) error {
	close(d.ended)
	return d.stepped.Shutdown(ctx)
}

// onScheduler runs the cases on the scheduler of a number, with all timings, and prints a Report each, as JSON; nothing
// if there is none. Each has a process of its own, as the loop has: cases may have package variables.
func onScheduler(number int, cases []Case) {
	out := json.NewEncoder(os.Stdout)
	for _, s := range setups[number:min(number+1, len(setups))] {
		for _, c := range cases {
			for _, timing := range Timings {
				r := Report{Case: c.Name, Timing: timing, Outcome: "left out"}
				if !slices.Contains(c.notOn, s.name) {
					var k stack
					r = c.on(s.make(&k), timing)
					k.shutDown()
				}
				r.Scheduler = s.name
				if err := out.Encode(r); err != nil {
					panic(err)
				}
			}
		}
	}
}
