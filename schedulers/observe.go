package schedulers

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/internal/probe"
	"github.com/movenext/movenext/internal/registry"
	"github.com/movenext/movenext/internal/sample"
	"github.com/movenext/movenext/internal/truncate"
)

// # Events of schedulers
//
// Every scheduler of this module reports what happens to its work and its workers, in
// one vocabulary: [Event]. A listener hears all schedulers, including those on top of
// others, so a recorder that draws workers as lanes, queues as stacks and steals as
// arrows needs nothing else.
//
//	work     Submitted ─┬─▶ Begun ──▶ Ended
//	                    ├─▶ Inlined      a waiter runs it; its end has no event
//	                    ├─▶ Abandoned
//	                    └─▶ Refused
//	worker   WorkerStarted, Parked, Unparked, Blocked, Unblocked, WorkerEnded
//	queues   Stolen, Moved
//	others   Injected
//
// A scheduler reports Submitted before it queues the work. In the other order a worker
// could report Begun first, and every listener would have to sort the two. The price is
// the event Refused, for a submission that was reported and then failed.
//
// # What it costs
//
// While nothing listens, each submission and each run of a work item loads one pointer
// that never changes. All other costs arise where a scheduler waits, steals, or starts a
// worker. It is tempting to wrap each submitted work item in one that reports its own
// beginning and end, which costs a run nothing. But schedulers compare work: the pool
// gives queued work back to a waiter, and runs yielding work again without a queue. With
// wrapped work, observing a schedule would change it.

// EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of events. No scheduler has all of them: one that cannot steal, for example,
// never reports Stolen.
const (
	Submitted EventKind = iota + 1 // Work is about to be queued, in Queue, by Worker
	Refused                        // Work was submitted, and is not accepted
	Begun                          // Worker runs Work
	Ended                          // Work has returned, panicked or exited, after Took
	Abandoned                      // Work will never run
	Inlined                        // Worker waits for Work, and runs it within other work

	Stolen // Worker has stolen Count work items from Queue and runs the first, Work
	Moved  // Count work items have moved from Queue to the queue that all workers share

	WorkerStarted // Worker begins to search for work
	WorkerEnded   // Worker has ended
	Parked        // Worker has nothing to do, and sleeps
	Unparked      // Worker was woken, after Took
	Blocked       // Worker has announced that its goroutine waits in the middle of Work
	Unblocked     // that wait has ended, after Took
	Injected      // Count more workers may run, because others block or make no progress
)

var eventKinds = [...]string{
	Submitted: "submitted", Refused: "refused", Begun: "begun", Ended: "ended", Abandoned: "abandoned",
	Inlined: "inlined", Stolen: "stolen", Moved: "moved", WorkerStarted: "worker started",
	WorkerEnded: "worker ended", Parked: "parked", Unparked: "unparked", Blocked: "blocked",
	Unblocked: "unblocked", Injected: "injected",
}

// String returns the name of the kind.
func (k EventKind) String() string {
	if int(k) < len(eventKinds) && k > 0 {
		return eventKinds[k]
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}

// ofWork reports whether events of the kind are about one work item.
func (k EventKind) ofWork() bool { return k <= Inlined }

// Event is one thing that has happened in a scheduler. A field is zero if it does not
// apply to the kind, or is not known.
type Event struct {
	Kind      EventKind
	Time      time.Duration // since the program started
	Took      time.Duration // of Ended, Unparked and Unblocked: the time since the counterpart
	Scheduler Scheduler
	Worker    int // its ID; of Submitted: the submitter's, if that is a worker of Scheduler
	Processor int // the processor or thread that Worker runs on, if the scheduler has those
	Queue     int // the ID of its worker or, if there are any, processor; 0: shared by all
	Count     int // of work items, or workers
	Work      Work
}

// String returns the event as one line of a log.
func (e Event) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %v", truncate.Name(NameOf(e.Scheduler)), e.Kind)
	for _, n := range []struct {
		name string
		is   int
	}{{"worker", e.Worker}, {"processor", e.Processor}, {"queue", e.Queue}, {"count", e.Count}} {
		if n.is != 0 {
			fmt.Fprintf(&b, " %s=%d", n.name, n.is)
		}
	}
	if e.Took != 0 {
		fmt.Fprintf(&b, " took=%v", e.Took)
	}
	return b.String()
}

// NameOf returns the name of a scheduler for reports: the result of its method Name or,
// if it has none, its type. The name of a nil scheduler is "none". It does not block.
func NameOf(s Scheduler) string {
	switch s := beneathHome(s).(type) {
	case nil:
		return "none"
	case Named:
		return s.Name()
	default:
		return strings.TrimPrefix(fmt.Sprintf("%T", s), "*")
	}
}

// beneathHome returns the scheduler that s refers to, if s is a Home.
func beneathHome(s Scheduler) Scheduler {
	if h, ok := s.(*Home); ok && h != nil {
		return h.Scheduler
	}
	return s
}

// ObserveOption selects the events that [Observe] delivers. Options are plain values.
type ObserveOption struct {
	kinds  uint32
	sample int
}

// Only selects events of these kinds. Given several times, it selects all of them.
func Only(kinds ...EventKind) ObserveOption {
	var o ObserveOption
	for _, k := range kinds {
		o.kinds |= 1 << (k % 32)
	}
	return o
}

// OneIn selects the events of about one work item in n, and all events that are not
// about one work item. A work item is selected by its address, so all its events are
// delivered, or none; work that is not a pointer is never selected. n is rounded up to a
// power of two; an n below 2 selects all.
func OneIn(n int) ObserveOption { return ObserveOption{sample: n} }

