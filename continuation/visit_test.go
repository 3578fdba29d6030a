package continuation

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func names(l *List, limit int) (seen []string) {
	l.Visit(limit, func(t Target) { seen = append(seen, t.(*probe).name) })
	return seen
}

func TestVisitSeesTheNewestFirstAndLeavesAllInPlace(t *testing.T) {
	var l List
	ps, log := probes(5)
	for _, p := range ps {
		l.Add(&p.Node)
	}
	assert.Equal(t, []string{"4", "3"}, names(&l, 2))
	assert.Equal(t, []string{"4", "3", "2", "1", "0"}, names(&l, 100))
	l.Complete().Deliver(nil)
	assert.Equal(t, []string{"0", "1", "2", "3", "4"}, *log)
	assert.Empty(t, names(&l, 100), "after completion no node waits")
}

func TestVisitPassesOverWhatWasTakenBack(t *testing.T) {
	var l List
	ps, _ := probes(3)
	for _, p := range ps {
		l.Add(&p.Node)
	}
	ps[1].state.Store(removed)
	assert.Equal(t, []string{"2", "0"}, names(&l, 100))
}

func TestCompleteDuringAVisit(t *testing.T) {
	var l List
	ps, log := probes(2)
	l.Add(&ps[0].Node)
	l.Add(&ps[1].Node)
	l.Visit(1, func(Target) {
		l.Complete().Deliver(nil)
		assert.Empty(t, *log, "the visitor holds the nodes")
	})
	assert.Equal(t, []string{"0", "1"}, *log, "and delivers them itself")
}

func TestAddDuringAVisitKeepsTheOrder(t *testing.T) {
	var l List
	ps, log := probes(3)
	l.Add(&ps[0].Node)
	l.Add(&ps[1].Node)
	l.Visit(1, func(Target) { l.Add(&ps[2].Node) })
	l.Complete().Deliver(nil)
	assert.Equal(t, []string{"0", "1", "2"}, *log)
}

func TestRemoveDuringAVisitLeavesNothingBehind(t *testing.T) {
	var l List
	ps, _ := probes(1)
	l.Add(&ps[0].Node)
	l.Visit(1, func(Target) { assert.True(t, l.Remove(&ps[0].Node)) })
	assert.Zero(t, linked(&l))
	assert.Zero(t, l.holders.Load()&(holding|missed))
}

func TestAVisitThatPanicsPutsAllBack(t *testing.T) {
	var l List
	ps, log := probes(1)
	l.Add(&ps[0].Node)
	assert.Panics(t, func() { l.Visit(1, func(Target) { panic("look away") }) })
	l.Complete().Deliver(nil)
	assert.Equal(t, []string{"0"}, *log)
}

func TestManyThatAllGiveUpLeaveNothingBehind(t *testing.T) {
	for n := range 40 {
		var l List
		ps, _ := probes(n)
		for _, p := range ps {
			l.Add(&p.Node)
		}
		for _, p := range ps {
			l.Remove(&p.Node)
		}
		require.Zero(t, linked(&l), "%d waiters", n)
	}
}

func TestManyThatGiveUpAtOnceLeaveNothingBehind(t *testing.T) {
	for range 2000 {
		var l List
		ps, _ := probes(6)
		for _, p := range ps {
			l.Add(&p.Node)
		}
		var wg sync.WaitGroup
		for i, p := range ps {
			wg.Go(func() {
				if i == 0 {
					names(&l, 3)
				}
				l.Remove(&p.Node)
			})
		}
		wg.Wait()
		require.Zero(t, linked(&l))
		require.Zero(t, l.holders.Load()&(holding|missed))
	}
}

// TestVisitAddRemoveAndCompleteAtOnce checks that visitors do not affect each node's contract.
func TestVisitAddRemoveAndCompleteAtOnce(t *testing.T) {
	for range 300 {
		var l List
		ps, _ := probes(16)
		for _, p := range ps {
			p.log = nil
		}
		added, taken := make([]bool, len(ps)), make([]bool, len(ps))
		var wg sync.WaitGroup
		for a := range 4 {
			wg.Go(func() {
				for i := a * 4; i < a*4+4; i++ {
					added[i] = l.Add(&ps[i].Node)
					if added[i] && i%2 == 1 {
						runtime.Gosched()
						taken[i] = l.Remove(&ps[i].Node)
					}
				}
			})
		}
		for range 2 {
			wg.Go(func() { names(&l, 3) })
		}
		wg.Go(func() { runtime.Gosched(); l.Complete().Deliver(nil) })
		wg.Wait()
		for i, p := range ps {
			want := 0
			if added[i] && !taken[i] {
				want = 1
			}
			require.Equal(t, want, p.times, "node %d", i)
		}
	}
}
