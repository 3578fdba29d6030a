package parallel

import (
	"context"
	"runtime"
	"sync/atomic"

	"github.com/movenext/movenext/schedulers"
)

// loop is an operation over the indexes from, from+1, … from+n-1.
//
// The caller and its helpers do the same: claim some indexes, run the body for
// them, and so on until none is left. The partition decides how indexes are
// claimed; each is claimed once, by one goroutine.
type loop struct {
	operation
	group *helperGroup // nil: no helpers
	body  blockBody
	each  bool // the body handles each index separately, so it may get one at a time

	from   int
	blocks blocks
	claims claims
}

// blockBody runs the indexes from lo to hi-1.
type blockBody func(ctx context.Context, lo, hi int) error

// claims assigns blocks to goroutines, each block once.
type claims interface {
	// join returns the claimant of a goroutine that joins the loop.
	join() claimant
	// hasMore reports whether unclaimed blocks are left.
	hasMore() bool
}

// claimant is one goroutine's part in claims.
type claimant interface {
	// claim returns blocks lo to hi-1, or lo == hi if none are left.
	claim() (lo, hi uint32)
}

// run runs the loop for the indexes from, … to-1 and returns its error.
func (l *loop) run(ctx context.Context, from, to int, body blockBody, opts []Option) error {
	s, err := settingsOf(opts)
	if err != nil {
		return err
	}
	if err := l.begin(ctx); err != nil || to <= from {
		return err
	}
	l.body, l.from = body, from
	n := uint(to) - uint(from) // also right where to-from is more than an int holds
	if l.machine {
		return l.runForMachine(n, s)
	}
	helpers := s.helpers(l.home.Scheduler, l.caller)
	l.blocks = divide(n, s, helpers+1)
	helpers = min(helpers, int(l.blocks.count)-1)
	l.claims = newClaims(l.blocks.count, s, helpers+1)
	if helpers > 0 {
		l.group = closedGroup(l.home.Scheduler)
	}
	l.carryOut(helpers)
	goexit, err := l.outcome()
	if goexit {
		runtime.Goexit()
	}
	return err
}

// carryOut runs the caller's part. When it returns, or when the caller's goroutine
// exits, all bodies have ended.
func (l *loop) carryOut(helpers int) {
	defer l.endForCaller()
	if l.group != nil {
		l.group.open(l.home.Scheduler, l.caller, helpers, l)
		defer l.group.dismiss()
	}
	l.help(l.caller)
}

// help implements effort.
func (l *loop) help(on schedulers.Worker) {
	l.label()
	defer l.unlabel()
	l.contained(func() { l.work(on) })
}

// hasWork implements effort.
func (l *loop) hasWork() bool { return !l.stopped.Load() && l.claims.hasMore() }

func (l *loop) work(on schedulers.Worker) {
	part := l.claims.join()
	ctx := &bodyContext{&l.operation, on}
	for first := true; ; first = false {
		lo, hi := part.claim()
		if lo == hi || !l.continues() { // in this order: once all is claimed, no context fails it
			return
		}
		if first && l.group != nil && l.claims.hasMore() {
			l.group.invite()
		}
		if err := l.body(ctx, l.index(lo), l.index(hi)); err != nil {
			l.fail(err)
			return
		}
	}
}

// index returns the first index of a block, or the index after the last.
func (l *loop) index(block uint32) int {
	offset := l.blocks.n
	if block < l.blocks.count {
		offset = uint(block) * l.blocks.size
	}
	return l.from + int(offset) // wraps as it should, where n is more than an int holds
}

// blocks divides n indexes into numbered blocks for claiming: count blocks of size
// indexes each, the last one perhaps smaller. The count fits in half of a word, so that
// a claim is one compare-and-swap.
type blocks struct {
	n, size uint
	count   uint32
}

// maxBlocks is the maximum number of blocks of a loop. It fits an int of 32 bits too.
const maxBlocks = 1 << 30

func divide(n uint, s settings, members int) blocks {
	b := blocks{n: n, size: 1}
	switch s.partition {
	case partitionChunk:
		b.size = uint(s.chunk)
	case partitionRange:
		b.size = ceilDiv(n, uint(members))
	case partitionStealing:
	}
	b.size = max(b.size, ceilDiv(n, maxBlocks))
	b.count = uint32(ceilDiv(n, b.size))
	return b
}

func ceilDiv(a, b uint) uint { return (a-1)/b + 1 } // a > 0

func newClaims(count uint32, s settings, members int) claims {
	if s.partition == partitionStealing {
		return newSpans(count, members)
	}
	return &counter{count: count}
}

// counter assigns one block after the other, in order.
type counter struct {
	next  atomic.Uint64 // wider than count: each participant counts once past the end
	count uint32
}

func (c *counter) join() claimant { return c }

func (c *counter) hasMore() bool { return c.next.Load() < uint64(c.count) }

func (c *counter) claim() (lo, hi uint32) {
	i := c.next.Add(1) - 1
	if i >= uint64(c.count) {
		return 0, 0
	}
	return uint32(i), uint32(i) + 1
}
