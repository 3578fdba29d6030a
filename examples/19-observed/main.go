// Jobs without waiters, and their failures: each raises an event at once, and work continues.
// Without the shim around the pool, the error of a job whose result is dropped is silent, and its
// panic is written to standard error some time later, after the next garbage collection.
//
// The document behind it, step by step: docs/sources/round-robin.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
)

func main() {
	workers := pool.New(pool.Workers(1, 1))
	s := observed.New(workers, func(e observed.Event) {
		var panicked *observed.PanicError
		fmt.Println("event:", e.Err, "| a panic:", errors.As(e.Err, &panicked))
	})
	ctx := schedulers.With(context.Background(), s)

	for _, body := range []func(context.Context) (int, error){
		func(context.Context) (int, error) { return 0, errors.New("disk full") },
		func(context.Context) (int, error) { panic("index out of range") },
		func(context.Context) (int, error) { runtime.Goexit(); return 0, nil },
		func(context.Context) (int, error) { fmt.Println("work goes on"); return 0, nil },
	} {
		_ = job.Run(ctx, observed.Errors(body)) // the job is dropped
	}
	fmt.Println("shut down:", s.Shutdown(context.Background()), workers.Shutdown(context.Background()))
}
