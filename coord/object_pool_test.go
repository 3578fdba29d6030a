package coord

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/exclusive"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/workstealing"
)

// thing is an object of a pool. One caller at a time has it, so uses needs no lock.
type thing struct {
	number int
	uses   int
}

// factory makes numbered things, and keeps what a pool has discarded.
type factory struct {
	made atomic.Int64
	gone []int
}

func (f *factory) start(context.Context) *job.Job[*thing] {
	return job.FromResult(&thing{number: int(f.made.Add(1))})
}

func (f *factory) pool(most int, opts ...ObjectPoolOption[*thing]) *ObjectPool[*thing] {
	return NewObjectPool(most, f.start, append(opts, OnDiscard(func(v *thing) { f.gone = append(f.gone, v.number) }))...)
}

// get requires that an object is lent at once.
func get(t *testing.T, p *ObjectPool[*thing]) *thing {
	t.Helper()
	v, err := p.Get(endless)
	require.NoError(t, err)
	return v
}

// lentBy waits for the end of a call and returns the object that it got.
func lentBy(t *testing.T, j *job.Job[*thing]) *thing {
	t.Helper()
	v, err := j.Wait(endless)
	require.NoError(t, err)
	return v
}

func TestAnObjectPoolMakesWhatIsNeededAndLendsTheNewest(t *testing.T) {
	f := new(factory)
	p := f.pool(2)
	assert.Equal(t, ObjectPoolMetrics{}, p.Metrics())
	first, second := get(t, p), get(t, p)
	assert.Equal(t, []int{1, 2}, []int{first.number, second.number})
	assert.Equal(t, ObjectPoolMetrics{Out: 2, Made: 2}, p.Metrics())
	p.Put(second)
	p.Put(first)
	assert.Same(t, first, get(t, p))
	assert.Equal(t, ObjectPoolMetrics{In: 1, Out: 1, Made: 2}, p.Metrics())
}

func TestCallersOfAnEmptyObjectPoolAreServedInOrder(t *testing.T) {
	f := new(factory)
	p := f.pool(2)
	first, second := get(t, p), get(t, p)
	ctx, cancel := context.WithCancel(endless)
	gone := p.GetAsync(ctx)
	a, b, c := p.GetAsync(endless), p.GetAsync(endless), p.GetAsync(endless)
	assert.Equal(t, 4, p.Metrics().Waiting)
	cancel()
	<-gone.Done()
	require.ErrorIs(t, gone.Err(), context.Canceled)
	p.Put(second)
	assert.Same(t, second, lentBy(t, a))
	pending(t, b, c)
	p.Discard(first) // makes room: the next caller makes another
	assert.Equal(t, 3, lentBy(t, b).number)
	pending(t, c)
	p.Put(lentBy(t, b))
	assert.Equal(t, 3, lentBy(t, c).number)
	assert.Equal(t, ObjectPoolMetrics{Out: 2, Made: 3, Discarded: 1}, p.Metrics())
	assert.Equal(t, []int{1}, f.gone)
}

func TestAnObjectThatIsNotGoodIsNotLentAgain(t *testing.T) {
	before := schedulers.OnHookPanic(func(*schedulers.HookPanic) {})
	defer func() { schedulers.OnHookPanic(before) }()
	f := new(factory)
	var verdict func() error
	p := f.pool(1, OnPut(func(*thing) error { return verdict() }))
	for i, how := range []func() error{
		func() error { return errReason },
		func() error { panic(errReason) },
	} {
		verdict = how
		v, waiting := get(t, p), p.GetAsync(endless)
		p.Put(v)
		next := lentBy(t, waiting)
		assert.Equal(t, i+2, next.number, "another one is made")
		verdict = func() error { return nil }
		p.Put(next)
	}
	assert.Equal(t, []int{1, 2}, f.gone)
	assert.Equal(t, ObjectPoolMetrics{In: 1, Made: 3, Discarded: 2}, p.Metrics())
}

