package main

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"
	"sync/atomic"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

// Records go through a channel to a few workers, which compute and never wait for
// anything else.
const processors = 4

// checksum is the work on one record.
func checksum(record int) uint64 {
	h := fnv.New64a()
	for range 20 {
		_, _ = h.Write([]byte{byte(record), byte(record >> 8), byte(record >> 16)})
	}
	return h.Sum64() % 1000
}

func processWithGoroutines(_ context.Context, records int) (int, error) {
	var sum atomic.Uint64
	var all sync.WaitGroup
	queue := make(chan int, 64)
	for range processors {
		all.Go(func() {
			for r := range queue {
				sum.Add(checksum(r))
			}
		})
	}
	for r := range records {
		queue <- r
	}
	close(queue)
	all.Wait()
	return int(sum.Load()), nil
}

//movenext:async
func processWithMachines(ctx context.Context, records int) (int, error) {
	var sum atomic.Uint64
	queue := coord.NewBounded[int](64, coord.WaitForRoom)
	err := job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		for range processors {
			s.Go(func(ctx context.Context) error { return process(ctx, queue, &sum) })
		}
		defer queue.Close()
		for r := range records {
			if err := queue.Send(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	return int(sum.Load()), err
}

//movenext:async
func process(ctx context.Context, queue *coord.Channel[int], sum *atomic.Uint64) error {
	for {
		r, err := queue.Receive(ctx)
		if errors.Is(err, coord.ErrClosed) {
			return nil
		}
		if err != nil {
			return err
		}
		sum.Add(checksum(r))
	}
}
