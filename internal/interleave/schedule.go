//go:build interleave

package interleave

import (
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"strings"
)

// kind is the operation of a step.
type kind uint8

const (
	load kind = iota
	store
	swap
	cas
	add
	and
	or
	lock
	tryLock
	unlock
	spin
	fire
)

var kindNames = [...]string{"load", "store", "swap", "compare-and-swap", "add", "and", "or", "lock", "try lock", "unlock", "spin", "fire"}

// object is the operand of a step: a variable, a mutex or a timer.
type object struct {
	schedule uint64 // the schedule in which it has this number
	id       int
	changes  int // counts writes
	mutex    *Mutex
	timer    *Timer
}

// announce is called at the beginning of a step: it returns when the step is chosen.
func (o *object) announce(k kind) {
	if s := current; s != nil && s.running != nil {
		s.announce(o, k)
	}
}

// noteWrite is called when a step has written.
func (o *object) noteWrite() {
	o.changes++
	if s := current; s != nil && s.running != nil {
		s.wrote = true
	}
}

// maxThreads is how many goroutines and timers a program may have.
const maxThreads = 24

// set is a set of threads.
type set uint32

func (s set) has(id int) bool { return s>>id&1 != 0 }
func singleton(id int) set    { return 1 << id }

// clock holds, for each thread, how many of its steps precede a point.
type clock [maxThreads]uint16

func (c *clock) join(d *clock) {
	for i, n := range d {
		c[i] = max(c[i], n)
	}
}

// thread is a goroutine of a program, or a timer.
type thread struct {
	id    int
	name  string
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	done  bool

	op    step
	steps uint16
	clock clock
	read  map[*object]int // objects read since it last waited in Spin, and their versions
	waits map[*object]int // the same, while it waits
	timer *Timer
}

// step is the next step of a thread.
type step struct {
	kind   kind
	object *object
	id     int // of the object
	where  string
}

// event is a step that was done.
type event struct {
	step
	thread int
	seq    uint16 // its number among the events of its thread, from 1
	wrote  bool
}

// objectClocks holds the clocks of the last steps on an object.
type objectClocks struct{ reads, writes clock }

// Schedule is one run of a program under test.
type Schedule struct {
	number   uint64
	strategy strategy
	threads  []*thread
	events   []event
	objects  []objectClocks
	running  *thread
	chosen   *thread
	starting bool
	wrote    bool // the last event has written
	locate   bool
	failure  string
}

// strategy chooses the next thread.
type strategy interface {
	// choose returns the number of an enabled thread, or -1 to stop. last is the number of
	// the thread of the last event, or -1.
	choose(s *Schedule, enabled set, last int) int
	// next prepares the next schedule, or returns false if there is none.
	next() bool
}

var (
	current   *Schedule // nil: steps are executed directly
	schedules uint64
	abandoned bool // the goroutines of a schedule that has failed unwind
)

// maxSteps is the largest number of steps in a schedule.
const maxSteps = 5000

// Go adds a goroutine to the program. It may be called before the program runs, and by the
// program's goroutines.
func (s *Schedule) Go(name string, f func()) {
	t := s.add(name)
	s.start(t, f)
}

// add makes a thread without events.
func (s *Schedule) add(name string) *thread {
	if len(s.threads) == maxThreads {
		panic("interleave: the program has too many goroutines")
	}
	t := &thread{id: len(s.threads), name: name, read: map[*object]int{}}
	if s.running != nil {
		t.clock = s.running.clock
		s.complete()
		t.clock.join(&s.running.clock)
	}
	s.threads = append(s.threads, t)
	return t
}

// start runs a new thread up to its first step; other threads cannot observe that part.
func (s *Schedule) start(t *thread, f func()) {
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		defer s.endThread(t)
		f()
	})
	running, starting := s.running, s.starting
	s.running, s.starting = t, true
	t.next()
	s.running, s.starting = running, starting
}

// unwind ends the goroutines of a failed schedule.
type unwind struct{}

// endThread is deferred in each thread.
func (s *Schedule) endThread(t *thread) {
	if v := recover(); v != nil && !abandoned {
		if _, is := v.(unwind); !is {
			buf := make([]byte, 4096)
			s.fail(fmt.Sprintf("%s panicked: %v\n%s", t.name, v, buf[:runtime.Stack(buf, false)]))
		}
	}
	if abandoned {
		return
	}
	t.done = true
	if !s.starting {
		s.chosen = s.pick()
	}
}

func (s *Schedule) fail(why string) {
	if s.failure == "" {
		s.failure = why
	}
}

