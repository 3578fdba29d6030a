package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const refused = "the receiver refuses a hook"

// simulated is a world without a disk and a network, whose receivers take a second.
type simulated struct {
	mu    sync.Mutex
	saved []hook
	last  int64
	took  map[string][]int64 // by lane
	busy  map[string]int     // requests in flight, by host
	most  int
}

func (w *simulated) put(_ context.Context, h hook) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	h.ID = w.last
	w.saved = append(w.saved, h)
	return h.ID, nil
}

func (w *simulated) all(context.Context) ([]hook, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.saved), nil
}

//movenext:async
func (w *simulated) post(ctx context.Context, h hook) error {
	w.enter(h, 1)
	defer w.enter(h, -1)
	if err := job.Sleep(ctx, time.Second); err != nil {
		return err
	}
	if jobtest.Fault(ctx, refused) {
		return errors.New(refused)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.took[h.Lane] = append(w.took[h.Lane], h.ID)
	return nil
}

//movenext:async
func (w *simulated) remove(_ context.Context, h hook) error {
	job.Yield()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.saved = slices.DeleteFunc(w.saved, func(s hook) bool { return s.ID == h.ID })
	return nil
}

func (w *simulated) enter(h hook, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[h.Host] += n
	w.most = max(w.most, w.busy[h.Host])
}

func simulate(ctx context.Context) (*simulated, *dispatcher) {
	w := &simulated{took: map[string][]int64{}, busy: map[string]int{}}
	d := newDispatcher(ctx, w, slog.New(slog.DiscardHandler))
	d.pauses = func() retry.Policy { return new(doubling) }
	return w, d
}

// doubling are pauses without chance.
type doubling time.Duration

func (d *doubling) NextBackOff() time.Duration {
	*d = max(2**d, doubling(time.Second))
	return time.Duration(*d)
}

// TestLanesKeepTheirOrder searches schedules and refusals for one in which hooks of a lane
// overtake each other, or a receiver has more requests than it should.
func TestLanesKeepTheirOrder(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		w, d := simulate(ctx)
		for i := range 12 {
			if err := d.accept(ctx, hook{Lane: fmt.Sprint(i % 3), Host: "shop"}); err != nil {
				return err
			}
		}
		if _, err := d.deliveries.WaitAsync().Wait(ctx); err != nil {
			return err
		}
		return w.check(3, 12, d)
	}, jobtest.Faults(refused), jobtest.StepTime(time.Millisecond), jobtest.Schedules(300))
}

// check looks for hooks that were lost, that came twice or in another order, and for a crowd.
func (w *simulated) check(lanes, hooks int, by ...*dispatcher) error {
	taken, givenUp := 0, 0
	for _, d := range by {
		givenUp += d.state.Value().Failed
	}
	for lane, ids := range w.took {
		if taken += len(ids); !slices.IsSorted(ids) || len(slices.Compact(slices.Clone(ids))) != len(ids) {
			return fmt.Errorf("lane %s took %v", lane, ids)
		}
	}
	if len(w.took) != lanes && givenUp == 0 || taken+len(w.saved)+givenUp != hooks {
		return fmt.Errorf("%d lanes took %d hooks, %d are saved, and %d were given up", len(w.took), taken, len(w.saved), givenUp)
	}
	if w.most > perReceiver {
		return fmt.Errorf("%d requests at a time", w.most)
	}
	return nil
}

// TestADrainLosesNothing stops the service at a moment that the schedule chooses, and starts
// another on the same outbox.
func TestADrainLosesNothing(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		w, d := simulate(ctx)
		for i := range 6 {
			if err := d.accept(ctx, hook{Lane: fmt.Sprint(i % 2), Host: "shop"}); err != nil {
				return err
			}
		}
		if _, err := job.SleepAsync(ctx, 1500*time.Millisecond).Wait(ctx); err != nil {
			return err
		}
		d.deliveries.Cancel(errStopping)
		if _, err := d.deliveries.WaitAsync().Wait(ctx); err != nil {
			return err
		}
		if err := d.accept(ctx, hook{}); !errors.Is(err, errStopping) {
			return fmt.Errorf("accepted: %w", err)
		}
		next := newDispatcher(ctx, w, d.log)
		next.pauses = d.pauses
		if err := next.restore(ctx); err != nil {
			return err
		}
		if _, err := next.deliveries.WaitAsync().Wait(ctx); err != nil {
			return err
		}
		if len(w.saved) > 0 {
			return fmt.Errorf("%d hooks are saved after all were delivered", len(w.saved))
		}
		return w.check(2, 6, d, next)
	}, jobtest.Faults(refused), jobtest.StepTime(time.Millisecond), jobtest.Schedules(300))
}

// instant is a world whose receivers answer at once.
type instant struct{ *simulated }

//movenext:async
func (w instant) post(context.Context, hook) error { return nil }

// A delivery that never waits ends before accept returns.
func TestADeliveryMayEndAtOnce(t *testing.T) {
	w, d := simulate(t.Context())
	d.world = instant{w}
	for i := range 3 {
		if err := d.accept(t.Context(), hook{Lane: fmt.Sprint(i % 2), Host: "shop"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.deliveries.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := d.state.Value(); n.Delivered != 3 {
		t.Fatal(n)
	}
}
