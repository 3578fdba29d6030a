package inline_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
)

func Example() {
	s := inline.New()
	ctx := schedulers.With(context.Background(), s)

	fmt.Println("before")
	j := job.Go(ctx, func(ctx context.Context) error {
		// The inner job begins when the outer one has returned.
		job.Go(ctx, func(context.Context) error {
			fmt.Println("  the inner job, after the outer one")
			return nil
		})
		fmt.Println("  the outer job")
		return nil
	})
	fmt.Println("after:", j.Status())
	// Output:
	// before
	//   the outer job
	//   the inner job, after the outer one
	// after: Completed
}
