package probe

import (
	"strconv"
	"sync"
	"sync/atomic"
)

// Reasoner describes an operation that a machine or a goroutine can wait for.
type Reasoner interface {
	// Reason returns what the waiter waits for ("coord.Mutex", "job #5") and the name of
	// its holder, or "" if it has no holder or the holder is not known. It must not
	// block.
	Reason() (what, holder string)
}

// reports are the reasons to name holders.
var reports struct {
	sync.Mutex
	running int
}

// NameHolders makes locks name their holders ([Holders]) from now on, until end is called, which
// may happen more than once: for package inspect while it tracks machines, and forever once the
// program has a follower. It is safe for concurrent use.
func NameHolders() (end func()) {
	report(+1)
	return sync.OnceFunc(func() { report(-1) })
}

func report(change int) {
	reports.Lock()
	defer reports.Unlock()
	reports.running += change
	Set(Holders, reports.running > 0)
}

// Named is anything that a report can name.
type Named = interface{ Name() string }

// Holder names the holder of a lock, for a report. A machine has no known name before
// it is suspended for the first time, so a lock keeps a Holder, and the machine sets
// the name when it is suspended. The name of the zero Holder is not known.
type Holder struct{ work atomic.Value } // a named

// named has the name of a holder. (An [atomic.Pointer] has a type parameter: each package that
// has a machine would compile its methods.)
type named struct{ Named }

// Is sets the holder. It is safe for concurrent use, like Name and Work.
func (h *Holder) Is(n Named) { h.work.Store(named{n}) }

// Work returns the holder, which is a job if a machine holds the lock, or nil if
// it is not known. The holder of a nil Holder is not known.
func (h *Holder) Work() Named {
	if h == nil {
		return nil
	}
	n, _ := h.work.Load().(named)
	return n.Named
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
