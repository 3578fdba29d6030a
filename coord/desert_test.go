package coord_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/coord/rate"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/eventloop"
)

// things has one of each primitive, in the state in which a call has to wait.
type things struct {
	mutex     coord.Mutex
	rw        coord.RWMutex
	keyed     coord.KeyedMutex[int]
	serial    coord.Serial[int]
	turn      chan struct{} // ends the turn that holds the key of serial
	semaphore *coord.Semaphore
	limiter   *coord.Limiter[int]
	auto      coord.AutoResetEvent
	manual    coord.ManualResetEvent
	countdown *coord.Countdown
	barrier   *coord.Barrier
	cond      *coord.Cond
	objects   *coord.ObjectPool[int]
	bounded   *coord.Channel[int]
	unbounded *coord.Channel[int]
	ranked    *coord.Channel[int]
	meeting   *coord.Channel[int]
	full      *coord.Channel[int]
	broadcast *coord.Broadcast[int]
	sub       *coord.Subscription[int]
	watch     *coord.Watch[int]
	observer  *coord.Observer[int]
	again     coord.Reusable[int]
	round     coord.Round
	events    *rate.Limiter
	source    *job.Source[int]
	ends      *job.Completions[int]
	pulled    *coord.Channel[int]
	puller    *job.Puller[int] // of pulled
}

func newThings(t *testing.T) *things {
	t.Helper()
	s := &things{
		turn:      make(chan struct{}),
		semaphore: coord.NewSemaphore(2),
		limiter:   coord.NewLimiter[int](1),
		countdown: coord.NewCountdown(1),
		barrier:   coord.NewBarrier(2),
		objects:   coord.NewObjectPool(1, func(ctx context.Context) *job.Job[int] { return job.FromResult(7) }),
		bounded:   coord.NewBounded[int](1, coord.WaitForRoom),
		unbounded: coord.NewUnbounded[int](),
		ranked:    coord.NewPriority(func(v int) int64 { return int64(v) }),
		meeting:   coord.NewRendezvous[int](),
		full:      coord.NewBounded[int](1, coord.WaitForRoom),
		broadcast: coord.NewBroadcast[int](1, coord.WaitForRoom),
		watch:     coord.NewWatch(1),
		events:    rate.NewLimiter(1, 1),
		source:    job.NewSource[int](),
		pulled:    coord.NewUnbounded[int](),
	}
	s.puller = s.pulled.AllAsync(context.Background()).Pull()
	s.ends = job.CompletionsOf(s.source.Job())
	s.sub, s.observer = s.broadcast.Subscribe(), s.watch.Observe()
	s.cond = coord.NewCond(new(coord.Mutex))
	s.round, _ = s.again.Begin()
	require.True(t, s.mutex.TryLock() && s.rw.TryLock() && s.keyed.TryLock(1))
	require.True(t, s.semaphore.TryAcquire(2) && s.limiter.TryAcquire(1) && s.events.Allow())
	held := make(chan struct{})
	s.serial.DoAsync(context.Background(), 1, func(context.Context) error { close(held); <-s.turn; return nil })
	<-held
	_, err := s.objects.Get(context.Background())
	require.NoError(t, err)
	require.NoError(t, s.full.TrySend(1))
	return s
}

