package dispatch

import "github.com/movenext/movenext/schedulers"

// # Entries that a worker keeps
//
// schedulers.RunOn takes an entry for each work item: five locked instructions, on variables that
// all workers share. A scheduler on top of another one needs an entry for each of its work items,
// since each has a worker of its own, and would spend more on them than on its queue. But the
// goroutine beneath usually runs one such work item after another. So the worker beneath keeps an
// entry from the first of them until its goroutine ends, and only that goroutine uses it: between
// two work items the entry holds no worker, and no digits on a stack name it.
//
// The price is that [schedulers.Here] walks the stack of every goroutine that is about to block,
// as long as any worker keeps an entry, even between two work items. A pool ends idle workers at
// once.

// KeptEntry is an entry that a worker keeps for [RunOnTop]. Its zero value has not taken one.
// Only the goroutine of the worker may use it, and calls Release before it ends.
type KeptEntry struct {
	number int  // of the entry, plus 1; 0: none
	inUse  bool // by a work item that has not ended
	top    any  // see Top
}

// entryKeeper is a worker that keeps an entry. KeptEntry returns where it does, always the same,
// or nil if a work item that received the worker from [schedulers.Work.Run] may be on another
// goroutine.
type entryKeeper interface{ KeptEntry() *KeptEntry }

// RunOnTop is [schedulers.RunOn] for a worker on top of another one, beneath, which has passed
// itself to Run of the work item that calls RunOnTop; beneath may be nil. It is cheaper than
// RunOn if beneath has a method KeptEntry() *KeptEntry, which returns nil if such a work item may
// be on another goroutine. It blocks as long as the work does.
func RunOnTop(w schedulers.Work, on, beneath schedulers.Worker) {
	k, ok := beneath.(entryKeeper)
	if !ok {
		schedulers.RunOn(w, on)
		return
	}
	e := k.KeptEntry()
	if e == nil || e.inUse || !e.claim() {
		schedulers.RunOn(w, on)
		return
	}
	given.RunIn(e.number-1, &e.inUse, w, on)
}

// claim takes an entry unless e has one, and reports whether e has one now.
func (e *KeptEntry) claim() bool {
	if e.number == 0 {
		e.number = given.Claim() + 1
	}
	return e.number > 0
}

// Release gives back the entry, if e has one. It does not block.
func (e *KeptEntry) Release() {
	if e.number > 0 {
		given.Release(e.number - 1)
		e.number = 0
	}
	e.top = nil
}

// TopOf returns a room for the worker that a scheduler on top of beneath shows to its work items,
// so that it need not make one for each: always the same room, empty (nil) at first and after
// Release. It returns nil if beneath keeps no entry. Only a work item that has received beneath
// from [schedulers.Work.Run] may call it, on the goroutine of that call. It does not block.
func TopOf(beneath schedulers.Worker) *any {
	if k, ok := beneath.(entryKeeper); ok {
		if e := k.KeptEntry(); e != nil {
			return &e.top
		}
	}
	return nil
}
