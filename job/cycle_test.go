package job

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAJobThatWaitsForItselfIsTold(t *testing.T) {
	m := &manual{}
	var j *Job[int]
	j = Run(m.ctx(), func(ctx context.Context) (int, error) { return j.Wait(ctx) }, Named("ouroboros"))
	m.all()
	var w *WaitError
	require.ErrorAs(t, j.Err(), &w)
	var c *CycleError
	require.ErrorAs(t, j.Err(), &c)
	assert.Equal(t, []string{`"ouroboros"`}, c.Jobs)
	assert.Equal(t, `job: wait ended: job: "ouroboros" waits for itself`, j.Err().Error())
	assert.ErrorIs(t, j.Err(), ErrCycle)
	assert.ErrorIs(t, j.Err(), ErrWouldDeadlock)
	assert.Zero(t, waitersOf(j))
}

// ring returns n running jobs, each of which waits for the next when its gate is
// opened.
func ring(ctx context.Context, n int) (jobs []*Job[int], gates []chan struct{}) {
	jobs, gates = make([]*Job[int], n), make([]chan struct{}, n)
	all := make(chan struct{})
	for i := range jobs {
		gates[i] = make(chan struct{})
		jobs[i] = Run(ctx, func(ctx context.Context) (int, error) {
			<-all
			<-gates[i]
			return jobs[(i+1)%n].Wait(ctx)
		}, Named(fmt.Sprint(i)))
	}
	close(all)
	return jobs, gates
}

func TestTheWaiterThatClosesACycleIsRefused(t *testing.T) {
	for _, n := range []int{2, 3, 10} {
		synctest.Test(t, func(t *testing.T) {
			jobs, gates := ring(onPool(t, n), n)
			for i, gate := range gates {
				close(gate)
				synctest.Wait()
				assert.Equal(t, i == n-1, jobs[0].IsCompleted(), "the last closes it")
			}
			var c *CycleError
			require.ErrorAs(t, jobs[n-1].Err(), &c)
			assert.Len(t, c.Jobs, n)
			assert.Equal(t, fmt.Sprintf("%q", fmt.Sprint(n-1)), c.Jobs[0], "the job that was about to wait")
			assert.Equal(t, `"0"`, c.Jobs[1], "for the next")
			assert.Equal(t, fmt.Sprintf("%q", fmt.Sprint(n-2)), c.Jobs[n-1])
			assert.Equal(t, jobs[n-1].Err(), jobs[0].Err(), "the others see its error")
		})
	}
}

func TestTwoThatCloseACycleAtOnceDoNotHang(t *testing.T) {
	ctx := onPool(t, 2)
	for range 200 {
		jobs, gates := ring(ctx, 2)
		for _, gate := range gates {
			close(gate)
		}
		for _, j := range jobs {
			_, err := j.Wait(context.Background())
			require.ErrorIs(t, err, ErrCycle)
		}
	}
}

func TestACycleThroughContinuationsAndCombinators(t *testing.T) {
	m := &manual{}
	var j *Job[int]
	links := map[string]func(ctx context.Context) *Job[int]{
		"a continuation": func(ctx context.Context) *Job[int] { return ContinueWith(ctx, j, next) },
		"Finally":        func(ctx context.Context) *Job[int] { return Finally(ctx, j, doNothing) },
		"WhenAll": func(ctx context.Context) *Job[int] {
			return Then(ctx, WhenAll(FromResult(1), j), func(context.Context, []int) (int, error) { return 1, nil })
		},
		"WhenAny and Unwrap": func(ctx context.Context) *Job[int] { return Unwrap(ctx, WhenAny(j)) },
		"Race":               func(context.Context) *Job[int] { return Race(j) },
		"WaitAsync":          func(ctx context.Context) *Job[int] { return WaitAsync(ctx, j) },
		"Completions": func(ctx context.Context) *Job[int] {
			return Unwrap(ctx, CompletionsOf(j).NextAsync(ctx))
		},
	}
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			j = Run(m.ctx(), func(ctx context.Context) (int, error) { return link(ctx).Wait(ctx) })
			m.all()
			assert.ErrorIs(t, j.Err(), ErrCycle)
		})
	}
}

// j waits for a job that waits for j, or for another one that ends later.
func TestAWaitWithAnotherWayOutClosesNoCycle(t *testing.T) {
	for name, either := range map[string]func(ctx context.Context, j, other *Job[int]) *Job[int]{
		"WhenAny and Unwrap": func(ctx context.Context, j, other *Job[int]) *Job[int] { return Unwrap(ctx, WhenAny(j, other)) },
		"Race":               func(_ context.Context, j, other *Job[int]) *Job[int] { return Race(j, other) },
		"Completions": func(ctx context.Context, j, other *Job[int]) *Job[int] {
			return Unwrap(ctx, CompletionsOf(j, other).NextAsync(ctx))
		},
		"WaitTimeout": func(ctx context.Context, j, _ *Job[int]) *Job[int] {
			return Catch(ctx, WaitTimeout(ctx, j, time.Second), func(context.Context, error) (int, error) { return 1, nil })
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := onPool(t, 2)
				other := NewSource[int]()
				var first, second *Job[int]
				gate := make(chan struct{})
				first = Run(ctx, func(ctx context.Context) (int, error) {
					<-gate
					return either(ctx, second, other.Job()).Wait(ctx)
				})
				second = Run(ctx, func(ctx context.Context) (int, error) { return first.Wait(ctx) })
				synctest.Wait() // second waits for first
				close(gate)
				synctest.Wait()
				other.TrySetResult(1)
				v, err := second.Wait(t.Context())
				assert.NoError(t, err)
				assert.Equal(t, 1, v)
			})
		})
	}
}

