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

// opts are for processes that share a store: they poll it often, and soon continue the instances
// of a dead one.
func opts() []durable.Option {
	return []durable.Option{
		durable.Poll(50 * time.Millisecond), durable.Lease(time.Second),
		durable.Crashes(0), // an order is not to blame for the killing of its workers
		durable.RetryStep("", durable.Retry{Attempts: 20, First: 10 * time.Millisecond}),
	}
}

// plan is a run.
type plan struct {
	store  string
	orders int
	faults faults        // of servers
	cut    time.Duration // how long a server is cut off
	skew   bool          // one worker's clock is an hour ahead, another's an hour behind
	slow   time.Duration // how much longer the calls of the store take, at most
}

// work runs orders until it is killed.
func work(ctx context.Context, name, ledger string, seen bad) error {
	store, err := keep(ctx, name, "")
	if err != nil {
		return err
	}
	seen.Store = store.Store
	store.Store = seen
	engine, err := durable.Open(ctx, store.Store, opts()...)
	if err != nil {
		return errors.Join(err, store.close())
	}
	durable.Serve(engine, OrderDurable, &Shop{world: remote{ledger}})
	<-ctx.Done()
	return errors.Join(engine.Shutdown(context.Background()), store.close())
}

// kill starts orders, answers them, kills their workers at random meanwhile, and prints the
// summary.
func kill(ctx context.Context, p plan, out io.Writer) (err error) {
	store, err := temporary(ctx, p.store)
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
	k := killer{plan: p, storage: store, ledger: server.URL, world: world}
	var killers sync.WaitGroup
	killers.Go(func() { k.run(killing) })
	killers.Go(func() { store.servers.killer(killing, p.cut) })
	begin := time.Now()
	ended := p.run(ctx, client, store.servers)
	stop()
	killers.Wait()
	fmt.Fprintf(out, "%d orders, %d kills of workers, ", p.orders, k.kills)
	if c := store.servers; c != nil {
		fmt.Fprintf(out, "%d of leaders, %d partitions, %v\n", c.leaders.Load(), c.cuts.Load()+int64(k.cuts), since(begin))
		fmt.Fprintf(out, "%d partitions cut off a server, %d a worker; other servers: %d kills, %d pauses; ",
			c.cuts.Load(), k.cuts, c.kills.Load(), c.pauses.Load())
	} else {
		fmt.Fprintln(out, since(begin))
	}
	fmt.Fprintf(out, "workers: %d pauses\n", k.pauses)
	account(out, world, ended, p.orders)
	return nil
}

func since(begin time.Time) time.Duration { return time.Since(begin).Round(time.Second) }

// killer keeps workers running, and counts what it does to them.
type killer struct {
	plan
	*storage
	ledger              string // where the world is
	world               *ledger
	kills, pauses, cuts int
}

// run kills a worker now and then. Every thirtieth time it lets one live on, and stops it or cuts
// it off for longer than its lease instead.
//
// It kills only if there was an effect since the last time: on a busy machine, where a worker
// starts for longer than it lives, no order would ever go on.
func (k *killer) run(ctx context.Context) {
	var running [workers]*exec.Cmd
	for i := range running {
		running[i] = k.start(i)
	}
	n, seen := 0, 0
	for {
		select {
		case <-time.After(time.Duration(10+rand.IntN(50)) * time.Millisecond):
			calls := k.world.served()
			if calls == seen {
				continue
			}
			seen = calls
			n++
			i := rand.IntN(workers)
			if n%30 == 0 && k.spare(ctx, i, running[i].Process, n%60 == 0) {
				continue // it is back, and others run its instances
			}
			end(running[i])
			k.kills++
			running[i] = k.start(i)
		case <-ctx.Done():
			for _, cmd := range running {
				end(cmd)
			}
			return
		}
	}
}

// start starts a worker.
func (k *killer) start(i int) *exec.Cmd {
	args := []string{"-store", k.nameFor(i), "-ledger", k.ledger, "-slow", k.slow.String()}
	if k.skew {
		args = append(args, "-ahead", [workers]string{"1h", "-1h", "0"}[i])
	}
	return process(args...)
}

// spare stops a worker or cuts it off, and reports that it could.
func (k *killer) spare(ctx context.Context, i int, p *os.Process, stop bool) bool {
	if links := k.links(i); links != nil && !stop {
		apart(ctx, links, longerThanLeases)
		k.cuts++
		return true
	}
	if !pause(ctx, p, longerThanLeases) {
		return false
	}
	k.pauses++
	return true
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

// run starts and answers orders, and returns the errors with which they have ended, by id. Orders
// wait for faults of servers: when half of them have begun, half of the faults have happened.
func (p plan) run(ctx context.Context, client *durable.Engine, servers *servers) map[string]error {
	served := durable.Serve(client, OrderDurable, &Shop{})
	var mu sync.Mutex
	ended := map[string]error{}
	var wg sync.WaitGroup
	turns := make(chan struct{}, 64)
	for i := range p.orders {
		servers.await(ctx, faults{p.faults.leaders * (i + 1) / p.orders, p.faults.cuts * (i + 1) / p.orders})
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			h, err := served.Start(ctx, fmt.Sprintf("order-%d", i), Request{Items: []string{"cup", "pot"}, Card: "4711"},
				durable.WithSignal("approval", Approval{Yes: i%10 != 0}))
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

// account compares the effects in the world with the outcomes of the orders.
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
	fmt.Fprintf(out, "%d effects by %d calls: %d steps were repeated with their keys\n", effects, world.served(), world.served()-effects)
	fmt.Fprintf(out, "lost %d, twice %d\n", lost, twice)
}
