package coord

import (
	"cmp"
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/internal/ambient"
	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/internal/jobcore"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/inline"
	"github.com/movenext/movenext/schedulers/pool"
)

// chosen requires that a select ends without waiting.
func chosen(t *testing.T, cases ...Case) int {
	t.Helper()
	i, err := Select(endless, cases...)
	require.NoError(t, err)
	return i
}

func TestSelectTakesTheFirstThatIsReadyAndLeavesTheOthers(t *testing.T) {
	a, b := NewUnbounded[int](), NewUnbounded[int]()
	var fromA, fromB int
	cases := []Case{OnReceive(a, &fromA), OnReceive(b, &fromB), Default()}
	assert.Equal(t, 2, chosen(t, cases...))
	require.NoError(t, b.TrySend(1))
	assert.Equal(t, 1, chosen(t, cases...))
	assert.Equal(t, 1, fromB)
	require.NoError(t, a.TrySend(2))
	require.NoError(t, b.TrySend(3))
	assert.Equal(t, 0, chosen(t, cases...))
	assert.Equal(t, 2, fromA)
	assert.Equal(t, []int{0, 1}, []int{a.Len(), b.Len()})
	assert.Equal(t, 1, chosen(t, OnReceive[int](a, nil), OnReceive[int](b, nil)), "an element may be dropped")
}

func TestSelectOfJobsAndOfNothing(t *testing.T) {
	open, ended := job.NewSource[int](), job.FromError[string](errReason)
	assert.Equal(t, 1, chosen(t, OnEnd(open.Job()), OnEnd(ended)))
	open.TrySetResult(1)
	assert.Equal(t, 0, chosen(t, OnEnd(open.Job()), OnEnd(ended)))
	assert.Equal(t, 0, chosen(t, OnEnd(nil)))
	assert.Equal(t, 0, chosen(t, OnEnd((*job.Job[int])(nil))))
	assert.Equal(t, 1, chosen(t, OnReceive[int](nil, nil), OnTimeout(0)))
	assert.Equal(t, 1, chosen(t, Case{}, OnTimeout(-time.Second)))
}

func TestSelectOfAClosedChannel(t *testing.T) {
	c := NewUnbounded[int]()
	require.NoError(t, c.TrySend(1))
	c.CloseCause(errReason)
	v := 0
	assert.Equal(t, 0, chosen(t, OnReceive(c, &v)))
	for _, form := range []func() (int, error){
		func() (int, error) { return Select(endless, OnReceive[int](nil, nil), OnReceive(c, &v)) },
		func() (int, error) {
			return picksAsync(endless, OnReceive[int](nil, nil), OnReceive(c, &v)).Wait(endless)
		},
	} {
		i, err := form()
		require.ErrorIs(t, err, ErrClosed)
		require.ErrorIs(t, err, errReason)
		assert.Equal(t, 1, i, "the case with the error")
	}
	assert.Equal(t, 1, v)
}

// picks is a machine's select.
//
//movenext:async
func picks(ctx context.Context, cases ...Case) (int, error) {
	i, err := Select(ctx, cases...)
	return i, err
}

// selects are the forms of a select, each as a job.
var selects = map[string]func(context.Context, ...Case) *job.Job[int]{
	"plain": func(ctx context.Context, cases ...Case) *job.Job[int] {
		return job.Run(ctx, func(ctx context.Context) (int, error) { return Select(ctx, cases...) })
	},
	"machine": picksAsync,
	"async":   SelectAsync,
}

// inBubble runs f for each form in a bubble.
func inBubble(t *testing.T, f func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int])) {
	for form, start := range selects {
		t.Run(form, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { f(t, withPool(t), start) })
		})
	}
}

// hosts are what a select waits for.
type hosts struct {
	a, b, full *Channel[int]
	mutex      Mutex
	semaphore  *Semaphore
	source     *job.Source[int]
}

