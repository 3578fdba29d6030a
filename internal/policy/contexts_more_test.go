package policy

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"iter"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/job/bridge"
	"github.com/movenext/movenext/netio"
	"github.com/movenext/movenext/parallel"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/cancellable"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/goroutine"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/limited"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/observed"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/roundrobin"
	"github.com/movenext/movenext/schedulers/simulation"
	"github.com/movenext/movenext/schedulers/ums"
	"github.com/movenext/movenext/schedulers/workset"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// after returns a job that ends a little later.
func after(v int) *job.Job[int] {
	s := job.NewSource[int]()
	soon(func() { s.TrySetResult(v) })
	return s.Job()
}

//movenext:async
func continuations(ctx context.Context, n *notes) {
	plus := func(ctx context.Context, v int) (int, error) { return v + 1, ctx.Err() }
	n.of("job.Then")(job.Then(ctx, after(1), plus).Await())
	n.of("job.Catch")(job.Catch(ctx, job.FromError[int](errors.New("lost")), func(ctx context.Context, _ error) (int, error) { return 3, ctx.Err() }).Await())
	n.of("job.Finally")(job.Finally(ctx, after(2), func(ctx context.Context) error { return ctx.Err() }).Await())
	n.of("job.ContinueWith")(job.ContinueWith(ctx, after(3), func(ctx context.Context, j *job.Job[int]) (int, error) {
		return plus(ctx, int(j.Status()))
	}).Await())
	n.of("job.Job.ContinueWith")(after(4).ContinueWith(ctx, func(ctx context.Context, _ *job.Job[int]) error { return ctx.Err() }).Await())
	n.of("job.Unwrap")(job.Unwrap(ctx, job.FromResult(after(5))).Await())
	n.of("job.WaitAsync")(job.WaitAsync(ctx, after(6)).Await())
	n.of("job.WaitTimeout")(job.WaitTimeout(ctx, after(7), time.Hour).Await())
	n.of("job.Job.Wait")(after(8).Wait(ctx))

	c := job.CompletionsOf(job.FromResult(1), after(9))
	_, err := c.NextAsync(ctx).Await()
	n.of("job.Completions.NextAsync")(err)
	_, err = c.Next(ctx)
	n.of("job.Completions.Next")(err)
	for j, err := range job.WhenEach(ctx, after(10)) {
		n.of("job.WhenEach")(j.Status(), err)
	}
	for j, err := range job.WhenEachAsync(ctx, after(11)).All() {
		n.of("job.WhenEachAsync")(j.Status(), err)
	}
}

//movenext:async
func numbers(ctx context.Context) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range 3 {
			if !yield(i, job.Sleep(ctx, time.Millisecond)) {
				return
			}
		}
	}
}

//movenext:async
func streams(ctx context.Context, n *notes) {
	for v, err := range numbers(ctx) {
		n.of("job.StreamOf")(v, err)
	}
	for _, s := range []*job.Stream[int]{numbersAsync(ctx), job.StreamOf(numbers(ctx))} {
		p := s.Pull()
		n.of("job.Puller.Next")(p.Next(ctx))
		n.of("job.Puller.NextAsync")(p.NextAsync(ctx).Await())
		n.of("job.Puller.StopAsync")(p.StopAsync(ctx).Await())
		n.of("job.Puller.Stop")(p.Stop(ctx))
	}
	p := bridge.Pull(ctx, slices.Values([]int{1, 2, 3}))
	n.of("bridge.Pull")(p != nil)
	n.of("bridge.Puller.Next")(p.Next(ctx))
	n.of("bridge.Puller.NextAsync")(p.NextAsync(ctx).Await())
	p.Stop()
}

//movenext:async
func pauses(ctx context.Context, n *notes) {
	n.of("job.Sleep")(job.Sleep(ctx, time.Millisecond))
	n.of("job.SleepAsync")(job.SleepAsync(ctx, time.Millisecond).Await())
	s := goroutine.New()
	n.of("job.SwitchTo")(job.SwitchTo(ctx, s))
	n.of("job.SwitchToAsync")(job.SwitchToAsync(ctx, s).Await())
	defer job.SwitchTo(ctx, s) //nolint:errcheck // a deferred call has no other form
}

