package shop

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/docs/book/code/own/awaiter"
	"github.com/movenext/movenext/docs/book/code/own/list"
	"github.com/movenext/movenext/docs/book/code/own/machine"
	"github.com/movenext/movenext/docs/book/code/own/scheduler"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func Example() {
	price, delivery := new(list.Promise[int]), new(list.Promise[int])
	order := OrderAsync(scheduler.New(2).Start, 2, price, delivery)
	price.Complete(70, nil)
	fmt.Println(order.IsCompleted())
	delivery.Complete(5, nil)
	fmt.Println(awaiter.Await(order))
	// Output:
	// false
	// 146 <nil>
}

// Exercise 7: the plain form determines what the machine has to return, whether it waits or not,
// on every path, with and without a failure.
func TestExercise7BothFormsReturnTheSame(t *testing.T) {
	lost := errors.New("lost")
	starts := map[string]machine.Start{"here": machine.Here, "scheduler": scheduler.New(2).Start}
	for name, start := range starts {
		for count := range 5 {
			for _, err := range []error{nil, lost} {
				for early := range 2 {
					price, delivery := new(list.Promise[int]), new(list.Promise[int])
					if early == 1 {
						price.Complete(70, nil)
						delivery.Complete(5, err)
					}
					got := OrderAsync(start, count, price, delivery)
					price.Complete(70, nil) // no effect the second time
					delivery.Complete(5, err)
					v, gotErr := awaiter.Await(got)
					want, wantErr := Order(count, price, delivery)
					assert.Equal(t, want, v, "%s: %d", name, count)
					assert.Equal(t, wantErr, gotErr, "%s: %d", name, count)
				}
			}
		}
	}
}
