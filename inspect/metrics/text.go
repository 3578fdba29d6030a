package metrics

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/movenext/movenext/internal/histogram"
)

// family is one metric of the text format, with all of its labels.
type family[V any] struct {
	name, kind, help string
	value            func(*V) any // a uint64 or a Histogram
}

var schedulerFamilies = []family[Scheduler]{
	{"works_submitted_total", "counter", "Works that were submitted.", func(s *Scheduler) any { return s.Submitted }},
	{"works_refused_total", "counter", "Submitted works that were not accepted.", func(s *Scheduler) any { return s.Refused }},
	{"works_begun_total", "counter", "Works that have begun to run.", func(s *Scheduler) any { return s.Begun }},
	{"works_ended_total", "counter", "Works that have ended.", func(s *Scheduler) any { return s.Ended }},
	{"works_abandoned_total", "counter", "Works that will never run.", func(s *Scheduler) any { return s.Abandoned }},
	{"works_inlined_total", "counter", "Works that were run by a waiter.", func(s *Scheduler) any { return s.Inlined }},
	{"works_stolen_total", "counter", "Works that a worker took from the queue of another one.", func(s *Scheduler) any { return s.Stolen }},
	{"workers_injected_total", "counter", "Workers that were allowed because others wait.", func(s *Scheduler) any { return s.Injected }},
	{"works_queued", "gauge", "Works that wait in a queue.", func(s *Scheduler) any { return s.Queued }},
	{"works_running", "gauge", "Works that run.", func(s *Scheduler) any { return s.Running }},
	{"workers", "gauge", "Workers that are alive.", func(s *Scheduler) any { return s.Workers }},
	{"start_latency_seconds", "histogram", "Time of works in a queue.", func(s *Scheduler) any { return s.Start }},
	{"run_seconds", "histogram", "Time of works on a worker.", func(s *Scheduler) any { return s.Run }},
	{"blocked_seconds", "histogram", "Time of a wait in the middle of work.", func(s *Scheduler) any { return s.Blocked }},
	{"parked_seconds", "histogram", "Time that a worker slept.", func(s *Scheduler) any { return s.Parked }},
	{"queue_depth", "histogram", "Queued works that a submission found.", func(s *Scheduler) any { return s.Depth }},
}

var functionFamilies = []family[Function]{
	{"jobs_live", "gauge", "Jobs that have not ended.", func(f *Function) any { return f.Live }},
	{"start_latency_seconds", "histogram", "Time from the making of a job to its start.", func(f *Function) any { return f.Start }},
	{"run_seconds", "histogram", "Time of a job from one suspension to the next.", func(f *Function) any { return f.Run }},
	{"suspended_seconds", "histogram", "Time of a suspension.", func(f *Function) any { return f.Suspended }},
	{"suspensions", "histogram", "Suspensions in the life of a job.", func(f *Function) any { return f.Suspensions }},
}

// WriteText writes the sums in the text format of Prometheus, version 0.0.4. Names begin with
// movenext_scheduler_ and movenext_function_. It returns the error of w, and blocks as long as w
// does.
func (c *Collector) WriteText(w io.Writer) error {
	m := c.Read()
	b := bufio.NewWriter(w)
	writeAll(b, "scheduler", schedulerFamilies, m.Schedulers, func(s *Scheduler) string { return s.Name })
	writeAll(b, "function", functionFamilies, m.Functions, func(f *Function) string { return f.Name })
	return b.Flush()
}

// writeAll writes the families with one label. b keeps the first error.
func writeAll[V any](b *bufio.Writer, label string, families []family[V], values []V, name func(*V) string) {
	if len(values) == 0 {
		return
	}
	for _, f := range families {
		full := "movenext_" + label + "_" + f.name
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", full, f.help, full, f.kind)
		for i := range values {
			labels := label + `="` + escape.Replace(name(&values[i])) + `"`
			switch v := f.value(&values[i]).(type) {
			case Histogram:
				histogram.Values(v).Write(b, full, labels)
			default:
				fmt.Fprintf(b, "%s{%s} %d\n", full, labels, v)
			}
		}
	}
}

// escape escapes a text for use as the value of a label.
var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
