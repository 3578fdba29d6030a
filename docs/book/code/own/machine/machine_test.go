package machine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/book/code/own/awaiter"
	"github.com/movenext/movenext/docs/book/code/own/list"
	"github.com/movenext/movenext/docs/book/code/own/machine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	net, tax := new(list.Promise[int]), new(list.Promise[int])
	price := machine.PriceAsync(machine.Here, net, tax)
	tax.Complete(19, nil) // the machine does not wait for it yet
	fmt.Println(price.IsCompleted())
	net.Complete(100, nil)
	fmt.Println(awaiter.Await(price))
	// Output:
	// false
	// 119 <nil>
}

// TestTheFunctionIsTheMachinesSpecification starts the machine before, between and after the two
// completions, in either order.
func TestTheFunctionIsTheMachinesSpecification(t *testing.T) {
	lost := errors.New("lost")
	for _, errs := range [][2]error{{nil, nil}, {lost, nil}, {nil, lost}} {
		for _, order := range []string{"net tax start", "net start tax", "start net tax", "tax net start", "tax start net", "start tax net"} {
			net, tax := new(list.Promise[int]), new(list.Promise[int])
			var got *list.Promise[int]
			for step := range strings.FieldsSeq(order) {
				switch step {
				case "net":
					net.Complete(100, errs[0])
				case "tax":
					tax.Complete(0, errs[1])
				default:
					got = machine.PriceAsync(machine.Here, net, tax)
				}
			}
			want, wantErr := machine.Price(net, tax)
			v, err := awaiter.Await(got)
			assert.Equal(t, want, v, order)
			assert.Equal(t, wantErr, err, order)
		}
	}
}

// Exercise 4: each machine resumes inside of the completion of the one before it, so the
// stack grows with the length of the chain.
func TestExercise4AChainThatResumesInPlaceIsOneDeepStack(t *testing.T) {
	now, deepest := 0, 0
	counted := func(work func()) {
		now++
		deepest = max(deepest, now)
		work()
		now--
	}
	first, zero := new(list.Promise[int]), new(list.Promise[int])
	zero.Complete(0, nil)
	last := first
	for range 1000 {
		last = machine.PriceAsync(counted, last, zero)
	}
	first.Complete(1, nil)
	assert.Equal(t, 1000, deepest)
	v, err := awaiter.Await(last)
	assert.NoError(t, err)
	assert.Equal(t, 1, v)
}
