package statemachine_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// lines is what a machine has done so far. Only the machine that runs writes it.
type lines []string

func (l *lines) add(format string, args ...any) { *l = append(*l, fmt.Sprintf(format, args...)) }

// forked awaits a job that calls f.
//
//movenext:async
func forked(ctx context.Context, l *lines, f func() int) (int, error) {
	before := len(*l)
	j := job.Run(ctx, func(context.Context) (int, error) { return f(), nil })
	n, err := j.Await()
	l.add("forked %d: %v", before, err)
	return n + 1, err
}

// deeper calls itself or forked, with values that live across the call.
//
//movenext:async
func deeper(ctx context.Context, l *lines, f func() int, depth int) (n int, err error) {
	defer func() { l.add("depth %d ends: %d", depth, n) }()
	name := strings.Repeat("*", depth)
	if depth > 1 {
		n, err = deeper(ctx, l, f, depth-1)
	} else {
		n, err = forked(ctx, l, f)
	}
	l.add("%s%v", name, err)
	return n + 100*len(name), nil
}

// hosted is what hosts runs: halves if there is a gate, itself if there is a source for the own
// job, or else deeper or varies, and forked after that.
type hosted struct {
	lines
	f     func() int
	depth int // of deeper; 0 for varies

	gate  *job.Job[int]
	exits bool

	own *job.Source[*job.Job[int]]
}

// hosts runs it in a job's first step.
//
//movenext:async
func hosts(ctx context.Context, h *hosted) (int, error) {
	j := job.Run(ctx, func(ctx context.Context) (n int, err error) {
		switch {
		case h.gate != nil:
			n, err = halves(ctx, &h.lines, h.gate, h.exits)
		case h.own != nil:
			n, err = itself(ctx, h.own)
		case h.depth == 0:
			n, err = varies(ctx, &h.lines, h.f)
		default:
			n, err = deeper(ctx, &h.lines, h.f, h.depth)
		}
		h.add("first: %d", n)
		if h.f == nil {
			return n, err
		}
		m, failed := forked(ctx, &h.lines, h.f)
		return n + m, errors.Join(err, failed)
	})
	if h.own != nil {
		h.own.TrySetResult(j)
	}
	return j.Await()
}

func TestAnAwaitedJobRunsOnTheStackOfItsWaiter(t *testing.T) {
	p, ctx := singleWorker(t)
	frames := func() int {
		stack := make([]uintptr, 200)
		all := runtime.CallersFrames(stack[:runtime.Callers(0, stack)])
		n := 0
		for f, more := all.Next(); more; f, more = all.Next() {
			if strings.Contains(f.Function, ".deeperNested") {
				n++
			}
		}
		return n
	}
	v, err := hostsAsync(ctx, &hosted{f: frames, depth: 3}).Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 3+1+600+0+1, v, "the three calls are below the first job, and none is below the second")
	require.NoError(t, p.Shutdown(t.Context()))
	assert.Equal(t, uint64(4), p.Metrics().Submitted, "the three jobs, and the machine that has started the first")
}

func TestTheWaitersOfAJobThatExitsGoOn(t *testing.T) {
	for depth := 1; depth <= 3; depth++ {
		t.Run(fmt.Sprint(depth), func(t *testing.T) {
			_, ctx := singleWorker(t)
			exit := func() int { runtime.Goexit(); return 0 }
			plain, machine := hosted{f: exit, depth: depth}, hosted{f: exit, depth: depth}
			want, wanted := hosts(context.Background(), &plain)
			got, err := hostsAsync(ctx, &machine).Wait(t.Context())
			require.ErrorIs(t, wanted, job.ErrGoexit)
			require.ErrorIs(t, err, job.ErrGoexit)
			assert.Equal(t, want, got)
			assert.Equal(t, plain.lines, machine.lines)
			assert.Len(t, machine.lines, 1+2*depth+1+1)
		})
	}
}

// forks awaits a job that awaits a job, and so on, each in its first step.
//
//movenext:async
func forks(ctx context.Context, l *lines, f func() int, depth int) (int, error) {
	if depth == 0 {
		return forked(ctx, l, f)
	}
	j := job.Run(ctx, func(ctx context.Context) (int, error) { return forks(ctx, l, f, depth-1) })
	n, err := j.Await()
	l.add("forks %d: %d", depth, n)
	return n + 10, err
}

func TestEachOfNestedJobsGoesOnAfterTheInnermostHasExited(t *testing.T) {
	_, ctx := singleWorker(t)
	var l lines
	exit := func() int { runtime.Goexit(); return 0 }
	v, err := forksAsync(ctx, &l, exit, 4).Wait(t.Context())
	require.ErrorIs(t, err, job.ErrGoexit)
	assert.Equal(t, 41, v)
	assert.Equal(t, lines{"forked 0: " + job.ErrGoexit.Error(), "forks 1: 1", "forks 2: 11", "forks 3: 21", "forks 4: 31"}, l)
}

func TestARecursionOfJobsDoesNotGrowTheStackWithoutLimit(t *testing.T) {
	_, ctx := singleWorker(t)
	var l lines
	deepest := func() int {
		stack := make([]uintptr, 1<<16)
		return runtime.Callers(0, stack)
	}
	v, err := forksAsync(ctx, &l, deepest, 2000).Wait(t.Context())
	require.NoError(t, err)
	assert.Less(t, v-2000*10, 62*20, "at most 61 jobs on top of each other")
}

// varies calls deeper in a literal, so that no frame below it is on a host.
//
//movenext:async
func varies(ctx context.Context, l *lines, f func() int) (int, error) {
	n, err := func() (int, error) { return deeper(ctx, l, f, 2) }()
	return n, err
}