// waitFor waits for the thing of that name, and gives back what it got.
//
//movenext:async
func (s *things) waitFor(ctx context.Context, what string) (err error) { //nolint:funlen // a flat list of all hosts
	switch what {
	case "Mutex":
		if err = s.mutex.Lock(ctx); err == nil {
			s.mutex.Unlock()
		}
	case "RWMutex.Lock":
		if err = s.rw.Lock(ctx); err == nil {
			s.rw.Unlock()
		}
	case "RWMutex.RLock":
		if err = s.rw.RLock(ctx); err == nil {
			s.rw.RUnlock()
		}
	case "KeyedMutex":
		if err = s.keyed.Lock(ctx, 1); err == nil {
			s.keyed.Unlock(1)
		}
	case "Serial":
		err = s.serial.Do(ctx, 1, func(context.Context) error { return nil })
	case "Semaphore":
		if err = s.semaphore.Acquire(ctx, 2); err == nil {
			s.semaphore.Release(2)
		}
	case "Limiter":
		if err = s.limiter.Acquire(ctx, 1); err == nil {
			s.limiter.Release(1)
		}
	case "AutoResetEvent":
		if err = s.auto.Wait(ctx); err == nil {
			s.auto.Set()
		}
	case "ManualResetEvent":
		err = s.manual.Wait(ctx)
	case "Countdown":
		err = s.countdown.Wait(ctx)
	case "Barrier":
		_, err = s.barrier.Wait(ctx)
	case "Cond":
		if err = s.cond.L.Lock(ctx); err != nil {
			return err
		}
		defer s.cond.L.Unlock()
		if err = s.cond.Wait(ctx); err == nil {
			s.cond.Signal()
		}
	case "ObjectPool", "ObjectPool, room":
		var v int
		if v, err = s.objects.Get(ctx); err == nil {
			s.objects.Put(v)
		}
	case "Channel", "unbounded", "ranked", "rendezvous":
		c := s.channel(what)
		var v int
		if v, err = c.Receive(ctx); err == nil {
			c.SendAsync(context.Background(), v)
		}
	case "Select":
		var v int
		if _, err = coord.Select(ctx, coord.OnReceive(s.bounded, &v)); err == nil {
			_ = s.bounded.TrySend(v)
		}
	case "Select, lock":
		if _, err = coord.Select(ctx, coord.OnReceive[int](s.bounded, nil), coord.OnLock(&s.mutex)); err == nil {
			s.mutex.Unlock()
		}
	case "Select, permits":
		if _, err = coord.Select(ctx, coord.OnReceive[int](s.bounded, nil), coord.OnAcquire(s.semaphore, 2)); err == nil {
			s.semaphore.Release(2)
		}
	case "Send":
		err = s.full.Send(ctx, 2)
	case "Select, send":
		_, err = coord.Select(ctx, coord.OnReceive[int](s.bounded, nil), coord.OnSend(s.full, 2))
	case "Subscription":
		var v int
		if v, err = s.sub.Receive(ctx); err == nil {
			err = s.broadcast.TrySend(v)
		}
	case "Observer":
		var v int
		if v, err = s.observer.Next(ctx); err == nil {
			err = s.watch.Set(v)
		}
	case "Reusable":
		var v int
		if v, err = s.again.Get(ctx, s.round); err == nil {
			s.round, _ = s.again.Begin()
			err = s.again.Set(s.round, v, nil)
		}
	case "Completions":
		var j *job.Job[int]
		if j, err = s.ends.Next(ctx); err == nil {
			s.ends = job.CompletionsOf(j)
		}
	case "Puller":
		var v int
		if v, err = s.puller.Next(ctx); err == nil {
			err = s.pulled.TrySend(v)
		}
	}
	return err
}

func (s *things) channel(what string) *coord.Channel[int] {
	return map[string]*coord.Channel[int]{
		"Channel": s.bounded, "Select": s.bounded, "unbounded": s.unbounded, "ranked": s.ranked, "rendezvous": s.meeting,
	}[what]
}

// serve gives the thing to the one that waits.
func (s *things) serve(what string) {
	switch what {
	case "Mutex", "Select, lock":
		s.mutex.Unlock()
	case "RWMutex.Lock", "RWMutex.RLock":
		s.rw.Unlock()
	case "KeyedMutex":
		s.keyed.Unlock(1)
	case "Serial":
		close(s.turn)
	case "Semaphore", "Select, permits":
		s.semaphore.Release(2)
	case "Limiter":
		s.limiter.Release(1)
	case "AutoResetEvent":
		s.auto.Set()
	case "ManualResetEvent":
		s.manual.Set()
	case "Countdown":
		s.countdown.Done()
	case "Barrier":
		s.barrier.WaitAsync(context.Background())
	case "Cond":
		s.cond.Signal()
	case "ObjectPool":
		s.objects.Put(7)
	case "ObjectPool, room":
		s.objects.Discard(7)
	case "Channel", "unbounded", "ranked", "rendezvous", "Select":
		s.channel(what).SendAsync(context.Background(), 7)
	case "Send", "Select, send":
		_, _ = s.full.TryReceive()
	case "Subscription":
		_ = s.broadcast.TrySend(7)
	case "Observer":
		_ = s.watch.Set(7)
	case "Reusable":
		_ = s.again.Set(s.round, 7, nil)
	case "Completions":
		s.source.TrySetResult(7)
	case "Puller":
		_ = s.pulled.TrySend(7)
	}
}