func TestAFailedMakingLeavesItsRoomToTheNextCaller(t *testing.T) {
	made := 0
	makers := map[string]func(context.Context) *job.Job[*thing]{
		"an error": func(context.Context) *job.Job[*thing] { return job.FromError[*thing](errReason) },
		"a panic":  func(context.Context) *job.Job[*thing] { panic(errReason) },
		"no job":   func(context.Context) *job.Job[*thing] { return nil },
		"a job that panics": func(ctx context.Context) *job.Job[*thing] {
			return job.Run(ctx, func(context.Context) (*thing, error) { panic(errReason) })
		},
		"a job that exits": func(ctx context.Context) *job.Job[*thing] {
			return job.Run(ctx, func(context.Context) (*thing, error) { runtime.Goexit(); return nil, nil })
		},
	}
	for name, fails := range makers {
		t.Run(name, func(t *testing.T) {
			maker := fails
			p := NewObjectPool(1, func(ctx context.Context) *job.Job[*thing] { return maker(ctx) })
			func() {
				defer func() { _ = recover() }()
				_, err := p.Get(endless)
				require.Error(t, err)
			}()
			_, err := p.GetAsync(endless).Wait(endless)
			require.Error(t, err)
			assert.Equal(t, ObjectPoolMetrics{}, p.Metrics())

			source := job.NewSource[*thing]()
			maker = func(context.Context) *job.Job[*thing] { return source.Job() }
			first, second := p.GetAsync(endless), p.GetAsync(endless)
			maker = func(context.Context) *job.Job[*thing] { made++; return job.FromResult(&thing{number: made}) }
			source.TrySetError(errReason)
			_, err = first.Wait(endless)
			require.ErrorIs(t, err, errReason)
			v, err := second.Wait(endless)
			require.NoError(t, err)
			assert.Equal(t, made, v.number)
		})
	}
}

func TestAClosedObjectPool(t *testing.T) {
	f := new(factory)
	p := f.pool(3)
	in, out, last := get(t, p), get(t, p), get(t, p)
	waiting := p.GetAsync(endless)
	p.Put(in)
	assert.Same(t, in, lentBy(t, waiting))
	p.Put(in)
	p.Close()
	p.Close()
	assert.Equal(t, []int{1}, f.gone)
	_, err := p.Get(endless)
	require.ErrorIs(t, err, ErrClosed)
	p.Put(out)
	p.Discard(last)
	assert.Equal(t, []int{1, 2, 3}, f.gone)
	assert.Equal(t, ObjectPoolMetrics{Made: 3, Discarded: 3}, p.Metrics())

	full := f.pool(1)
	held := get(t, full)
	waiting = full.GetAsync(endless)
	full.Close()
	_, err = waiting.Wait(endless)
	require.ErrorIs(t, err, ErrClosed)
	full.Put(held)
	assert.Equal(t, []int{1, 2, 3, 4}, f.gone)
}

func TestTrimDiscardsTheOldestThatAreIn(t *testing.T) {
	f := new(factory)
	p := f.pool(5)
	var all []*thing
	for range 5 {
		all = append(all, get(t, p))
	}
	for _, v := range all {
		p.Put(v)
	}
	assert.Equal(t, 3, p.Trim(2))
	assert.Equal(t, []int{1, 2, 3}, f.gone)
	assert.Same(t, all[4], get(t, p))
	assert.Zero(t, p.Trim(1))
	assert.Equal(t, 1, p.Trim(-1))
	assert.Equal(t, 6, get(t, p).number, "there is room again")
}

func TestMisuseOfAnObjectPoolPanics(t *testing.T) {
	f := new(factory)
	assert.Panics(t, func() { f.pool(0) })
	assert.Panics(t, func() { NewObjectPool[int](1, nil) })
	p := f.pool(1)
	assert.Panics(t, func() { p.Put(new(thing)) })
	assert.Panics(t, func() { p.Discard(new(thing)) })
	v := get(t, p)
	p.Put(v)
	assert.Panics(t, func() { p.Put(v) })
	assert.Equal(t, ObjectPoolMetrics{In: 1, Made: 1}, p.Metrics())
	bare := NewObjectPool(1, f.start, nil, OnPut[*thing](nil), OnDiscard[*thing](nil))
	bare.Put(get(t, bare))
	bare.Close()
}

// uses leaves a mark on an object that only its holder may leave, and ends by calling how.
//
//movenext:async
func uses(ctx context.Context, p *ObjectPool[*thing], how func() error) error {
	return p.Use(ctx, func(_ context.Context, v *thing) error {
		v.uses++
		job.Yield()
		v.uses++
		return how()
	})
}

