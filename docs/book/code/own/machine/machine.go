// Package machine is step 4 of "Build your own": a function with two waits as a handwritten
// machine.
package machine

import (
	"github.com/movenext/movenext/docs/book/code/own/awaiter"
	"github.com/movenext/movenext/docs/book/code/own/list"
)

// Price is the function. It blocks its goroutine twice.
func Price(net, tax awaiter.Awaitable[int]) (int, error) {
	n, err := awaiter.Await(net)
	if err != nil {
		return 0, err
	}
	t, err := awaiter.Await(tax)
	return n + t, err
}

// Start starts work somewhere: the machine decides what runs, not where.
type Start func(work func())

// Here runs work at once, on the caller's goroutine and stack.
func Here(work func()) { work() }

// price is the machine: the values that the function keeps while it waits.
type price struct {
	state    int
	start    Start
	net, tax awaiter.Awaitable[int]
	n        int // is needed after the second wait
	result   list.Promise[int]
}

// PriceAsync starts [Price] as a machine and returns its result to come. The machine begins on
// the caller's goroutine and continues where start lets it.
func PriceAsync(start Start, net, tax awaiter.Awaitable[int]) *list.Promise[int] {
	m := &price{start: start, net: net, tax: tax}
	m.moveNext()
	return &m.result
}

func (m *price) resume() { m.start(m.moveNext) }

// moveNext runs the machine until it has to wait, or ends.
func (m *price) moveNext() {
	switch m.state {
	case 0:
		m.state = 1
		if !m.net.IsCompleted() {
			m.net.OnCompleted(m.resume) // another goroutine may have the machine from here on
			return
		}
		fallthrough
	case 1:
		n, err := m.net.Result()
		if err != nil {
			m.result.Complete(0, err)
			return
		}
		m.n, m.state = n, 2
		if !m.tax.IsCompleted() {
			m.tax.OnCompleted(m.resume)
			return
		}
		fallthrough
	case 2:
		t, err := m.tax.Result()
		m.result.Complete(m.n+t, err)
	}
}
