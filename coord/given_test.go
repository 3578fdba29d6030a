package coord_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord"
	"github.com/movenext/movenext/internal/budget"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// What is called in a turn or with a lent object is called in the chain of the machine that calls
// InTurn, Do or Use: it suspends, however it is given, and ends as in plain code.

// counter is what functions in a turn count with, and wait for.
type counter struct {
	turns   coord.Serial[string]
	objects *coord.ObjectPool[*atomic.Int64]
	open    coord.ManualResetEvent
	waits   atomic.Int64
	how     string // "error", "panic", "goexit" or nothing
}

func newCounter(how string) *counter {
	made := func(context.Context) *job.Job[*atomic.Int64] { return job.FromResult(new(atomic.Int64)) }
	return &counter{how: how, objects: coord.NewObjectPool(1000, made)}
}

var errCounted = errors.New("counted")

// count waits until the counter is open, and ends as it says.
//
//movenext:async
func (c *counter) count(ctx context.Context) (int, error) {
	n := c.waits.Add(1)
	if err := c.open.Wait(ctx); err != nil {
		return 0, err
	}
	switch c.how {
	case "error":
		return int(n), errCounted
	case "panic":
		panic(errCounted)
	case "goexit":
		runtime.Goexit()
	}
	return int(n), nil
}

//movenext:async
func (c *counter) add(ctx context.Context) error {
	_, err := c.count(ctx)
	return err
}

//movenext:async
func (c *counter) addTo(ctx context.Context, object *atomic.Int64) error {
	object.Add(1)
	return c.add(ctx)
}

// counts are calls by machines, each with a key of its own, and the same as plain code.
var counts = map[string]struct {
	plain func(ctx context.Context, c *counter, key string) error
	async func(ctx context.Context, c *counter, key string) *job.Job[job.Void]
}{
	"InTurn, a literal":      {countsInTurn, countsInTurnAsync},
	"InTurn, a method value": {countsNamed, countsNamedAsync},
	"InTurn, a parameter":    {countsThrough, countsThroughAsync},
	"Do, a literal":          {does, doesAsync},
	"Do, a method value":     {doesNamed, doesNamedAsync},
	"Use, a literal":         {borrows, borrowsAsync},
	"Use, a method value":    {borrowsNamed, borrowsNamedAsync},
}

//movenext:async
func countsInTurn(ctx context.Context, c *counter, key string) error {
	_, err := coord.InTurn(ctx, &c.turns, key, func(ctx context.Context) (int, error) { return c.count(ctx) })
	return err
}

//movenext:async
func countsNamed(ctx context.Context, c *counter, key string) error {
	_, err := coord.InTurn(ctx, &c.turns, key, c.count)
	return err
}

//movenext:async
func countsThrough(ctx context.Context, c *counter, key string) error {
	return inTurnOf(ctx, c, key, func(ctx context.Context) (int, error) { return c.count(ctx) })
}

//movenext:async
func inTurnOf(ctx context.Context, c *counter, key string, op func(context.Context) (int, error)) error {
	_, err := coord.InTurn(ctx, &c.turns, key, op)
	return err
}

//movenext:async
func does(ctx context.Context, c *counter, key string) error {
	return c.turns.Do(ctx, key, func(ctx context.Context) error { return c.add(ctx) })
}

//movenext:async
func doesNamed(ctx context.Context, c *counter, key string) error {
	return c.turns.Do(ctx, key, c.add)
}

//movenext:async
func borrows(ctx context.Context, c *counter, _ string) error {
	return c.objects.Use(ctx, func(ctx context.Context, object *atomic.Int64) error { return c.addTo(ctx, object) })
}

//movenext:async
func borrowsNamed(ctx context.Context, c *counter, _ string) error {
	return c.objects.Use(ctx, c.addTo)
}

// outcome calls f on a goroutine of its own, and returns how it has ended.
func outcome(f func() error) string {
	ended := make(chan string)
	go func() {
		end := "goexit"
		defer func() {
			if v := recover(); v != nil {
				end = fmt.Sprint("panic: ", v)
			}
			ended <- end
		}()
		end = fmt.Sprint(f())
	}()
	return <-ended
}

func TestBothFormsOfWhatIsGivenEndAlike(t *testing.T) {
	for name, form := range counts {
		for _, how := range []string{"", "error", "panic", "goexit"} {
			t.Run(name+" "+how, func(t *testing.T) {
				ctx := context.Background()
				c := newCounter(how)
				c.open.Set()
				want := outcome(func() error { return form.plain(ctx, c, "k") })

				c = newCounter(how)
				j := form.async(ctx, c, "k")
				next := form.async(ctx, c, "k") // it gets its turn, however the first one ends
				c.open.Set()
				for _, j := range []*job.Job[job.Void]{j, next} {
					assert.Equal(t, want, outcome(func() error {
						_, err := j.Wait(ctx)
						if p, ok := errors.AsType[*job.PanicError](err); ok {
							panic(p.Value)
						}
						if errors.Is(err, job.ErrGoexit) {
							runtime.Goexit()
						}
						return err
					}))
				}
			})
		}
	}
}

func TestMachinesThatWaitInATurnOrWithAnObjectHoldNoGoroutine(t *testing.T) {
	const machines = 500
	one := pool.New(pool.Workers(1, 1))
	t.Cleanup(func() { _ = one.Shutdown(context.Background()) })
	ctx := schedulers.With(context.Background(), one)
	for name, form := range counts {
		t.Run(name, func(t *testing.T) {
			c := newCounter("")
			before := runtime.NumGoroutine()
			jobs := make([]*job.Job[job.Void], machines)
			for i := range jobs {
				jobs[i] = form.async(ctx, c, fmt.Sprint(i))
			}
			require.Eventually(t, func() bool { return c.waits.Load() == machines }, 10*time.Second, time.Millisecond)
			assert.Less(t, runtime.NumGoroutine()-before, 10)
			c.open.Set()
			_, err := job.WhenAll(jobs...).Await()
			require.NoError(t, err)
		})
	}
}

//movenext:async
func takesTurn(ctx context.Context, s *coord.Serial[string], i int, took *[]int) error {
	return s.Do(ctx, "k", func(context.Context) error {
		*took = append(*took, i)
		job.Yield()
		return nil
	})
}

func TestMachinesTakeTurnsInTheOrderOfTheirStart(t *testing.T) {
	end := budget.EveryAwait() // each await that may yield does
	defer end()
	var (
		s    coord.Serial[string]
		took []int // the turns order the writes
		want []int
		jobs []*job.Job[job.Void]
	)
	for i := range 50 {
		jobs = append(jobs, takesTurnAsync(context.Background(), &s, i, &took))
		want = append(want, i)
	}
	_, err := job.WhenAll(jobs...).Await()
	require.NoError(t, err)
	assert.Equal(t, want, took)
}
