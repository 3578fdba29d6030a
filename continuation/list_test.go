package continuation

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// probe is a target that counts, and records the order.
type probe struct {
	Node
	name  string
	log   *[]string
	times int
	then  func() Chain
}

func (p *probe) Completed(schedulers.Worker) Chain {
	p.times++
	if p.log != nil {
		*p.log = append(*p.log, p.name)
	}
	if p.then != nil {
		return p.then()
	}
	return Chain{}
}

func probes(n int) ([]*probe, *[]string) {
	log := new([]string)
	all := make([]*probe, n)
	for i := range all {
		all[i] = &probe{name: fmt.Sprint(i), log: log}
		all[i].Prepare(all[i])
	}
	return all, log
}

func linked(l *List) (n int) {
	for p := interleave.LoadPointer(&l.head); p != nil && p != closed; p = p.next {
		n++
	}
	return n
}

func TestNodesAreDeliveredInTheOrderOfAdding(t *testing.T) {
	var l List
	ps, log := probes(5)
	for _, p := range ps {
		require.True(t, l.Add(&p.Node))
	}
	l.Complete().Deliver(nil)
	assert.Equal(t, []string{"0", "1", "2", "3", "4"}, *log)
	assert.True(t, l.Closed())
}

func TestAddAfterCompleteIsRefusedAndNotDelivered(t *testing.T) {
	var l List
	ps, log := probes(1)
	l.Complete().Deliver(nil)
	assert.False(t, l.Add(&ps[0].Node))
	assert.Empty(t, *log)
}

func TestCompleteBetweenLoadAndSwapOfAnAdd(t *testing.T) {
	var l List
	ps, log := probes(2)
	require.True(t, l.Add(&ps[0].Node))

	h := interleave.LoadPointer(&l.head) // Add, step 1
	c := l.Complete()                    // the operation completes
	ps[1].next = h                       // step 3
	assert.False(t, interleave.CompareAndSwapPointer(&l.head, h, &ps[1].Node), "step 4 must notice")
	assert.False(t, l.Add(&ps[1].Node), "and the next round refuse")

	c.Deliver(nil)
	assert.Equal(t, []string{"0"}, *log)
}

func TestARemovedNodeIsNeverDelivered(t *testing.T) {
	var l List
	ps, log := probes(3)
	for _, p := range ps {
		l.Add(&p.Node)
	}
	assert.True(t, l.Remove(&ps[1].Node))
	assert.False(t, l.Remove(&ps[1].Node), "removing twice")
	l.Complete().Deliver(nil)
	assert.Equal(t, []string{"0", "2"}, *log)
	assert.False(t, l.Remove(&ps[0].Node), "removing a delivered node")
}

func TestRemoveBetweenCompleteAndDelivery(t *testing.T) {
	var l List
	ps, log := probes(2)
	l.Add(&ps[0].Node)
	l.Add(&ps[1].Node)
	c := l.Complete()
	assert.True(t, l.Remove(&ps[1].Node), "not yet delivered: the owner wins")
	c.Deliver(nil)
	assert.Equal(t, []string{"0"}, *log)
}

func TestTheOnlyWaiterThatGivesUpLeavesNothingBehind(t *testing.T) {
	var l List
	for range 1000 {
		p := &probe{}
		p.Prepare(p)
		l.Add(&p.Node)
		l.Remove(&p.Node)
		require.Zero(t, linked(&l))
	}
}

func TestManyThatGiveUpAreSweptInTurns(t *testing.T) {
	var l List
	const n = 1000
	stay, _ := probes(10)
	for _, p := range stay {
		l.Add(&p.Node)
	}
	for range n {
		p := &probe{}
		p.Prepare(p)
		l.Add(&p.Node)
		l.Remove(&p.Node)
		require.LessOrEqual(t, linked(&l), 2*len(stay)+1)
	}
}

