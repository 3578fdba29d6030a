package policy

import (
	"context"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/coord/rate"
	"github.com/movenext/movenext/job"
)

//movenext:async
func locks(ctx context.Context, n *notes) {
	var m coord.Mutex
	n.of("coord.Mutex.Lock")(m.Lock(ctx))
	soon(m.Unlock)
	n.of("coord.Mutex.Lock")(m.Lock(ctx))
	soon(m.Unlock)
	n.of("coord.Mutex.LockAsync")(m.LockAsync(ctx).Await())

	var k coord.KeyedMutex[int]
	n.of("coord.KeyedMutex.Lock")(k.Lock(ctx, 1))
	soon(func() { k.Unlock(1) })
	n.of("coord.KeyedMutex.Lock")(k.Lock(ctx, 1))
	soon(func() { k.Unlock(1) })
	n.of("coord.KeyedMutex.LockAsync")(k.LockAsync(ctx, 1).Await())

	var rw coord.RWMutex
	n.of("coord.RWMutex.Lock")(rw.Lock(ctx))
	soon(rw.Unlock)
	n.of("coord.RWMutex.RLock")(rw.RLock(ctx))
	n.of("coord.RWMutex.RLockAsync")(rw.RLockAsync(ctx).Await())
	soon(func() { rw.RUnlock(); rw.RUnlock() })
	n.of("coord.RWMutex.LockAsync")(rw.LockAsync(ctx).Await())

	s := coord.NewSemaphore(1)
	n.of("coord.Semaphore.Acquire")(s.Acquire(ctx, 1))
	soon(func() { s.Release(1) })
	n.of("coord.Semaphore.Acquire")(s.Acquire(ctx, 1))
	soon(func() { s.Release(1) })
	n.of("coord.Semaphore.AcquireAsync")(s.AcquireAsync(ctx, 1).Await())

	l := coord.NewLimiter[int](1)
	n.of("coord.Limiter.Acquire")(l.Acquire(ctx, 1))
	soon(func() { l.Release(1) })
	n.of("coord.Limiter.Acquire")(l.Acquire(ctx, 1))
	soon(func() { l.Release(1) })
	n.of("coord.Limiter.AcquireAsync")(l.AcquireAsync(ctx, 1).Await())
}

//movenext:async
func objects(ctx context.Context, n *notes) {
	p := coord.NewObjectPool(1, func(ctx context.Context) *job.Job[int] {
		return job.Run(ctx, func(ctx context.Context) (int, error) { return 7, ctx.Err() })
	})
	n.of("coord.ObjectPool.Get")(p.Get(ctx))
	soon(func() { p.Put(7) })
	n.of("coord.ObjectPool.Get")(p.Get(ctx))
	soon(func() { p.Put(7) })
	n.of("coord.ObjectPool.GetAsync")(p.GetAsync(ctx).Await())
	p.Discard(7)
	n.of("coord.ObjectPool.GetAsync")(p.GetAsync(ctx).Await())
	p.Put(7)
	n.of("coord.ObjectPool.Use")(p.Use(ctx, func(ctx context.Context, _ int) error { return ctx.Err() }))
	n.of("coord.ObjectPool.UseAsync")(p.UseAsync(ctx, func(ctx context.Context, _ int) error { return ctx.Err() }).Await())

	c := coord.NewUnbounded[int]()
	soon(func() { _ = c.TrySend(1) })
	n.of("coord.Select")(coord.Select(ctx, coord.OnReceive[int](c, nil)))
	n.of("coord.SelectAsync")(coord.SelectAsync(ctx, coord.OnReceive[int](c, nil), coord.OnTimeout(time.Millisecond)).Await())
}

//movenext:async
func events(ctx context.Context, n *notes) {
	var auto coord.AutoResetEvent
	soon(auto.Set)
	n.of("coord.AutoResetEvent.Wait")(auto.Wait(ctx))
	soon(auto.Set)
	n.of("coord.AutoResetEvent.WaitAsync")(auto.WaitAsync(ctx).Await())

	var manual coord.ManualResetEvent
	soon(manual.Set)
	n.of("coord.ManualResetEvent.Wait")(manual.Wait(ctx))
	n.of("coord.ManualResetEvent.WaitAsync")(manual.WaitAsync(ctx).Await())

	down := coord.NewCountdown(1)
	soon(func() { down.Done() })
	n.of("coord.Countdown.Wait")(down.Wait(ctx))
	n.of("coord.Countdown.WaitAsync")(down.WaitAsync(ctx).Await())

	b := coord.NewBarrier(2)
	other := b.WaitAsync(ctx)
	n.of("coord.Barrier.Wait")(b.Wait(ctx))
	n.of("coord.Barrier.WaitAsync")(other.Await())
	soon(func() { b.WaitAsync(context.Background()) })
	_, err := b.Wait(ctx) // either may be the last one
	n.of("coord.Barrier.Wait")(err)

	c := coord.NewCond(new(coord.Mutex))
	_ = c.L.Lock(ctx)
	soon(func() { broadcast(c) })
	n.of("coord.Cond.Wait")(c.Wait(ctx))
	soon(func() { broadcast(c) })
	n.of("coord.Cond.WaitAsync")(c.WaitAsync(ctx).Await())
}