// newHosts returns hosts none of which can serve.
func newHosts(t *testing.T) *hosts {
	t.Helper()
	h := &hosts{
		a: NewUnbounded[int](), b: NewRendezvous[int](), full: NewBounded[int](1, WaitForRoom),
		semaphore: NewSemaphore(3), source: job.NewSource[int](),
	}
	require.True(t, h.mutex.TryLock() && h.semaphore.TryAcquire(2))
	require.NoError(t, h.full.TrySend(1))
	return h
}

func (h *hosts) cases(v *int) []Case {
	return []Case{
		OnReceive(h.a, v), OnReceive(h.b, v), OnSend(h.full, 2), OnLock(&h.mutex), OnAcquire(h.semaphore, 2),
		OnEnd(h.source.Job()), OnTimeout(time.Minute), {},
	}
}

// waiting returns how many wait in each queue.
func (h *hosts) waiting() (counts []int) {
	for _, q := range []struct {
		mu    *interleave.Mutex
		count *int
	}{
		{&h.a.mu, &h.a.receivers.count}, {&h.b.mu, &h.b.receivers.count}, {&h.full.mu, &h.full.senders.count},
		{&h.mutex.mu, &h.mutex.queue.count}, {&h.semaphore.mu, &h.semaphore.queue.count},
	} {
		q.mu.Lock()
		counts = append(counts, *q.count)
		q.mu.Unlock()
	}
	return counts
}

// caseEnds are what lets a select continue, and how it then ends.
var caseEnds = map[string]struct {
	serve    func(h *hosts)
	chosen   int
	received int
	err      error
}{
	"an element":          {serve: func(h *hosts) { _ = h.a.TrySend(7) }, chosen: 0, received: 7},
	"a sender":            {serve: func(h *hosts) { _ = h.b.TrySend(7) }, chosen: 1, received: 7},
	"a sender that waits": {serve: func(h *hosts) { h.b.SendAsync(endless, 7) }, chosen: 1, received: 7},
	"no elements":         {serve: func(h *hosts) { h.b.CloseCause(errReason) }, chosen: 1, err: errReason},
	"room":                {serve: func(h *hosts) { _, _ = h.full.TryReceive() }, chosen: 2},
	"no room any more":    {serve: func(h *hosts) { h.full.Close() }, chosen: 2, err: ErrClosed},
	"the lock":            {serve: func(h *hosts) { h.mutex.Unlock() }, chosen: 3},
	"permits":             {serve: func(h *hosts) { h.semaphore.Release(1) }, chosen: 4},
	"too few permits":     {serve: func(h *hosts) { h.semaphore.Resize(1) }, chosen: 4, err: ErrTooHeavy},
	"a job":               {serve: func(h *hosts) { h.source.TrySetResult(7) }, chosen: 5},
	"time":                {serve: func(*hosts) { time.Sleep(time.Minute) }, chosen: 6},
}

func TestSelectWaits(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		for name, c := range caseEnds {
			h, began, v := newHosts(t), time.Now(), 5
			j := start(ctx, h.cases(&v)...)
			synctest.Wait()
			pending(t, j)
			assert.Equal(t, []int{1, 1, 1, 1, 1}, h.waiting(), name)
			c.serve(h)
			i, err := j.Wait(endless)
			require.ErrorIs(t, err, c.err, name)
			assert.Equal(t, []int{c.chosen, cmp.Or(c.received, 5)}, []int{i, v}, name)
			assert.Equal(t, []int{0, 0, 0, 0, 0}, h.waiting(), name)
			if name == "time" {
				assert.Equal(t, time.Minute, time.Since(began))
			}
			h.took(t, name, i, err)
		}
	})
}

// The same that a select has waited for is there when it is called.
func TestSelectOfWhatIsReady(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		for name, c := range caseEnds {
			if name == "time" {
				continue
			}
			h, v := newHosts(t), 0
			if name == "a sender" {
				h.b.SendAsync(endless, 7)
			}
			c.serve(h)
			i, err := start(ctx, h.cases(&v)...).Wait(endless)
			require.ErrorIs(t, err, c.err, name)
			assert.Equal(t, []int{c.chosen, c.received}, []int{i, v}, name)
			h.took(t, name, i, err)
		}
	})
}

