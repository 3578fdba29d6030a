package durable

import (
	"bufio"
	"fmt"
	"io"

	"github.com/movenext/movenext/internal/histogram"
)

// WriteText writes the metrics in the text format of Prometheus, version 0.0.4, for a page that a
// metrics server scrapes. Names begin with movenext_durable_, and times are in seconds. WriteText
// returns the error of w, and blocks as long as w does.
func (m Metrics) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w) // it keeps the first error
	for _, f := range []struct {
		name, kind, help string
		value            any
	}{
		{"instances_started_total", "counter", "Instances that were started here.", m.Started},
		{"instances_ended_total", "counter", "Instances that have ended here.", m.Ended},
		{"instances_stuck_total", "counter", "Instances that got stuck here.", m.Stuck},
		{"instances_running", "gauge", "Instances that run here.", m.Running},
		{"instances_foreign", "gauge", "Instances that are due and saved with a layout that is not known here.", m.Foreign},
		{"runs_total", "counter", "Runs of an instance, from a wake-up to a wait or its end.", m.Taken},
		{"steps_total", "counter", "Attempts of steps.", m.Steps},
		{"step_failures_total", "counter", "Attempts that returned an error or panicked.", m.Failures},
		{"step_retries_total", "counter", "Attempts after which another one follows.", m.Retries},
		{"writes_total", "counter", "Checkpoints that were written, or tried to be.", m.Writes},
		{"write_conflicts_total", "counter", "Writes that lost against another writer.", m.Conflicts},
		{"signals_aside_total", "counter", "Signals that were put aside because they could not be read.", m.Aside},
		{"store_errors_total", "counter", "Runs that were tried again because the store failed.", m.Errors},
		{"step_seconds", "histogram", "Time of an attempt of a step.", m.StepTimes},
		{"write_seconds", "histogram", "Time of a write.", m.WriteTimes},
	} {
		name := "movenext_durable_" + f.name
		fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", name, f.help, name, f.kind)
		switch v := f.value.(type) {
		case Histogram:
			histogram.Values(v).Write(b, name, "")
		default:
			fmt.Fprintln(b, name, v)
		}
	}
	return b.Flush()
}
