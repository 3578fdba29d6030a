package bridge_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/bridge"
)

func Example() {
	ctx := context.Background()
	words := make(chan string, 1)
	words <- "hello"
	j := job.Then(ctx, bridge.FromChan(ctx, words), func(_ context.Context, w string) (string, error) {
		return w + ", job", nil
	})
	fmt.Println(j.Wait(ctx))
	// Output: hello, job <nil>
}

func ExampleFromChan() {
	ch := make(chan int)
	go func() {
		ch <- 7
		close(ch)
	}()
	ctx := context.Background()
	fmt.Println(bridge.FromChan(ctx, ch).Wait(ctx))
	fmt.Println(bridge.FromChan(ctx, ch).Wait(ctx))
	// Output:
	// 7 <nil>
	// 0 bridge: channel is closed
}

func ExampleSendTo() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	full := make(chan int)
	_, err := bridge.SendTo(ctx, full, 1).Await()
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}

func ExampleFromContext() {
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := bridge.FromContext(ctx)
	cancel(errors.New("closing time"))
	cause, _ := ended.Await()
	fmt.Println(cause)
	// Output: closing time
}

func ExampleFromCallback() {
	// An API that calls back: time.AfterFunc.
	alarm := bridge.FromCallback(context.Background(), func(done func(string, error)) func() {
		t := time.AfterFunc(time.Millisecond, func() { done("rang", nil) })
		return func() { t.Stop() }
	})
	fmt.Println(alarm.Await())
	// Output: rang <nil>
}