// took requires that the chosen case has taken effect, and that the others have not.
func (h *hosts) took(t *testing.T, name string, chosen int, err error) {
	t.Helper()
	assert.Zero(t, h.a.Len(), name)
	assert.Equal(t, 1, h.full.Len(), name)
	v, _ := h.full.TryReceive()
	assert.Equal(t, chosen == 2 && err == nil, v == 2, name)
	assert.NotPanics(t, h.mutex.Unlock, name) // by the select, or by the test
	assert.True(t, h.mutex.TryLock(), name)
	free := map[string]int64{"permits": 0, "too few permits": -1}
	if _, of := free[name]; !of {
		free[name] = 1
	}
	assert.Equal(t, free[name], h.semaphore.Free(), name)
	h.source.TrySetResult(1)
}

func TestSelectOfBadCases(t *testing.T) {
	assert.Equal(t, 4, chosen(t, OnSend[int](nil, 1), OnLock(nil), OnAcquire(nil, 1), Case{}, Default()))
	i, err := Select(endless, OnAcquire(NewSemaphore(1), -1))
	assert.Zero(t, i)
	require.ErrorIs(t, err, ErrNegativeWeight)
	i, err = Select(endless, OnReceive[int](NewUnbounded[int](), nil), OnAcquire(NewSemaphore(1), 2))
	assert.Equal(t, 1, i)
	require.ErrorIs(t, err, ErrTooHeavy)
	i, err = Select(endless, OnSend(NewBounded[int](0, Reject), 1))
	assert.Zero(t, i)
	require.ErrorIs(t, err, ErrFull)
	dropped := 0
	assert.Zero(t, chosen(t, OnSend(NewBounded(0, DropNewest, Dropped(func(v int) { dropped = v })), 3)))
	assert.Equal(t, 3, dropped)
	ranked := NewPriority(func(v int) int64 { return int64(v) })
	assert.Zero(t, chosen(t, OnSend(ranked, 2)))
	assert.Zero(t, chosen(t, OnSend(ranked, 1)))
	v, err := ranked.TryReceive()
	require.NoError(t, err)
	assert.Equal(t, 1, v)
}

func TestAContextEndsASelect(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		for _, cases := range [][]Case{nil, {Case{}}, {OnReceive[int](NewUnbounded[int](), nil)}, {OnTimeout(time.Hour)}} {
			within, cancel := context.WithTimeoutCause(ctx, time.Second, errReason)
			began := time.Now()
			j := start(within, cases...)
			<-j.Done()
			require.ErrorIs(t, j.Err(), context.DeadlineExceeded)
			require.ErrorIs(t, j.Err(), errReason)
			assert.Equal(t, time.Second, time.Since(began))
			i, err := Select(within, Default())
			require.ErrorIs(t, err, errReason, "a context that has ended comes first")
			assert.Equal(t, -1, i)
			cancel()
		}
	})
}

// A select has its place among the receivers of a channel, the waiters for a lock and so on.
func TestASelectWaitsInTurn(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		c, s, v := NewUnbounded[int](), NewSemaphore(1), 0
		require.True(t, s.TryAcquire(1))
		first, before := takesOneAsync(ctx, c), s.AcquireAsync(ctx, 1)
		synctest.Wait()
		j := start(ctx, OnReceive(c, &v), OnAcquire(s, 1))
		synctest.Wait()
		last, behind := takesOneAsync(ctx, c), s.AcquireAsync(ctx, 1)
		synctest.Wait()
		s.Release(1)
		completed(t, before)
		require.NoError(t, c.TrySend(1))
		_, err := first.Wait(endless)
		require.NoError(t, err)
		synctest.Wait()
		pending(t, j, last)
		require.NoError(t, c.TrySend(2))
		_, err = j.Wait(endless)
		require.NoError(t, err)
		assert.Equal(t, 2, v)
		s.Release(1)
		completed(t, behind)
		require.NoError(t, c.TrySend(3))
		v, err = last.Wait(endless)
		require.NoError(t, err)
		assert.Equal(t, 3, v)
	})
}

