package eventloop_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/eventloop"
)

// The main goroutine is the loop until the window is closed.
func ExampleLoop_Run() {
	loop := eventloop.New()
	ctx, quit := context.WithCancel(context.Background())

	go func() { // computes on another goroutine, and shows its results on the loop
		for i := range 3 {
			if err := loop.Post(func() { fmt.Println("label:", i) }); err != nil {
				return
			}
		}
		if err := loop.Post(quit); err != nil {
			return
		}
	}()

	fmt.Println(loop.Run(ctx))
	// Output:
	// label: 0
	// label: 1
	// label: 2
	// context canceled
}

// A program that has its own main loop runs the work of ours from there.
func ExampleLoop_RunPending() {
	events := make(chan string, 10) // of the toolkit
	loop := eventloop.New(eventloop.OnWake(func() { events <- "movenext" }))

	events <- "key"
	if err := loop.Post(func() { fmt.Println("  posted from far away") }); err != nil {
		fmt.Println(err)
	}
	events <- "quit"

	for event := range events {
		fmt.Println("event:", event)
		switch event {
		case "movenext":
			loop.RunPending()
		case "quit":
			close(events)
		}
	}
	// Output:
	// event: key
	// event: movenext
	//   posted from far away
	// event: quit
}

// A loop with a thread of its own; Send waits until its function has run.
func ExampleStart() {
	loop := eventloop.Start()
	state := map[string]int{} // used only on the loop
	ctx := context.Background()

	fmt.Println(loop.Send(ctx, func() { state["doors"]++ }))
	fmt.Println(loop.Send(ctx, func() { fmt.Println("doors:", state["doors"]) }))
	fmt.Println(loop.Shutdown(ctx))
	fmt.Println(errors.Is(loop.Post(func() {}), schedulers.ErrShutdown))
	// Output:
	// <nil>
	// doors: 1
	// <nil>
	// <nil>
	// true
}
