package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/movenext/movenext/durable"
)

// workers is how many processes run orders at a time.
const workers = 3

// longerThanLeases is how long a worker is stopped now and then.
const longerThanLeases = 1500 * time.Millisecond

// opts are for processes that share a store: they look at it often, and what a dead one leaves
// is continued soon.
func opts() []durable.Option {
	return []durable.Option{
		durable.Poll(50 * time.Millisecond), durable.Lease(time.Second),
		durable.RetryStep("", durable.Retry{Attempts: 20, First: 10 * time.Millisecond}),
	}
}

// work runs orders until it is killed.
func work(ctx context.Context, name, ledger string) error {
	store, err := keep(ctx, name, "")
	if err != nil {
		return err
	}
	engine, err := durable.Open(ctx, store.Store, opts()...)
	if err != nil {
		return errors.Join(err, store.close())
	}
	durable.Serve(engine, OrderDurable, &Shop{world: remote{ledger}})
	<-ctx.Done()
	return errors.Join(engine.Shutdown(context.Background()), store.close())
}

// kill starts orders, answers them, kills their workers at random meanwhile, and prints the
// account.
func kill(ctx context.Context, name string, orders int, out io.Writer) (err error) {
	store, err := temporary(ctx, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.close()) }()
	world := newLedger()
	server := httptest.NewServer(world)
	defer server.Close()
	client, err := durable.Open(ctx, store.Store, append(opts(), durable.Client())...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Shutdown(context.Background())) }()

	killing, stop := context.WithCancel(ctx)
	kills := make(chan int)
	go func() { kills <- killer(killing, store.name, server.URL) }()
	servers := make(chan struct{})
	go func() {
		defer close(servers)
		store.servers.killer(killing)
	}()
	begin := time.Now()
	ended := runOrders(ctx, client, orders)
	stop()
	n := <-kills
	<-servers
	fmt.Fprintf(out, "%d orders, %d kills, %v\n", orders, n, time.Since(begin).Round(time.Second))
	if store.servers != nil {
		fmt.Fprintf(out, "%d kills and %d pauses of servers, %d of them led a bucket\n",
			store.servers.kills, store.servers.pauses, store.servers.leaders)
	}
	account(out, world, ended, orders)
	return nil
}

// killer keeps workers running and kills one of them now and then. Every sixtieth time it stops
// one for longer than its lease instead. It returns how many it has killed.
func killer(ctx context.Context, store, ledger string) (kills int) {
	start := func() *exec.Cmd { return process("-store", store, "-ledger", ledger) }
	var running [workers]*exec.Cmd
	for i := range running {
		running[i] = start()
	}
	for n := 0; ; n++ {
		select {
		case <-time.After(time.Duration(10+rand.IntN(50)) * time.Millisecond):
			i := rand.IntN(workers)
			if n%60 == 59 && pause(ctx, running[i].Process, longerThanLeases) {
				continue // it is awake again, and others have what it ran
			}
			end(running[i])
			kills++
			running[i] = start()
		case <-ctx.Done():
			for _, cmd := range running {
				end(cmd)
			}
			return kills
		}
	}
}

// process starts this program as another process.
func process(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	// A test that is started again is a worker, too.
	cmd.Env = append(os.Environ(), "ORDERS_WORKER=1")
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// end is kill -9.
func end(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it says that it was killed
}

// runOrders starts and answers orders, and returns the errors with which they have ended, by
// id.
func runOrders(ctx context.Context, client *durable.Engine, orders int) map[string]error {
	served := durable.Serve(client, OrderDurable, &Shop{})
	var mu sync.Mutex
	ended := map[string]error{}
	var wg sync.WaitGroup
	turns := make(chan struct{}, 64)
	for i := range orders {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			h, err := served.Start(ctx, fmt.Sprintf("order-%d", i), Request{Items: []string{"cup", "pot"}, Card: "4711"})
			if err == nil {
				err = h.Signal(ctx, "approval", Approval{Yes: i%10 != 0})
			}
			if err == nil {
				_, err = h.Wait(ctx)
			}
			mu.Lock()
			defer mu.Unlock()
			ended[h.ID()] = err
		})
	}
	wg.Wait()
	return ended
}

// account compares what has happened to the world with how the orders have ended.
func account(out io.Writer, world *ledger, ended map[string]error, orders int) {
	reserved, released, charged := world.of("reserve"), world.of("unreserve"), world.of("charge")
	lost, twice, effects := 0, 0, 0
	for i := range orders {
		id := fmt.Sprintf("order-%d", i)
		err, ok := ended[id]
		want := [3]int{1, 0, 1} // reserved and charged
		if errors.Is(err, ErrRefused) {
			want = [3]int{1, 1, 0}
			err = nil
		}
		got := [3]int{reserved[id], released[id], charged[id]}
		effects += got[0] + got[1] + got[2]
		switch {
		case got[0] > 1 || got[1] > 1 || got[2] > 1:
			twice++
		case !ok || err != nil || got != want:
			lost++
		}
	}
	fmt.Fprintf(out, "%d effects by %d calls: %d steps were repeated with their keys\n", effects, world.calls, world.calls-effects)
	fmt.Fprintf(out, "lost %d, twice %d\n", lost, twice)
}
