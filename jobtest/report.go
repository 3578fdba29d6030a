package jobtest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/movenext/movenext/schedulers/simulation"
)

// maxReportedSteps limits the number of steps that a report lists: the last ones.
const maxReportedSteps = 60

// report fails the test. shrunk is the schedule to show, found the one that failed first.
func (s *session) report(how string, shrunk, found outcome) {
	s.t.Helper()
	repeated := shrunk
	if shrunk.failure.kind != hanging && shrunk.failure.kind != diverging && !shrunk.unrepeated {
		repeated = s.replay(trim(shrunk.trace), true)
	}
	events := repeated.events
	if !repeated.failed() {
		repeated = shrunk // leftover goroutines, or a program that behaves differently
	}
	var b strings.Builder
	names := workNames(events)
	if shrunk.unrepeated {
		how += ": a failure that does not repeat"
		repeated = shrunk
	}
	fmt.Fprintf(&b, "%s: %s: %s\n", how, repeated.failure.kind, replaceNumbers(repeated.failure.err.Error(), names))
	fmt.Fprintf(&b, "%s", quantity(deviations(shrunk.trace), "choice"))
	if n := deviations(found.trace); n > deviations(shrunk.trace) {
		fmt.Fprintf(&b, ", shrunk from %d", n)
	}
	fmt.Fprintf(&b, "; replay: %s\n", flagOf(shrunk.trace))
	steps(&b, events, names)
	b.WriteString(shrunk.failure.more)
	s.t.Errorf("%s", strings.TrimRight(b.String(), "\n"))
}

func quantity(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// steps lists events, one per line: the job, the line of code, and what the job has waited for.
func steps(b *strings.Builder, events []simulation.Event, names map[string]string) {
	if skipped := len(events) - maxReportedSteps; skipped > 0 {
		fmt.Fprintf(b, "    … %s\n", quantity(skipped, "step"))
		events = events[skipped:]
	}
	var rows [][3]string
	var widths [2]int
	for _, e := range events {
		row := [3]string{names[e.Work], "", text(e, names)}
		if e.Where.File != "" {
			row[1] = fmt.Sprintf("%s:%d", filepath.Base(e.Where.File), e.Where.Line)
		}
		for i := range widths {
			widths[i] = max(widths[i], len(row[i]))
		}
		rows = append(rows, row)
	}
	for _, r := range rows {
		b.WriteString(strings.TrimRight(fmt.Sprintf("    %-*s  %-*s  %s", widths[0], r[0], widths[1], r[1], r[2]), " ") + "\n")
	}
}

// workNames names the work of events. A job without a name is named after its
// function, and numbered within the report: its own number differs between runs.
func workNames(events []simulation.Event) map[string]string {
	names := map[string]string{}
	count := map[string]int{}
	for _, e := range events {
		if !strings.HasPrefix(e.Work, "#") {
			names[e.Work] = e.Work
			if e.Kind == simulation.Expire && strings.HasPrefix(e.Work, "*") {
				names[e.Work] = "timer"
			}
			continue
		}
		if function := e.Where.Function; function != "" && names[e.Work] == "" {
			function = function[strings.LastIndexByte(function, '.')+1:]
			count[function]++
			names[e.Work] = fmt.Sprintf("%s#%d", function, count[function])
		}
	}
	for _, e := range events {
		if names[e.Work] == "" {
			count["job"]++
			names[e.Work] = fmt.Sprintf("job#%d", count["job"])
		}
	}
	return names
}

var number = regexp.MustCompile(`#\d+`)

// replaceNumbers returns a text with the names of jobs instead of their numbers.
func replaceNumbers(text string, names map[string]string) string {
	return number.ReplaceAllStringFunc(text, func(n string) string {
		if name := names[n]; name != "" {
			return name
		}
		return n
	})
}

// text describes a step: the line of the source from which it continues, and what it has waited
// for.
func text(e simulation.Event, names map[string]string) string {
	var parts []string
	switch e.Kind {
	case simulation.Expire:
		parts = append(parts, fmt.Sprintf("expires at %v", e.Time))
	case simulation.Picked: // a fault, which its name describes
	case simulation.Interrupted:
		parts = append(parts, "the context ends")
	default:
		if e.Where.File == "" {
			parts = append(parts, "begins")
		} else if line := sourceLine(e.Where.File, e.Where.Line); line != "" {
			parts = append(parts, line)
		}
	}
	if e.For != "" {
		parts = append(parts, "has waited for "+replaceNumbers(e.For, names))
	}
	return strings.Join(parts, "  ← ")
}
