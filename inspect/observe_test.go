package inspect_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/inspect"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// lives are the moments of jobs, as an observer has heard them.
type lives struct {
	mu     sync.Mutex
	events []inspect.Event
}

func (l *lives) hear(e inspect.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
}

// of returns the moments of a job.
func (l *lives) of(h job.Handle) (all []inspect.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Job == h {
			all = append(all, e)
		}
	}
	return all
}

func (l *lives) kinds(h job.Handle) (kinds []inspect.EventKind) {
	for _, e := range l.of(h) {
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

var whole = []inspect.EventKind{inspect.Made, inspect.Started, inspect.Suspended, inspect.Resumed, inspect.Ended}

func TestTheLifeOfAnAsyncFunctionIsTold(t *testing.T) {
	l := &lives{}
	defer inspect.Observe(l.hear)()
	s := newStuck()
	j := s.forSourceAsync(context.Background())
	s.source.TrySetResult(1)
	_, err := j.Await()
	require.NoError(t, err)
	require.Equal(t, whole, l.kinds(j))
	events := l.of(j)
	assert.Contains(t, events[0].Place.Function, "forSource", "the outermost function")
	assert.Contains(t, events[2].Place.Function, "inner", "the innermost")
	assert.Contains(t, events[2].Place.File+fmt.Sprint(":", events[2].Place.Line), lines(t)["source"])
	assert.Equal(t, job.Handle(s.source.Job()), events[2].On)
	assert.Equal(t, job.Completed, events[4].Status)
	for i := range events[1:] {
		assert.LessOrEqual(t, events[i].Time, events[i+1].Time)
	}
	assert.Regexp(t, `^job #\d+ suspended in .*stuck.*inner.*, waits for job #\d+, WaitingForActivation$`, events[2].String())
	assert.Regexp(t, `^job #\d+ ended, Completed$`, events[4].String())
}

func TestTheLifeOfAJobIsTold(t *testing.T) {
	l := &lives{}
	defer inspect.Observe(l.hear)()
	ctx := context.Background()
	fine := job.Run(ctx, func(context.Context) (int, error) { return 1, nil }, job.Named("fine"))
	bad := job.Go(ctx, func(context.Context) error { return errors.New("on purpose") })
	panics := job.Go(ctx, func(context.Context) error { panic("on purpose") })
	exits := job.Go(ctx, func(context.Context) error { runtime.Goexit(); return nil })
	then := job.Then(ctx, fine, func(context.Context, int) (int, error) { return 2, nil })
	for _, j := range []job.Handle{fine, bad, panics, exits, then} {
		<-j.Done()
		assert.Equal(t, []inspect.EventKind{inspect.Made, inspect.Started, inspect.Ended}, l.kinds(j))
		assert.Equal(t, j.Status(), l.of(j)[2].Status)
	}
	assert.Equal(t, `job "fine" made`, l.of(fine)[0].String())
	never := job.New(ctx, func(context.Context) (int, error) { return 1, nil })
	never.Cancel()
	assert.Equal(t, []inspect.EventKind{inspect.Made, inspect.Ended}, l.kinds(never))
	assert.Equal(t, job.Canceled, l.of(never)[1].Status)
}

func TestTheLifeOfAFunctionLiteralIsTold(t *testing.T) {
	l := &lives{}
	defer inspect.Observe(l.hear, inspect.Named("waits"))()
	s := newStuck()
	j := s.namedAsync(context.Background(), "waits")
	for {
		l.mu.Lock()
		n := len(l.events)
		l.mu.Unlock()
		if n == 3 {
			break
		}
		runtime.Gosched()
	}
	s.source.TrySetResult(1)
	_, err := j.Await()
	require.NoError(t, err)
	assert.Empty(t, l.of(j), "it has another name")
	assert.Equal(t, whole, l.kinds(l.events[0].Job))
}

func TestAChildThatSuspendsIsTold(t *testing.T) {
	l := &lives{}
	defer inspect.Observe(l.hear)()
	s := newStuck()
	j := s.inScopeAsync(context.Background())
	for len(l.suspended()) < 2 {
		runtime.Gosched()
	}
	s.source.TrySetResult(1)
	_, err := j.Await()
	require.NoError(t, err)
	for _, h := range l.suspended() {
		assert.Equal(t, inspect.Ended, l.kinds(h)[len(l.kinds(h))-1])
	}
}

// suspended returns the jobs that have been suspended.
func (l *lives) suspended() (all []job.Handle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.events {
		if e.Kind == inspect.Suspended {
			all = append(all, e.Job)
		}
	}
	return all
}

func TestAJobIsToldWholeOrNotAtAll(t *testing.T) {
	l := &lives{}
	defer inspect.Observe(l.hear, inspect.Sample(4))()
	s := newStuck()
	jobs := make([]job.Handle, 2000)
	for i := range jobs {
		jobs[i] = s.forSourceAsync(context.Background())
	}
	s.source.TrySetResult(1)
	told := map[job.Handle][]inspect.EventKind{}
	for _, j := range jobs {
		<-j.Done()
	}
	for _, e := range l.events {
		told[e.Job] = append(told[e.Job], e.Kind)
	}
	assert.InDelta(t, 500, len(told), 250)
	for _, kinds := range told {
		assert.Equal(t, whole, kinds)
	}
}

func TestTrackingAndObservingDoNotDisturbEachOther(t *testing.T) {
	l := &lives{}
	stop := inspect.Observe(l.hear)
	untrack := inspect.Track()
	s := newStuck()
	a, b := s.forSourceAsync(context.Background()), s.hangsAsync(context.Background(), "sleep")
	assert.Equal(t, 2, inspect.Snapshot().Suspended)
	untrack()
	assert.Zero(t, inspect.Snapshot().Suspended)
	assert.False(t, inspect.Snapshot().Tracking)
	s.source.TrySetResult(1)
	<-a.Done()
	assert.Equal(t, whole, l.kinds(a))
	assert.Equal(t, whole[:3], l.kinds(b))
	assert.Regexp(t, `waits for sleep, due in 1h0m0s$`, l.of(b)[2].String())
	stop()
	stop()
	n := len(l.events)
	<-s.forSourceAsync(context.Background()).Done()
	assert.Len(t, l.events, n)
}

func TestTheSettingOfDiagnosticsIsKept(t *testing.T) {
	before := job.SetDiagnostics(job.RecordCreation)
	defer job.SetDiagnostics(before)
	l := &lives{}
	stop := inspect.Observe(l.hear)
	assert.Equal(t, job.RecordCreation, job.SetDiagnostics(job.RecordCreation|job.FollowTrace), "and nothing of the observer's")
	j := job.Run(context.Background(), func(context.Context) (int, error) { return 1, nil })
	<-j.Done()
	assert.Contains(t, l.of(j)[0].Place.Function, "TestTheSettingOfDiagnosticsIsKept")
	assert.Contains(t, l.of(j)[0].String(), " made for inspect_test.TestTheSetting")
	stop()
	assert.Equal(t, job.RecordCreation|job.FollowTrace, job.SetDiagnostics(0))
}

func TestObserversComeAndGoWhileJobsRun(t *testing.T) {
	p := pool.New()
	ctx, cancel := context.WithCancel(schedulers.With(context.Background(), p))
	s := newStuck()
	var jobs []job.Handle
	for range 10 {
		jobs = append(jobs, s.busyAsync(ctx))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 30 {
				l := &lives{}
				stop := inspect.Observe(l.hear, inspect.Sample(2))
				untrack := inspect.Track()
				_ = inspect.Snapshot()
				untrack()
				stop()
			}
		})
	}
	all.Wait()
	cancel()
	for _, j := range jobs {
		<-j.Done()
	}
	require.NoError(t, p.Shutdown(context.Background()))
}

func TestALabelOfAMegabyteIsCut(t *testing.T) {
	l := &lives{}
	defer inspect.Observe(l.hear)()
	j := job.Run(context.Background(), func(context.Context) (int, error) { return 1, nil }, job.Named(strings.Repeat("x", 1<<20)))
	<-j.Done()
	for _, e := range l.of(j) {
		assert.Less(t, len(e.String()), 500)
	}
	assert.Equal(t, "EventKind(9)", inspect.EventKind(9).String())
	inspect.Observe(nil)()
}

func ExampleObserve() {
	stop := inspect.Observe(func(e inspect.Event) { fmt.Println(e) }, inspect.Named("answer"))
	defer stop()
	j := job.Run(context.Background(), func(context.Context) (int, error) { return 7, nil }, job.Named("answer"))
	<-j.Done()
	// Output:
	// job "answer" made
	// job "answer" started
	// job "answer" ended, Completed
}
