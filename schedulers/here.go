package schedulers

import (
	"runtime"
	"sync/atomic"
)

// # Where a goroutine is, without a context
//
// A wait is announced to its worker, which then lets another worker run or runs the
// awaited work itself. The wait finds the worker through its context. But some waits
// have no context (Await of a job, an iterator of a machine), and others get
// context.Background, or the context of a machine, which is older than the machine's
// current worker. Such a wait could silently hold the only worker.
//
// Go has no goroutine-local values, by design. But goroutines have stacks, and a
// stack can carry a number: [RunOn] runs work below three calls, one for each
// digit of the number of an entry, which holds the worker.
//
//	work                  the worker's entry is 0x2a7
//	digit 7
//	digit a
//	digit 2
//	RunOn
//	…
//
// [Here] walks the stack with runtime.Callers, finds the first three digits, and reads
// the entry. It needs no lock: the entry belongs to this very goroutine as long as the
// digits are on its stack.
//
// The tempting alternatives are worse. Reading the goroutine's number from
// runtime.Stack costs 11 to 50 µs, since the whole stack is printed; a walk costs
// 0.5 to 2.5 µs. Labels of runtime/pprof belong to users and cannot be read
// without linkname.
//
// A walk is cheap compared with a wait, but not free. So a wait walks the stack only if
// it is about to block and does not know its worker, and only while some work runs in an
// entry.

const (
	digits  = 16
	entries = digits * digits * digits
	// deepest is how many frames of a stack are searched. A worker further down
	// is not found.
	deepest = 1 << 16
)

// entry is where [Here] finds a worker. on is a plain field: only the goroutine that has
// set busy reads and writes it.
type entry struct {
	busy   atomic.Bool
	worker Worker
}

var (
	table  [entries]entry
	cursor atomic.Uint32 // where the next search for a free entry begins
	used   atomic.Int32  // entries that are busy
)

// RunOn is w.Run(on) for a scheduler whose worker on is the calling goroutine for
// as long as the work runs: during that time [Here] finds the worker even if no
// context names it. A panic or a runtime.Goexit of the work passes through. RunOn
// blocks as long as the work does, and may be called from any goroutine. A nil
// worker is not found. At most 4096 work items at a time can be found; others run
// as if by w.Run(on). The idea is that of github.com/jtolds/gls.
func RunOn(w Work, on Worker) {
	n := takeEntry(on)
	if n < 0 {
		w.Run(on)
		return
	}
	defer table[n].leave()
	digit(n/digits/digits)(w, on, n, 3)
}

// runIn runs w with on in the entry n, which stays busy. inUse is true meanwhile.
func runIn(n int, inUse *bool, w Work, on Worker) {
	table[n].worker, *inUse = on, true
	defer func() { table[n].worker, *inUse = nil, false }()
	digit(n/digits/digits)(w, on, n, 3)
}

// takeEntry stores on in a free entry and returns the entry's number, or -1.
func takeEntry(on Worker) int {
	if on == nil {
		return -1
	}
	n := claimEntry()
	if n >= 0 {
		table[n].worker = on
	}
	return n
}

// claimEntry returns the number of an entry that was free, or -1.
func claimEntry() int {
	for range entries {
		if used.Load() >= entries {
			break
		}
		n := int(cursor.Add(1) % entries)
		if s := &table[n]; !s.busy.Load() && s.busy.CompareAndSwap(false, true) {
			used.Add(1)
			return n
		}
	}
	return -1
}

func (s *entry) leave() {
	s.worker = nil
	s.busy.Store(false)
	used.Add(-1)
}

// descend calls the next digit, or runs the work. It must not be inlined, and
// neither must the digits: each has to be a call of its own on the stack.
//
//go:noinline
func descend(w Work, on Worker, n, left int) {
	switch left {
	case 3:
		digit(n/digits%digits)(w, on, n, 2)
	case 2:
		digit(n%digits)(w, on, n, 1)
	default:
		w.Run(on)
	}
}

// Here returns the worker whose work the calling goroutine runs, if a scheduler
// has run that work by [RunOn], and otherwise nil. The schedulers of this module
// use RunOn if an unnoticed wait could block all their progress. In contrast to
// [WorkerFrom] the answer is certain. Here does not block. It walks the stack,
// which takes about a microsecond: call it only before blocking.
func Here() Worker { return hereOn(func(Worker) bool { return true }) }

// hereOn is [Here] for the innermost worker for which accepted returns true. A goroutine may
// be on several workers at once, if work has called a scheduler that runs other work in
// place. accepted must not block.
func hereOn(accepted func(Worker) bool) Worker {
	if used.Load() == 0 {
		return nil
	}
	var few [64]uintptr
	for stack := few[:]; ; stack = make([]uintptr, 8*len(stack)) {
		n := runtime.Callers(2, stack)
		if on := workerOn(stack[:n], accepted); on != nil || n < len(stack) || n >= deepest {
			return on
		}
	}
}

// workerOn looks for the innermost three digits of an accepted worker, or returns nil.
func workerOn(stack []uintptr, accepted func(Worker) bool) Worker {
	n, weight := 0, 1
	for _, pc := range stack {
		d, ok := digitAt[pc]
		if !ok {
			continue
		}
		n += d * weight
		if weight *= digits; weight < entries {
			continue
		}
		if on := table[n].worker; accepted(on) {
			return on
		}
		n, weight = 0, 1
	}
	return nil
}

// digitAt maps the return address in each digit, behind its call of descend, to the digit.
var digitAt = learn()

// learn finds these addresses by calling each digit, with work that reads its own stack.
func learn() map[uintptr]int {
	known := make(map[uintptr]int, digits)
	for d := range digits {
		digit(d)(lookup(func(stack []uintptr) { known[stack[2]] = d }), nil, 0, 1)
	}
	return known
}

// lookup is work that calls a function with its stack: itself, descend, the digit.
type lookup func(stack []uintptr)

// Run implements Work.
//
//go:noinline
func (f lookup) Run(Worker) {
	var stack [3]uintptr
	runtime.Callers(1, stack[:])
	f(stack[:])
}

// Abandon implements Work.
func (lookup) Abandon(error) {}