// whole returns nil if nothing is lost: the thing was served once.
func (s *things) whole(ctx context.Context, what string, returned bool) error {
	switch what {
	case "Barrier":
		if s.barrier.Phase() == 0 { // the one that came second still waits
			_, err := s.barrier.Wait(ctx)
			return err
		}
		one, two := s.barrier.WaitAsync(ctx), s.barrier.WaitAsync(ctx)
		_, err := job.WhenAll(one, two).Wait(ctx)
		return err
	case "Cond":
		if err := s.cond.L.Lock(ctx); err != nil {
			return err
		}
		s.cond.L.Unlock()
		return nil
	case "Send", "Select, send":
		switch v, err := s.full.TryReceive(); {
		case err == nil && v == 2, err != nil && !returned:
			return s.full.Send(ctx, 3)
		}
		return errors.New("the element that was sent is not there")
	case "Channel", "unbounded", "ranked", "rendezvous", "Select":
		c := s.channel(what)
		if v, err := c.Receive(ctx); err != nil || v != 7 {
			return errors.Join(err, errors.New("another element"))
		}
		if c.Len() != 0 {
			return errors.New("there is one more element")
		}
		return nil
	case "Subscription":
		if s.sub.Len() != 1 {
			return errors.New("not one element")
		}
	case "Countdown":
		return s.countdown.Wait(ctx)
	}
	return s.waitFor(ctx, what)
}

var thingsToWaitFor = []string{
	"Mutex", "RWMutex.Lock", "RWMutex.RLock", "KeyedMutex", "Serial", "Semaphore", "Limiter", "AutoResetEvent",
	"ManualResetEvent", "Countdown", "Barrier", "Cond", "ObjectPool", "ObjectPool, room", "Channel", "unbounded", "ranked",
	"rendezvous", "Select", "Select, lock", "Select, permits", "Select, send", "Send", "Subscription", "Observer", "Reusable",
	"Completions", "Puller",
}

// Work that exits runs on top of a wait, if its scheduler does that, and takes the waiter
// along. What the waiter waited for, or has just got, is then there for others.
func TestWorkThatExitsOnTopOfAWaitLosesNothing(t *testing.T) {
	for home, begin := range homes {
		for _, what := range thingsToWaitFor {
			for _, serves := range []bool{false, true} {
				for _, twin := range []bool{false, true} {
					name := home + "/" + what
					if serves {
						name += "/served before"
					}
					if twin {
						name += "/machine"
					}
					t.Run(name, func(t *testing.T) { exitsOnTop(t, begin(), what, serves, twin) })
				}
			}
		}
	}
}

func exitsOnTop(t *testing.T, stack []shutdowner, what string, serves, twin bool) {
	within(t, func() {
		s := newThings(t)
		if what != "Serial" {
			defer close(s.turn)
		}
		ctx := schedulers.With(context.Background(), stack[len(stack)-1])
		exited := make(chan struct{})
		var machine *job.Job[job.Void]
		waiter := job.Go(ctx, func(ctx context.Context) error {
			job.Go(ctx, func(context.Context) error {
				defer close(exited)
				if serves {
					s.serve(what)
				}
				runtime.Goexit()
				return nil
			})
			if twin {
				machine = s.waitForAsync(ctx, what)
				_, err := machine.Wait(ctx)
				return err
			}
			return s.waitFor(ctx, what)
		})
		<-exited
		if !serves {
			s.serve(what)
		}
		short, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if what == "Cond" { // a signal that comes before the wait is lost
			go func() {
				for short.Err() == nil {
					s.cond.Signal()
					runtime.Gosched()
				}
			}()
		}
		_, err := waiter.Wait(short)
		if machine != nil { // it goes on, whatever has become of the one that waited for it
			_, err = machine.Wait(short)
		}
		if err != nil && !errors.Is(err, job.ErrGoexit) && !errors.Is(err, schedulers.ErrWouldDeadlock) {
			t.Errorf("the waiter: %v", err)
		}
		if whole := s.whole(short, what, err == nil); whole != nil {
			t.Errorf("after %v: %v", err, whole)
		}
		for len(stack) > 0 {
			require.NoError(t, stack[len(stack)-1].Shutdown(context.Background()))
			stack = stack[:len(stack)-1]
		}
	})
}

// The two schedulers on which such work runs on top of a wait end the waiter.
func TestWorkThatExitsOnTopOfAWaitEndsTheWaiter(t *testing.T) {
	for name, s := range map[string]shutdowner{"eventloop": eventloop.Start(), "dedicated": dedicated.New(1)} {
		t.Run(name, func(t *testing.T) {
			var m coord.Mutex
			m.TryLock()
			_, err := job.Go(schedulers.With(context.Background(), s), func(ctx context.Context) error {
				job.Go(ctx, func(context.Context) error { runtime.Goexit(); return nil })
				return m.Lock(ctx)
			}).Wait(context.Background())
			require.ErrorIs(t, err, job.ErrGoexit)
			m.Unlock()
			require.True(t, m.TryLock())
			require.NoError(t, s.Shutdown(context.Background()))
		})
	}
}

