package inspect

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/internal/sample"
	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/statemachine"
)

// EventKind is the kind of an [Event].
type EventKind uint8

// The moments in the life of a job.
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

// Event is a moment in the life of a job. A field is zero if it does not concern the
// kind, or is not known.
type Event struct {
	Kind   EventKind
	Time   time.Duration // since the program started
	Job    job.Handle
	Status job.Status // of Ended: what the status of the job is going to be

	// Place is of Suspended: where the innermost function waits. Of Made: the outermost
	// function, for an async function that was called; for other jobs where they were
	// made, if that is recorded (job.RecordCreation).
	Place schedulers.Place

	Waits  string     // of Suspended: what for; see Machine
	Holder string     // of the lock that it waits for
	On     job.Handle // the job that it waits for
}

// String returns the event as one line of a log.
func (e Event) String() string {
	text := "job " + orUnknown(nameOf(e.Job)) + " " + e.Kind.String()
	switch {
	case e.Kind == Suspended:
		text += " in " + e.Place.String() + ", waits for " + e.Waits + heldBy(e.Holder)
	case e.Kind == Made && e.Place.Function != "":
		text += " for " + e.Place.String()
	case e.Kind == Ended:
		text += ", " + e.Status.String()
	}
	return text
}

// observer is one call of Observe.
type observer struct {
	hook  schedulers.Hook[Event]
	among uint64 // 1 in so many
	named bool
	names []string
}

// observers are the calls that have not been stopped.
var observers struct {
	sync.Mutex

	list []*observer
}

// Observe makes f hear what becomes of the jobs that are made from now on: of jobs with
// a function, and of async functions from their first suspension on. It hears of all, or
// of those that all options allow ([Sample], [Named]): either of all moments of a job or
// of none. Sources, combinators, and children of a scope without a handle that do not
// suspend, are not told. Several calls are independent of each other. Observe does not
// block and is safe for concurrent use; stop may be called more than once.
//
// f is called on the goroutine that runs or completes the job, in the middle of that. So
// it must be safe for concurrent use, should not take long, and must neither wait for
// the job nor complete it. The moments of one job come in their order. A panic in f is
// contained: see [schedulers.Hook].
//
// While nothing listens, it costs nothing; a job that is told needs some 200 bytes more.
// For what schedulers do with work see [schedulers.Observe].
func Observe(f func(Event), opts ...Option) (stop func()) {
	if f == nil {
		return func() {}
	}
	o := &observer{hook: schedulers.NewHook("inspect.Observe", f), among: 1}
	for _, opt := range opts {
		if opt.sample > 1 {
			o.among = uint64(opt.sample)
		}
		o.named = o.named || opt.named
		o.names = append(o.names, opt.names...)
	}
	changeObservers(func(list []*observer) []*observer { return append(list, o) })
	return sync.OnceFunc(func() {
		changeObservers(func(list []*observer) []*observer {
			return slices.DeleteFunc(list, func(other *observer) bool { return other == o })
		})
	})
}

func changeObservers(f func([]*observer) []*observer) {
	observers.Lock()
	defer observers.Unlock()
	observers.list = f(slices.Clone(observers.list))
	list := observers.list
	if len(list) == 0 {
		tracking.Watch(nil)
		return
	}
	among := list[0].among // the observer that selects most decides
	for _, o := range list {
		among = min(among, o.among)
	}
	tracking.Watch(&tracking.Watcher{
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

// wants reports whether o hears of h. The answer is always the same.
func (o *observer) wants(h job.Handle) bool { return o.samples(h) && o.wantsName(h) }

// samples reports whether the job h is one of those that o selects by their addresses,
// which needs no memory.
func (o *observer) samples(h any) bool { return sample.OneIn(o.among, h) }

func (o *observer) wantsName(h job.Handle) bool {
	if !o.named {
		return true
	}
	name := h.Name()
	return name != "" && (len(o.names) == 0 || slices.Contains(o.names, name))
}

// tell tells the observers that want it.
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
		e.Place = madeAt(l.Of, h)
	case Suspended:
		e.suspended(l.Of, l.On)
	case Ended:
		e.Status = job.Status(l.Status)
	case Started, Resumed:
	}
	return e
}

// suspended describes what the machine of waits for.
func (e *Event) suspended(of tracking.Machine, on any) {
	var top [1]tracking.Point
	if points, _ := of.Points(top[:0]); len(points) > 0 {
		e.Place = placeOf(points[0].Frame)
	}
	e.On, _ = on.(job.Handle)
	now := tracking.Now()
	e.Waits, e.Holder = describe(on, now, now)
}

// madeAt returns the outermost function of a machine, or where a job was made.
func madeAt(of tracking.Machine, h job.Handle) schedulers.Place {
	if of == nil {
		if in := jobcore.Of(h); in == nil || in.About().Made == 0 {
			return schedulers.Place{} // Creation would format the job's number
		}
		at := h.Creation()
		return schedulers.Place{Function: at.Function, File: at.File, Line: at.Line}
	}
	points, more := of.Points(make([]tracking.Point, 0, stackCap))
	if len(points) == 0 || more > 0 {
		return schedulers.Place{}
	}
	return placeOf(points[len(points)-1].Frame)
}

func placeOf(frame any) schedulers.Place {
	if l, ok := frame.(interface{ Location() statemachine.Location }); ok {
		return l.Location()
	}
	return schedulers.Place{}
}
