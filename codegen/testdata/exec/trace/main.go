package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// patience is how long a case may take before it counts as hanging. Nothing
// depends on its length but how long a failing run takes.
const patience = 2 * time.Minute

// Case is one case, started as a job.
type Case struct {
	Name   string
	run    func(ctx context.Context, t *T) func() (string, bool)
	spread bool
	notOn  []string
}

// Spread is the case with a worker for each piece of work: what the plain form of a case needs that waits in one for another.
func (c Case) Spread() Case {
	c.spread = true
	return c
}

// NotOn is the case, left out on a scheduler.
func (c Case) NotOn(scheduler string) Case {
	c.notOn = append(c.notOn, scheduler)
	return c
}

// New makes a case of a generated twin.
func New[V any](name string, start func(context.Context, *T) *job.Job[V]) Case {
	return Case{Name: name, run: func(ctx context.Context, t *T) func() (string, bool) {
		started := make(chan *job.Job[V], 1)
		do(t.home, func() { started <- start(ctx, t) })
		return func() (string, bool) {
			wait, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			select {
			case j := <-started:
				v, err := j.Wait(wait)
				return outcome(v, err), wait.Err() == nil
			case <-wait.Done():
				return "", false
			}
		}
	}}
}

func outcome(v any, err error) string {
	var p *job.PanicError
	if errors.As(err, &p) {
		return fmt.Sprintf("panic %T: %v", p.Value, p.Value)
	}
	if err != nil {
		return fmt.Sprintf("%#v, %T: %v", v, err, err)
	}
	return fmt.Sprintf("%#v", v)
}

// Report is what one run of one case did.
type Report struct {
	Case      string
	Scheduler string // "" for the loop with one worker
	Timing    Timing
	Lines     []string
	Outcome   string
}

// Main runs all cases with all timings and prints a Report each, as JSON. With an argument, a number, it runs them
// on another scheduler.
func Main(cases ...Case) {
	if len(os.Args) > 1 {
		number, err := strconv.Atoi(os.Args[1])
		if err != nil {
			panic(err)
		}
		onScheduler(number, cases)
		return
	}
	out := json.NewEncoder(os.Stdout)
	for _, c := range cases {
		for _, timing := range Timings {
			if err := out.Encode(c.report(timing)); err != nil {
				panic(err)
			}
		}
	}
}

func (c Case) report(timing Timing) Report {
	home := newLoop()
	home.spread = c.spread
	defer home.close()
	return c.on(home, timing)
}

// on runs the case on a scheduler.
func (c Case) on(home schedulers.Scheduler, timing Timing) Report {
	elsewhere := newLoop()
	elsewhere.spread = c.spread
	defer elsewhere.close()
	t := &T{Timing: timing, Elsewhere: elsewhere, home: home}
	outcome, ended := c.run(t.context(), t)()
	if !ended {
		outcome = "hangs"
	}
	return Report{Case: c.Name, Timing: timing, Lines: t.taken(), Outcome: outcome}
}