func TestCompleteDuringASweep(t *testing.T) {
	var l List
	ps, log := probes(3)
	for _, p := range ps {
		l.Add(&p.Node)
	}
	ps[1].state.Store(removed)

	rest := l.detach() // sweep, steps 1 and 2
	l.Complete().Deliver(nil)
	assert.Empty(t, *log, "the sweeper holds the nodes")
	l.putBack(rest).Deliver(nil) // step 5
	assert.Equal(t, []string{"0", "2"}, *log)
}

func TestAddDuringASweepKeepsTheOrder(t *testing.T) {
	var l List
	ps, log := probes(4)
	l.Add(&ps[0].Node)
	l.Add(&ps[1].Node)

	rest := l.detach()
	l.Add(&ps[2].Node)
	l.Add(&ps[3].Node)
	assert.Equal(t, Chain{}, l.putBack(rest)) // step 6
	l.Complete().Deliver(nil)
	assert.Equal(t, []string{"0", "1", "2", "3"}, *log)
}

func TestTwoSweepsAtOnceLoseNothing(t *testing.T) {
	var l List
	ps, log := probes(4)
	l.Add(&ps[0].Node)
	l.Add(&ps[1].Node)
	first := l.detach()
	l.Add(&ps[2].Node)
	second := l.detach()
	l.Add(&ps[3].Node)
	l.putBack(second)
	l.putBack(first)
	l.Complete().Deliver(nil)
	assert.ElementsMatch(t, []string{"0", "1", "2", "3"}, *log)
}

func TestADeliveredNodeCanBeAddedAgainWhileDelivering(t *testing.T) {
	var a, b List
	ps, log := probes(2)
	ps[0].then = func() Chain {
		ps[0].then = nil
		ps[0].Prepare(ps[0])
		require.True(t, b.Add(&ps[0].Node))
		return Chain{}
	}
	a.Add(&ps[0].Node)
	a.Add(&ps[1].Node)
	a.Complete().Deliver(nil)
	b.Complete().Deliver(nil)
	assert.Equal(t, []string{"0", "1", "0"}, *log)
}

func TestCompletionsInARowNeedNoStack(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds under the race detector, and is on one goroutine")
	}
	const n = 1_000_000
	lists := make([]List, n)
	ps := make([]probe, n)
	for i := range ps {
		p := &ps[i]
		if i+1 < n {
			p.then = func() Chain { return lists[i+1].Complete() }
		}
		p.Prepare(p)
		lists[i].Add(&p.Node)
	}
	lists[0].Complete().Deliver(nil)
	assert.Equal(t, 1, ps[n-1].times)
}

func TestJoinKeepsTheOrder(t *testing.T) {
	ps, log := probes(3)
	var a, b, empty List
	a.Add(&ps[0].Node)
	b.Add(&ps[1].Node)
	b.Add(&ps[2].Node)
	empty.Complete().Join(a.Complete()).Join(b.Complete()).Join(Chain{}).Deliver(nil)
	assert.Equal(t, []string{"0", "1", "2"}, *log)
}

// In TestAddRemoveAndCompleteAtOnce many goroutines add nodes, some remove nodes and one
// completes the list. The test checks the contract of each node.
func TestAddRemoveAndCompleteAtOnce(t *testing.T) {
	const rounds, adders = 300, 8
	for range rounds {
		var l List
		type result struct{ added, removed bool }
		ps := make([]probe, adders*4)
		results := make([]result, len(ps))
		var wg sync.WaitGroup
		for a := range adders {
			wg.Go(func() {
				for k := range 4 {
					i := a*4 + k
					ps[i].Prepare(&ps[i])
					results[i].added = l.Add(&ps[i].Node)
					if results[i].added && k%2 == 1 {
						runtime.Gosched()
						results[i].removed = l.Remove(&ps[i].Node)
					}
				}
			})
		}
		wg.Go(func() {
			runtime.Gosched()
			l.Complete().Deliver(nil)
		})
		wg.Wait()
		for i, r := range results {
			want := 0
			if r.added && !r.removed {
				want = 1
			}
			require.Equal(t, want, ps[i].times, "node %d: %+v", i, r)
		}
	}
}

// counter is a target that counts.
type counter struct{ n int }

func (c *counter) Completed(schedulers.Worker) Chain {
	c.n++
	return Chain{}
}