// observer is one call of Observe.
type observer struct {
	hook    Hook[Event]
	kinds   uint32 // a set
	shift   uint   // work is selected if its hash, shifted right by this, is 0; 0: all work
	returns bool   // the hook is known not to call runtime.Goexit
}

// audience is the set of observers at one moment, with the union of what they select. It
// is immutable.
type audience struct {
	all   []*observer
	kinds uint32
	shift uint // the largest of theirs, or 0 if one of them selects all work
}

// observers are the calls that have not been stopped.
var observers struct {
	now  atomic.Pointer[audience] // nil: none
	list registry.List[observer]
}

// Observe calls f with the events of all schedulers in the program, including those of
// other modules that call [Tell]. It does not block, and may be called by any goroutine,
// any number of times; stop may be called more than once. An event that is being
// delivered may still arrive after stop has returned.
//
// f is called in the middle of a scheduler's work, on the goroutine that does it,
// sometimes under the scheduler's lock. So it must be safe for concurrent use, must not
// block, and must not call any scheduler. The events of one worker arrive in order. A
// panic in f is contained: see [Hook]. So is a runtime.Goexit, as that of FailNow in a test:
// each call of f has a goroutine of its own, for which the scheduler waits, and the Goexit is
// reported like a panic.
func Observe(f func(Event), opts ...ObserveOption) (stop func()) {
	o := &observer{hook: NewHook("schedulers.Observe", f)}
	for _, opt := range opts {
		o.kinds |= opt.kinds
		if opt.sample > 1 {
			o.shift = uint(64 - bits.Len(uint(opt.sample-1)))
		}
	}
	if o.kinds == 0 {
		o.kinds = ^uint32(0)
	}
	if f == nil {
		return func() {}
	}
	o.returns = strings.HasPrefix(runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name(), returning)
	return observers.list.Add(o, publishObservers)
}

// returning begins the names of functions that are known to return or panic.
var returning = strings.TrimSuffix(below, "schedulers/") + "inspect/"

// publishObservers makes Tell and hears see these observers.
func publishObservers(all []*observer) {
	probe.Set(probe.Events, len(all) > 0)
	if len(all) == 0 {
		observers.now.Store(nil)
		return
	}
	a := &audience{all: all, shift: all[0].shift}
	for _, o := range all {
		a.kinds |= o.kinds
		if o.shift == 0 || a.shift == 0 {
			a.shift = 0
		} else {
			a.shift = max(a.shift, o.shift)
		}
	}
	observers.now.Store(a)
}

// started is approximately when the program started.
var started = time.Now()

// Tell reports an event of a scheduler to all listeners, and sets its time if that is
// zero. Without listeners it does nothing. It blocks as long as the listeners do, and is
// safe for concurrent use.
func Tell(e Event) {
	now := observers.now.Load()
	if now == nil {
		return
	}
	e.Scheduler = beneathHome(e.Scheduler)
	for _, o := range now.all {
		if !o.wants(e.Kind, e.Work) {
			continue
		}
		if e.Time == 0 {
			e.Time = time.Since(started)
		}
		if o.returns {
			o.hook.Call(e)
		} else {
			o.callApart(e)
		}
	}
}

// callApart calls the hook on a goroutine of its own. Schedulers tell events between two steps of
// theirs, some with a lock held: a Goexit would leave the lock locked, or work that was taken out
// of a queue and not run. Nothing can stop a Goexit on the same goroutine.
func (o *observer) callApart(e Event) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		returned := false
		defer func() {
			if !returned {
				(&HookPanic{Hook: o.hook.name, Value: errHookExited, Stack: debug.Stack()}).report()
			}
		}()
		o.hook.Call(e)
		returned = true
	}()
	<-ended
}

var errHookExited = errors.New("schedulers: the hook called runtime.Goexit")

// wants reports whether o selects events of the kind k about w.
func (o *observer) wants(k EventKind, w Work) bool {
	return o.kinds&(1<<k) != 0 && (o.shift == 0 || !k.ofWork() || hash(w)>>o.shift == 0)
}

// hash returns a number that is the same for all events of a work item. For work that is
// not a pointer, or not known, it returns the one that is never selected.
func hash(w Work) uint64 {
	v := reflect.ValueOf(w)
	if v.Kind() != reflect.Pointer {
		return ^uint64(0)
	}
	return sample.Hash(v.Pointer())
}

// ofWorks are the kinds of events that are about one work item.
const ofWorks uint32 = 1<<(Inlined+1) - 1

// hears reports whether any listener may want events about the work item w. If not,
// callers need not prepare any. It is false for most work while all listeners select a
// sample ([OneIn]). It does not block.
func hears(w Work) bool {
	now := observers.now.Load()
	return now != nil && now.kinds&ofWorks != 0 && (now.shift == 0 || hash(w)>>now.shift == 0)
}

// eventOf returns an event of kind k about the worker w, or about none if w is nil.
func eventOf(k EventKind, w Worker) Event {
	e := Event{Kind: k}
	if w == nil {
		return e
	}
	e.Scheduler, e.Worker = w.Scheduler(), w.ID()
	if p, ok := w.(interface{ Processor() int }); ok {
		e.Processor = p.Processor()
	}
	return e
}

// tellPause reports that w pauses; ended reports, once, that it goes on.
func tellPause(w Worker, begin, end EventKind) (ended func()) {
	if w == nil || !probe.On(probe.Events) {
		return func() {}
	}
	e := eventOf(begin, w)
	if e.Scheduler == nil {
		return func() {}
	}
	Tell(e)
	since := time.Now()
	return func() {
		e.Kind, e.Took = end, time.Since(since)
		Tell(e)
	}
}
