package inspect

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Jobs are the jobs with a function that have the same status and scheduler, and were made in the
// same place, if that is recorded (job.RecordCreation). They have not ended and are not
// suspended: they are not started, queued, or running.
type Jobs struct {
	Status  job.Status
	Home    string           // the scheduler's name
	Made    schedulers.Place // zero: not recorded
	Count   int
	Oldest  time.Duration // the time since the oldest was made
	Example string        // the name of one of the oldest, in quotes, or its ID as #n
	Parent  string        // of the example: the job in whose function it was made, or ""
}

type jobsKey struct {
	status job.Status
	home   string
	made   uintptr
}

type jobs struct {
	Jobs

	since    int64
	examples int
}

// addJobs counts the tracked jobs.
func (g *gatherer) addJobs() {
	groups := map[jobsKey]*jobs{}
	tracking.EachJob(func(r *tracking.Record) { g.addJob(groups, r) })
	for _, j := range groups {
		j.Oldest = time.Duration(max(0, g.now-j.since))
		g.report.Jobs = append(g.report.Jobs, j.Jobs)
	}
	slices.SortFunc(g.report.Jobs, func(a, b Jobs) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Status, b.Status), strings.Compare(a.Home, b.Home),
			strings.Compare(a.Made.Function, b.Made.Function), a.Made.Line-b.Made.Line)
	})
}

// addJob counts one job, which cannot end during the call.
func (g *gatherer) addJob(groups map[jobsKey]*jobs, r *tracking.Record) {
	h, ok := r.Awaited.(job.Handle)
	in := jobcore.Of(r.Awaited)
	if !ok || in == nil {
		return
	}
	a, status := in.About(), h.Status()
	if a.Suspended || status.IsFinal() {
		return // it is a machine, or about to be removed
	}
	g.addHome(a.Home, 0)
	key := jobsKey{status, schedulers.NameOf(a.Home), a.CreationPC}
	j := groups[key]
	if j == nil {
		j = &jobs{since: r.Since + 1, Jobs: Jobs{Status: status, Home: truncate.Name(key.home), Made: placeAt(a.CreationPC)}}
		groups[key] = j
	}
	j.Count++
	if r.Since < j.since {
		j.since = r.Since
		if j.examples++; j.examples < examplesCap {
			j.Example, j.Parent = in.Label(), ""
			if a.Parent != nil {
				j.Parent = a.Parent.Label()
			}
		}
	}
}

// placeAt returns the place of a program counter from runtime.Callers.
func placeAt(pc uintptr) (p schedulers.Place) {
	if pc != 0 {
		f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		p = schedulers.Place{Function: f.Function, File: f.File, Line: f.Line}
	}
	return p
}

// Is returns the state of the jobs in words: "queued", "running", …
func (j Jobs) Is() string {
	switch j.Status {
	case job.Created:
		return "not started"
	case job.Scheduled:
		return "queued"
	case job.Running:
		return "running"
	default:
		return "waiting for others"
	}
}

func (j *Jobs) write(w io.Writer) {
	fmt.Fprintf(w, "\t%d %s at %s", j.Count, j.Is(), j.Home)
	if j.Made.Function != "" {
		fmt.Fprintf(w, ", made in %s", formatPlace(j.Made))
	}
	fmt.Fprintf(w, ", the oldest %v ago; for example %s", round(j.Oldest), j.Example)
	if j.Parent != "" {
		fmt.Fprintf(w, ", made by %s", j.Parent)
	}
	fmt.Fprintln(w)
}
