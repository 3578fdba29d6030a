package workloads

import (
	"context"
	"math"
	"os/exec"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/suite"
)

// One of the libraries starts goroutines when it is linked: they exist before the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// small returns a size at which each contender takes milliseconds.
func small(w *suite.Work) int { return min(200, w.N/200) }

func TestEachContenderDoesItsWorkInEachSetting(t *testing.T) {
	settings := map[string]suite.Setting{
		"alone":   {Nap: 10 * time.Millisecond},
		"crowded": {Nap: 10 * time.Millisecond, Workers: 5, Producers: 3},
	}
	for _, w := range All() {
		for i := range w.Contenders {
			for name, s := range settings {
				t.Run(w.ID+"/"+w.Contenders[i].Name+"/"+name, func(t *testing.T) {
					got, err := measure.Run(w, &w.Contenders[i], measure.Plan{N: small(w), Reps: 1, Setting: s})
					require.NoError(t, err)
					assert.Positive(t, got.Ops)
				})
			}
		}
	}
}

func TestEachContenderDoesTheLeastThatCanBeAskedFor(t *testing.T) {
	for _, w := range All() {
		for i := range w.Contenders {
			t.Run(w.ID+"/"+w.Contenders[i].Name, func(t *testing.T) {
				_, err := measure.Run(w, &w.Contenders[i], measure.Plan{Setting: suite.Setting{Nap: time.Millisecond}})
				require.NoError(t, err)
			})
		}
	}
}

func TestWorksAreToldApartAndCompareWithWhatTheyHave(t *testing.T) {
	ids := map[string]bool{}
	for _, w := range All() {
		assert.False(t, ids[w.ID], "%s is there twice", w.ID)
		ids[w.ID] = true
		assert.NotEmpty(t, w.Title, w.ID)
		assert.NotEmpty(t, w.Op, w.ID)
		assert.Positive(t, w.N, w.ID)
		require.NotEmpty(t, w.Bases, w.ID)
		for _, base := range w.Bases {
			_, err := w.Contender(base)
			assert.NoError(t, err)
		}
		names := map[string]bool{}
		for _, c := range w.Contenders {
			assert.False(t, names[c.Name], "%s: %s is there twice", w.ID, c.Name)
			names[c.Name] = true
			assert.True(t, c.Most == 0 || c.Most >= w.N, "%s: %s cannot do the work at full scale", w.ID, c.Name)
		}
	}
}

func TestFindKnowsTheWorksAndNoOthers(t *testing.T) {
	for _, w := range All() {
		found, err := Find(w.ID)
		require.NoError(t, err)
		assert.Equal(t, w.Title, found.Title)
	}
	_, err := Find("W0")
	assert.EqualError(t, err, `workloads: there is no work "W0"`)
}

// The machines and their plain forms are the same functions, so they must return the same result.
func TestPlainFormsOfTheMachinesAgree(t *testing.T) {
	ctx := t.Context()
	for _, n := range []int{0, 1, 2, 10} {
		want, err := fib(ctx, n)
		require.NoError(t, err)
		got, err := fibAsync(ctx, n).Wait(ctx)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, fibonacci(n), got)
	}
	want, err := skynet(ctx, 0, 100)
	require.NoError(t, err)
	got, err := skynetAsync(ctx, 0, 100).Wait(ctx)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, skynetSum(100), got)
}

