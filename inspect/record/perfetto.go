package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/schedulers"
)

// WritePerfetto writes the recording in the JSON format of Chrome's trace viewer, which
// ui.perfetto.dev also opens. Each scheduler is a process with its workers as threads and a
// counter of queued work items. Each job is a track with its suspensions. Arrows lead from
// submissions to runs and from victims to thieves. The returned error is that of w.
func (r *Recording) WritePerfetto(w io.Writer) error {
	p := &perfetto{Recording: r, out: bufio.NewWriter(w), queued: map[int]int{}, flows: map[[2]int]int{}, tracks: map[[2]int]bool{}, open: map[int]bool{}}
	_, p.err = p.out.WriteString(`{"displayTimeUnit":"ns","traceEvents":[`)
	p.process(jobsProcess, "jobs")
	for i, name := range r.Schedulers {
		p.process(i+1, name)
	}
	for _, e := range r.Events {
		p.event(e)
	}
	if p.err == nil {
		_, p.err = p.out.WriteString("\n]}\n")
	}
	if p.err == nil {
		p.err = p.out.Flush()
	}
	return p.err
}

// jobsProcess is the number of the process whose tracks are jobs. The process of a scheduler has
// the scheduler's number plus one.
const jobsProcess = 0

// traceEvent is an event of the trace, as the format names its fields.
type traceEvent struct {
	Name   string         `json:"name"`
	Kind   string         `json:"ph"`
	Micros float64        `json:"ts"`
	In     int            `json:"pid"`
	Worker int            `json:"tid"`
	Class  string         `json:"cat,omitempty"`
	ID     int            `json:"id,omitempty"`
	Bind   string         `json:"bp,omitempty"`
	Scope  string         `json:"s,omitempty"`
	Args   map[string]any `json:"args,omitempty"`
}

// perfetto writes a trace, up to the first error.
type perfetto struct {
	*Recording

	out    *bufio.Writer
	err    error
	some   bool
	queued map[int]int     // of each scheduler
	flows  map[[2]int]int  // the arrow that leads to the next run of a subject at a scheduler
	arrows int             // how many there are
	tracks map[[2]int]bool // schedulers and workers that have names
	open   map[int]bool    // jobs whose tracks have begun
}

func (p *perfetto) put(t traceEvent) {
	if p.err != nil {
		return
	}
	if p.some {
		_ = p.out.WriteByte(',') // an error remains in out
	}
	p.some = true
	_ = p.out.WriteByte('\n')
	var text []byte
	if text, p.err = json.Marshal(t); p.err == nil {
		_, p.err = p.out.Write(text)
	}
}

func (p *perfetto) process(n int, name string) {
	p.put(traceEvent{Name: "process_name", Kind: "M", In: n, Args: map[string]any{"name": name}})
}

func (p *perfetto) event(e Event) {
	t := traceEvent{Micros: float64(e.Time) / 1e3, Name: p.subjectName(e.Subject)}
	switch {
	case e.Life != 0:
		p.life(e, t)
	case e.Work != 0:
		t.In, t.Worker = e.Scheduler+1, e.Worker
		p.work(e, t)
	case e.Note != "":
		t.Name, t.Kind, t.Scope = e.Note, "i", "g"
		p.put(t)
	default:
		t.Name, t.Kind, t.Args = e.Curve, "C", map[string]any{"value": number(e.Value)}
		p.put(t)
	}
}

// work writes an event of a scheduler.
func (p *perfetto) work(e Event, t traceEvent) {
	if track := [2]int{e.Scheduler, e.Worker}; !p.tracks[track] {
		p.tracks[track] = true
		name := fmt.Sprintf("worker %d", e.Worker)
		if e.Worker == 0 {
			name = "no worker"
		}
		p.put(traceEvent{Name: "thread_name", Kind: "M", In: t.In, Worker: e.Worker, Args: map[string]any{"name": name}})
	}
	key := [2]int{e.Scheduler, e.Subject}
	switch e.Work {
	case schedulers.Submitted:
		p.arrow(t, key)
		p.count(e, t, 1)
	case schedulers.Begun:
		t.Kind, t.Args = "B", p.creationArgs(e.Subject)
		p.put(t)
		if id := p.flows[key]; id != 0 {
			p.put(traceEvent{Name: "submitted", Kind: "f", Class: "submitted", Bind: "e", ID: id, Micros: t.Micros, In: t.In, Worker: t.Worker})
			delete(p.flows, key)
		}
		p.count(e, t, -1)
	case schedulers.Ended:
		t.Kind = "E"
		p.put(t)
	case schedulers.Parked, schedulers.Blocked:
		t.Name, t.Kind = e.Work.String(), "B"
		p.put(t)
	case schedulers.Unparked, schedulers.Unblocked:
		t.Name, t.Kind = (e.Work - 1).String(), "E"
		p.put(t)
	case schedulers.Stolen:
		p.steal(e, t)
	default:
		t.Kind, t.Scope = "i", "t"
		t.Name = e.Work.String()
		t.Args = map[string]any{"work": p.subjectName(e.Subject), "count": e.Count}
		p.put(t)
		if e.Work == schedulers.Refused || e.Work == schedulers.Abandoned || e.Work == schedulers.Inlined {
			p.count(e, t, -1)
		}
	}
}

// arrow begins an arrow at t, to the next run of a subject at a scheduler.
func (p *perfetto) arrow(t traceEvent, to [2]int) {
	p.arrows++
	p.flows[to] = p.arrows
	t.Name, t.Class, t.Kind, t.ID = "submitted", "submitted", "s", p.arrows
	p.put(t)
}

// steal writes an arrow from the victim to the thief, where the two are workers.
func (p *perfetto) steal(e Event, t traceEvent) {
	t.Name, t.Kind, t.Scope = fmt.Sprintf("steals %d from queue %d", e.Count, e.Queue), "i", "t"
	p.put(t)
	p.arrows++
	t.Name, t.Class, t.Scope, t.ID, t.Kind = "stolen", "stolen", "", p.arrows, "s"
	from := t
	from.Worker = e.Queue
	p.put(from)
	t.Kind = "f"
	p.put(t)
}

func (p *perfetto) count(e Event, t traceEvent, delta int) {
	p.queued[e.Scheduler] = max(0, p.queued[e.Scheduler]+delta)
	p.put(traceEvent{Name: "queued", Kind: "C", Micros: t.Micros, In: t.In, Args: map[string]any{"works": p.queued[e.Scheduler]}})
}

func (p *perfetto) creationArgs(subject int) map[string]any {
	if subject < 0 || subject >= len(p.Subjects) || p.Subjects[subject].Made.Function == "" {
		return nil
	}
	m := p.Subjects[subject].Made
	return map[string]any{"function": m.Function, "file": m.File, "line": m.Line}
}

// life writes a moment of a job.
func (p *perfetto) life(e Event, t traceEvent) {
	t.In, t.Class, t.ID, t.Kind = jobsProcess, "job", e.Subject, "n"
	switch {
	case e.Life == inspect.Made:
		t.Kind, t.Args = "b", p.creationArgs(e.Subject)
		p.open[e.Subject] = true
	case !p.open[e.Subject]:
		return // it was made before the recording
	case e.Life == inspect.Ended:
		t.Kind, t.Args = "e", map[string]any{"status": e.Status.String()}
		delete(p.open, e.Subject)
	case e.Life == inspect.Suspended:
		t.Args = map[string]any{"moment": e.Life.String(), "in": e.Place.String(), "waits for": e.Waits, "holder": e.Holder}
	default:
		t.Args = map[string]any{"moment": e.Life.String()}
	}
	p.put(t)
}
