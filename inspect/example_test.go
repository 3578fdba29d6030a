package inspect_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"syscall"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
)

//movenext:async
func consume(ctx context.Context, orders *coord.Channel[string]) error {
	_, err := orders.Receive(ctx)
	return err
}

// suspendedConsumers starts n machines that wait for orders, and returns what
// ends them.
func suspendedConsumers(n int) (end func()) {
	orders := coord.NewRendezvous[string]()
	var jobs []job.Handle
	for range n {
		jobs = append(jobs, consumeAsync(context.Background(), orders))
	}
	return func() {
		orders.Close()
		for _, j := range jobs {
			<-j.Done()
		}
	}
}

func ExampleTrack() {
	stop := inspect.Track(inspect.Sample(1)) // all
	defer stop()
	defer suspendedConsumers(3)()
	fmt.Println(inspect.Snapshot().Suspended)
	// Output: 3
}

func ExampleSnapshot() {
	defer inspect.Track()()
	defer suspendedConsumers(3)()
	for _, p := range inspect.Snapshot().Groups {
		fmt.Println(p.Count, "wait for", p.Waits, "in", p.Stack[0].Function)
	}
	// Output: 3 wait for coord.Channel[string].Receive in github.com/movenext/movenext/inspect_test.consume
}

func ExampleNamed() {
	stop := inspect.Track(inspect.Named("checkout"))
	defer stop()
	defer suspendedConsumers(3)() // their jobs have no name
	fmt.Println(inspect.Snapshot().Suspended)
	// Output: 0
}

func ExampleDump() {
	if err := inspect.Dump(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output: movenext: machines are not tracked; call inspect.Track
}

func ExampleWriteProfile() {
	defer inspect.Track()()
	defer suspendedConsumers(3)()
	var file bytes.Buffer // for go tool pprof
	fmt.Println(inspect.WriteProfile(&file), inspect.ProfileName)
	// Output: <nil> movenext.suspended
}

func ExampleOnSignal() {
	stop := inspect.OnSignal(syscall.SIGQUIT)
	stop() // at the end of the program
	// Output:
}

func ExampleWaitsFor() {
	answer := job.NewSource[int]()
	both := job.WhenAll(answer.Job(), job.FromResult(1))
	for _, w := range inspect.WaitsFor(both) {
		fmt.Println(w.Is)
	}
	answer.TrySetResult(2)
	// Output:
	// waiting for other jobs
	// completed by hand
}
