package scaling

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var round = Costs{Local: 1, Move: 10}

func repeat(n int, operation ...Step) [][]Step { return slices.Repeat([][]Step{operation}, n) }

func TestCoresThatShareNothingDoNotDisturbEachOther(t *testing.T) {
	for _, n := range []int{1, 7, 64} {
		for _, done := range Run(round, 10_000, repeat(n, Compute(10))) {
			assert.InDelta(t, 1000, done, 7)
		}
	}
}

func TestALineThatOneCoreUsesStaysThere(t *testing.T) {
	assert.InDelta(t, 1000, Run(round, 10_000, repeat(1, Section(new(Line), 9)))[0], 1)
}

func TestALineServesOneCoreAtATimeAndMoves(t *testing.T) {
	for _, n := range []int{2, 8} {
		total := 0
		for _, done := range Run(round, 100_000, repeat(n, Section(new(Line), 10))) {
			assert.NotZero(t, done, "a line is fair")
			total += done
		}
		assert.InDelta(t, 5000, total, 10, "each use takes 10 ns, and 10 for the line to move")
	}
}

func TestWhatAnotherCoreHasWrittenIsFetched(t *testing.T) {
	assert.InDelta(t, 1000, Run(round, 20_000, repeat(1, Fetch(), Compute(10)))[0], 1)
}

func TestATakerWaitsForWhatIsPut(t *testing.T) {
	q := new(Queue)
	done := Run(round, 10_000, [][]Step{{Compute(100), Put(q)}, {Take(q)}, {Take(q)}})
	assert.InDelta(t, 100, done[0], 1)
	assert.InDelta(t, done[0], done[1]+done[2], 1)
	assert.InDelta(t, done[1], done[2], 1, "the one that has waited longest is the next")
}

func TestAModelOnOneCoreIsTheSumOfItsParts(t *testing.T) {
	for _, w := range Works() {
		l := w.On(Measured, 1)
		require.Len(t, l.Operations, 1, w.Name)
		want := 0.0
		for _, s := range l.Operations[0] {
			want += s.compute
			if s.line != nil {
				want += Measured.Local
			}
		}
		assert.InEpsilon(t, 1000/want, w.Predict(Measured, 1).PerMicrosecond, 0.01, w.Name)
	}
}

func TestMoreCoresDoNotPassABottleneck(t *testing.T) {
	for _, w := range Works() {
		t.Run(w.Name, func(t *testing.T) {
			before := Prediction{}
			for n := 2; n <= 64; n *= 2 {
				now := w.Predict(Measured, n)
				switch {
				case before.Bottleneck != "" && before.Bottleneck != Producers:
					assert.LessOrEqual(t, now.PerMicrosecond, 1.5*before.PerMicrosecond, "%d cores", n)
				case before.Bottleneck == "" && n > 4:
					assert.Greater(t, now.PerMicrosecond, 1.2*before.PerMicrosecond, "%d cores", n)
				}
				before = now
			}
		})
	}
}

func TestTheLimitOfSubmittersIsTheInboxOrTheOnlyProducer(t *testing.T) {
	limits := map[string]string{}
	for _, w := range Works() {
		limits[w.Name] = w.Predict(Measured, 64).Bottleneck
	}
	assert.Equal(t, map[string]string{
		"empty jobs from outside, one producer":                     Producers,
		"empty jobs from outside, half of the cores produce":        inboxLock,
		"jobs of 1 µs from outside, a quarter of the cores produce": inboxLock,
		"jobs of 10 µs from outside, one producer":                  "",
		"a job starts empty jobs, the others steal them":            Producers,
		"a job starts jobs of 1 µs, the others steal them":          Producers,
		"empty jobs that jobs start and await (W3, wait)":           "",
		"messages of pairs of machines (W8)":                        "",
	}, limits)
}

func TestALocksPriceBoundsWhatItGuards(t *testing.T) {
	slow := Costs{Local: 5, Move: 500}
	for _, w := range Works() {
		if p := w.Predict(slow, 64); p.Bottleneck == inboxLock {
			assert.LessOrEqual(t, p.PerMicrosecond, 1000/(slow.Move+queueing)*1.01, w.Name)
		}
	}
}

func TestCostsAreMeasured(t *testing.T) {
	c := Measure(100)
	assert.Positive(t, c.Local)
	assert.Positive(t, c.Move)
}

func ExampleRun() {
	// Two cores compute for 90 ns each, and use a line that moves between them in 10.
	line := new(Line)
	operation := []Step{Compute(90), Section(line, 0)}
	done := Run(Costs{Local: 1, Move: 10}, 1000, [][]Step{operation, operation})
	fmt.Println(done)
	// Output: [10 9]
}
