package works

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/benchmarks/contest"
	"github.com/movenext/movenext/benchmarks/internal/measure"
)

// One of the libraries starts goroutines when it is linked: those are there before the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// small is a size at which each contender takes milliseconds: a few of everything.
const small = 200

func TestEachContenderDoesItsWorkInEachSetting(t *testing.T) {
	settings := map[string]contest.Setting{
		"alone":   {Nap: 10 * time.Millisecond},
		"crowded": {Nap: 10 * time.Millisecond, Workers: 5, Producers: 3},
	}
	for _, w := range All() {
		for i := range w.Contenders {
			for name, s := range settings {
				t.Run(w.ID+"/"+w.Contenders[i].Name+"/"+name, func(t *testing.T) {
					got, err := measure.Run(w, &w.Contenders[i], measure.Plan{N: small, Reps: 1, Setting: s})
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
				_, err := measure.Run(w, &w.Contenders[i], measure.Plan{Setting: contest.Setting{Nap: time.Millisecond}})
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
	assert.EqualError(t, err, `works: there is no work "W0"`)
}

// The machines and their plain forms are the same functions: what is measured of one is
// the cost of the other's result.
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

func TestComputeTakesTheLoopsThatWereCalibrated(t *testing.T) {
	loops := calibrate(computing)
	assert.Positive(t, loops)
	assert.Less(t, loops, math.MaxInt32)
	compute(loops)
	assert.NotZero(t, computed.Load())
}
