package inspect

import (
	"sync"
	"time"

	"github.com/movenext/movenext/internal/tracking"
	"github.com/movenext/movenext/schedulers"
)

// Report describes what a program's machines wait for. Each machine is reported as it was at some
// moment during [Snapshot]; these moments differ.
type Report struct {
	Time     time.Time
	Tracking bool // false: no machine is tracked, so none is reported

	Suspended  int         // tracked machines that are suspended
	Groups     []Group     // the largest first
	Jobs       []Jobs      // jobs that are not suspended; the largest group first
	Locks      []Lock      // locks with waiting machines; the one with the most waiters first
	Cycles     []Cycle     // cycles of machines that wait for each other
	Schedulers []Scheduler // on which the machines resume
}

// Group is the set of machines suspended in one chain of functions, waiting for one kind of
// operation.
type Group struct {
	Stack   []schedulers.Place // the suspended functions, the innermost first
	More    int                // number of functions not included in Stack
	Waits   string             // the operation: "sleep", "job", "coord.Channel[int].Receive", …
	Count   int
	Bytes   int64         // of the frames of one machine, without the objects they point to
	Oldest  time.Duration // how long the oldest one has been suspended
	Example Machine       // one of the oldest
}

// Machine is one suspended machine.
type Machine struct {
	Name   string        // of its job: in quotes, or its ID as #n, or "" if the job is not known
	Since  time.Duration // how long it has been suspended
	Waits  string        // the operation: the name of an awaited job, the end of a sleep, …
	Holder string        // of the lock that it waits for, if known
}

// Lock is a lock of package coord that machines wait for.
type Lock struct {
	What    string // its type
	Holder  string // the name of its holder, or "" if unknown
	Waiters int
}

// Cycle is a cycle of machines: each waits for a lock that the next one holds, or for its end;
// the last waits for the first. It never ends by itself.
type Cycle []Link

// Link is one machine of a [Cycle].
type Link struct {
	Machine

	Place schedulers.Place // where it is suspended
}

// Scheduler is a scheduler on which machines resume.
type Scheduler struct {
	Name      string // its name, or its type if it has none
	Suspended int    // machines that resume here
	Metrics   schedulers.Metrics
	Metered   bool // whether it has Metrics
}

// Snapshot reports the suspended machines. For a million machines it takes about a second of
// processor time, and does not stop the program. It is safe for concurrent use: concurrent
// callers share a report, which they must not change.
func Snapshot() *Report { return cache.report(tracking.Now()) }

// reportCache makes one report at a time: a hundred concurrent readers cost as much as two.
type reportCache struct {
	mu      sync.Mutex
	last    *Report
	begunAt int64 // when the last report was begun
}

var cache reportCache

// report returns a report begun at the given time or later.
func (s *reportCache) report(askedAt int64) *Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || s.begunAt < askedAt {
		s.begunAt = tracking.Now()
		s.last = gather()
	}
	return s.last
}
