// Package runner lets contenders run against each other, round after round.
//
// The contenders of a round run one after the other, and ratios are taken within a round. So they
// remain valid while the machine's speed drifts over the hour that a table takes. The order
// rotates from round to round, so that no contender always follows the one that heated the
// processor.
package runner

import (
	"context"
	"fmt"
	"io"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/internal/stats"
	"github.com/movenext/movenext/lab/bench/suite"
)

// Runner says which contenders run, and how.
type Runner struct {
	Try    func(context.Context, childproc.Request) (childproc.Result, error)
	Rounds int       // below 1: one
	Log    io.Writer // gets a line for each trial; nil: no log

	// Repeat says that rounds disturbed by other processes are repeated, at the end and at most
	// once each; the least disturbed rounds count.
	Repeat bool
}

// Outcome is the result of a workload's rounds.
type Outcome struct {
	Rounds []stats.Round     `json:"rounds"`
	Failed map[string]string `json:"failed,omitempty"` // by contender: why it has no result
}

// Run makes the named contenders of a workload run it, all of them in each round. A contender
// that fails gets no further trial and no result: one that fails sometimes must not be measured
// by its successes. Run returns ctx's cause if ctx ends.
func (f Runner) Run(ctx context.Context, w *suite.Work, contenders []string, plan measure.Plan) (Outcome, error) {
	out := Outcome{Failed: map[string]string{}}
	want := max(1, f.Rounds)
	for i := 0; i < want || f.Repeat && i < 2*want && quiet(out.Rounds) < want; i++ {
		round, err := f.round(ctx, w, rotate(contenders, i), plan, &out)
		if err != nil {
			return out, err
		}
		out.Rounds = append(out.Rounds, round)
	}
	out.Rounds = quietest(out.Rounds, want)
	for name := range out.Failed {
		for _, round := range out.Rounds {
			delete(round, name)
		}
	}
	return out, nil
}

func (f Runner) round(ctx context.Context, w *suite.Work, contenders []string, plan measure.Plan, out *Outcome) (stats.Round, error) {
	round := stats.Round{}
	for _, name := range contenders {
		if out.Failed[name] != "" {
			continue
		}
		r, err := f.Try(ctx, childproc.Request{Work: w.ID, Contender: name, Plan: plan})
		if ctx.Err() != nil {
			return nil, fmt.Errorf("runner: %w", context.Cause(ctx))
		}
		if err != nil {
			out.Failed[name] = err.Error()
			f.logf("%s round %d: %s FAILED: %v\n", w.ID, len(out.Rounds)+1, name, err)
			continue
		}
		round[name] = r
		f.logf("%s round %d: %s %.4g ns/%s\n", w.ID, len(out.Rounds)+1, name, r.Time, w.Op)
	}
	return round, nil
}

func (f Runner) logf(format string, args ...any) {
	if f.Log != nil {
		fmt.Fprintf(f.Log, format, args...)
	}
}

// rotate returns the names rotated by an offset.
func rotate(names []string, offset int) []string {
	if len(names) == 0 {
		return nil
	}
	offset %= len(names)
	return append(append([]string{}, names[offset:]...), names[:offset]...)
}
