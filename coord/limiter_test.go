package coord

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
)

// queueUp makes n calls that wait for key; each records its number of arrival when it
// is served.
func queueUp(l *Limiter[string], key string, n int, order *[]string) (jobs []*job.Job[job.Void]) {
	for range n {
		j := l.AcquireAsync(context.Background(), key)
		w := &served{key: key, order: order}
		j.OnCompleted(w)
		jobs = append(jobs, j)
	}
	return jobs
}

type served struct {
	key   string
	order *[]string
}

func (s *served) Resume() { *s.order = append(*s.order, s.key) }

func TestALimiterServesKeysInTurn(t *testing.T) {
	l := NewLimiter[string](1)
	require.True(t, l.TryAcquire("big"))
	var order []string
	queueUp(l, "big", 4, &order)
	queueUp(l, "small", 2, &order)
	assert.False(t, l.TryAcquire("third"), "no call overtakes")
	last := "big"
	for range 6 {
		l.Release(last)
		last = order[len(order)-1]
	}
	assert.Equal(t, []string{"big", "small", "big", "small", "big", "big"}, order)
	assert.Equal(t, LimiterMetrics{InFlight: 1, Keys: 1, Granted: 7}, l.Metrics())
	l.Release("big")
	assert.Equal(t, LimiterMetrics{Granted: 7}, l.Metrics(), "a key without work takes no memory")
}

func TestAKeyAtItsLimitDelaysNoOtherKey(t *testing.T) {
	l := NewLimiter[string](3, PerKey(1))
	require.True(t, l.TryAcquire("a"))
	assert.False(t, l.TryAcquire("a"))
	var order []string
	queueUp(l, "a", 2, &order)
	assert.True(t, l.TryAcquire("b"))
	assert.Empty(t, order)
	l.Release("a")
	assert.Equal(t, []string{"a"}, order)
	assert.Equal(t, LimiterMetrics{InFlight: 2, Waiting: 1, Keys: 2, Granted: 3}, l.Metrics())
}

func TestALineThatIsFullRefuses(t *testing.T) {
	l := NewLimiter[string](1, QueueLimit(1))
	require.NoError(t, l.Acquire(context.Background(), "a"))
	first := l.AcquireAsync(context.Background(), "a")
	require.ErrorIs(t, l.Acquire(context.Background(), "b"), ErrQueueFull)
	require.ErrorIs(t, l.AcquireAsync(context.Background(), "a").Err(), ErrQueueFull)
	assert.Equal(t, uint64(2), l.Metrics().Refused)
	l.Release("a")
	require.NoError(t, first.Err())
	assert.True(t, first.IsCompleted())
	l.Release("a")
	assert.Zero(t, l.Metrics().InFlight)
}

func TestAWaiterThatGivesUpLeavesTheQueue(t *testing.T) {
	l := NewLimiter[string](1)
	require.True(t, l.TryAcquire("a"))
	ctx, cancel := context.WithCancel(context.Background())
	gone := l.AcquireAsync(ctx, "b")
	cancel()
	_, err := gone.Wait(context.Background())
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, LimiterMetrics{InFlight: 1, Keys: 1, Granted: 1}, l.Metrics())
	l.Release("a")
	assert.True(t, l.TryAcquire("b"))
}

func TestMisuseOfALimiter(t *testing.T) {
	assert.Panics(t, func() { NewLimiter[string](0) })
	l := NewLimiter[string](1)
	assert.Panics(t, func() { l.Release("a") })
	assert.Panics(t, func() { NewLimiter[float64](1).TryAcquire(math.NaN()) })
	require.True(t, l.TryAcquire("a"), "a panic leaves it as it was")
	require.ErrorIs(t, NewLimiter[string](1).Acquire(canceledContext(), "a"), context.Canceled)
	require.NoError(t, NewLimiter[string](1).Acquire(nil, "a")) //nolint:staticcheck // nil never ends
}

func canceledContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Checks two rules: the number of permits in flight never exceeds a limit, and no waiter
// waits that could continue.
func TestALimiterAgainstItsRules(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		limit, perKey := 1+r.IntN(4), r.IntN(3)
		l := NewLimiter[int](limit, PerKey(perKey))
		var held []int
		waiting := map[int][]*job.Job[job.Void]{}
		collect := func() {
			for k, jobs := range waiting {
				for len(jobs) > 0 && jobs[0].IsCompleted() {
					held, jobs = append(held, k), jobs[1:]
				}
				waiting[k] = jobs
				for _, j := range jobs {
					assert.False(t, j.IsCompleted(), "served before one that came before it")
				}
			}
		}
		for range 200 {
			if len(held) > 0 && r.IntN(2) == 0 {
				i := r.IntN(len(held))
				l.Release(held[i])
				held = append(held[:i], held[i+1:]...)
			} else {
				k := r.IntN(3)
				waiting[k] = append(waiting[k], l.AcquireAsync(context.Background(), k))
			}
			collect()
			assert.LessOrEqual(t, len(held), limit)
			of := map[int]int{}
			for _, k := range held {
				of[k]++
			}
			for k := range 3 {
				if perKey > 0 {
					assert.LessOrEqual(t, of[k], perKey)
				}
				couldGoOn := len(held) < limit && (perKey == 0 || of[k] < perKey)
				assert.False(t, couldGoOn && len(waiting[k]) > 0, "seed %d: key %d waits for nothing", seed, k)
			}
		}
	}
}