func TestAFrameWhoseCallerIsNotPromotedMovesBefore(t *testing.T) {
	_, ctx := singleWorker(t)
	h := hosted{f: func() int { runtime.Goexit(); return 0 }}
	v, err := hostsAsync(ctx, &h).Wait(t.Context())
	require.ErrorIs(t, err, job.ErrGoexit)
	assert.Equal(t, 302, v)
	assert.Len(t, h.lines, 7)
}

// forksForever awaits a job after another in the first step of a job.
//
//movenext:async
func forksForever(ctx context.Context, more func() bool) error {
	_, err := job.Go(ctx, func(ctx context.Context) error {
		for more() {
			j := job.Go(ctx, func(context.Context) error { return nil })
			if _, err := j.Await(); err != nil {
				return err
			}
		}
		return nil
	}).Await()
	return err
}

// labelled sets labels, and awaits a job that has none.
//
//movenext:async
func labelled(ctx context.Context, seen *[]string) error {
	_, err := job.Go(ctx, func(ctx context.Context) error {
		pprof.SetGoroutineLabels(tenant(ctx, "acme"))
		j := job.Go(ctx, func(context.Context) error { *seen = append(*seen, labelsHere()); return nil })
		_, err := j.Await()
		*seen = append(*seen, labelsHere())
		return err
	}).Await()
	return err
}

func TestAJobOnTheStackHasItsOwnLabels(t *testing.T) {
	_, ctx := singleWorker(t)
	var seen []string
	_, err := labelledAsync(ctx, &seen).Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"none", "acme"}, seen)
}

func TestAHostThatRunsItsJobsGivesWay(t *testing.T) {
	_, ctx := singleWorker(t)
	var stop atomic.Bool
	forever := forksForeverAsync(ctx, func() bool { return !stop.Load() })
	// The host runs on the only worker. If it kept that worker, this would never run.
	_, err := job.Go(ctx, func(context.Context) error { stop.Store(true); return nil }).Wait(t.Context())
	require.NoError(t, err)
	_, err = forever.Wait(t.Context())
	require.NoError(t, err)
}

// halves is a job that suspends in the middle while its waiter is on the stack.
//
//movenext:async
func halves(ctx context.Context, l *lines, gate *job.Job[int], exits bool) (int, error) {
	j := job.Run(ctx, func(context.Context) (int, error) {
		n, err := gate.Await()
		if exits {
			runtime.Goexit()
		}
		return n, err
	})
	n, err := j.Await()
	l.add("halves: %d %v", n, err)
	return n, err
}

func TestTheWaiterOfAJobThatSuspendsSuspends(t *testing.T) {
	for _, exits := range []bool{false, true} {
		_, ctx := singleWorker(t)
		gate := job.NewSource[int]()
		h := hosted{gate: gate.Job(), exits: exits}
		j := hostsAsync(ctx, &h)
		_, err := job.Go(ctx, func(context.Context) error { return nil }).Wait(t.Context())
		require.NoError(t, err) // and so the worker has run all of it, and all wait
		var names []string
		for _, f := range job.AsyncStack(gate.Job()) {
			if _, name, ok := strings.Cut(f.Function, ".h"); ok {
				names = append(names, "h"+name)
			}
		}
		assert.Equal(t, []string{"halves", "halves", "hosts", "hosts"}, names, "each function, and its literal before it")
		gate.TrySetResult(7)
		v, err := j.Wait(t.Context())
		if exits {
			require.ErrorIs(t, err, job.ErrGoexit)
			assert.Zero(t, v)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		assert.Equal(t, lines{"halves: 7 <nil>", "first: 7"}, h.lines)
	}
}

func TestTheStackOfAJobInPlaceShowsItsWaiter(t *testing.T) {
	_, ctx := singleWorker(t)
	waits := make(chan struct{})
	j := hostsAsync(ctx, &hosted{f: func() int { <-waits; panic("ouch") }, depth: 1})
	close(waits) // the outermost function has suspended
	_, err := j.Wait(t.Context())
	var p *job.PanicError
	require.ErrorAs(t, err, &p)
	assert.Condition(t, func() bool {
		return slices.ContainsFunc(p.Async, func(f job.Frame) bool { return strings.HasSuffix(f.Function, ".hosts") })
	}, "it goes on above the job that is awaited on the stack: %v", p.Async)
}

// itself awaits a job that waits for the job of its waiter.
//
//movenext:async
func itself(ctx context.Context, own *job.Source[*job.Job[int]]) (int, error) {
	j := job.Run(ctx, func(ctx context.Context) (int, error) {
		enclosing, err := own.Job().Await()
		if err != nil {
			return 0, err
		}
		return enclosing.Await()
	})
	return j.Await()
}

func TestACycleThroughAWaiterOnTheStackIsFound(t *testing.T) {
	_, ctx := singleWorker(t)
	_, err := hostsAsync(ctx, &hosted{own: job.NewSource[*job.Job[int]]()}).Wait(t.Context())
	require.ErrorIs(t, err, job.ErrCycle)
}

func TestExitsInManyJobsLoseNoWaiter(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		p := pool.New(pool.Workers(workers, workers))
		ctx := schedulers.With(context.Background(), p)
		var all []*job.Job[int]
		logs := make([]lines, 50)
		for i := range logs {
			all = append(all, forksAsync(ctx, &logs[i], func() int { runtime.Goexit(); return 0 }, i%5))
		}
		for i, j := range all {
			v, err := j.Wait(t.Context())
			require.ErrorIs(t, err, job.ErrGoexit)
			assert.Equal(t, 1+i%5*10, v)
		}
		require.NoError(t, p.Shutdown(t.Context()))
	}
}
