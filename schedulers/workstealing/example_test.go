package workstealing_test

import (
	"context"
	"fmt"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/workstealing"
)

func Example() {
	s := workstealing.New(workstealing.Processors(4))
	ctx := schedulers.With(context.Background(), s)

	var squares []*job.Job[int]
	for i := range 5 {
		squares = append(squares, job.Run(ctx, func(context.Context) (int, error) { return i * i, nil }))
	}
	fmt.Println(job.WhenAll(squares...).Wait(ctx))
	fmt.Println(s.Shutdown(context.Background()))
	// Output:
	// [0 1 4 9 16] <nil>
	// <nil>
}
