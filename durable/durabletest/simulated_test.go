package durabletest_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// hall has seats, and the steps of a booking.
type hall struct {
	seats, sold int
	byKey       map[string]bool
	safe        bool // the steps are correct
}

// look is a step.
func (h *hall) look(context.Context) (int, error) { return h.seats, nil }

// take is a step.
func (h *hall) take(ctx context.Context) error {
	key := durable.Key(ctx)
	switch {
	case h.safe && h.byKey[key]:
		return nil
	case h.safe && h.seats == 0:
		return errSoldOut
	}
	h.seats--
	h.sold++
	h.byKey[key] = true
	return nil
}

var errSoldOut = durable.NewError("durabletest.errSoldOut", "sold out")

// bookingFrame is a durable function that first looks and then takes a seat.
type bookingFrame struct {
	gen.NoDeferred
	h    *hall
	free int
	err  error
}

func (f *bookingFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	switch f.err = t.Err(); {
	case t.Point() == 0:
		return t.Step(1)
	case t.Point() == 1 && f.err == nil && f.free > 0:
		return t.Step(2)
	case t.Point() == 1 && f.err == nil:
		f.err = errSoldOut
	}
	return t.Return()
}

func (f *bookingFrame) Call(ctx context.Context, point int) (err error) {
	if point == 2 {
		return f.h.take(ctx)
	}
	f.free, err = f.h.look(ctx)
	return err
}

func (f *bookingFrame) Live(int) []gen.Value {
	return []gen.Value{{Name: "free", Ptr: &f.free}, {Name: "err", Ptr: &f.err}}
}

func (f *bookingFrame) Outcome() (result any, err *error) { return &f.free, &f.err }

var bookingDurable = durable.Function[*hall, int, int]{
	Name: "hall.Book", Layout: "1",
	Points: []gen.Point{{Name: "begin"}, {Name: "look", Step: "hall.look"}, {Name: "take", Step: "hall.take"}},
	New:    func(h *hall, _ int) gen.Frame { return &bookingFrame{h: h} },
}

// simulatedEngine opens an engine in a simulation.
func simulatedEngine(ctx context.Context, store stores.Store, opts ...durable.Option) (*durable.Engine, error) {
	opts = append([]durable.Option{durabletest.Simulated(ctx), durable.Log(slog.New(slog.DiscardHandler))}, opts...)
	e, err := durable.Open(ctx, store, opts...)
	for errors.Is(err, durabletest.ErrFault) {
		e, err = durable.Open(ctx, store, opts...)
	}
	return e, err
}

// lost repeats a call while its answer is lost.
func lost(f func() error) error {
	for {
		if err := f(); !errors.Is(err, durabletest.ErrFault) {
			return err
		}
	}
}

// booked returns a program in which several bookings compete for one seat, on a store.
func booked(bookings int, safe bool, store func() stores.Store) func(context.Context) error {
	return func(ctx context.Context) error {
		h := &hall{seats: 1, byKey: map[string]bool{}, safe: safe}
		e, err := simulatedEngine(ctx, store(), durable.Poll(time.Minute))
		if err != nil {
			return err
		}
		served := durable.Serve(e, bookingDurable, h)
		for i := range bookings {
			id := fmt.Sprint("booking ", i)
			err = errors.Join(err, lost(func() error { _, err := served.Start(ctx, id, i); return err }))
		}
		for i := range bookings {
			id := fmt.Sprint("booking ", i)
			err = errors.Join(err, lost(func() error {
				if _, err := served.Handle(id).Wait(ctx); !errors.Is(err, errSoldOut) {
					return err
				}
				return nil
			}))
		}
		if h.sold != 1 {
			err = errors.Join(err, fmt.Errorf("sold %d seats of 1", h.sold))
		}
		return errors.Join(err, lost(func() error { return e.Shutdown(ctx) }))
	}
}

// failing returns a store that fails one call in four.
func failing() stores.Store { return durabletest.Faulty(durable.NewMemory(), 1, 4) }

// witness records what Explore reports.
type witness struct {
	testing.TB
	failures []string
}