func TestTheEndOfAUseDecidesAboutTheObject(t *testing.T) {
	ends := map[string]struct {
		how  func() error
		kept bool
	}{
		"good":     {func() error { return nil }, true},
		"an error": {func() error { return errReason }, true},
		"broken":   {func() error { return fmt.Errorf("a lost line: %w", ErrBroken) }, false},
		"a panic":  {func() error { panic(errReason) }, false},
		"an exit":  {func() error { runtime.Goexit(); return nil }, false},
	}
	forms := map[string]func(context.Context, *ObjectPool[*thing], func() error) *job.Job[job.Void]{
		"plain": func(ctx context.Context, p *ObjectPool[*thing], how func() error) *job.Job[job.Void] {
			return job.Go(ctx, func(ctx context.Context) error { return uses(ctx, p, how) })
		},
		"machine": usesAsync,
		"async": func(ctx context.Context, p *ObjectPool[*thing], how func() error) *job.Job[job.Void] {
			return p.UseAsync(ctx, func(_ context.Context, v *thing) error { v.uses += 2; return how() })
		},
	}
	for end, e := range ends {
		for form, start := range forms {
			t.Run(end+", "+form, func(t *testing.T) {
				f := new(factory)
				p := f.pool(1)
				_, err := start(endless, p, e.how).Wait(endless)
				assert.Equal(t, end == "good", err == nil)
				want := ObjectPoolMetrics{In: 1, Made: 1}
				if !e.kept {
					want = ObjectPoolMetrics{Made: 1, Discarded: 1}
				}
				assert.Equal(t, want, p.Metrics())
			})
		}
	}
	p := new(factory).pool(1)
	require.ErrorIs(t, p.Use(endless, nil), job.ErrNilFunc)
	require.ErrorIs(t, p.UseAsync(endless, nil).Err(), job.ErrNilFunc)
	assert.Equal(t, ObjectPoolMetrics{}, p.Metrics())
}

// borrows repeatedly takes an object, and leaves a mark on it that only its holder may leave.
//
//movenext:async
func borrows(ctx context.Context, p *ObjectPool[*thing], times int) error {
	for i := range times {
		v, err := p.Get(ctx)
		if err != nil {
			return err
		}
		v.uses++
		job.Yield()
		v.uses++
		if i%7 == 6 {
			p.Discard(v)
		} else {
			p.Put(v)
		}
	}
	return nil
}

func TestAnObjectHasOneHolderOnAllSchedulers(t *testing.T) {
	const most, callers, times = 3, 20, 30
	homes := map[string]func() shutdowner{
		"pool of one":     func() shutdowner { return pool.New(pool.Workers(1, 1)) },
		"pool of four":    func() shutdowner { return pool.New(pool.Workers(4, 4)) },
		"workstealing":    func() shutdowner { return workstealing.New(workstealing.Processors(2)) },
		"two threads":     func() shutdowner { return dedicated.New(2) },
		"strand":          func() shutdowner { return exclusive.NewStrand(pool.New()) },
		"pool that grows": func() shutdowner { return pool.New() },
	}
	forms := map[string]func(context.Context, *ObjectPool[*thing]) *job.Job[job.Void]{
		"plain": func(ctx context.Context, p *ObjectPool[*thing]) *job.Job[job.Void] {
			return job.Go(ctx, func(ctx context.Context) error { return borrows(ctx, p, times) })
		},
		"machine": func(ctx context.Context, p *ObjectPool[*thing]) *job.Job[job.Void] {
			return borrowsAsync(ctx, p, times)
		},
	}
	for home, made := range homes {
		for form, start := range forms {
			if form == "plain" && (home == "two threads" || home == "strand") {
				continue // a blocked caller there may hold the thread that the holder needs
			}
			t.Run(home+", "+form, func(t *testing.T) {
				s := made()
				ctx := schedulers.With(endless, s)
				var now, highest, sum atomic.Int64
				p := NewObjectPool(most, func(ctx context.Context) *job.Job[*thing] {
					highest.Store(max(highest.Load(), now.Add(1)))
					return job.Run(ctx, func(context.Context) (*thing, error) { return new(thing), nil })
				}, OnDiscard(func(v *thing) { now.Add(-1); sum.Add(int64(v.uses)) }))
				var all []*job.Job[job.Void]
				for range callers {
					all = append(all, start(ctx, p))
				}
				_, err := job.WhenAll(all...).Wait(endless)
				require.NoError(t, err)
				p.Close()
				assert.LessOrEqual(t, highest.Load(), int64(most))
				assert.EqualValues(t, 2*callers*times, sum.Load())
				assert.Zero(t, p.Metrics().Out)
				require.NoError(t, s.Shutdown(endless))
			})
		}
	}
}

type shutdowner interface {
	schedulers.Scheduler
	schedulers.Shutdowner
}