// announce announces the step of the running thread, and returns when it is chosen.
func (s *Schedule) announce(o *object, k kind) {
	t := s.running
	t.op = step{kind: k, object: o, id: s.idOf(o)}
	if s.locate {
		t.op.where = callerOutside()
	}
	if s.starting {
		t.suspend()
	} else if next := s.pick(); next != t {
		s.chosen = next
		t.suspend()
	}
	t.read[o] = o.changes
}

// suspend returns when the thread is resumed.
func (t *thread) suspend() {
	if !t.yield(struct{}{}) {
		panic(unwind{})
	}
}

// idOf numbers the objects of a schedule in the order of their first steps.
func (s *Schedule) idOf(o *object) int {
	if o.schedule != s.number {
		o.schedule, o.id = s.number, len(s.objects)
		s.objects = append(s.objects, objectClocks{})
	}
	return o.id
}

// pick completes the last event and begins the next one. It returns the thread of the next
// event, or nil if no thread can continue.
func (s *Schedule) pick() *thread {
	if s.failure != "" {
		return nil
	}
	s.complete()
	last := -1
	if n := len(s.events); n > 0 {
		last = s.events[n-1].thread
	}
	var enabled set
	for _, t := range s.threads {
		if t.enabled() {
			enabled |= singleton(t.id)
		}
	}
	id := s.strategy.choose(s, enabled, last)
	switch {
	case enabled == 0:
		s.stuck()
		return nil
	case !enabled.has(id):
		s.fail("the program is not deterministic: a schedule could not be repeated")
		return nil
	case len(s.events) == maxSteps:
		s.fail("the program does not end")
		return nil
	}
	t := s.threads[id]
	t.steps++
	s.wrote = false
	s.events = append(s.events, event{step: t.op, thread: id, seq: t.steps})
	return t
}

// complete records the effect of the last event, after it.
func (s *Schedule) complete() {
	n := len(s.events)
	if n == 0 || s.events[n-1].seq == s.threads[s.events[n-1].thread].clock[s.events[n-1].thread] {
		return
	}
	e := &s.events[n-1]
	e.wrote = s.wrote
	t, clocks := s.threads[e.thread], &s.objects[e.id]
	t.clock[e.thread] = e.seq
	if e.kind == spin {
		return
	}
	t.clock.join(&clocks.writes)
	if e.wrote {
		t.clock.join(&clocks.reads)
		clocks.writes.join(&t.clock)
	} else {
		clocks.reads.join(&t.clock)
	}
}

// stuck is called when no thread can continue.
func (s *Schedule) stuck() {
	var waiting []string
	for _, t := range s.threads {
		if !t.done && t.timer == nil {
			waiting = append(waiting, fmt.Sprintf("%s (%s)", t.name, t.op))
		}
	}
	if len(waiting) > 0 {
		s.fail("no goroutine can continue; waiting: " + strings.Join(waiting, ", "))
	}
}

// enabled reports whether the thread can do its next step.
func (t *thread) enabled() bool {
	switch {
	case t.done:
		return false
	case t.op.kind == lock:
		return !t.op.object.mutex.held
	case t.op.kind == fire:
		return t.timer.armed
	case t.op.kind == spin:
		for o, n := range t.waits {
			if o.changes != n {
				return true
			}
		}
		return false
	}
	return true
}

// String describes the step.
func (p step) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s #%d %s", kindNames[p.kind], p.id, p.where))
}

// run runs the program once.
func run(program Program, st strategy, locate bool) *Schedule {
	schedules++
	s := &Schedule{number: schedules, strategy: st, locate: locate}
	current = s
	check := program(s)
	for s.chosen = s.pick(); s.chosen != nil; {
		t := s.chosen
		s.running, s.chosen = t, nil
		if t.timer != nil {
			s.expire(t)
			continue
		}
		t.next()
	}
	s.running = nil
	if s.failure == "" {
		current = nil // the operations of the check are not steps
		if err := check(); err != nil {
			s.fail(err.Error())
		}
	}
	s.abandon()
	current = nil
	return s
}

// abandon ends the remaining goroutines of a failed schedule.
func (s *Schedule) abandon() {
	abandoned = true
	current = nil
	for _, t := range s.threads {
		if t.stop != nil {
			t.stop()
		}
	}
	abandoned = false
}

// expire makes a chosen timer expire: its function runs on a separate goroutine, since the
// timer may be armed again before the function has ended.
func (s *Schedule) expire(t *thread) {
	t.timer.armed = false
	t.timer.object.noteWrite()
	s.start(s.add(t.name+" fires"), t.timer.f)
	s.running = t
	s.chosen = s.pick()
}

// callerOutside returns the file and line of the innermost caller outside this package.
func callerOutside() string {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "/internal/interleave.") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}