func (w *witness) Helper()             {}
func (w *witness) Log(...any)          {}
func (w *witness) Logf(string, ...any) {}
func (w *witness) Error(args ...any)   { w.failures = append(w.failures, fmt.Sprint(args...)) }
func (w *witness) Errorf(f string, args ...any) {
	w.failures = append(w.failures, fmt.Sprintf(f, args...))
}
func (w *witness) Failed() bool { return len(w.failures) > 0 }

// Two bookings look before one of them takes; and a step whose result was not written is called
// again.
func TestAPlantedBugOfADurableFunctionIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		program func(context.Context) error
		seeds   uint64
	}{
		"two instances": {booked(2, false, durable.NewMemory), 4},
		// The faults of the store do not depend on the seed, and the search for a shorter schedule
		// takes all of its five seconds.
		"a repetition": {booked(1, false, failing), 1},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range c.seeds {
				w := &witness{TB: t}
				jobtest.Explore(w, c.program, jobtest.Schedules(300), jobtest.Seed(seed))
				require.Len(t, w.failures, 1, "seed %d", seed)
				assert.Contains(t, w.failures[0], "sold 2 seats of 1")
				assert.Contains(t, w.failures[0], "durable: step hall.take of booking", "the schedule names the steps")
				assert.Contains(t, w.failures[0], "r.e.store.Swap(", "and the lines of the engine")
			}
		})
	}
}

func TestBookingsThatAreSafeAreFoundSafe(t *testing.T) {
	for name, store := range map[string]func() stores.Store{"in memory": durable.NewMemory, "faulty": failing} {
		t.Run(name, func(t *testing.T) {
			jobtest.Explore(t, booked(2, true, store), jobtest.Schedules(200))
		})
	}
}

// The approval arrives at the instant at which the order gives up, three days later.
func TestATimeoutRacesWithItsSignal(t *testing.T) {
	ends := map[string]int{}
	jobtest.Explore(t, func(ctx context.Context) error {
		s := shop.New()
		e, err := simulatedEngine(ctx, durable.NewMemory())
		if err != nil {
			return err
		}
		h, err := durable.Serve(e, shop.OrderDurable, s).Start(ctx, "a", shop.Request{Items: []string{"cup"}, Card: "4711"})
		if err != nil {
			return err
		}
		if err := job.Sleep(ctx, 72*time.Hour); err != nil {
			return err
		}
		if err := h.Signal(ctx, "approval", shop.Approval{Yes: true}); err != nil && !errors.Is(err, durable.ErrEnded) {
			return err
		}
		_, err = h.Wait(ctx)
		ends[fmt.Sprint(err)]++
		if charged, reserved := s.Sum(); charged != reserved || (err == nil) != (charged == 10) {
			return fmt.Errorf("charged %d, reserved %d, and the order says %w", charged, reserved, err)
		}
		return e.Shutdown(ctx)
	}, jobtest.Schedules(200))
	assert.Positive(t, ends["<nil>"])
	assert.Positive(t, ends[durable.ErrTimeout.Error()])
}

