package inspect

import (
	"fmt"
	"slices"
	"time"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/registry"
	"github.com/movenext/movenext/internal/sample"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of events in the life of a job.
//
//	Made ──▶ Started ─┬─▶ Suspended ──▶ Resumed ─┬─▶ Ended
//	   │              │       ▲                  │      ▲
//	   │              │       └──────────────────┘      │
//	   └──────────────┴─────────────────────────────────┘
const (
	Made      EventKind = EventKind(tracking.Made) + iota // the job exists
	Started                                               // its function was called
	Suspended                                             // its function waits, as a machine
	Resumed                                               // it runs again
	Ended                                                 // it has its outcome
)

var eventKinds = [...]string{Made: "made", Started: "started", Suspended: "suspended", Resumed: "resumed", Ended: "ended"}

// String returns the name of the kind.
func (k EventKind) String() string {
	if int(k) < len(eventKinds) && k > 0 {
		return eventKinds[k]
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}

// Event is an event in the life of a job. A field is zero if it does not apply to the kind, or is
// not known.
type Event struct {
	Kind   EventKind
	Time   time.Duration // since the program started
	Job    job.Handle
	Status job.Status // for Ended: the final status of the job

	// Place is set for Suspended: where the innermost function waits. For Made it is the
	// outermost function of a called async function; for other jobs it is where they were made,
	// if that is recorded (job.RecordCreation).
	Place schedulers.Place

	Waits  string     // for Suspended: what it waits for; see Machine
	Holder string     // of the lock that it waits for
	On     job.Handle // the job that it waits for
}

// String returns the event as one line of a log.
func (e Event) String() string {
	text := "job " + orUnknown(nameOf(e.Job)) + " " + e.Kind.String()
	switch {
	case e.Kind == Suspended:
		text += " in " + printed(e.Place.String()) + ", waits for " + e.Waits + holderSuffix(e.Holder)
	case e.Kind == Made && e.Place.Function != "":
		text += " for " + printed(e.Place.String())
	case e.Kind == Ended:
		text += ", " + e.Status.String()
	}
	return text
}

// observer is one call of Observe.
type observer struct {
	hook  schedulers.Hook[Event]
	oneIn uint64 // selects 1 in so many jobs
	named bool
	names []string
}

// observers are the calls of Observe that have not been stopped.
var observers registry.List[observer]

// Observe makes f hear the events of jobs made from now on: of jobs with a function, and of async
// functions from their first suspension on. f hears of all of these jobs, or of those that all
// options select ([Sample], [Named]); of one job it hears either all events or none. It does not
// hear of sources, combinators, and children of a scope that have no handle and do not suspend.
// Several calls are independent of each other. Observe does not block and is safe for concurrent
// use; stop may be called more than once.
//
// f is called on the goroutine that runs or completes the job, in the middle of that operation.
// So it must be safe for concurrent use, must return quickly, and must neither wait for the job
// nor complete it. The events of one job arrive in order. A panic in f is contained: see
// [schedulers.Hook].
//
// Without observers, this costs nothing; each observed job needs some 200 bytes more. For the
// work of schedulers see [schedulers.Observe].
func Observe(f func(Event), opts ...Option) (stop func()) {
	if f == nil {
		return func() {}
	}
	o := &observer{hook: schedulers.NewHook("inspect.Observe", f), oneIn: 1}
	for _, opt := range opts {
		if opt.sample > 1 {
			o.oneIn = uint64(opt.sample)
		}
		o.named = o.named || opt.named
		o.names = append(o.names, opt.names...)
	}
	return observers.Add(o, watchJobs)
}

// watchJobs makes jobs tell these observers of their lives.
func watchJobs(list []*observer) {
	if len(list) == 0 {
		tracking.Listen(nil)
		return
	}
	among := list[0].oneIn // the observer that selects most decides
	for _, o := range list {
		among = min(among, o.oneIn)
	}
	tracking.Listen(&tracking.Listener{
		Among: among,
		Wants: func(h any) bool {
			for _, o := range list {
				if o.samples(h) && o.wantsName(h.(job.Handle)) {
					return true
				}
			}
			return false
		},
		Tell: func(l tracking.Life) { tell(list, l) },
	})
}

// wants reports whether o selects h. The answer for a job never changes.
func (o *observer) wants(h job.Handle) bool { return o.samples(h) && o.wantsName(h) }

// samples reports whether o's sample includes the job h. The job's address decides, which needs
// no memory.
func (o *observer) samples(h any) bool { return sample.OneIn(o.oneIn, h) }

func (o *observer) wantsName(h job.Handle) bool {
	if !o.named {
		return true
	}
	name := h.Name()
	return name != "" && (len(o.names) == 0 || slices.Contains(o.names, name))
}

// tell passes an event to the observers that select its job.
func tell(list []*observer, l tracking.Life) {
	h := l.Job.(job.Handle)
	var e Event // not on the heap
	for _, o := range list {
		if !o.wants(h) {
			continue
		}
		if e.Job == nil {
			e = eventOf(l, h)
		}
		o.hook.Call(e)
	}
}

func eventOf(l tracking.Life, h job.Handle) Event {
	e := Event{Kind: EventKind(l.Moment), Time: time.Duration(tracking.Now()), Job: h}
	switch e.Kind {
	case Made:
		e.Place = creationPlace(l.Machine, h)
	case Suspended:
		e.setWait(l.Machine, l.Awaited)
	case Ended:
		e.Status = job.Status(l.Status)
	case Started, Resumed:
	}
	return e
}

// setWait describes what the machine waits for.
func (e *Event) setWait(m tracking.Machine, on any) {
	var top [1]tracking.Point
	if points, _ := m.Points(top[:0]); len(points) > 0 {
		e.Place = placeOf(points[0].Frame)
	}
	e.On, _ = on.(job.Handle)
	now := tracking.Now()
	e.Waits, e.Holder = describe(on, now, now)
}

// creationPlace returns the outermost function of a machine, or where a job was made.
func creationPlace(m tracking.Machine, h job.Handle) schedulers.Place {
	if m == nil {
		if in := jobcore.Of(h); in == nil || in.About().CreationPC == 0 {
			return schedulers.Place{} // Creation would format the job's number
		}
		at := h.Creation()
		return schedulers.Place{Function: at.Function, File: at.File, Line: at.Line}
	}
	points, more := m.Points(make([]tracking.Point, 0, stackCap))
	if len(points) == 0 || more > 0 {
		return schedulers.Place{}
	}
	return placeOf(points[len(points)-1].Frame)
}

func placeOf(frame any) schedulers.Place {
	at, _ := statemachine.LocationOf(frame)
	return at
}
