package inspect_test

import (
	"context"
	"time"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
)

//go:generate go tool movenext .

// stuck is a program that hangs in seven places.
type stuck struct {
	source  *job.Source[int]
	channel *coord.Channel[int]
	event   coord.ManualResetEvent
	a, b    coord.Mutex
	met     *coord.Barrier
}

func newStuck() *stuck {
	return &stuck{source: job.NewSource[int](), channel: coord.NewRendezvous[int](), met: coord.NewBarrier(2)}
}

//movenext:async
func (s *stuck) forSource(ctx context.Context) (int, error) {
	return s.inner(ctx)
}

//movenext:async
func (s *stuck) inner(context.Context) (int, error) {
	return s.source.Job().Await() // place: source
}

//movenext:async
func (s *stuck) forLock(ctx context.Context) error {
	if err := s.a.Lock(ctx); err != nil { // place: lock
		return err
	}
	s.a.Unlock()
	return nil
}

//movenext:async
func (s *stuck) forChannel(ctx context.Context) error {
	_, err := s.channel.Receive(ctx) // place: channel
	return err
}

//movenext:async
func (s *stuck) forEvent(ctx context.Context) error {
	return s.event.Wait(ctx) // place: event
}

//movenext:async
func (s *stuck) asleep(ctx context.Context) error {
	return job.Sleep(ctx, time.Hour) // place: sleep
}

//movenext:async
func (s *stuck) left(ctx context.Context) error {
	if err := s.a.Lock(ctx); err != nil {
		return err
	}
	defer s.a.Unlock()
	if _, err := s.met.Wait(ctx); err != nil {
		return err
	}
	if err := s.b.Lock(ctx); err != nil { // place: left
		return err
	}
	s.b.Unlock()
	return nil
}

//movenext:async
func (s *stuck) right(ctx context.Context) error {
	if err := s.b.Lock(ctx); err != nil {
		return err
	}
	defer s.b.Unlock()
	if _, err := s.met.Wait(ctx); err != nil {
		return err
	}
	if err := s.a.Lock(ctx); err != nil { // place: right
		return err
	}
	s.a.Unlock()
	return nil
}

// busy waits in many ways, always again, until ctx ends.
//
//movenext:async
func (s *stuck) busy(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := s.turn(ctx, &s.a); err != nil {
			return err
		}
		if err := s.turn(ctx, &s.b); err != nil {
			return err
		}
	}
	return nil
}

//movenext:async
func (s *stuck) turn(ctx context.Context, lock *coord.Mutex) error {
	if err := lock.Lock(ctx); err != nil {
		return err
	}
	defer lock.Unlock()
	if err := job.Sleep(ctx, time.Microsecond); err != nil {
		return err
	}
	_, err := job.Run(ctx, func(context.Context) (int, error) { return 1, nil }).Await()
	return err
}

// named runs a job with a name, which waits.
//
//movenext:async
func (s *stuck) named(ctx context.Context, name string) error {
	_, err := job.Run(ctx, func(context.Context) (int, error) { return s.source.Job().Await() }, job.Named(name)).Await()
	return err
}

// inScope waits in a child of a scope.
//
//movenext:async
func (s *stuck) inScope(ctx context.Context) error {
	scope := job.NewScope(ctx)
	scope.Go(func(context.Context) error {
		_, err := s.source.Job().Await()
		return err
	})
	return scope.Wait()
}

// lead holds a lock and waits for two machines, one of which waits for that lock.
//
//movenext:async
func (s *stuck) lead(ctx context.Context) error {
	if err := s.a.Lock(ctx); err != nil {
		return err
	}
	defer s.a.Unlock()
	all := job.WhenAllOf(s.forEventAsync(ctx), s.forLockAsync(ctx))
	_, err := job.WhenAllOf(all).Await()
	return err
}

//movenext:async
func send(ctx context.Context, to *coord.Channel[int]) error { return to.Send(ctx, 3) }
