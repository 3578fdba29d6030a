package parallel

import "sync/atomic"

// spans assigns blocks and balances their costs: blocks that a participant has claimed
// but not begun can be stolen.
//
// Each goroutine has a span of blocks [lo, hi). The first to join has all blocks, and
// all others none. A goroutine takes bites off the front of its own span:
//
//	lo                        hi           bite      lo+k ◀── lo, one CAS
//	 ├────────────────────────┤
//	 ├──bite──▶      ◀──steal─┤           steal     hi-k ◀── hi, one CAS;
//	                                       then the thief's own span is [hi-k, hi)
//
// A bite is a sixteenth of the rest of the span, so that a goroutine with costly blocks
// leaves most of them to others, and a million cheap ones cost a few hundred bites. A
// thief takes half, from the far end: it is as likely to run out as its victim.
//
// Both ends are one word, and that word is the whole state of a span. So a
// compare-and-swap that succeeds has taken the blocks that were there at that moment,
// even if the value has changed and changed back since it was read (a thief's single
// block may be stolen back): no block is taken twice. Only its owner writes an empty
// span, since bites and thefts swap only non-empty values.
//
// Between a theft and the thief's store the stolen blocks are in no span. A helper that
// searches at that moment may leave although work is left; that costs a helper but loses
// no work, since the thief does it.
//
// Stealing halves of ranges is the idea of lazy binary splitting (Tzannes et al., 2010).
type spans struct {
	all    []span
	joined atomic.Uint32
}

// span belongs to one goroutine and has its own cache lines: its owner writes it at each bite.
type span struct {
	spans *spans
	id    uint32
	ends  atomic.Uint64 // lo in the upper half, hi in the lower
	_     [104]byte
}

const biteShare = 16

func newSpans(count uint32, members int) *spans {
	s := &spans{all: make([]span, members)}
	s.all[0].ends.Store(pack(0, count))
	for i := range s.all {
		s.all[i].spans, s.all[i].id = s, uint32(i)
	}
	return s
}

func pack(lo, hi uint32) uint64 { return uint64(lo)<<32 | uint64(hi) }

func unpack(ends uint64) (lo, hi uint32) { return uint32(ends >> 32), uint32(ends) }

func (s *spans) join() claimant {
	if i := int(s.joined.Add(1)) - 1; i < len(s.all) {
		return &s.all[i]
	}
	// Helpers leave when they find nothing. If all spans are taken, at least one
	// participant has left before this helper came, so little work can remain.
	return noSpan{}
}

func (s *spans) hasMore() bool {
	for i := range s.all {
		if lo, hi := unpack(s.all[i].ends.Load()); lo < hi {
			return true
		}
	}
	return false
}

// noSpan is the part of participants without a span.
type noSpan struct{}

func (noSpan) claim() (lo, hi uint32) { return 0, 0 }

// claim implements claimant.
func (p *span) claim() (lo, hi uint32) {
	for {
		if lo, hi := p.bite(); lo < hi {
			return lo, hi
		}
		if !p.steal() {
			return 0, 0
		}
	}
}

// bite takes blocks off the front of the goroutine's own span.
func (p *span) bite() (from, to uint32) {
	for {
		ends := p.ends.Load()
		lo, hi := unpack(ends)
		if lo >= hi {
			return 0, 0
		}
		k := max(1, (hi-lo)/biteShare)
		if p.ends.CompareAndSwap(ends, pack(lo+k, hi)) {
			return lo, lo + k
		}
	}
}

// steal fills the goroutine's own span, which is empty, with half of the next one that
// is not.
func (p *span) steal() bool {
	n := len(p.spans.all)
	for i := 1; i < n; i++ {
		victim := &p.spans.all[(int(p.id)+i)%n]
		if lo, hi := victim.half(); lo < hi {
			p.ends.Store(pack(lo, hi)) // no other worker writes an empty span
			return true
		}
	}
	return false
}

// half takes the far half of a span, the larger one if they differ.
func (p *span) half() (from, to uint32) {
	for {
		ends := p.ends.Load()
		lo, hi := unpack(ends)
		if lo >= hi {
			return 0, 0
		}
		k := hi - lo - (hi-lo)/2
		if p.ends.CompareAndSwap(ends, pack(lo, hi-k)) {
			return hi - k, hi
		}
	}
}
