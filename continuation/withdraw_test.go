package continuation

import (
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAWithdrawnNodeMayBeAddedAgain(t *testing.T) {
	var one, other List
	ps, log := probes(4)
	for _, p := range ps {
		one.Add(&p.Node)
	}
	for _, i := range []int{3, 0, 2} { // the newest, the oldest, one between
		assert.True(t, one.Withdraw(&ps[i].Node))
		assert.False(t, one.Withdraw(&ps[i].Node), "it is gone")
		ps[i].Prepare(ps[i])
		assert.True(t, other.Add(&ps[i].Node))
		assert.False(t, one.Withdraw(&ps[i].Node), "it is in another list, and stays there")
	}
	other.Complete().Deliver(nil)
	assert.Equal(t, []string{"3", "0", "2"}, *log)
	one.Complete().Deliver(nil)
	assert.Equal(t, []string{"3", "0", "2", "1"}, *log)
	assert.False(t, one.Withdraw(&ps[1].Node), "it was delivered")
}

func TestCompleteDuringAWithdrawalDeliversTheOthers(t *testing.T) {
	for range 1000 {
		var l List
		ps, log := probes(3)
		for _, p := range ps {
			l.Add(&p.Node)
		}
		var all sync.WaitGroup
		found := false
		all.Go(func() { found = l.Withdraw(&ps[1].Node) })
		all.Go(func() { l.Complete().Deliver(nil) })
		all.Wait()
		want := []string{"0", "1", "2"}
		if found {
			want = []string{"0", "2"}
		}
		assert.Equal(t, want, *log)
	}
}

// A node detached by one visitor is not missed by another, nor by Empty.
func TestVisitorsWaitForEachOther(t *testing.T) {
	var l List
	ps, _ := probes(1)
	l.Add(&ps[0].Node)
	holds, goOn := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() { l.Visit(1, func(Target) { close(holds); <-goOn }) })
	<-holds
	assert.False(t, l.Empty())
	var seen []string
	asked := make(chan struct{})
	all.Go(func() { close(asked); seen = names(&l, 1) })
	<-asked
	runtime.Gosched()
	close(goOn)
	all.Wait()
	assert.Equal(t, []string{"0"}, seen)
	assert.False(t, l.Empty())
	assert.True(t, l.Remove(&ps[0].Node))
	assert.True(t, l.Empty())
}

// A callback look that visits another list, which is not allowed, does not hang.
func TestVisitorsThatWaitForEachOtherInACycleGiveUp(t *testing.T) {
	var one, other List
	ps, _ := probes(2)
	one.Add(&ps[0].Node)
	other.Add(&ps[1].Node)
	var all, both sync.WaitGroup
	both.Add(2)
	cross := func(l, next *List) func() {
		return func() {
			l.Visit(1, func(Target) { both.Done(); both.Wait(); names(next, 1) })
		}
	}
	all.Go(cross(&one, &other))
	all.Go(cross(&other, &one))
	all.Wait()
	assert.Equal(t, []string{"0"}, names(&one, 1))
	assert.Equal(t, []string{"1"}, names(&other, 1))
}
