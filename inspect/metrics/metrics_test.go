package metrics_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/inspect/metrics"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/dedicated"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// at returns what was measured of the schedulers of a name.
func at(t *testing.T, c *metrics.Collector, name string) metrics.Scheduler {
	t.Helper()
	for _, s := range c.Read().Schedulers {
		if s.Name == name {
			return s
		}
	}
	require.Fail(t, "no scheduler "+name)
	return metrics.Scheduler{}
}

// of returns what was measured of a function.
func of(t *testing.T, c *metrics.Collector, name string) metrics.Function {
	t.Helper()
	for _, f := range c.Read().Functions {
		if strings.HasSuffix(f.Name, name) {
			return f
		}
	}
	require.Fail(t, "no function "+name)
	return metrics.Function{}
}

func TestWorksAreCounted(t *testing.T) {
	c := metrics.Collect()
	defer c.Stop()
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	for range 5 {
		job.Go(ctx, func(context.Context) error { return nil })
	}
	got := at(t, c, "manual.Scheduler")
	assert.EqualValues(t, 5, got.Submitted)
	assert.EqualValues(t, 5, got.Queued)
	assert.EqualValues(t, 5, got.Depth.Count())
	assert.InDelta(t, 0+1+2+3+4, got.Depth.Sum, 0)
	assert.Zero(t, got.Begun)
	s.RunAll()
	got = at(t, c, "manual.Scheduler")
	assert.EqualValues(t, 5, got.Ended)
	assert.Zero(t, got.Queued+got.Running+got.Workers)
	assert.EqualValues(t, 5, got.Start.Count())
	assert.EqualValues(t, 5, got.Run.Count())
	assert.Positive(t, got.Start.Sum)
	assert.Len(t, got.Start.Counts, len(got.Start.Bounds)+1)
	c.Stop()
	job.Go(ctx, func(context.Context) error { return nil })
	assert.EqualValues(t, 5, at(t, c, "manual.Scheduler").Submitted, "it was stopped")
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestWaitsAndSleepsAreTimed(t *testing.T) {
	c := metrics.Collect()
	defer c.Stop()
	s := dedicated.New(2, dedicated.Name("threads"))
	ctx := schedulers.With(context.Background(), s)
	for blocked := uint64(0); blocked == 0; blocked = at(t, c, "threads").Blocked.Count() {
		source := job.NewSource[int]()
		waits := make(chan struct{})
		j := job.Go(ctx, func(ctx context.Context) error {
			close(waits)
			_, err := source.Job().Wait(ctx)
			return err
		})
		<-waits
		source.TrySetResult(1) // the job may find it complete: then it has not been blocked
		<-j.Done()
	}
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Zero(t, at(t, c, "threads").Workers)
}

func TestFunctionsAreMeasured(t *testing.T) {
	c := metrics.Collect()
	defer c.Stop()
	gates := []*job.Source[int]{job.NewSource[int](), job.NewSource[int]()}
	j := twiceAsync(gates[0].Job(), gates[1].Job())
	got := of(t, c, "metrics_test.twice")
	assert.EqualValues(t, 1, got.Live)
	gates[0].TrySetResult(1)
	gates[1].TrySetResult(2)
	sum, err := j.Await()
	require.NoError(t, err)
	assert.Equal(t, 3, sum)
	got = of(t, c, "metrics_test.twice")
	assert.Zero(t, got.Live)
	assert.EqualValues(t, 1, got.Start.Count())
	assert.EqualValues(t, 1, got.Suspensions.Count())
	assert.InDelta(t, got.Suspensions.Sum, float64(got.Suspended.Count()), 0)
	assert.Equal(t, got.Suspended.Count()+1, got.Run.Count())
}

func TestAPartIsScaledUp(t *testing.T) {
	c := metrics.Collect(metrics.OneIn(3))
	defer c.Stop()
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	for range 4000 {
		job.Go(ctx, func(context.Context) error { return nil }, job.Named("part"))
	}
	s.RunAll()
	got := at(t, c, "manual.Scheduler")
	assert.InDelta(t, 4000, got.Submitted, 1500)
	assert.Equal(t, got.Submitted, got.Ended)
	assert.Zero(t, got.Submitted%4)
	assert.InDelta(t, 4000, of(t, c, "part").Run.Count(), 1500)
	require.NoError(t, s.Shutdown(context.Background()))
}

// The queue that a sample sees is a part of the queue.
func TestTheDepthOfAQueueIsScaledUp(t *testing.T) {
	for _, among := range []int{1, 16} {
		c := metrics.Collect(metrics.OneIn(among))
		s := manual.New()
		ctx := schedulers.With(context.Background(), s)
		const n = 20_000
		for range n {
			job.Go(ctx, func(context.Context) error { return nil })
		}
		depth := at(t, c, "manual.Scheduler").Depth
		assert.InDelta(t, n/2, depth.Sum/float64(depth.Count()), n/8, "1 in %d", among)
		s.RunAll()
		require.NoError(t, s.Shutdown(context.Background()))
		c.Stop()
	}
}

func TestNamesAreBoundedAndEscaped(t *testing.T) {
	c := metrics.Collect()
	defer c.Stop()
	s := manual.New()
	ctx := schedulers.With(context.Background(), s)
	run := func(name string) { job.Go(ctx, func(context.Context) error { return nil }, job.Named(name)) }
	run("a\"b\\c\nd</script>\xff")
	run(strings.Repeat("x", 1<<20))
	for i := range 2000 {
		run(fmt.Sprint("job ", i))
	}
	s.RunAll()
	assert.Len(t, c.Read().Functions, 1001)
	assert.Positive(t, of(t, c, "other").Run.Count())
	var text strings.Builder
	require.NoError(t, c.WriteText(&text))
	assert.Contains(t, text.String(), `function="a\"b\\c`+"\uFFFD"+`d</script>`+"\uFFFD"+`"`)
	assert.NotContains(t, text.String(), strings.Repeat("x", 201))
	form := regexp.MustCompile(`^(# (HELP|TYPE) movenext_[a-z_]+ .*|movenext_[a-z_]+\{[a-z]+="([^"\\]|\\.)*"(,le="[^"]+")?\} [0-9.e+-]+)\n$`)
	for line := range strings.Lines(text.String()) {
		require.True(t, form.MatchString(line), "%q", line)
	}
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestItIsAHandlerAndAVariable(t *testing.T) {
	c := metrics.Collect()
	defer c.Stop()
	s := manual.New()
	job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil })
	s.RunAll()
	w := httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	assert.Equal(t, "text/plain; version=0.0.4; charset=utf-8", w.Header().Get("Content-Type"))
	assert.Contains(t, w.Body.String(), "\nmovenext_scheduler_works_ended_total{scheduler=\"manual.Scheduler\"} 1\n")
	assert.Contains(t, w.Body.String(), `movenext_scheduler_run_seconds_bucket{scheduler="manual.Scheduler",le="+Inf"} 1`)
	w = httptest.NewRecorder()
	c.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/metrics", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, w.Code)
	var m metrics.Metrics
	require.NoError(t, json.Unmarshal([]byte(c.String()), &m))
	assert.EqualValues(t, 1, m.Schedulers[0].Ended)
	require.NoError(t, s.Shutdown(context.Background()))
}

