// Command 23-stream reads pages from a slow place, one by one, and only as many as it
// needs. The producer is a loop with a yield, the consumer a loop with a break. Neither
// holds a goroutine while it waits for the other, or for a page.
package main

//go:generate go tool movenext .

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/movenext/movenext/job"
)

type page struct{ number int }

//movenext:async
func fetch(ctx context.Context, number int) (page, error) {
	err := job.Sleep(ctx, time.Millisecond)
	return page{number}, err
}

//movenext:async
func pages(ctx context.Context) iter.Seq2[page, error] {
	return func(yield func(page, error) bool) {
		fmt.Println("  open")
		defer fmt.Println("  close")
		for n := 1; ; n++ {
			fmt.Println("  fetch", n)
			if !yield(fetch(ctx, n)) {
				return
			}
		}
	}
}

//movenext:async
func read(ctx context.Context, limit int) error {
	for p, err := range pages(ctx) {
		if err != nil {
			return err
		}
		fmt.Println("  read", p.number)
		if p.number == limit {
			break
		}
	}
	fmt.Println("  done")
	return nil
}

func main() {
	ctx := context.Background()
	fmt.Println("as plain Go:", read(ctx, 2))
	_, err := readAsync(ctx, 2).Wait(ctx)
	fmt.Println("as machines:", err)

	canceled, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range pagesAsync(canceled).All() { // plain code may range over a stream too
		fmt.Println("canceled:", err)
		break
	}
}
