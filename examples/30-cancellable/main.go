// Work that is cancelled after its submission. Queued work is withdrawn and never runs; running
// work is asked to stop, and stops at its next check.
//
// The document behind it, step by step: docs/sources/round-robin.md.
package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/movenext/movenext/schedulers/cancellable"
	"github.com/movenext/movenext/schedulers/pool"
)

var errUserLeft = errors.New("the user has left")

func main() {
	workers := pool.New(pool.Workers(1, 1))
	s := cancellable.New(workers)
	ctx := context.Background()

	begun := make(chan struct{})
	var reason error // why the download has stopped
	download, err := s.Go(ctx, func(ctx context.Context) {
		close(begun)
		<-ctx.Done() // a real download would check between two pieces
		reason = context.Cause(ctx)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var queued []*cancellable.Item
	for range 3 {
		item, err := s.Go(ctx, func(context.Context) {})
		if err != nil {
			fmt.Println(err)
			return
		}
		queued = append(queued, item)
	}
	<-begun

	fmt.Println("thumbnail 1 was", queued[1].Cancel(errUserLeft), "and is", queued[1].State())
	fmt.Println("the download was", download.Cancel(errUserLeft))
	<-download.Done()
	fmt.Println("the download is", download.State(), "because", reason)
	fmt.Println("shut down:", s.Shutdown(ctx), workers.Shutdown(ctx))
	for i, item := range queued {
		fmt.Println("thumbnail", i, item.State())
	}
}