// A wait for a rate that is unwound gives its tokens back.
func TestARateWhoseWaiterIsUnwound(t *testing.T) {
	for name, s := range map[string]shutdowner{"eventloop": eventloop.Start(), "dedicated": dedicated.New(1)} {
		t.Run(name, func(t *testing.T) {
			l := rate.NewLimiter(rate.Every(time.Hour), 1)
			require.True(t, l.Allow())
			_, err := job.Go(schedulers.With(context.Background(), s), func(ctx context.Context) error {
				job.Go(ctx, func(context.Context) error { runtime.Goexit(); return nil })
				return l.Wait(ctx)
			}).Wait(context.Background())
			require.ErrorIs(t, err, job.ErrGoexit)
			require.GreaterOrEqual(t, l.Tokens(), 0.0)
			require.NoError(t, s.Shutdown(context.Background()))
		})
	}
}

// A waiter of a Cond holds the lock while its deferred Unlock runs, and passes its signal on.
func TestACondWhoseWaiterIsUnwound(t *testing.T) {
	for _, serves := range []bool{false, true} {
		l := eventloop.Start()
		ctx := schedulers.With(context.Background(), l)
		c := coord.NewCond(new(coord.Mutex))
		other := job.NewSource[job.Void]()
		first := job.Go(ctx, func(ctx context.Context) error {
			if err := c.L.Lock(ctx); err != nil {
				return err
			}
			defer c.L.Unlock() // panics, unless the lock is held
			job.Go(ctx, func(ctx context.Context) error {
				if err := c.L.Lock(ctx); err != nil {
					return err
				}
				after := c.WaitAsync(context.Background())
				if serves {
					c.Signal()
				}
				context.AfterFunc(ended(), func() {
					_, _ = after.Await()
					c.L.Unlock()
					other.TrySetResult(job.Void{})
				})
				runtime.Goexit()
				return nil
			})
			return c.Wait(ctx)
		})
		within(t, func() {
			_, err := first.Wait(context.Background())
			require.ErrorIs(t, err, job.ErrGoexit)
			if !serves {
				c.Signal()
			}
			_, err = other.Job().Wait(context.Background())
			require.NoError(t, err)
			require.True(t, c.L.TryLock())
			require.NoError(t, l.Shutdown(context.Background()))
		})
	}
}

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// hostile is a context whose Err fails once it has ended.
type hostile struct {
	context.Context
	fail  func()
	over  *atomic.Bool
	asked func() // is called when somebody begins to wait
}

func (h hostile) Err() error {
	if h.over.Load() {
		h.fail()
	}
	return nil
}

func (h hostile) Done() <-chan struct{} {
	h.asked()
	return h.Context.Done()
}

// A context that fails when it has ended leaves no waiter in a queue, and both forms fail alike.
func TestAContextWhoseErrFailsLeavesNoWaiter(t *testing.T) {
	for how, fail := range map[string]func(){"panic": func() { panic("Err") }, "Goexit": runtime.Goexit} {
		for _, what := range thingsToWaitFor {
			for _, form := range []string{"plain", "machine"} {
				if what == "Serial" && form == "machine" {
					continue // a continuation, which makes a context of its own below the failing one
				}
				t.Run(how+"/"+what+"/"+form, func(t *testing.T) {
					within(t, func() { failsInErr(t, fail, what, form, false) })
				})
				t.Run(how+" at once/"+what+"/"+form, func(t *testing.T) {
					within(t, func() { failsInErr(t, fail, what, form, true) })
				})
			}
		}
	}
}

func failsInErr(t *testing.T, fail func(), what, form string, atOnce bool) {
	s := newThings(t)
	if what != "Serial" {
		defer close(s.turn)
	}
	end, cancel := context.WithCancel(context.Background())
	asked := make(chan struct{})
	h := hostile{Context: end, fail: fail, over: new(atomic.Bool)}
	h.asked = sync.OnceFunc(func() {
		if atOnce { // while the wait begins
			h.over.Store(true)
			cancel()
		}
		close(asked)
	})
	left := make(chan error, 1)
	go func() {
		end := job.ErrGoexit
		defer func() {
			if v := recover(); v != nil {
				end = fmt.Errorf("panic: %v", v)
			}
			left <- end
		}()
		if form == "machine" {
			_, end = s.waitForAsync(h, what).Wait(context.Background())
		} else {
			end = s.waitFor(h, what)
		}
	}()
	<-asked
	h.over.Store(true)
	cancel()
	switch err := <-left; {
	case errors.Is(err, job.ErrGoexit):
	case err != nil && strings.Contains(err.Error(), "panic: Err"):
	case (what == "Completions" || what == "Puller") && errors.Is(err, context.Canceled):
		// the promise of a job decides there
	default:
		t.Errorf("it ended with %v", err)
	}
	s.serve(what)
	short, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	require.NoError(t, s.whole(short, what, false))
}
