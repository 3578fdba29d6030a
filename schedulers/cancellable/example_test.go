package cancellable_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/schedulers/cancellable"
	"github.com/movenext/movenext/schedulers/pool"
)

func Example() {
	s := cancellable.New(pool.New(pool.Workers(1, 1)))
	ctx := context.Background()

	begun := make(chan struct{})
	var asked error
	running, err := s.Go(ctx, func(ctx context.Context) {
		close(begun)
		<-ctx.Done()
		asked = context.Cause(ctx)
	})
	if err != nil {
		fmt.Println(err)
	}
	queued, err := s.Go(ctx, func(context.Context) { fmt.Println("never printed") })
	if err != nil {
		fmt.Println(err)
	}
	<-begun

	fmt.Println(queued.Cancel(nil), "→", queued.State())
	fmt.Println(running.Cancel(errors.New("the user left")))
	<-running.Done()
	fmt.Println(running.State(), "as asked:", asked)
	// Output:
	// Queued → Withdrawn
	// Running
	// Ended as asked: the user left
}
