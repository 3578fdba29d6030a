package schedulers

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// # Machines that wait
//
// A worker can notice that its goroutine waits. No scheduler notices that a machine
// waits: the machine is registered with the operation that it waits for, and its
// scheduler does not know of it until it is submitted again. That makes waiting cheap,
// but it also lets a program hang silently: two machines that wait for each other's locks
// leave a scheduler with nothing to do, just as a program that has ended does.
//
// A scheduler that has to distinguish these two cases is a [Follower]. As long as a
// program has none, the cost is one load of a pointer for each suspension ([Home]), and
// of a flag for each lock that is taken ([Followed]).

// Follower is a scheduler that is notified of the suspended machines whose home it is. It
// may be on top of another scheduler, or beneath one: the first Follower among the layers
// of a home is notified.
//
// All methods are called by the goroutine that runs the machine, or that ends its wait,
// and must not block.
type Follower interface {
	Scheduler

	// Suspended is called right before s is registered with on, which it waits for. If
	// the registration fails because on has already completed, Resumed follows at once.
	Suspended(s Suspension, on any)

	// Resumed is called when s resumes, before it is submitted, and may be called for a
	// suspension that was not reported. A call after the submission would be too late:
	// the machine may be suspended again by then, or have ended.
	Resumed(s Suspension)

	// Arrived follows each Resumed, when the submission has returned. Between the two
	// calls a machine is neither suspended nor queued, so a program that seems to have
	// ended has not.
	Arrived()
}

// Suspension is a machine that is suspended. While it is, its methods may be called
// from any goroutine.
type Suspension interface {
	Named // the name of the machine's job, or its number

	// Where returns where its innermost function is suspended; a zero Place means that
	// this is not known.
	Where() Place
}

// Named is anything that a report can name.
type Named interface{ Name() string }

// Place is a line of the source.
type Place struct {
	Function string // with its package: example.com/shop.(*Cart).Total
	File     string
	Line     int
}

// String returns the place as a report shows it: "shop.(*Cart).Total (cart.go:12)".
func (p Place) String() string {
	if p.Function == "" {
		return "a place that is not known"
	}
	return lastPart(p.Function) + " (" + lastPart(p.File) + ":" + strconv.Itoa(p.Line) + ")"
}

func lastPart(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// PlaceOf returns the first place of a stack written by [runtime.Callers] that matches,
// or the last one if none does.
func PlaceOf(stack []uintptr, matches func(function string) bool) Place {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if !more || matches(f.Function) {
			return Place{f.Function, f.File, f.Line}
		}
	}
}

// Reasoner describes an operation that a machine or a goroutine can wait for.
type Reasoner interface {
	// Reason returns what the waiter waits for ("coord.Mutex", "job #5") and the name of
	// its holder, or "" if it has no holder or the holder is not known. It must not
	// block.
	Reason() (what, holder string)
}

// ReasonKey is the [Key] under which the context of a wait carries the awaited
// operation, a [Reasoner], if [Followed] is true.
const ReasonKey Key = WorkerKey + 1

// followed counts the reasons to report: 1 for all followers together, and 1 for
// each Report that has not ended.
var (
	followed    atomic.Int32
	anyFollower atomic.Bool
)

// Followed reports whether the program has ever had a context with a [Follower],
// or a report is being prepared ([Report]). If not, locks need not record their
// holders.
func Followed() bool { return followed.Load() != 0 }

// Report makes [Followed] true until end is called, so that a report can name the
// holders of the locks that are taken from now on. Package inspect calls it while
// it tracks machines. It is safe for concurrent use and does not block; end may
// be called more than once.
func Report() (end func()) {
	followed.Add(1)
	return sync.OnceFunc(func() { followed.Add(-1) })
}

// followerOf returns the first Follower among the layers of s, or nil.
func followerOf(s Scheduler) Follower {
	for s != nil {
		if f, ok := s.(Follower); ok {
			if !anyFollower.Load() && !anyFollower.Swap(true) {
				followed.Add(1)
			}
			return f
		}
		l, ok := s.(Layered)
		if !ok {
			return nil
		}
		s = l.Beneath()
	}
	return nil
}

// Holder names the holder of a lock, for a report. A machine has no known name before
// it is suspended for the first time, so a lock keeps a Holder, and the machine sets
// the name when it is suspended. The name of the zero Holder is not known.
type Holder struct{ named atomic.Pointer[Named] }

// Is sets the holder. It is safe for concurrent use, like Name and Work.
func (h *Holder) Is(n Named) { h.named.Store(&n) }

// Work returns the holder, which is a job if a machine holds the lock, or nil if
// it is not known. The holder of a nil Holder is not known.
func (h *Holder) Work() Named {
	if h == nil {
		return nil
	}
	if n := h.named.Load(); n != nil {
		return *n
	}
	return nil
}

// Name returns the name of the holder, "#" and its ID if it is a job without a name, or
// "" if it is not known.
func (h *Holder) Name() string {
	n := h.Work()
	if n == nil {
		return ""
	}
	name := n.Name()
	if j, ok := n.(interface{ ID() uint64 }); ok && name == "" {
		return "#" + strconv.FormatUint(j.ID(), 10)
	}
	return name
}
