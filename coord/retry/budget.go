package retry

import "sync"

// Budget bounds the repetitions of many callers together, so that they do not multiply the load
// of a server that has failed under it. Make one with [NewBudget] for each server, and pass it
// to all calls with [Spending]. It is safe for concurrent use.
type Budget struct {
	ratio, most float64

	mu   sync.Mutex
	left float64
}

// NewBudget returns a budget of burst repetitions. Each call of [Do] and [Hedge] adds a part of a
// repetition, ratio, until there are burst again. So with NewBudget(0.1, 10) a server that fails
// gets a tenth more calls than one that works, and ten in addition.
func NewBudget(ratio float64, burst int) *Budget {
	return &Budget{ratio: ratio, most: float64(burst), left: float64(burst)}
}

// earn counts a first attempt.
func (b *Budget) earn() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = min(b.left+b.ratio, b.most)
}

// spend reports whether there may be a repetition. A nil budget has no bound.
func (b *Budget) spend() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left < 1 {
		return false
	}
	b.left--
	return true
}
