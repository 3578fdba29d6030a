package coord_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/pool"
)

// free reports whether others can take the thing of that name, if it is one to take. A select
// gives way with what it has taken.
func (s *things) free(what string) bool {
	switch what {
	case "Mutex":
		return probe(s.mutex.TryLock, s.mutex.Unlock)()
	case "RWMutex.Lock", "RWMutex.RLock":
		return probe(s.rw.TryLock, s.rw.Unlock)()
	case "KeyedMutex":
		return probe(func() bool { return s.keyed.TryLock(1) }, func() { s.keyed.Unlock(1) })()
	case "Limiter":
		return probe(func() bool { return s.limiter.TryAcquire(1) }, func() { s.limiter.Release(1) })()
	case "Semaphore":
		return probe(func() bool { return s.semaphore.TryAcquire(2) }, func() { s.semaphore.Release(2) })()
	}
	return true
}

// uncontended is a thing on which one machine never has to wait.
type uncontended struct {
	*things
	what   string
	alone  *coord.Barrier
	newest *coord.Channel[int]

	seen    bool // by the machine that is waited for
	wasFree bool // others could have it then
}

// others checks once what the machine that never waits holds while it yields.
//
//movenext:async
func others(ctx context.Context, u *uncontended) {
	job.Yield()
	u.wasFree = u.free(u.what)
	u.seen = true
}

var (
	errUsed = errors.New("a primitive did not do what it should")
	errKept = errors.New("the machine kept its worker")
)

// uses uses one of the primitives until it was seen, where others waits behind it.
//
//movenext:async
func uses(ctx context.Context, u *uncontended) error {
	job.Yield()
	_ = othersAsync(ctx, u)
	ended, cancel := context.WithCancelCause(ctx)
	cancel(errUsed)
	for end := time.Now().Add(20 * time.Second); !u.seen && time.Now().Before(end); {
		var err error
		switch u.what {
		case "an ended context":
			if err = u.waitFor(ended, "Mutex"); errors.Is(err, errUsed) {
				err = nil
			}
		case "a barrier of one":
			var leader bool
			if leader, err = u.alone.Wait(ctx); !leader {
				return errUsed
			}
		case "a channel that drops":
			err = u.newest.Send(ctx, 1)
		case "a send and a receive":
			if err = u.bounded.Send(ctx, 7); err == nil {
				_, err = u.bounded.Receive(ctx)
			}
		case "a broadcast and a receive":
			if err = u.broadcast.Send(ctx, 7); err == nil {
				_, err = u.sub.Receive(ctx)
			}
		default:
			err = u.waitFor(ctx, u.what)
		}
		if err != nil {
			return err
		}
	}
	if !u.seen {
		return errKept
	}
	return nil
}

// The machines are made from the plain forms, which are not called here.
var _ = []any{uses, misuses}

func TestAMachineThatNeverHasToWaitGivesWay(t *testing.T) {
	for _, what := range append([]string{
		"an ended context", "a barrier of one", "a channel that drops", "a send and a receive", "a broadcast and a receive",
	}, thingsToWaitFor...) {
		switch what {
		case "Serial", "Barrier", "Cond", "Send", "Select, send", "ObjectPool, room":
			continue // others have to do something each time
		}
		t.Run(what, func(t *testing.T) {
			p, d := pool.New(pool.Workers(1, 1)), dedicated.New(1)
			for _, s := range []interface {
				schedulers.Scheduler
				schedulers.Shutdowner
			}{p, d} {
				u := &uncontended{
					things: newThings(t), what: what,
					alone: coord.NewBarrier(1), newest: coord.NewBounded[int](1, coord.DropOldest),
				}
				u.serve(what)
				_, err := usesAsync(schedulers.With(context.Background(), s), u).Wait(context.Background())
				require.NoError(t, err)
				assert.True(t, u.wasFree, "it gave way with a lock in its hand")
				close(u.turn)
				require.NoError(t, s.Shutdown(context.Background()))
			}
		})
	}
}

// misuses calls with invalid keys, even when it would have to yield.
//
//movenext:async
func misuses(ctx context.Context, l *coord.Limiter[float64], k *coord.KeyedMutex[any]) (panics int) {
	for range 3000 {
		panics += misuse(ctx, l, k)
	}
	return panics
}

//movenext:async
func misuse(ctx context.Context, l *coord.Limiter[float64], k *coord.KeyedMutex[any]) (panics int) {
	defer func() {
		if recover() != nil {
			panics++
		}
	}()
	if k != nil {
		_ = k.Lock(ctx, []int{})
	} else {
		_ = l.Acquire(ctx, math.NaN())
	}
	return 0
}

func TestAKeyThatIsNonePanicsInTheMachine(t *testing.T) {
	for _, k := range []*coord.KeyedMutex[any]{nil, new(coord.KeyedMutex[any])} {
		n, err := misusesAsync(context.Background(), coord.NewLimiter[float64](1), k).Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 3000, n)
	}
}
