package roundrobin_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/roundrobin"
)

func Example() {
	beneath := manual.New() // so that the output is the same each time; a pool otherwise
	tenants := roundrobin.New(beneath)
	large, err := tenants.CreateQueue()
	if err != nil {
		fmt.Println(err)
	}
	small, err := tenants.CreateQueue()
	if err != nil {
		fmt.Println(err)
	}

	batch := func(q *roundrobin.Queue, name string, n int) {
		for i := range n {
			job.Go(context.Background(), func(context.Context) error {
				fmt.Println(name, i)
				return nil
			}, job.On(q))
		}
		q.Close() // queued items still run
	}
	batch(large, "large", 5)
	batch(small, "small", 2)

	beneath.RunAll()
	fmt.Println(tenants.Shutdown(context.Background()))
	// Output:
	// large 0
	// small 0
	// large 1
	// small 1
	// large 2
	// large 3
	// large 4
	// <nil>
}
