package trace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/movenext/movenext/job"
)

// patience is how long a case may take before it counts as hanging. Nothing
// depends on its length but how long a failing run takes.
const patience = 2 * time.Minute

// Case is one case, started as a job.
type Case struct {
	Name   string
	run    func(ctx context.Context, t *T) func() (string, bool)
	spread bool
}

// Spread is the case with a worker for each piece of work: what the plain form of a case needs that waits in one for another.
func (c Case) Spread() Case {
	c.spread = true
	return c
}

// New makes a case of a generated twin.
func New[V any](name string, start func(context.Context, *T) *job.Job[V]) Case {
	return Case{Name: name, run: func(ctx context.Context, t *T) func() (string, bool) {
		started := make(chan *job.Job[V], 1)
		t.home.do(func() { started <- start(ctx, t) })
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
	Case    string
	Timing  Timing
	Lines   []string
	Outcome string
}

// Main runs all cases with all timings and prints a Report each, as JSON.
func Main(cases ...Case) {
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
	home, elsewhere := newLoop(), newLoop()
	home.spread, elsewhere.spread = c.spread, c.spread
	t := &T{Timing: timing, Elsewhere: elsewhere, home: home}
	outcome, ended := c.run(t.context(), t)()
	if !ended {
		outcome = "hangs"
	}
	home.close()
	elsewhere.close()
	t.mu.Lock()
	defer t.mu.Unlock()
	return Report{Case: c.Name, Timing: timing, Lines: t.lines, Outcome: outcome}
}