// Those of the daily works return a number, or count what they have done.
func TestPlainFormsOfTheDailyMachinesAgree(t *testing.T) {
	ctx := t.Context()
	type numbers = func(context.Context, int) (int, error)
	for name, forms := range map[string]struct {
		plain   numbers
		machine func(context.Context, int) *job.Job[int]
		want    int
	}{
		"dropped":       {dropped, droppedAsync, 3},
		"pairs":         {pairs, pairsAsync, 6},
		"limited":       {limited, limitedAsync, 3},
		"patient":       {patient, patientAsync, 3},
		"request":       {ofOne(request), func(ctx context.Context, _ int) *job.Job[int] { return requestAsync(ctx) }, calls},
		"requestOfJobs": {ofOne(requestOfJobs), func(ctx context.Context, _ int) *job.Job[int] { return requestOfJobsAsync(ctx) }, calls},
	} {
		plain, err := forms.plain(ctx, 3)
		require.NoError(t, err, name)
		machine, err := forms.machine(ctx, 3).Wait(ctx)
		require.NoError(t, err, name)
		assert.Equal(t, []int{forms.want, forms.want}, []int{plain, machine}, name)
	}
	var plain, machine atomic.Int64
	for name, forms := range map[string]struct {
		plain   func(done *atomic.Int64) error
		machine func(done *atomic.Int64) *job.Job[job.Void]
		want    int64
	}{
		"brood": {
			func(done *atomic.Int64) error { return brood(ctx, 5, done) },
			func(done *atomic.Int64) *job.Job[job.Void] { return broodAsync(ctx, 5, done) }, 5,
		},
		"startedBrood": {
			func(done *atomic.Int64) error { return startedBrood(ctx, 5, done) },
			func(done *atomic.Int64) *job.Job[job.Void] { return startedBroodAsync(ctx, 5, done) }, 5,
		},
		"sleepyJobs": {
			func(done *atomic.Int64) error { return sleepyJobs(ctx, 5, time.Microsecond, done) },
			func(done *atomic.Int64) *job.Job[job.Void] { return sleepyJobsAsync(ctx, 5, time.Microsecond, done) }, 5,
		},
		"retried": {
			func(done *atomic.Int64) error { return retried(ctx, time.Microsecond, done) },
			func(done *atomic.Int64) *job.Job[job.Void] { return retriedAsync(ctx, time.Microsecond, done) }, 1,
		},
	} {
		plain.Store(0)
		machine.Store(0)
		require.NoError(t, forms.plain(&plain), name)
		_, err := forms.machine(&machine).Wait(ctx)
		require.NoError(t, err, name)
		assert.Equal(t, []int64{forms.want, forms.want}, []int64{plain.Load(), machine.Load()}, name)
	}
	for _, deliver := range []func(*deliveries) error{
		func(d *deliveries) error { return deliverInScope(ctx, d) },
		func(d *deliveries) error { _, err := deliverInScopeAsync(ctx, d).Wait(ctx); return err },
	} {
		d := &deliveries{n: 5, pause: time.Microsecond, allWait: make(chan struct{})}
		require.NoError(t, deliver(d))
		<-d.allWait
		assert.EqualValues(t, 5, d.done.Load())
	}
}

func ofOne(f func(context.Context) (int, error)) func(context.Context, int) (int, error) {
	return func(ctx context.Context, _ int) (int, error) { return f(ctx) }
}

func TestComputeTakesTheLoopsThatWereCalibrated(t *testing.T) {
	loops := calibrate(computing)
	assert.Positive(t, loops)
	assert.Less(t, loops, math.MaxInt32)
	compute(loops)
	assert.NotZero(t, computed.Load())
}

func TestPercentilesOfFewValuesAreAmongThem(t *testing.T) {
	values := []time.Duration{1, 2, 3, 4}
	for part, want := range map[float64]time.Duration{0: 1, 0.25: 2, 0.5: 3, 0.99: 4, 1: 4} {
		assert.Equal(t, want, percentile(values, part))
	}
	assert.EqualValues(t, 7, percentile([]time.Duration{7}, 0.999))
}

func TestPausesAreThoseThatWereNotThereBefore(t *testing.T) {
	histogram := func(counts ...uint64) *metrics.Float64Histogram {
		return &metrics.Float64Histogram{Counts: counts, Buckets: []float64{0, 1, 2, 3, math.Inf(1)}}
	}
	before := histogram(5, 5, 5, 5)
	assert.Zero(t, since(before, before).quantile(1))
	few := since(before, histogram(14, 6, 5, 5))
	assert.InDelta(t, 1, few.quantile(0.5), 0)
	assert.InDelta(t, 1, few.quantile(0.9), 0)
	assert.InDelta(t, 2, few.quantile(1), 0)
	assert.InDelta(t, 3, since(before, histogram(5, 5, 5, 6)).quantile(0.5), 0)
}

// The measured machines must be what the generator writes now: this module is not generated
// together with the library.
func TestTheMachinesAreFresh(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "tool", "movenext", "check", ".").CombinedOutput()
	assert.NoError(t, err, "go generate ./... makes them anew\n%s", out)
}
