package stealing_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/book/code/own/awaiter"
	"github.com/movenext/movenext/docs/book/code/own/list"
	"github.com/movenext/movenext/docs/book/code/own/machine"
	"github.com/movenext/movenext/docs/book/code/own/stealing"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The first work keeps its worker until the six that it has started are done. So the other worker,
// started by a first work item, takes them: three, two and one.
func Example() {
	p := stealing.New(2)
	stolen, begin, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	var six sync.WaitGroup
	six.Add(6)
	p.Start(func(on *stealing.Worker) {
		defer close(ended)
		on.Start(func(*stealing.Worker) { close(stolen); <-begin })
		<-stolen
		for range 6 {
			on.Start(func(*stealing.Worker) { six.Done() })
		}
		close(begin)
		six.Wait()
	})
	<-ended
	fmt.Println("thefts:", p.Thefts())
	// Output: thefts: 4
}

// tree starts two subtrees on the worker that runs it, down to depth 0.
func tree(on *stealing.Worker, depth int, leaf func()) {
	if depth == 0 {
		leaf()
		return
	}
	for range 2 {
		on.Start(func(on *stealing.Worker) { tree(on, depth-1, leaf) })
	}
}

func TestNoWorkIsLostWhileWorkersComeAndGo(t *testing.T) {
	p := stealing.New(4)
	for range 200 { // the pool becomes idle between two rounds
		var leaves atomic.Int64
		var all sync.WaitGroup
		all.Add(1 << 6)
		p.Start(func(on *stealing.Worker) {
			tree(on, 6, func() { leaves.Add(1); all.Done() })
		})
		all.Wait()
		assert.EqualValues(t, 1<<6, leaves.Load())
	}
}

// Exercise 6: first what it has started itself, the newest first, and then what comes from
// outside, the oldest first. One worker, so no work is stolen.
func TestExercise6AWorkersNewestComesFirst(t *testing.T) {
	p, ended := stealing.New(1), make(chan struct{})
	var order []int // only the one worker writes it
	p.Start(func(on *stealing.Worker) {
		for i := range 3 {
			on.Start(func(*stealing.Worker) { order = append(order, i) })
		}
		for i := range 3 {
			p.Start(func(*stealing.Worker) { order = append(order, 10+i) })
		}
		p.Start(func(*stealing.Worker) { close(ended) })
	})
	<-ended
	assert.Equal(t, []int{2, 1, 0, 10, 11, 12}, order)
	assert.Zero(t, p.Thefts())
}

func TestMachinesResumeOnThePool(t *testing.T) {
	p := stealing.New(2)
	start := func(work func()) { p.Start(func(*stealing.Worker) { work() }) }
	net, tax := new(list.Promise[int]), new(list.Promise[int])
	price := machine.PriceAsync(start, net, tax)
	net.Complete(100, nil)
	tax.Complete(19, nil)
	v, err := awaiter.Await(price)
	assert.NoError(t, err)
	assert.Equal(t, 119, v)
}
