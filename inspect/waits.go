package inspect

import (
	"fmt"
	"io"
	"strings"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/internal/truncate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

// Wait describes what one job waits for, as [WaitsFor] finds it.
type Wait struct {
	Job   string             // the name in quotes, or its ID as #n
	Is    string             // "queued", "running", "suspended", "completed by hand", …
	At    string             // for a queued or running job: the name of its scheduler
	Stack []schedulers.Place // for a tracked machine: its functions, the innermost first
	Waits string             // for a tracked machine: the operation; see Machine
	For   int                // the index of the Wait that waits for this one; 0 for the first
}

// Limits of WaitsFor.
const (
	maxLevels = 32
	maxWaits  = 100
)

// WaitsFor returns h, the jobs that h waits for, the jobs that those wait for, and so on, each
// once, with what each one waits for. It searches downward, while [job.AsyncStack] and
// [Waiters] search upward. It is a snapshot for reports, limited to a hundred jobs on 32
// levels. It is empty for a nil job. It does not block.
//
// Without tracking it finds what combinators and continuations wait for, and the status of each
// job. What a suspended machine waits for is known only if it is tracked ([Track]): then the
// result includes its lines, and the job that it awaits, or that holds the lock it waits for.
// Each level takes as long as a scan of all tracked machines.
func WaitsFor(h job.Handle) []Wait {
	in := jobcore.Of(h)
	if in == nil {
		return nil
	}
	d := waitSearch{now: tracking.Now(), found: map[jobcore.Internals]int{}}
	d.add(in, 0)
	from := 0
	for range maxLevels {
		if from == len(d.jobs) {
			break
		}
		from = d.level(from)
	}
	return d.waits
}

// waitSearch is a search from a job downward, level by level.
type waitSearch struct {
	now   int64
	jobs  []jobcore.Internals
	waits []Wait // of jobs, by index
	found map[jobcore.Internals]int
}

// add adds a job that the one with the index because waits for.
func (d *waitSearch) add(in jobcore.Internals, because int) {
	if _, ok := d.found[in]; ok || in == nil || len(d.jobs) >= maxWaits {
		return
	}
	a := in.About()
	w := Wait{Job: in.Label(), For: because}
	switch status := job.Status(a.Status); {
	case status.IsFinal():
		w.Is = "ended: " + status.String()
	case status == job.WaitingForActivation && a.Suspended:
		w.Is = "suspended"
	case status == job.WaitingForActivation && len(in.Antecedents()) > 0:
		w.Is = "waiting for other jobs"
	case status == job.WaitingForActivation && in.Waits():
		w.Is = "suspended" // an async function, or a continuation that has yet to start
	case status == job.WaitingForActivation:
		w.Is = "completed by hand"
	default:
		w.Is, w.At = Jobs{Status: status}.Is(), truncate.Name(schedulers.NameOf(a.Home))
	}
	d.found[in] = len(d.jobs)
	d.jobs, d.waits = append(d.jobs, in), append(d.waits, w)
}

// level adds what the jobs from an index on wait for, and returns the index of the first new one.
func (d *waitSearch) level(from int) int {
	to := len(d.jobs)
	next := map[int]any{} // by job: what its machine waits for
	tracking.Each(func(r *tracking.Record) {
		if r.Machine == nil {
			return
		}
		if i, ok := d.found[jobcore.Of(r.Machine.Handle())]; ok && i >= from {
			next[i] = d.machine(&d.waits[i], r)
		}
	})
	for i := from; i < to; i++ {
		for _, before := range d.jobs[i].Antecedents() {
			d.add(before, i)
		}
		if in := jobcore.Of(next[i]); in != nil {
			d.add(in, i)
		}
	}
	return to
}

// machine describes a tracked machine, which cannot continue during the call, and returns the job
// that it waits for, if there is one.
func (d *waitSearch) machine(w *Wait, r *tracking.Record) (on any) {
	points, _ := r.Machine.Points(make([]tracking.Point, 0, stackCap))
	w.Is, w.Stack = "suspended", nil
	for _, p := range points {
		w.Stack = append(w.Stack, placeOf(p.Frame))
	}
	var holder string
	w.Waits, holder = describe(r.Awaited, r.Since, d.now)
	w.Waits += holderSuffix(holder)
	if l, ok := r.Awaited.(holderReporter); ok {
		if _, by := l.Held(); by != nil {
			return by
		}
	}
	return r.Awaited
}

// String returns the wait as one line.
func (w Wait) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "job %s: %s", w.Job, w.Is)
	if w.At != "" {
		fmt.Fprintf(&b, " at %s", w.At)
	}
	if len(w.Stack) > 0 {
		fmt.Fprintf(&b, " in %s", printed(w.Stack[0].String()))
	}
	if w.Waits != "" {
		fmt.Fprintf(&b, ", waits for %s", w.Waits)
	}
	return b.String()
}

// WriteWaits writes [WaitsFor] as text, a line for each job, indented below the job that
// waits for it. The error is that of w.
func WriteWaits(w io.Writer, h job.Handle) error {
	waits := WaitsFor(h)
	below := make([][]int, len(waits))
	for i := 1; i < len(waits); i++ {
		below[waits[i].For] = append(below[waits[i].For], i)
	}
	var write func(i, depth int) error
	write = func(i, depth int) error {
		if _, err := fmt.Fprintf(w, "%s%v\n", strings.Repeat("  ", depth), waits[i]); err != nil {
			return err
		}
		for _, k := range below[i] {
			if err := write(k, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	if len(waits) == 0 {
		return nil
	}
	return write(0, 0)
}