//movenext:async
func loops(ctx context.Context, n *notes) {
	items := []int{3, 1, 2}
	plus := func(ctx context.Context, v int) (int, error) { return v + 1, ctx.Err() }
	end := func(ctx context.Context, _ int) error { return ctx.Err() }
	n.of("parallel.For")(parallel.For(ctx, 0, 3, end))
	n.of("parallel.ForBlocks")(parallel.ForBlocks(ctx, 0, 3, func(ctx context.Context, _, _ int) error { return ctx.Err() }))
	n.of("parallel.ForEach")(parallel.ForEach(ctx, items, end))
	n.of("parallel.Invoke")(parallel.Invoke(ctx, func(ctx context.Context) error { return ctx.Err() }))
	n.of("parallel.Map")(parallel.Map(ctx, items, plus))
	n.of("parallel.Reduce")(parallel.Reduce(ctx, items, 0,
		func(ctx context.Context, a, v int) (int, error) { return a + v, ctx.Err() }, func(a, b int) int { return a + b }))
	n.of("parallel.Run")(parallel.Run(ctx, func(w *parallel.Worker) (int, error) { return 7, w.Err() }))
	start := func(ctx context.Context, v int) *job.Job[int] { return job.Then(ctx, after(v), plus) }
	n.of("parallel.ForEachAsync")(parallel.ForEachAsync(ctx, items, start).Await())
	n.of("parallel.MapAsync")(parallel.MapAsync(ctx, items, start).Await())
	n.of("parallel.Filter")(parallel.Filter(ctx, items, func(ctx context.Context, v int) (bool, error) { return v > 1, ctx.Err() }))
	n.of("parallel.GroupBy")(parallel.GroupBy(ctx, items, plus))
	n.of("parallel.Distinct")(parallel.Distinct(ctx, items, plus))
	n.of("parallel.Scan")(parallel.Scan(ctx, items, 0,
		func(ctx context.Context, a, v int) (int, error) { return a + v, ctx.Err() }, func(a, b int) int { return a + b }))
	for v, err := range parallel.Stage(ctx, parallel.FromSlice(items), start) {
		n.of("parallel.Stage")(v, err)
	}
	for v, err := range parallel.StageAsync(ctx, parallel.FromSlice(items), start).All() {
		n.of("parallel.StageAsync")(v, err)
	}
	n.of("parallel.Sort")(parallel.Sort(ctx, slices.Clone(items)))
	n.of("parallel.SortFunc")(parallel.SortFunc(ctx, slices.Clone(items), cmp.Compare[int]))
	n.of("parallel.SortStableFunc")(parallel.SortStableFunc(ctx, slices.Clone(items), cmp.Compare[int]))
}

//movenext:async
func foreign(ctx context.Context, n *notes) {
	ended := bridge.FromContext(ctx)
	n.of("bridge.FromContext")(ended.IsCompleted())
	ended.Cancel()
	n.of("bridge.FromCallback")(bridge.FromCallback(ctx, func(done func(int, error)) func() {
		soon(func() { done(7, nil) })
		return nil
	}).Await())
	c := make(chan int)
	soon(func() { c <- 7 })
	n.of("bridge.FromChan")(bridge.FromChan(ctx, c).Await())
	soon(func() { <-c })
	n.of("bridge.SendTo")(bridge.SendTo(ctx, c, 7).Await())
	_, err := bridge.FromProcess(ctx, exec.Command(os.Args[0], "-test.run=^$")).Await()
	n.of("bridge.FromProcess")(err)
}

//movenext:async
func sockets(ctx context.Context, n *notes) {
	l, err := netio.Listen("tcp", "127.0.0.1:0")
	n.of("netio.Listen")(err)
	defer func() { _ = l.Close() }()
	c, err := netio.Dial(ctx, "tcp", l.Addr().String())
	n.of("netio.Dial")(err)
	other, err := netio.DialAsync(ctx, "tcp", l.Addr().String()).Await()
	n.of("netio.DialAsync")(err)
	defer func() { _, _ = c.Close(), other.Close() }()
	greet := func(c *netio.Conn, err error) {
		soon(func() { _, _ = c.Write([]byte("hello")); _ = c.Close() })
	}
	for served, err := range l.All(ctx) {
		n.of("netio.Listener.All")(err)
		greet(served, err)
		break
	}
	for served, err := range l.AllAsync(ctx).All() {
		n.of("netio.Listener.AllAsync")(err)
		greet(served, err)
		break
	}
	n.of("netio.Conn.Readable")(c.Readable(ctx))
	n.of("netio.Conn.ReadableAsync")(other.ReadableAsync(ctx).Await())

	server := httptest.NewTLSServer(nil)
	defer server.Close()
	known := x509.NewCertPool()
	known.AddCert(server.Certificate())
	under, err := netio.Dial(ctx, "tcp", server.Listener.Addr().String())
	n.of("netio.Dial")(err)
	s := netio.Client(under, &tls.Config{RootCAs: known, ServerName: "example.com", MinVersion: tls.VersionTLS12})
	defer func() { _ = s.Close() }()
	n.of("netio.TLSConn.HandshakeAsync")(s.HandshakeAsync(ctx).Await())
	n.of("netio.TLSConn.Handshake")(s.Handshake(ctx))
	n.of("netio.TLSConn.WriteAll")(s.WriteAll(ctx, []byte("GET / HTTP/1.0\r\n")))
	n.of("netio.TLSConn.WriteAllAsync")(s.WriteAllAsync(ctx, []byte("\r\n")).Await())
	n.of("netio.TLSConn.Readable")(s.Readable(ctx))
	n.of("netio.TLSConn.ReadableAsync")(s.ReadableAsync(ctx).Await())
}

