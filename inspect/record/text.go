package record

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/movenext/movenext/internal/truncate"
)

// WriteText writes the recording as text, a line for each event. The returned error is
// that of w.
func (r *Recording) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	for _, e := range r.Events {
		fmt.Fprintf(out, "%12v  %s\n", e.Time, printed(r.Describe(e)))
	}
	if r.End != "" {
		fmt.Fprintln(out, "ended early:", printed(r.End))
	}
	return out.Flush()
}

// printed returns a description that is safe to print: the texts of a recording that a program has
// made by hand may contain anything.
func printed(s string) string { return truncate.Text(s, 1<<20) }

// Describe returns a description of an event of the recording, without its time.
func (r *Recording) Describe(e Event) string {
	var b strings.Builder
	subject := r.subjectName(e.Subject)
	switch {
	case e.Note != "":
		return e.Note
	case e.Curve != "":
		return fmt.Sprintf("%s = %v", e.Curve, e.Value)
	case e.Life != 0:
		fmt.Fprintf(&b, "%s: %v", subject, e.Life)
		if e.Place.Function != "" {
			fmt.Fprintf(&b, " in %v", e.Place)
		}
		if e.Waits != "" {
			fmt.Fprintf(&b, ", waits for %s", e.Waits)
		}
		if e.Holder != "" {
			fmt.Fprintf(&b, ", held by %s", e.Holder)
		}
		if e.Status != 0 {
			fmt.Fprintf(&b, ", %v", e.Status)
		}
		return b.String()
	}
	if e.Scheduler >= 0 && e.Scheduler < len(r.Schedulers) {
		fmt.Fprintf(&b, "%s: ", r.Schedulers[e.Scheduler])
	}
	b.WriteString(e.Work.String())
	if e.Subject != 0 {
		fmt.Fprintf(&b, " %s", subject)
	}
	for _, f := range []struct {
		name string
		is   int
	}{{"worker", e.Worker}, {"processor", e.Processor}, {"queue", e.Queue}, {"count", e.Count}} {
		if f.is != 0 {
			fmt.Fprintf(&b, " %s=%d", f.name, f.is)
		}
	}
	return b.String()
}

// subjectName returns the name of a subject for reports.
func (r *Recording) subjectName(i int) string {
	if i < 0 || i >= len(r.Subjects) {
		return "work"
	}
	switch s := r.Subjects[i]; {
	case s.Name != "":
		return s.Name
	case s.Made.Function != "":
		return s.Made.String()
	case s.Job != 0:
		return fmt.Sprintf("job #%d", s.Job)
	default:
		return "work"
	}
}
