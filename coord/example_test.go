package coord_test

import (
	"context"
	"fmt"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

func ExampleMutex() {
	ctx := context.Background()
	var m coord.Mutex
	if err := m.Lock(ctx); err != nil {
		return
	}

	// The second caller holds no goroutine while it waits.
	second := m.LockAsync(ctx)
	fmt.Println("second:", second.Status())

	m.Unlock() // hands the lock over
	fmt.Println("second:", second.Status())
	fmt.Println("free:", m.TryLock())
	// Output:
	// second: WaitingForActivation
	// second: Completed
	// free: false
}

func ExampleMutex_Lock_timeout() {
	var m coord.Mutex
	m.TryLock()
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println(m.Lock(ctx))
	// Output: context deadline exceeded
}

func ExampleRWMutex() {
	ctx := context.Background()
	var m coord.RWMutex
	one, two := m.RLockAsync(ctx), m.RLockAsync(ctx)
	writer := m.LockAsync(ctx)
	late := m.RLockAsync(ctx) // does not pass the writer
	fmt.Println(one.IsCompleted(), two.IsCompleted(), writer.IsCompleted(), late.IsCompleted())
	m.RUnlock()
	m.RUnlock()
	fmt.Println(writer.IsCompleted(), late.IsCompleted())
	m.Unlock()
	fmt.Println(late.IsCompleted())
	// Output:
	// true true false false
	// true false
	// true
}

func ExampleKeyedMutex() {
	ctx := context.Background()
	var accounts coord.KeyedMutex[string]
	_ = accounts.Lock(ctx, "ann")
	fmt.Println("ann:", accounts.TryLock("ann"))
	fmt.Println("bob:", accounts.TryLock("bob"))
	// Output:
	// ann: false
	// bob: true
}

func ExampleSemaphore() {
	ctx := context.Background()
	memory := coord.NewSemaphore(100)
	_ = memory.Acquire(ctx, 60)
	heavy := memory.AcquireAsync(ctx, 80)
	light := memory.AcquireAsync(ctx, 10) // would fit, but does not pass the heavy one
	fmt.Println(heavy.IsCompleted(), light.IsCompleted())
	memory.Release(60)
	fmt.Println(heavy.IsCompleted(), light.IsCompleted())
	fmt.Println(memory.Acquire(ctx, 101))
	// Output:
	// false false
	// true true
	// coord: more than the semaphore has: 101 of 100
}

func ExampleAutoResetEvent() {
	ctx := context.Background()
	var turnstile coord.AutoResetEvent
	first, second := turnstile.WaitAsync(ctx), turnstile.WaitAsync(ctx)
	turnstile.Set()
	fmt.Println(first.IsCompleted(), second.IsCompleted())
	turnstile.Set()
	fmt.Println(first.IsCompleted(), second.IsCompleted())
	// Output:
	// true false
	// true true
}

func ExampleManualResetEvent() {
	ctx := context.Background()
	var gate coord.ManualResetEvent
	first, second := gate.WaitAsync(ctx), gate.WaitAsync(ctx)
	gate.Set()
	fmt.Println(first.IsCompleted(), second.IsCompleted(), gate.Wait(ctx))
	gate.Reset()
	fmt.Println(gate.WaitAsync(ctx).IsCompleted())
	// Output:
	// true true <nil>
	// false
}

func ExampleCountdown() {
	ctx := context.Background()
	squares := make([]int, 3)
	left := coord.NewCountdown(int64(len(squares)))
	for i := range squares {
		job.Go(ctx, func(context.Context) error {
			defer left.Done()
			squares[i] = i * i
			return nil
		})
	}
	fmt.Println(left.Wait(ctx), squares)
	// Output: <nil> [0 1 4]
}

func ExampleBarrier() {
	ctx := context.Background()
	start := coord.NewBarrier(3)
	a, b := start.WaitAsync(ctx), start.WaitAsync(ctx)
	fmt.Println("phase", start.Phase(), a.IsCompleted(), b.IsCompleted())
	leader, _ := start.Wait(ctx) // the last to come
	fmt.Println("phase", start.Phase(), a.IsCompleted(), b.IsCompleted(), leader)
	// Output:
	// phase 0 false false
	// phase 1 true true true
}

func ExampleCond() {
	ctx := context.Background()
	var (
		m     coord.Mutex
		c     = coord.NewCond(&m)
		stock int
	)
	buyer := job.Go(ctx, func(ctx context.Context) error {
		if err := m.Lock(ctx); err != nil {
			return err
		}
		defer m.Unlock()
		for stock == 0 {
			if err := c.Wait(ctx); err != nil {
				return err
			}
		}
		stock--
		fmt.Println("bought, left:", stock)
		return nil
	})
	_ = m.Lock(ctx)
	stock = 2
	m.Unlock()
	c.Signal()
	_, _ = buyer.Await()
	// Output: bought, left: 1
}

func ExampleSerial() {
	ctx := context.Background()
	var perUser coord.Serial[string]
	var log []string // of one user, so one turn at a time writes it
	var last *job.Job[job.Void]
	for _, step := range []string{"login", "order", "pay"} {
		last = perUser.DoAsync(ctx, "ann", func(context.Context) error {
			log = append(log, step)
			return nil
		})
	}
	_, err := last.Await()
	fmt.Println(log, err)
	// Output: [login order pay] <nil>
}

func ExampleInTurn() {
	ctx := context.Background()
	var perAccount coord.Serial[int]
	balance, err := coord.InTurn(ctx, &perAccount, 42, func(context.Context) (int, error) { return 100, nil })
	fmt.Println(balance, err)
	// Output: 100 <nil>
}

func ExampleLazy() {
	ctx := context.Background()
	config := coord.NewLazy(func(context.Context) (string, error) {
		fmt.Println("reading")
		return "verbose", nil
	})
	for range 2 {
		v, err := config.Get(ctx)
		fmt.Println(v, err)
	}
	// Output:
	// reading
	// verbose <nil>
	// verbose <nil>
}

func ExampleSingleFlight() {
	ctx := context.Background()
	var (
		pages coord.SingleFlight[string, int]
		gate  coord.ManualResetEvent
		loads int
	)
	load := func(ctx context.Context) (int, error) {
		loads++
		return loads, gate.Wait(ctx)
	}
	a, b := pages.DoAsync(ctx, "/", load), pages.DoAsync(ctx, "/", load)
	gate.Set()
	both, err := job.WhenAll(a, b).Await()
	fmt.Println(both, err)
	// Output: [1 1] <nil>
}