//movenext:async
func contexts(ctx context.Context, n *notes) {
	s := simulation.New(1)
	n.of("simulation.Scheduler.Context")(schedulers.FromContext(s.Context(ctx)) == schedulers.Scheduler(s))
	n.of("schedulers.With")(schedulers.FromContext(schedulers.With(ctx, s)) == schedulers.Scheduler(s), schedulers.With(ctx, nil).Err())
	n.of("schedulers.FromContext")(schedulers.FromContext(ctx))
	n.of("schedulers.HomeOf")(schedulers.HomeOf(ctx))
	n.of("schedulers.WorkerFrom")(schedulers.WorkerFrom(ctx))
	n.of("schedulers.HasLabels")(schedulers.HasLabels(ctx))
	n.of("schedulers.LabelsOf")(schedulers.LabelsOf(ctx))
	n.of("pool.IsPoolWorker")(pool.IsPoolWorker(ctx))
	n.of("observed.Report")(observed.Report(ctx, errors.New("lost")))
	n.of("dedicated.State")(dedicated.State[int](ctx))
	child, cancel := cancellable.Context(ctx)
	cancel()
	n.of("cancellable.Context")(child.Err())
	ums.Block(ctx, func() { n.of("ums.Block")() })
	ums.Yield(ctx, nil)
	n.of("ums.Yield")()
	done := make(chan struct{})
	close(done)
	n.of("schedulers.Wait")(schedulers.Wait(ctx, nil, nil, done))
}

//movenext:async
func shutdowns(ctx context.Context, n *notes) {
	done := make(chan struct{})
	close(done)
	m := manual.New()
	n.of("manual.Scheduler.RunUntil")(m.RunUntil(ctx, done))
	n.of("manual.Scheduler.Shutdown")(m.Shutdown(ctx))
	sim := simulation.New(1)
	n.of("simulation.Scheduler.RunUntil")(sim.RunUntil(ctx, done))
	n.of("simulation.Scheduler.Shutdown")(sim.Shutdown(ctx))
	loop := eventloop.Start()
	n.of("eventloop.Loop.Pump")(job.Run(schedulers.With(context.Background(), loop), func(context.Context) (int, error) {
		return 7, loop.Pump(ctx, done)
	}).Await())
	n.of("eventloop.Loop.Send")(loop.Send(ctx, func() {}))
	n.of("eventloop.Loop.Shutdown")(loop.Shutdown(ctx))
	owned := eventloop.New()
	soon(func() { _ = owned.Shutdown(context.Background()) })
	n.of("eventloop.Loop.Run")(owned.Run(ctx))

	p := pool.New()
	set := workset.New(p)
	n.of("workset.Set.Wait")(set.Wait(ctx))
	it, err := set.Queue(work{}, schedulers.Hint{})
	n.of("workset.Item.Wait")(it.Wait(ctx), err)
	n.of("workset.WaitAll")(workset.WaitAll(ctx, it))
	n.of("workset.WaitAny")(workset.WaitAny(ctx, it))
	n.of("workset.Set.Shutdown")(set.Shutdown(ctx))
	c := cancellable.New(p)
	_, err = c.Go(ctx, func(ctx context.Context) { n.of("cancellable.Scheduler.Go")(ctx.Err()) })
	n.of("cancellable.Scheduler.Shutdown")(c.Shutdown(ctx), err)
	turns := roundrobin.New(p)
	n.of("roundrobin.Queue.Shutdown")(turns.Default().Shutdown(ctx))
	n.of("roundrobin.Scheduler.Shutdown")(turns.Shutdown(ctx))
	n.of("limited.Scheduler.Shutdown")(limited.New(p, 1).Shutdown(ctx))
	n.of("observed.Scheduler.Shutdown")(observed.New(p, func(observed.Event) {}).Shutdown(ctx))
	n.of("exclusive.Pair.Shutdown")(exclusive.New(p, 2).Shutdown(ctx))
	n.of("exclusive.Strand.Shutdown")(exclusive.NewStrand(p).Shutdown(ctx))
	n.of("priority.Scheduler.Shutdown")(priority.New(p, 2).Shutdown(ctx))
	n.of("goroutine.Scheduler.Shutdown")(goroutine.New().Shutdown(ctx))
	n.of("inline.Scheduler.Shutdown")(inline.New().Shutdown(ctx))
	n.of("dedicated.Runner.Shutdown")(dedicated.NewRunner("one").Shutdown(ctx))
	n.of("dedicated.Threads.Shutdown")(dedicated.New(1).Shutdown(ctx))
	n.of("ums.Scheduler.Shutdown")(ums.New(1).Shutdown(ctx))
	n.of("workstealing.Scheduler.Shutdown")(workstealing.New().Shutdown(ctx))
	n.of("pool.Pool.Shutdown")(p.Shutdown(ctx))
}

// work does nothing.
type work struct{}

func (work) Run(schedulers.Worker) {}
func (work) Abandon(error)         {}