// A machine whose home is gone gets no object, whether it waited for one, was about to make
// one, or used one.
func TestAMachineWithoutAHomeLeavesItsObjectToThePool(t *testing.T) {
	f := new(factory)
	source := job.NewSource[*thing]()
	makers := []func(context.Context) *job.Job[*thing]{f.start, func(context.Context) *job.Job[*thing] { return source.Job() }}
	next := 0
	p := NewObjectPool(2, func(ctx context.Context) *job.Job[*thing] { next++; return makers[next-1](ctx) })
	home := pool.New()
	ctx := schedulers.With(endless, home)
	held := get(t, p)
	makes, waits := borrowsAsync(ctx, p, 1), borrowsAsync(ctx, p, 1)
	assert.Equal(t, ObjectPoolMetrics{Out: 1, Waiting: 1, Made: 1}, p.Metrics())
	require.NoError(t, home.Shutdown(endless))

	p.Put(held)
	_, err := waits.Wait(endless)
	require.ErrorIs(t, err, schedulers.ErrShutdown)
	assert.Equal(t, ObjectPoolMetrics{In: 1, Made: 1}, p.Metrics())
	source.TrySetResult(&thing{number: 2})
	_, err = makes.Wait(endless)
	require.ErrorIs(t, err, schedulers.ErrShutdown)
	assert.Equal(t, ObjectPoolMetrics{In: 2, Made: 2}, p.Metrics())
}

// The context of a caller ends while its object is made: the maker ends, too, and the room
// becomes free.
func TestAContextEndsTheMakingOfAnObject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(withPool(t))
		p := NewObjectPool(1, func(ctx context.Context) *job.Job[*thing] {
			return job.Run(ctx, func(ctx context.Context) (*thing, error) { <-ctx.Done(); return nil, ctx.Err() })
		})
		j := p.GetAsync(ctx)
		other := p.GetAsync(ctx)
		synctest.Wait()
		assert.Equal(t, 1, p.Metrics().Waiting)
		cancel()
		_, err := j.Wait(endless)
		require.ErrorIs(t, err, context.Canceled)
		_, err = other.Wait(endless)
		require.ErrorIs(t, err, context.Canceled)
		synctest.Wait() // for the maker
		assert.Equal(t, ObjectPoolMetrics{}, p.Metrics())
	})
}

// Even with a context that can end, the wait for a maker is like that for any job: the
// job may not have been started, it may panic, and on the only thread it runs in place.
func TestAMakerIsWaitedForLikeAnyJob(t *testing.T) {
	thread := dedicated.New(1)
	ctx, cancel := context.WithCancel(schedulers.With(endless, thread))
	defer cancel()
	for name, c := range map[string]struct {
		maker func(context.Context) *job.Job[*thing]
		err   any
	}{
		"created": {maker: func(ctx context.Context) *job.Job[*thing] {
			return job.New(ctx, func(context.Context) (*thing, error) { return new(thing), nil })
		}},
		"queued": {maker: func(context.Context) *job.Job[*thing] { // without a hint of its place
			return job.Run(schedulers.With(endless, thread), func(context.Context) (*thing, error) { return new(thing), nil })
		}},
		"panics": {maker: func(ctx context.Context) *job.Job[*thing] {
			return job.Run(ctx, func(context.Context) (*thing, error) { panic("deliberate") })
		}, err: new(*job.PanicError)},
		"nil": {maker: func(context.Context) *job.Job[*thing] { return nil }, err: new(error)},
	} {
		t.Run(name, func(t *testing.T) {
			check := func(v *thing, err error) {
				if c.err == nil {
					require.NoError(t, err)
					assert.NotNil(t, v)
				} else {
					require.ErrorAs(t, err, c.err)
				}
			}
			p := NewObjectPool(2, c.maker)
			plain := job.Run(ctx, func(ctx context.Context) (*thing, error) { return p.Get(ctx) })
			check(plain.Wait(endless))
			check(p.GetAsync(ctx).Wait(endless))
			assert.Zero(t, p.Metrics().Waiting)
		})
	}
	require.NoError(t, thread.Shutdown(endless))
}

// Ten thousand machines wait for one object without a goroutine each.
func TestCallersOfAnObjectPoolHoldNoGoroutine(t *testing.T) {
	f := new(factory)
	p := f.pool(1)
	held := get(t, p)
	before := runtime.NumGoroutine()
	var all []*job.Job[job.Void]
	for range 10_000 {
		all = append(all, borrowsAsync(endless, p, 1))
	}
	assert.Less(t, runtime.NumGoroutine(), before+50)
	p.Put(held)
	_, err := job.WhenAll(all...).Wait(endless)
	require.NoError(t, err)
	assert.Zero(t, p.Metrics().Waiting)
}