// A step waits for locks and time like a job, has its timeout and its heartbeats, and ends with
// its instance.
func TestStepsOfASimulationWaitAsJobsDo(t *testing.T) {
	for _, c := range []struct {
		name  string
		step  func(ctx context.Context) error
		want  error
		took  time.Duration
		retry durable.Retry
	}{
		{"a sleep", func(ctx context.Context) error { return job.Sleep(ctx, 10*time.Minute) }, nil, 10 * time.Minute, durable.Retry{}},
		{"a timeout", func(ctx context.Context) error { return job.Sleep(ctx, 48*time.Hour) }, context.DeadlineExceeded, 24 * time.Hour, durable.Retry{Timeout: 24 * time.Hour}},
		{"no heartbeat", func(ctx context.Context) error {
			return errors.Join(durable.Heartbeat(ctx, 1), job.Sleep(ctx, 20*time.Hour))
		}, durable.ErrNoHeartbeat, 12 * time.Hour, durable.Retry{Heartbeat: 12 * time.Hour}},
		{"a cancellation", func(ctx context.Context) error {
			return errors.Join(job.Sleep(ctx, 11*time.Hour), durable.Heartbeat(ctx, 1), job.Sleep(ctx, 11*time.Hour))
		}, durable.ErrCanceled, 15 * time.Hour, durable.Retry{Timeout: 24 * time.Hour, Heartbeat: 12 * time.Hour}},
	} {
		t.Run(c.name, func(t *testing.T) {
			jobtest.Run(t, func(ctx context.Context) error {
				e, err := simulatedEngine(ctx, durable.NewMemory(), durable.RetryStep("", c.retry))
				if err != nil {
					return err
				}
				var began, took time.Duration
				f := waiting(func(ctx context.Context) error {
					began = passed(ctx)
					defer func() { took = passed(ctx) - began }()
					return c.step(ctx)
				})
				h, err := durable.Serve(e, f, &hall{}).Start(ctx, "a", 1)
				if err != nil {
					return err
				}
				canceled := job.Go(ctx, func(ctx context.Context) error {
					if err := job.Sleep(ctx, 15*time.Hour); err != nil || !errors.Is(c.want, durable.ErrCanceled) {
						return err
					}
					return h.Cancel(ctx)
				})
				_, err = h.Wait(ctx)
				_, failure := canceled.Wait(ctx)
				assert.True(t, errors.Is(err, c.want) || c.want == nil && err == nil, "%v", err)
				assert.Equal(t, c.took, took)
				return errors.Join(failure, e.Shutdown(ctx))
			})
		})
	}
}

// passed returns the time that has passed in the simulation.
func passed(ctx context.Context) time.Duration {
	return schedulers.FromContext(ctx).(*simulation.Scheduler).Now()
}

// waiting is a function of one step.
func waiting(step func(ctx context.Context) error) durable.Function[*hall, int, int] {
	return durable.Function[*hall, int, int]{
		Name: "hall.Wait", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "wait", Step: "hall.wait"}},
		New: func(*hall, int) gen.Frame { return &waitingFrame{step: step} },
	}
}

type waitingFrame struct {
	gen.NoDeferred
	step func(ctx context.Context) error
	n    int
	err  error
}

func (f *waitingFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		return t.Step(1)
	}
	f.err = t.Err()
	return t.Return()
}

func (f *waitingFrame) Call(ctx context.Context, _ int) error { return f.step(ctx) }

func (f *waitingFrame) Live(int) []gen.Value {
	return []gen.Value{{Name: "n", Ptr: &f.n}, {Name: "err", Ptr: &f.err}}
}

func (f *waitingFrame) Outcome() (result any, err *error) { return &f.n, &f.err }

// Two engines share a store and a lock of the program; one is shut down during the run.
func TestEnginesOfASimulationShareAStore(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		store, calls := durable.NewMemory(), 0
		var mu coord.Mutex
		f := waiting(func(ctx context.Context) error {
			if err := mu.Lock(ctx); err != nil {
				return err
			}
			defer mu.Unlock()
			calls++
			return job.Sleep(ctx, time.Minute)
		})
		var engines []*durable.Engine
		var served *durable.Served[int, int] // by the last engine
		for i := range 2 {
			e, err := simulatedEngine(ctx, store)
			if err != nil {
				return err
			}
			served = durable.Serve(e, f, &hall{})
			if _, err := served.Start(ctx, fmt.Sprint(i), i); err != nil {
				return err
			}
			engines = append(engines, e)
		}
		if err := engines[0].Shutdown(ctx); err != nil {
			return err
		}
		for i := range engines {
			if _, err := served.Handle(fmt.Sprint(i)).Wait(ctx); err != nil {
				return err
			}
		}
		if calls != 2 {
			return fmt.Errorf("%d calls of 2 steps", calls)
		}
		return engines[1].Shutdown(ctx)
	}, jobtest.Schedules(100))
}

func TestSimulatedNeedsASimulation(t *testing.T) {
	assert.Panics(t, func() { durabletest.Simulated(t.Context()) })
}
