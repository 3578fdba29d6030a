// A scheduler of one's own, and jobs that run on it.
package main

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
)

func main() {
	s := &Newest{}
	ctx := schedulers.With(context.Background(), s)
	begun, open := make(chan struct{}), make(chan struct{})
	job.Go(ctx, func(context.Context) error { close(begun); <-open; return nil })
	<-begun // the others queue up behind it
	for i := range 3 {
		job.Go(ctx, func(context.Context) error { fmt.Println("job", i); return nil })
	}
	nested := job.Run(ctx, func(ctx context.Context) (int, error) {
		return job.Run(ctx, func(context.Context) (int, error) { return 42, nil }).Wait(ctx)
	})
	close(open)
	value, err := nested.Wait(context.Background())
	fmt.Println(s.Shutdown(context.Background()))
	fmt.Println(value, err)
}