// A heavy request of a select holds up a light one, until another case is chosen.
func TestASelectThatLeavesLetsOthersContinue(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		for _, gives := range []bool{false, true} {
			c, s := NewUnbounded[int](), NewSemaphore(2)
			require.True(t, s.TryAcquire(1))
			within, cancel := context.WithCancel(ctx)
			j := start(within, OnAcquire(s, 2), OnReceive[int](c, nil))
			synctest.Wait()
			light := s.AcquireAsync(endless, 1)
			pending(t, light)
			if gives {
				cancel()
			} else {
				require.NoError(t, c.TrySend(1))
			}
			_, err := light.Wait(endless)
			require.NoError(t, err)
			i, err := j.Wait(endless)
			assert.Equal(t, gives, err != nil)
			assert.Equal(t, gives, i < 0)
			cancel()
		}
	})
}

func TestTwoSelectsMeet(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		for _, senderFirst := range []bool{false, true} {
			a, b, v := NewRendezvous[int](), NewRendezvous[int](), 0
			sends := func() *job.Job[int] { return start(ctx, OnSend(a, 1), OnSend(b, 2)) }
			receives := func() *job.Job[int] { return start(ctx, OnReceive[int](NewUnbounded[int](), nil), OnReceive(b, &v)) }
			var one, two *job.Job[int]
			if senderFirst {
				one = sends()
				synctest.Wait()
				two = receives()
			} else {
				two = receives()
				synctest.Wait()
				one = sends()
			}
			i, err := one.Wait(endless)
			require.NoError(t, err)
			k, err := two.Wait(endless)
			require.NoError(t, err)
			assert.Equal(t, []int{1, 1, 2}, []int{i, k, v})
			assert.Zero(t, a.senders.count+b.senders.count+b.receivers.count)
		}
	})
}

func TestASelectDoesNotMeetItself(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, start func(context.Context, ...Case) *job.Job[int]) {
		for _, sends := range []bool{false, true} {
			c, v := NewRendezvous[int](), 0
			j := start(ctx, OnReceive(c, &v), OnSend(c, 1), OnReceive(c, &v), OnSend(c, 2))
			synctest.Wait()
			pending(t, j)
			if sends {
				require.NoError(t, c.TrySend(7))
			} else {
				got, err := c.TryReceive()
				require.NoError(t, err)
				assert.Equal(t, 1, got)
			}
			i, err := j.Wait(endless)
			require.NoError(t, err)
			assert.Equal(t, []any{!sends, sends}, []any{i == 1, i == 0 && v == 7})
			assert.Zero(t, c.senders.count+c.receivers.count)
		}
	})
}

// A select that has ended leaves nothing in a job, which lives on.
func TestASelectThatHasEndedIsNotKept(t *testing.T) {
	source, c := job.NewSource[int](), NewUnbounded[int]()
	kept := func() weak.Pointer[job.Job[int]] {
		j := SelectAsync(endless, OnEnd(source.Job()), OnReceive[int](c, nil))
		require.NoError(t, c.TrySend(1))
		completed(t, j)
		return weak.Make(j)
	}()
	assert.True(t, collected(kept))
	source.TrySetResult(1)
}

func TestASelectThatHasEndedLeavesNoTimer(t *testing.T) {
	c := NewUnbounded[int]()
	ctx := schedulers.With(endless, struct{ schedulers.Scheduler }{inline.New()}) // without timers of its own
	j := SelectAsync(ctx, OnTimeout(time.Hour), OnReceive[int](c, nil))
	assert.Equal(t, 1, ambient.Armed())
	require.NoError(t, c.TrySend(1))
	completed(t, j)
	assert.Zero(t, ambient.Armed())
}

