package coord_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

//go:generate go tool movenext .

// floor is a place where workers take boxes from one belt to another.
type floor struct {
	start    *coord.Barrier
	in, out  *coord.Channel[int]
	lifts    *coord.Semaphore
	ledger   coord.Mutex
	moved    int // guarded by ledger
	overtime coord.ManualResetEvent
}

func newFloor(workers int) *floor {
	return &floor{
		start: coord.NewBarrier(workers + 1),
		in:    coord.NewRendezvous[int](),
		out:   coord.NewBounded[int](1, coord.WaitForRoom),
		lifts: coord.NewSemaphore(3),
	}
}

// work waits in every common way of this package. It returns how many boxes it has moved.
//
//movenext:async
func work(ctx context.Context, f *floor) (int, error) {
	if _, err := f.start.Wait(ctx); err != nil {
		return 0, err
	}
	for mine := 0; ; mine++ {
		box, err := f.in.Receive(ctx)
		if errors.Is(err, coord.ErrClosed) {
			return mine, f.overtime.Wait(ctx)
		}
		if err != nil {
			return mine, err
		}
		if err := carry(ctx, f, box); err != nil {
			return mine, err
		}
	}
}

//movenext:async
func carry(ctx context.Context, f *floor, box int) error {
	lifts := int64(1 + box%2)
	if err := f.lifts.Acquire(ctx, lifts); err != nil {
		return err
	}
	err := f.out.Send(ctx, box)
	f.lifts.Release(lifts)
	if err != nil {
		return err
	}
	if err := f.ledger.Lock(ctx); err != nil {
		return err
	}
	f.moved++
	f.ledger.Unlock()
	return nil
}

// forms are the two executions of work: a goroutine that blocks, a machine that
// suspends.
var forms = map[string]func(ctx context.Context, f *floor) *job.Job[int]{
	"goroutine": func(ctx context.Context, f *floor) *job.Job[int] {
		s := job.NewSource[int]()
		go func() { s.TrySet(work(ctx, f)) }()
		return s.Job()
	},
	"machine": workAsync,
}

func TestMachinesSuspendWhereGoroutinesBlock(t *testing.T) {
	const workers, boxes = 50, 500
	for name, start := range forms {
		t.Run(name, func(t *testing.T) {
			// One worker for all machines: a machine that blocked instead of suspending
			// would stop all of them.
			one := pool.New(pool.Workers(1, 1))
			ctx := schedulers.With(context.Background(), one)
			f := newFloor(workers)
			jobs := make([]*job.Job[int], workers)
			for i := range jobs {
				jobs[i] = start(ctx, f)
			}
			_, err := f.start.Wait(ctx)
			require.NoError(t, err)
			go func() {
				for box := range boxes {
					assert.NoError(t, f.in.Send(ctx, box))
				}
				f.in.Close()
			}()
			seen := map[int]bool{}
			for range boxes {
				box, err := f.out.Receive(ctx)
				require.NoError(t, err)
				seen[box] = true
			}
			f.overtime.Set()
			moved, err := job.WhenAll(jobs...).Await()
			require.NoError(t, err)
			sum := 0
			for _, n := range moved {
				sum += n
			}
			assert.Equal(t, []int{boxes, boxes, boxes}, []int{sum, f.moved, len(seen)})
			assert.EqualValues(t, 3, f.lifts.Free())
			require.NoError(t, one.Shutdown(ctx))
		})
	}
}

func TestACancelledMachineLeavesWhatACancelledGoroutineLeaves(t *testing.T) {
	const workers = 10
	for name, start := range forms {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(context.Background())
			f := newFloor(workers)
			jobs := make([]*job.Job[int], workers)
			for i := range jobs {
				jobs[i] = start(ctx, f)
			}
			_, err := f.start.Wait(ctx)
			require.NoError(t, err)
			for box := range 3 { // one fills the belt, two wait with their lifts for room
				require.NoError(t, f.in.Send(ctx, 2*box))
			}
			reason := errors.New("the shift is over")
			cancel(reason)
			for _, j := range jobs {
				<-j.Done()
				require.ErrorIs(t, j.Err(), context.Canceled)
				require.ErrorIs(t, j.Err(), reason)
			}
			assert.EqualValues(t, 3, f.lifts.Free())
			assert.True(t, f.ledger.TryLock())
		})
	}
}