// broken is a writer that fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

var errBroken = errors.New("on purpose")

func TestTheErrorOfAWriterIsReturned(t *testing.T) {
	c := metrics.Collect()
	defer c.Stop()
	s := manual.New()
	job.Go(schedulers.With(context.Background(), s), func(context.Context) error { return nil })
	s.RunAll()
	require.ErrorIs(t, c.WriteText(broken{}), errBroken)
	require.NoError(t, s.Shutdown(context.Background()))
}

func TestManyReadWhileWorkRuns(t *testing.T) {
	c := metrics.Collect()
	p := pool.New()
	ctx := schedulers.With(context.Background(), p)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				job.Go(ctx, func(context.Context) error { return nil })
				_ = c.Read()
			}
		})
	}
	all.Wait()
	require.NoError(t, p.Shutdown(context.Background()))
	got := at(t, c, "pool")
	assert.EqualValues(t, 800, got.Submitted)
	assert.Equal(t, got.Submitted, got.Ended+got.Inlined)
	assert.Zero(t, got.Workers)
	c.Stop()
	c.Stop()
}

func TestALogHasLevels(t *testing.T) {
	var text strings.Builder
	logger := func(level slog.Level) *slog.Logger {
		text.Reset()
		return slog.New(slog.NewTextHandler(&text, &slog.HandlerOptions{Level: level}))
	}
	run := func() {
		ctx := context.Background()
		<-job.Go(ctx, func(context.Context) error { return nil }, job.Named("fine")).Done()
		<-job.Go(ctx, func(context.Context) error { return errors.New("with data of the user's") }, job.Named("bad")).Done()
	}
	stop := metrics.Log(logger(slog.LevelWarn))
	run()
	stop()
	stop()
	assert.Contains(t, text.String(), `level=WARN msg="movenext: job ended"`)
	assert.Contains(t, text.String(), `name=bad status=Faulted`)
	assert.NotContains(t, text.String(), "fine")
	assert.NotContains(t, text.String(), "data of the user's")
	stop = metrics.Log(logger(slog.LevelDebug), metrics.OneIn(1))
	run()
	stop()
	assert.Contains(t, text.String(), `level=DEBUG msg="movenext: job started"`)
	assert.Contains(t, text.String(), `name=fine status=Completed`)
	metrics.Log(nil)()
}

// leaving is a handler that leaves at its first record, and counts the others.
type leaving struct {
	slog.Handler
	leave func()
	calls *int
}

func (leaving) Enabled(context.Context, slog.Level) bool { return true }

func (l leaving) Handle(context.Context, slog.Record) error {
	if *l.calls++; *l.calls == 1 {
		l.leave()
	}
	return nil
}

func TestAHandlerThatDoesNotReturnLosesItsRecordAlone(t *testing.T) {
	var panics int
	before := schedulers.OnHookPanic(func(*schedulers.HookPanic) { panics++ })
	defer func() { schedulers.OnHookPanic(before) }()
	for _, leave := range []func(){func() { panic("on purpose") }, runtime.Goexit} {
		calls := 0
		stop := metrics.Log(slog.New(leaving{leave: leave, calls: &calls}), metrics.OneIn(1))
		<-job.Go(context.Background(), func(context.Context) error { return nil }).Done()
		stop()
		assert.Greater(t, calls, 1)
	}
	assert.Equal(t, 1, panics)
}
