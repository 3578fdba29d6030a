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

// uncontended are primitives on which one machine never has to wait.
type uncontended struct {
	mutex     coord.Mutex
	readers   coord.RWMutex
	keyed     coord.KeyedMutex[any]
	limiter   *coord.Limiter[float64]
	permits   *coord.Semaphore
	auto      coord.AutoResetEvent
	manual    coord.ManualResetEvent
	countdown *coord.Countdown
	alone     *coord.Barrier
	channel   *coord.Channel[int]
	newest    *coord.Channel[int]
	news      *coord.Broadcast[int]
	reader    *coord.Subscription[int]

	seen bool // by the machine that is waited for
	free bool // no lock was held then
}

func newUncontended() *uncontended {
	u := &uncontended{
		limiter:   coord.NewLimiter[float64](1),
		permits:   coord.NewSemaphore(1),
		countdown: coord.NewCountdown(0),
		alone:     coord.NewBarrier(1),
		channel:   coord.NewBounded[int](1, coord.WaitForRoom),
		newest:    coord.NewBounded[int](1, coord.DropOldest),
		news:      coord.NewBroadcast[int](1, coord.WaitForRoom),
	}
	u.manual.Set()
	u.reader = u.news.Subscribe()
	return u
}

// others checks once what the machine that never waits holds while it yields.
//
//movenext:async
func others(ctx context.Context, u *uncontended) {
	job.Yield()
	u.free = u.mutex.TryLock() && u.readers.TryLock() && u.keyed.TryLock(1) && u.limiter.TryAcquire(1) && u.permits.TryAcquire(1)
	if u.free {
		u.mutex.Unlock()
		u.readers.Unlock()
		u.keyed.Unlock(1)
		u.limiter.Release(1)
		u.permits.Release(1)
	}
	u.seen = true
}

var errUsed = errors.New("a primitive did not do what it should")

// uses uses one of the primitives until it was seen, where others waits behind it.
//
//movenext:async
func uses(ctx context.Context, u *uncontended, what string) error {
	job.Yield()
	_ = othersAsync(ctx, u)
	ended, cancel := context.WithCancelCause(ctx)
	cancel(errUsed)
	for end := time.Now().Add(20 * time.Second); !u.seen && time.Now().Before(end); {
		var err error
		switch what {
		case "mutex":
			err = u.mutex.Lock(ctx)
			u.mutex.Unlock()
		case "an ended context":
			if err = u.mutex.Lock(ended); errors.Is(err, errUsed) {
				err = nil
			}
		case "rwmutex, write":
			err = u.readers.Lock(ctx)
			u.readers.Unlock()
		case "rwmutex, read":
			err = u.readers.RLock(ctx)
			u.readers.RUnlock()
		case "keyed mutex":
			err = u.keyed.Lock(ctx, 1)
			u.keyed.Unlock(1)
		case "limiter":
			err = u.limiter.Acquire(ctx, 1)
			u.limiter.Release(1)
		case "semaphore":
			err = u.permits.Acquire(ctx, 1)
			u.permits.Release(1)
		case "auto-reset event":
			u.auto.Set()
			err = u.auto.Wait(ctx)
		case "manual-reset event":
			err = u.manual.Wait(ctx)
		case "countdown":
			err = u.countdown.Wait(ctx)
		case "barrier":
			var leader bool
			if leader, err = u.alone.Wait(ctx); !leader {
				return errUsed
			}
		case "send":
			err = u.newest.Send(ctx, 1)
		case "channel":
			if err := u.channel.Send(ctx, 7); err != nil {
				return err
			}
			var v int
			if v, err = u.channel.Receive(ctx); v != 7 {
				return errUsed
			}
		case "broadcast":
			if err := u.news.Send(ctx, 7); err != nil {
				return err
			}
			var v int
			if v, err = u.reader.Receive(ctx); v != 7 {
				return errUsed
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// The machines are made from the plain forms, which are not called here.
var _ = []any{uses, misuses}

func TestAMachineThatNeverHasToWaitGivesWay(t *testing.T) {
	for _, what := range []string{
		"mutex", "an ended context", "rwmutex, write", "rwmutex, read", "keyed mutex", "limiter", "semaphore",
		"auto-reset event", "manual-reset event", "countdown", "barrier", "send", "channel", "broadcast",
	} {
		t.Run(what, func(t *testing.T) {
			p, d := pool.New(pool.Workers(1, 1)), dedicated.New(1)
			for _, s := range []interface {
				schedulers.Scheduler
				schedulers.Shutdowner
			}{p, d} {
				u := newUncontended()
				_, err := usesAsync(schedulers.With(context.Background(), s), u, what).Wait(context.Background())
				require.NoError(t, err)
				assert.True(t, u.seen, "the machine kept its worker")
				assert.True(t, u.free, "it gave way with a lock in its hand")
				require.NoError(t, s.Shutdown(context.Background()))
			}
		})
	}
}

// misuses calls with invalid keys, even when it would have to yield.
//
//movenext:async
func misuses(ctx context.Context, u *uncontended, keyed bool) (panics int) {
	for range 3000 {
		panics += misuse(ctx, u, keyed)
	}
	return panics
}

//movenext:async
func misuse(ctx context.Context, u *uncontended, keyed bool) (panics int) {
	defer func() {
		if recover() != nil {
			panics++
		}
	}()
	if keyed {
		_ = u.keyed.Lock(ctx, []int{})
	} else {
		_ = u.limiter.Acquire(ctx, math.NaN())
	}
	return 0
}

func TestAKeyThatIsNonePanicsInTheMachine(t *testing.T) {
	u := newUncontended()
	for _, keyed := range []bool{false, true} {
		n, err := misusesAsync(context.Background(), u, keyed).Wait(context.Background())
		require.NoError(t, err)
		assert.Equal(t, 3000, n)
	}
}