func TestAnUnwrapOfItself(t *testing.T) {
	s := NewSource[*Job[int]]()
	u := Unwrap(context.Background(), s.Job())
	s.TrySetResult(u)
	assert.ErrorIs(t, u.Err(), ErrCycle)
	assert.Equal(t, Faulted, u.Status())
	assert.Zero(t, waitersOf(u))
}

func TestAnUnwrapOfWhatWaitsForIt(t *testing.T) {
	m := &manual{}
	s := NewSource[*Job[int]]()
	u := Unwrap(context.Background(), s.Job())
	c := ContinueWith(m.ctx(), u, next)
	s.TrySetResult(c)
	assert.ErrorIs(t, u.Err(), ErrCycle)
	m.all()
}

func TestWaitsThatCloseNoCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := onPool(t, 4)
		gate := NewSource[int]()
		leaf := Run(ctx, func(ctx context.Context) (int, error) { return gate.Job().Wait(ctx) })
		var mid []*Job[int]
		for range 2 { // a diamond
			mid = append(mid, Run(ctx, func(ctx context.Context) (int, error) { return leaf.Wait(ctx) }))
		}
		top := Run(ctx, func(ctx context.Context) (int, error) {
			_, err := WhenAll(mid...).Wait(ctx)
			return 1, err
		})
		synctest.Wait()
		gate.TrySetResult(1)
		_, err := top.Wait(t.Context())
		assert.NoError(t, err)
	})
}

func TestAWaitInAContextCutOffFromItsJobIsNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := onPool(t, 1)
		var j *Job[int]
		got := make(chan error, 1)
		set := make(chan struct{})
		j = Run(ctx, func(ctx context.Context) (int, error) {
			<-set
			go func() { // the job does not wait for this goroutine
				_, err := j.Wait(context.WithoutCancel(ctx))
				got <- err
			}()
			return 1, nil
		})
		close(set)
		assert.NoError(t, <-got)
	})
}

func TestTheSearchGoesFromAJobToItsWaiters(t *testing.T) {
	a, b := NewSource[int](), NewSource[int]()
	a.Job().OnCompleted(machine{job: b.Job()}) // b waits for a
	assert.ErrorIs(t, closed(a.Job(), b.Job()), ErrCycle)
	assert.NoError(t, closed(b.Job(), a.Job()))
}

// closed returns the error of the cycle that waiter closes by waiting for awaited, or nil.
func closed(waiter, awaited Handle) error { return findCycle(baseOf(waiter), baseOf(awaited)) }

func TestAChildThatIsToWaitForTheEndOfItsScopeIsTold(t *testing.T) {
	m := &manual{}
	s := NewScope(m.ctx())
	child := Spawn(s, func(context.Context) (int, error) { return 1, nil })
	assert.ErrorIs(t, closed(child, s.WaitAsync()), ErrCycle)
	closing := s.CloseAsync()
	assert.ErrorIs(t, closed(child, closing), ErrCycle)
	m.all()
	assert.True(t, closing.IsCompleted())
}

func TestTheSearchIsBounded(t *testing.T) {
	first := NewSource[int]()
	for range 10_000 {
		first.Job().OnCompleted(machine{job: NewSource[int]().Job()})
	}
	assert.NoError(t, closed(first.Job(), NewSource[int]().Job()))
}

// A wait that ends by itself breaks the cycle, for the job that waits and for its waiters.
func TestAWaitWithADeadlineClosesNoCycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var itself *Job[int]
		itself = New(onPool(t, 1), func(ctx context.Context) (int, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return itself.Wait(ctx)
		})
		require.NoError(t, itself.Start())
		_, err := itself.Wait(t.Context())
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotErrorIs(t, err, ErrCycle)
	})
}

func TestAWaitForAJobThatWaitsWithADeadlineIsNotRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, wait := range map[string]func(ctx context.Context, j *Job[int]) (int, error){
			"Wait": func(ctx context.Context, j *Job[int]) (int, error) { return j.Wait(ctx) },
			"WaitAsync": func(ctx context.Context, j *Job[int]) (int, error) {
				return WaitAsync(ctx, j).Wait(context.Background())
			},
		} {
			ctx := onPool(t, 2)
			var second *Job[int]
			gate := make(chan struct{})
			first := Run(ctx, func(ctx context.Context) (int, error) {
				<-gate
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				_, err := wait(ctx, second)
				assert.ErrorIs(t, err, context.DeadlineExceeded, name)
				return 7, nil
			})
			second = Run(ctx, func(ctx context.Context) (int, error) { return first.Wait(ctx) })
			close(gate)
			v, err := second.Wait(t.Context())
			assert.NoError(t, err, name)
			assert.Equal(t, 7, v, name)
		}
	})
}

// The deadline that ends the wait ends the job too, so waiting for it would be useless.
func TestAWaitWithTheDeadlineOfItsJobIsRefusedLikeOneWithout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(onPool(t, 1), time.Second)
		defer cancel()
		var itself *Job[int]
		itself = New(ctx, func(ctx context.Context) (int, error) { return itself.Wait(ctx) })
		require.NoError(t, itself.Start())
		_, err := itself.Wait(t.Context())
		assert.ErrorIs(t, err, ErrCycle)
		assert.NoError(t, ctx.Err(), "and at once")
	})
}