//movenext:async
func channels(ctx context.Context, n *notes) {
	c := coord.NewRendezvous[int]()
	soon(func() { c.ReceiveAsync(context.Background()) })
	n.of("coord.Channel.Send")(c.Send(ctx, 1))
	soon(func() { c.ReceiveAsync(context.Background()) })
	n.of("coord.Channel.SendAsync")(c.SendAsync(ctx, 2).Await())
	soon(func() { c.SendAsync(context.Background(), 3) })
	n.of("coord.Channel.Receive")(c.Receive(ctx))
	soon(func() { c.SendAsync(context.Background(), 4) })
	n.of("coord.Channel.ReceiveAsync")(c.ReceiveAsync(ctx).Await())
	soon(func() { c.SendAsync(context.Background(), 5) })
	for v, err := range c.All(ctx) {
		n.of("coord.Channel.All")(v, err)
		break
	}
	soon(func() { c.SendAsync(context.Background(), 6) })
	for v, err := range c.AllAsync(ctx).All() {
		n.of("coord.Channel.AllAsync")(v, err)
		break
	}

	b := coord.NewBroadcast[int](1, coord.WaitForRoom)
	s := b.Subscribe()
	n.of("coord.Broadcast.Send")(b.Send(ctx, 1))
	soon(func() { _, _ = s.TryReceive() })
	n.of("coord.Broadcast.SendAsync")(b.SendAsync(ctx, 2).Await())
	n.of("coord.Subscription.Receive")(s.Receive(ctx))
	soon(func() { b.SendAsync(context.Background(), 3) })
	n.of("coord.Subscription.ReceiveAsync")(s.ReceiveAsync(ctx).Await())
	soon(func() { b.SendAsync(context.Background(), 4) })
	n.of("coord.Subscription.Receive")(s.Receive(ctx))

	w := coord.NewWatch(1)
	o := w.Observe()
	soon(func() { _ = w.Set(2) })
	n.of("coord.Observer.Next")(o.Next(ctx))
	soon(func() { _ = w.Set(3) })
	n.of("coord.Observer.NextAsync")(o.NextAsync(ctx).Await())

	var again coord.Reusable[int]
	round, _ := again.Begin()
	soon(func() { _ = again.Set(round, 1, nil) })
	n.of("coord.Reusable.Get")(again.Get(ctx, round))
	next, _ := again.Begin()
	soon(func() { _ = again.Set(next, 2, nil) })
	n.of("coord.Reusable.GetAsync")(again.GetAsync(ctx, next).Await())
}

//movenext:async
func sharedWork(ctx context.Context, n *notes) {
	var s coord.Serial[int]
	n.of("coord.Serial.Do")(s.Do(ctx, 1, func(ctx context.Context) error { return ctx.Err() }))
	n.of("coord.Serial.DoAsync")(s.DoAsync(ctx, 1, func(ctx context.Context) error { return ctx.Err() }).Await())
	seven := func(ctx context.Context) (int, error) { return 7, ctx.Err() }
	n.of("coord.InTurn")(coord.InTurn(ctx, &s, 1, seven))
	n.of("coord.InTurnAsync")(coord.InTurnAsync(ctx, &s, 1, seven).Await())

	n.of("coord.Lazy.Get")(coord.NewLazy(seven).Get(ctx))
	n.of("coord.Lazy.GetAsync")(coord.NewLazy(seven).GetAsync(ctx).Await())
	var f coord.SingleFlight[int, int]
	n.of("coord.SingleFlight.Do")(f.Do(ctx, 1, seven))
	n.of("coord.SingleFlight.DoAsync")(f.DoAsync(ctx, 1, seven).Await())

	l := rate.NewLimiter(1e4, 1)
	n.of("rate.Limiter.Wait")(l.Wait(ctx))
	n.of("rate.Limiter.Wait")(l.Wait(ctx))
	n.of("rate.Limiter.WaitAsync")(l.WaitAsync(ctx).Await())
	n.of("rate.Limiter.WaitN")(l.WaitN(ctx, 1))
	n.of("rate.Limiter.WaitNAsync")(l.WaitNAsync(ctx, 1).Await())
}

//movenext:async
func jobs(ctx context.Context, n *notes) {
	seven := func(ctx context.Context) (int, error) { return 7, ctx.Err() }
	done := func(ctx context.Context) error { return ctx.Err() }
	sevenJob := func(ctx context.Context) *job.Job[int] { return job.Run(ctx, seven) }
	n.of("job.Run")(job.Run(ctx, seven).Await())
	n.of("job.RunTwin")(job.RunTwin(ctx, sevenJob).Await()) //nolint:staticcheck // deprecated, and kept
	n.of("job.NewTwin")(job.NewTwin(ctx, sevenJob).Await()) //nolint:staticcheck // deprecated, and kept
	n.of("job.Go")(job.Go(ctx, done).Await())
	n.of("job.New")(job.New(ctx, seven).Await())
	n.of("job.Blocking")(job.Blocking(ctx, seven).Await())
	n.of("job.Job.Wait")(job.Run(ctx, seven).Wait(ctx))
	n.of("job.InScope")(job.InScope(ctx, func(ctx context.Context, s *job.Scope) error {
		s.Go(done)
		return ctx.Err()
	}))
	n.of("job.InScopeAsync")(job.InScopeAsync(ctx, func(ctx context.Context, s *job.Scope) error {
		s.Go(done)
		return ctx.Err()
	}).Await())
	s := job.NewScope(ctx)
	s.Go(done)
	n.of("job.NewScope")(s.Wait())
}