// What was chosen at once is not lost either if the home of the machine is gone: see
// TestACaseThatWasChosenForAMachineWithoutAHomeIsItsOwn.
func TestWhatIsChosenAtOnceBelongsToTheCaller(t *testing.T) {
	cases := make([]Case, len(chosenAtOnce)+1)
	for _, n := range []int{1, len(cases)} {
		cases[n-1] = Default()
		j := SelectAsync(endless, cases[:n]...)
		assert.Equal(t, n-1, value(t, j))
		assert.True(t, jobcore.Of(j).HasExclusiveValue())
		cases[n-1] = Case{}
	}
}

// A job that is started by a select, and exits in place, unwinds its caller.
func TestASelectThatIsUnwoundLeavesNothing(t *testing.T) {
	var m Mutex
	m.TryLock()
	c := NewUnbounded[int]()
	for name, call := range map[string]func(...Case){
		"plain": func(cases ...Case) { _, _ = Select(endless, cases...) },
		"async": func(cases ...Case) { SelectAsync(endless, cases...) },
	} {
		for _, serves := range []bool{false, true} {
			left, returned := make(chan struct{}), false
			go func() {
				defer close(left)
				call(OnLock(&m), OnReceive[int](c, nil), OnEnd(job.New(schedulers.With(endless, inline.New()), func(context.Context) (int, error) {
					if serves {
						m.Unlock()
					}
					runtime.Goexit()
					return 0, nil
				})))
				returned = true
			}()
			<-left
			assert.False(t, returned)
			assert.Zero(t, m.queue.count+c.receivers.count, name)
			assert.Equal(t, serves, m.TryLock(), "what it was granted goes to others")
		}
	}
}

//movenext:async
func takesOne(ctx context.Context, c *Channel[int]) (int, error) {
	v, err := c.Receive(ctx)
	return v, err
}

// merges takes from several channels until each is closed.
//
//movenext:async
func merges(ctx context.Context, to *sync.Map, from ...*Channel[int]) error {
	cases, open := make([]Case, len(from)), len(from)
	var v int
	for i, c := range from {
		cases[i] = OnReceive(c, &v)
	}
	for open > 0 {
		i, err := Select(ctx, cases...)
		if err != nil && i < 0 {
			return err
		}
		if err != nil {
			cases[i] = Case{}
			open--
			continue
		}
		if _, twice := to.LoadOrStore(v, true); twice {
			return errReason
		}
	}
	return nil
}

// The context ends, and two cases become ready, at the same time.
func TestOneCaseOrTheContextTakesEffect(t *testing.T) {
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			workers := pool.New(pool.Workers(4, 4))
			ctx := schedulers.With(endless, workers)
			for round := range 600 {
				start := selects[[]string{"plain", "machine", "async"}[round%3]]
				h, v := newHosts(t), 0
				within, cancel := context.WithCancel(ctx)
				var others []*job.Job[job.Void]
				for _, f := range []func(){cancel, h.mutex.Unlock, func() { _ = h.a.TrySend(7) }} {
					others = append(others, job.Go(ctx, func(context.Context) error { f(); return nil }))
				}
				i, err := start(within, h.cases(&v)...).Wait(endless)
				_, failed := job.WhenAll(others...).Wait(endless)
				require.NoError(t, failed)
				if err != nil { // perhaps it was not even called
					require.ErrorIs(t, err, context.Canceled)
					i = -1
				}
				assert.Equal(t, i == 0, v == 7)
				assert.Equal(t, i == 0, h.a.Len() == 0)
				assert.Equal(t, i == 3, !h.mutex.TryLock())
				assert.Equal(t, []int{0, 0, 0, 0, 0}, h.waiting())
			}
			require.NoError(t, workers.Shutdown(endless))
		})
	}
}

// meets sends its number to its channel, or receives the number of another one from any channel.
//
//movenext:async
func meets(ctx context.Context, n int, channels []*Channel[int]) (int, error) {
	other := -1
	var cases []Case
	for i := range channels {
		c := channels[(i+n)%len(channels)]
		cases = append(cases, OnReceive(c, &other), OnSend(c, n))
	}
	i, err := Select(ctx, cases...)
	if err != nil || i%2 == 1 {
		return -1, err
	}
	return other, nil
}

