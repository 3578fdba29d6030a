package continuation

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func attendedNode(t Target) *Node {
	n := new(Node)
	n.PrepareAttended(t)
	return n
}

func TestAnAttendedNodeIsNotToldOfTheCompletionOfAnother(t *testing.T) {
	var l List
	told := &counter{}
	n := attendedNode(told)
	require.True(t, l.Add(n))
	l.Complete().Deliver(nil)
	assert.False(t, n.Leave(), "it has seen the end")
	assert.Zero(t, told.n)
	n.Prepare(told)
	assert.False(t, l.Add(n))
}

func TestAnOwnerThatLeavesBeforeTheEndIsTold(t *testing.T) {
	var l List
	told := &counter{}
	n := attendedNode(told)
	require.True(t, l.Add(n))
	assert.True(t, n.Leave())
	l.Complete().Deliver(nil)
	assert.Equal(t, 1, told.n)
}

func TestLeavingAndCompletionDecideWhetherTheOwnerIsTold(t *testing.T) {
	for range 1000 {
		var l List
		told := &counter{}
		n := attendedNode(told)
		l.Add(n)
		var all sync.WaitGroup
		stays := false
		all.Go(func() { stays = n.Leave() })
		all.Go(func() { l.Complete().Deliver(nil) })
		all.Wait()
		assert.Equal(t, stays, told.n == 1)
	}
}

func TestTheOwnersCompletionTellsTheOthersInOrder(t *testing.T) {
	ps, log := probes(4)
	var l, next List
	told := &counter{}
	n := attendedNode(told)
	for i, p := range ps {
		if i == 2 {
			l.Add(n)
		}
		l.Add(&p.Node)
	}
	l.CompleteAttended().Deliver(nil)
	l.Settle()
	assert.Equal(t, []string{"0", "1", "2", "3"}, *log)
	assert.Zero(t, told.n)

	n.PrepareAttended(told)
	assert.True(t, next.Add(n), "the node is its owner's again")
	assert.Equal(t, Chain{}, next.CompleteAttended())
	assert.Equal(t, Chain{}, new(List).CompleteAttended())
}

// The owner completes while a visitor reads its node, and continues when the visitor has
// finished.
func TestSettleWaitsForVisitors(t *testing.T) {
	var l List
	told, other := &counter{}, &counter{}
	n := attendedNode(told)
	var late Node
	late.Prepare(other)
	l.Add(n)
	l.Add(&late)
	var mu sync.Mutex
	var log []string
	note := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, s)
	}
	var owner sync.WaitGroup
	l.Visit(1, func(Target) {
		owner.Go(func() {
			l.CompleteAttended().Deliver(nil)
			l.Settle()
			note("settled")
		})
		for !l.Closed() {
			runtime.Gosched()
		}
		note("looked")
	})
	owner.Wait()
	assert.Equal(t, []string{"looked", "settled"}, log)
	assert.Zero(t, told.n, "an attended node is not told")
	assert.Equal(t, 1, other.n, "but a node that was detached at that moment is")
	n.PrepareAttended(told)
	assert.True(t, new(List).Add(n), "the node is its owner's again")
}

// Visitors read data that the owner changes as soon as Settle has returned: the
// race detector would report an overlap.
func TestATargetIsNotDeliveredWhileItIsVisited(t *testing.T) {
	told := &counter{}
	n := attendedNode(told)
	for range 200 {
		var l List
		l.Add(n)
		var visitors sync.WaitGroup
		for range 2 {
			visitors.Go(func() {
				for !l.Closed() {
					l.Visit(1, func(t Target) { _ = t.(*counter).n })
				}
			})
		}
		l.CompleteAttended().Deliver(nil)
		l.Settle()
		told.n++ // the machine continues
		n.PrepareAttended(told)
		visitors.Wait()
	}
}
