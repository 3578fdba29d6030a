package durable_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/internal/shop"
	"github.com/movenext/movenext/durable/stores"
)

// slowAnswer is a store that answers the first write of a waiting instance late.
type slowAnswer struct {
	stores.Store
	late chan struct{}
}

func (s *slowAnswer) Swap(ctx context.Context, r *stores.Record) (bool, error) {
	mail, err := s.Store.Swap(ctx, r)
	if r.Status == durable.Waiting {
		<-s.late
	}
	return mail, err
}

func (s *slowAnswer) Notify(f func()) (stop func()) { return s.Store.(stores.Notifier).Notify(f) }

// The signal arrives after the write that releases the instance, and before the engine knows that
// the write is done. So the store returns the instance while it still runs here.
func TestASignalBesideTheEndOfARunIsNotLate(t *testing.T) {
	in(t, func(t *testing.T) {
		store := &slowAnswer{durable.NewMemory(), make(chan struct{})}
		e := opened(t, store, durable.Lease(time.Hour))
		h, err := durable.Serve(e, shop.OrderDurable, shop.New()).Start(t.Context(), "a", request)
		require.NoError(t, err)
		synctest.Wait()
		begin := time.Now()
		require.NoError(t, h.Signal(t.Context(), "approval", shop.Approval{Yes: true}))
		synctest.Wait()
		close(store.late)
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		assert.Less(t, time.Since(begin), time.Hour, "until the store hands the instance out again")
	})
}

// counting is a store that counts calls of Take and reads.
type counting struct {
	stores.Store
	takes, reads atomic.Int64
}

func (s *counting) Load(ctx context.Context, id string) (*stores.Record, error) {
	s.reads.Add(1)
	return s.Store.Load(ctx, id)
}

func (s *counting) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	s.reads.Add(1)
	return s.Store.Inbox(ctx, id, after)
}

func (s *counting) Take(ctx context.Context, t stores.Taking) ([]stores.Taken, time.Time, error) {
	s.takes.Add(1)
	return s.Store.Take(ctx, t)
}

func (s *counting) Notify(f func()) (stop func()) { return s.Store.(stores.Notifier).Notify(f) }

// manyFrame is a function of a hundred steps.
type manyFrame struct {
	gen.NoDeferred
	n   int
	err error
}

func (f *manyFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if f.n == 100 {
		return t.Return()
	}
	return t.Step(1)
}

func (f *manyFrame) Call(context.Context, int) error {
	time.Sleep(time.Millisecond) // of the bubble: lets the dispatcher run
	f.n++
	return nil
}

func (f *manyFrame) Live(int) []gen.Value {
	return []gen.Value{{Name: "n", Ptr: &f.n}, {Name: "err", Ptr: &f.err}}
}

func (f *manyFrame) Outcome() (result any, err *error) { return &f.n, &f.err }

// A checkpoint before a step makes nothing due.
func TestStepsAskForNothingThatIsDue(t *testing.T) {
	in(t, func(t *testing.T) {
		store := &counting{Store: durable.NewMemory()}
		many := durable.Function[struct{}, struct{}, int]{
			Name: "many", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "step", Step: "many.step"}},
			New: func(struct{}, struct{}) gen.Frame { return &manyFrame{} },
		}
		h, err := durable.Serve(opened(t, store), many, struct{}{}).Start(t.Context(), "a", struct{}{})
		require.NoError(t, err)
		n, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 100, n)
		assert.Less(t, store.takes.Load(), int64(10))
	})
}

// napFrame is a function that sleeps once.
type napFrame struct {
	gen.NoDeferred
	err error
}

func (f *napFrame) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 1 {
		return t.Return()
	}
	return t.Sleep(1, time.Hour)
}
func (f *napFrame) Call(context.Context, int) error { return nil }
func (f *napFrame) Live(int) []gen.Value {
	return []gen.Value{{Name: "err", Ptr: &f.err}}
}
func (f *napFrame) Outcome() (result any, err *error) { return &struct{}{}, &f.err }

// A timer costs one write to start, one to sleep, one to end, and no read: a take returns the
// record, and reports that there is no mail.
func TestATimerReadsNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		store := &counting{Store: durable.NewMemory()}
		e := opened(t, store)
		_, err := durable.Serve(e, durable.Function[struct{}, struct{}, struct{}]{
			Name: "nap", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "sleep"}},
			New: func(struct{}, struct{}) gen.Frame { return &napFrame{} },
		}, struct{}{}).Start(t.Context(), "a", struct{}{})
		require.NoError(t, err)
		time.Sleep(2 * time.Hour) // of the bubble
		synctest.Wait()
		assert.EqualValues(t, 1, e.Metrics().Ended)
		assert.EqualValues(t, 2, e.Metrics().Writes, "beside the start")
		assert.Zero(t, store.reads.Load())
	})
}

// slowMail is a store whose inboxes take longer to read than the time after which a run looks at
// its record.
type slowMail struct{ stores.Store }

func (s slowMail) Inbox(ctx context.Context, id string, after int64) ([]stores.Message, error) {
	time.Sleep(time.Second)
	return s.Store.Inbox(ctx, id, after)
}

func TestASlowInboxKeepsNoFunctionAtItsPoint(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		yes := durable.WithSignal("approval", shop.Approval{Yes: true})
		h, err := durable.Serve(opened(t, store, durable.Client()), shop.OrderDurable, shop.New()).Start(t.Context(), "a", request, yes)
		require.NoError(t, err)
		e := opened(t, slowMail{store})
		durable.Serve(e, shop.OrderDurable, shop.New())
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		_, err = h.Wait(ctx)
		require.NoError(t, err)
		assert.Less(t, e.Metrics().Writes, uint64(10))
	})
}
