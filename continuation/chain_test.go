package continuation

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The waiters of an operation that a target completes come right after that target, and
// the rest of the chain after them.
func TestAConsequenceIsDeliveredBeforeTheRest(t *testing.T) {
	ps, log := probes(6)
	var l, inner, innermost List
	for _, at := range []struct {
		list *List
		no   int
	}{{&l, 0}, {&l, 1}, {&l, 2}, {&inner, 3}, {&inner, 4}, {&innermost, 5}} {
		require.True(t, at.list.Add(&ps[at.no].Node))
	}
	ps[0].then = inner.Complete
	ps[3].then = innermost.Complete
	l.Complete().Deliver(nil)
	assert.Equal(t, []string{"0", "3", "5", "4", "1", "2"}, *log)
	for _, p := range ps {
		assert.Nil(t, p.next, "a delivered node keeps no neighbour alive")
	}
}

func TestChainsAreJoinedInOrder(t *testing.T) {
	ps, log := probes(4)
	var all Chain
	for _, p := range ps {
		p.PrepareAlone(p)
		all = all.Join(Only(&p.Node)).Join(Chain{})
	}
	all.Deliver(nil)
	assert.Equal(t, []string{"0", "1", "2", "3"}, *log)
}

// A node that has been in a list, and was delivered there, may be prepared for no list.
func TestANodeIsPreparedAloneWhateverItWasBefore(t *testing.T) {
	ps, log := probes(1)
	var l List
	l.Add(&ps[0].Node)
	l.Complete().Deliver(nil)
	for range 2 {
		ps[0].PrepareAlone(ps[0])
		Only(&ps[0].Node).Deliver(nil)
	}
	assert.Equal(t, []string{"0", "0", "0"}, *log)
	ps[0].Prepare(ps[0])
	var other List
	other.Add(&ps[0].Node)
	other.Complete().Deliver(nil)
	assert.Len(t, *log, 4)
}

func TestATargetThatGaveUpIsForgotten(t *testing.T) {
	var l List
	ps, _ := probes(2)
	for _, p := range ps {
		l.Add(&p.Node)
	}
	for _, p := range ps {
		require.True(t, l.Remove(&p.Node))
	}
	for _, p := range ps {
		assert.Nil(t, p.Target())
	}
}

func TestAVisitShowsAWaiterThatWorksMeanwhile(t *testing.T) {
	var l List
	ps, _ := probes(2)
	ps[0].PrepareAttended(ps[0])
	for _, p := range ps {
		l.Add(&p.Node)
	}
	assert.Equal(t, []string{"1", "0"}, names(&l, 2))
}

// A thousand waiters that give up cause a few sweeps and not a thousand: each sweep
// visits all remaining nodes.
func TestWaitersThatGiveUpDoNotSweepOneByOne(t *testing.T) {
	var l List
	ps, _ := probes(1024)
	for _, p := range ps {
		l.Add(&p.Node)
	}
	for _, p := range ps {
		l.Remove(&p.Node)
	}
	sweeps := l.holders.Load() / began
	assert.Zero(t, linked(&l))
	assert.Less(t, sweeps, uint32(40))
}
