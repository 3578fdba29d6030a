package dedicated_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
)

// A library that must be called from one thread gets a thread.
func Example() {
	library := dedicated.New(1, dedicated.OnThread(
		func() { fmt.Println("open") },
		func() { fmt.Println("close") },
	))
	for i := range 2 {
		call := do(func(schedulers.Worker) { fmt.Println("call", i) })
		if err := library.Submit(call, schedulers.Hint{}); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(library.Shutdown(context.Background()))
	// Output:
	// open
	// call 0
	// call 1
	// close
	// <nil>
}