// TestSelectsMeetInPairs lets many selects compete for one another on three channels.
func TestSelectsMeetInPairs(t *testing.T) {
	const all = 200
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			workers := pool.New(pool.Workers(4, 4))
			ctx := schedulers.With(endless, workers)
			channels := []*Channel[int]{NewRendezvous[int](), NewRendezvous[int](), NewRendezvous[int]()}
			var jobs []*job.Job[int]
			for n := range all {
				if n%3 == 0 {
					jobs = append(jobs, job.Run(ctx, func(ctx context.Context) (int, error) { return meets(ctx, n, channels) }))
				} else {
					jobs = append(jobs, meetsAsync(ctx, n, channels))
				}
			}
			got, err := job.WhenAll(jobs...).Wait(endless)
			require.NoError(t, err)
			met := map[int]bool{}
			for n, other := range got {
				if other >= 0 {
					assert.False(t, met[other] || met[n])
					assert.Equal(t, -1, got[other], "the other one has sent")
					met[n], met[other] = true, true
				}
			}
			assert.Len(t, met, all)
			for _, c := range channels {
				assert.Zero(t, c.senders.count+c.receivers.count)
			}
			require.NoError(t, workers.Shutdown(endless))
		})
	}
}

// TestSelectsLoseNothing lets selects, receivers and senders compete on three channels.
func TestSelectsLoseNothing(t *testing.T) {
	const elements = 300
	for _, procs := range manyProcs {
		t.Run(procs.String(), func(t *testing.T) {
			procs.use(t)
			workers := pool.New(pool.Workers(4, 4))
			ctx := schedulers.With(endless, workers)
			channels := []*Channel[int]{NewUnbounded[int](), NewRendezvous[int](), NewBounded[int](2, WaitForRoom)}
			var got sync.Map
			var received atomic.Int64
			all := []*job.Job[job.Void]{
				mergesAsync(ctx, &got, channels...),
				mergesAsync(ctx, &got, channels[2], channels[1], channels[0]),
				job.Go(ctx, func(ctx context.Context) error { return merges(ctx, &got, channels...) }),
			}
			for i, c := range channels {
				all = append(all, job.Go(ctx, func(ctx context.Context) error {
					for range elements / 10 { // a plain receiver among them
						if v, err := c.Receive(ctx); err == nil {
							got.Store(v, true)
						}
					}
					return nil
				}))
				random := rand.New(rand.NewPCG(1, uint64(i)))
				all = append(all, job.Go(ctx, func(ctx context.Context) error {
					defer c.Close()
					for n := range elements {
						if random.IntN(10) == 0 {
							job.Yield()
						}
						if err := c.Send(ctx, i*elements+n); err != nil {
							return err
						}
					}
					return nil
				}))
			}
			_, err := job.WhenAll(all...).Wait(endless)
			require.NoError(t, err)
			got.Range(func(any, any) bool { received.Add(1); return true })
			assert.EqualValues(t, len(channels)*elements, received.Load())
			require.NoError(t, workers.Shutdown(endless))
		})
	}
}

// A machine whose select always finds something yields nevertheless.
func TestASelectThatNeverWaitsGivesWay(t *testing.T) {
	one := pool.New(pool.Workers(1, 1))
	ctx := schedulers.With(endless, one)
	var other atomic.Bool
	j := spinsAsync(ctx, &other)
	job.Go(ctx, func(context.Context) error { other.Store(true); return nil })
	_, err := j.Wait(endless)
	require.NoError(t, err)
	require.NoError(t, one.Shutdown(endless))
}

//movenext:async
func spins(ctx context.Context, until *atomic.Bool) error {
	job.Yield()
	for !until.Load() {
		if _, err := Select(ctx, Default()); err != nil {
			return err
		}
	}
	return nil
}
