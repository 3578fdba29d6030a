package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// A room in which little is said: each message goes to all members, and most of the time
// all of them wait.
const (
	messages = 5
	silence  = 20 * time.Millisecond
)

func chatWithGoroutines(_ context.Context, members int) (int, error) {
	var heard atomic.Int64
	var all sync.WaitGroup
	inboxes := make([]chan int, members)
	for i := range inboxes {
		inbox := make(chan int, 1)
		inboxes[i] = inbox
		all.Go(func() {
			for m := range inbox {
				heard.Add(int64(m))
			}
		})
	}
	for m := range messages {
		time.Sleep(silence)
		for _, inbox := range inboxes {
			inbox <- m + 1
		}
	}
	for _, inbox := range inboxes {
		close(inbox)
	}
	all.Wait()
	return int(heard.Load()), nil
}

//movenext:async
func chatWithMachines(ctx context.Context, members int) (int, error) {
	var heard atomic.Int64
	inboxes := make([]*coord.Channel[int], members)
	err := job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		for i := range inboxes {
			inbox := coord.NewBounded[int](1, coord.WaitForRoom)
			inboxes[i] = inbox
			s.Go(func(ctx context.Context) error { return listen(ctx, inbox, &heard) })
		}
		return speak(ctx, inboxes)
	})
	return int(heard.Load()), err
}

//movenext:async
func listen(ctx context.Context, inbox *coord.Channel[int], heard *atomic.Int64) error {
	for {
		m, err := inbox.Receive(ctx)
		if errors.Is(err, coord.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		heard.Add(int64(m))
	}
}

//movenext:async
func speak(ctx context.Context, inboxes []*coord.Channel[int]) error {
	for m := range messages {
		if err := job.Sleep(ctx, silence); err != nil {
			return err
		}
		for _, inbox := range inboxes {
			if err := inbox.Send(ctx, m+1); err != nil {
				return err
			}
		}
	}
	for _, inbox := range inboxes {
		inbox.Close()
	}
	return nil
}
