package runner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/internal/stats"
	"github.com/movenext/movenext/lab/bench/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// trials answers with the prepared samples of a contender, in turn, and records the
// contenders that were asked for.
type trials struct {
	asked   []string
	foreign []float64 // by trial
	fails   map[string]int
}

func (s *trials) try(_ context.Context, r childproc.Request) (childproc.Result, error) {
	i := len(s.asked)
	s.asked = append(s.asked, r.Contender)
	if s.fails[r.Contender] > 0 {
		s.fails[r.Contender]--
		if s.fails[r.Contender] == 0 {
			return childproc.Result{}, errors.New("wrong result")
		}
	}
	result := childproc.Result{Sample: measure.Sample{Time: float64(i)}, Foreign: -1}
	if i < len(s.foreign) {
		result.Foreign = s.foreign[i]
	}
	return result, nil
}

var work = &suite.Work{ID: "W0", Op: "op"}

func TestTheOrderTurnsFromRoundToRound(t *testing.T) {
	var s trials
	out, err := Runner{Try: s.try, Rounds: 3}.Run(t.Context(), work, []string{"a", "b"}, measure.Plan{})
	require.NoError(t, err)
	assert.Equal(t, "a b b a a b", strings.Join(s.asked, " "))
	assert.Len(t, out.Rounds, 3)
	assert.Empty(t, out.Failed)
}

func TestAContenderThatFailsOnceHasNoResultAndNoFurtherTrial(t *testing.T) {
	s := trials{fails: map[string]int{"b": 2}}
	var log strings.Builder
	out, err := Runner{Try: s.try, Rounds: 3, Log: &log}.Run(t.Context(), work, []string{"a", "b"}, measure.Plan{})
	require.NoError(t, err)
	assert.Equal(t, "a b b a a", strings.Join(s.asked, " "))
	assert.Equal(t, map[string]string{"b": "wrong result"}, out.Failed)
	for _, round := range out.Rounds {
		assert.NotContains(t, round, "b")
		assert.Contains(t, round, "a")
	}
	assert.Contains(t, log.String(), "W0 round 2: b FAILED: wrong result\n")
	assert.Contains(t, log.String(), "W0 round 1: a 0 ns/op\n")
}

func TestTheRequestSaysWhatIsMeasured(t *testing.T) {
	var got childproc.Request
	f := Runner{Try: func(_ context.Context, r childproc.Request) (childproc.Result, error) {
		got = r
		return childproc.Result{}, nil
	}}
	_, err := f.Run(t.Context(), work, []string{"a"}, measure.Plan{N: 5, Reps: 2})
	require.NoError(t, err)
	assert.Equal(t, childproc.Request{Work: "W0", Contender: "a", Plan: measure.Plan{N: 5, Reps: 2}}, got)
}

func TestADisturbedRoundIsRunAgain(t *testing.T) {
	const calm, busy = 0.1, 0.9
	s := trials{foreign: []float64{calm, busy, calm, calm, calm, calm}}
	out, err := Runner{Try: s.try, Rounds: 2, Repeat: true}.Run(t.Context(), work, []string{"a", "b"}, measure.Plan{})
	require.NoError(t, err)
	assert.Len(t, s.asked, 6, "one round more")
	require.Len(t, out.Rounds, 2)
	for _, round := range out.Rounds {
		assert.LessOrEqual(t, disturbance(round), stats.Quiet)
	}
}

func TestAMachineThatIsNeverQuietIsNotWaitedFor(t *testing.T) {
	s := trials{foreign: []float64{0.9, 0.5, 0.8, 0.7, 0.6, 0.4}}
	out, err := Runner{Try: s.try, Rounds: 2, Repeat: true}.Run(t.Context(), work, []string{"a"}, measure.Plan{})
	require.NoError(t, err)
	assert.Len(t, s.asked, 4)
	require.Len(t, out.Rounds, 2)
	assert.InDelta(t, 0.5, disturbance(out.Rounds[0]), 1e-9, "the least disturbed ones, in their order")
	assert.InDelta(t, 0.7, disturbance(out.Rounds[1]), 1e-9)
}

func TestAnUnknownLoadRepeatsNoRound(t *testing.T) {
	var s trials
	_, err := Runner{Try: s.try, Rounds: 2, Repeat: true}.Run(t.Context(), work, []string{"a"}, measure.Plan{})
	require.NoError(t, err)
	assert.Len(t, s.asked, 2)
}

func TestRoundsEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	f := Runner{Rounds: 5, Try: func(context.Context, childproc.Request) (childproc.Result, error) {
		cancel(interrupted)
		return childproc.Result{}, errors.New("killed")
	}}
	out, err := f.Run(ctx, work, []string{"a", "b"}, measure.Plan{})
	assert.ErrorIs(t, err, interrupted)
	assert.Empty(t, out.Failed, "an interrupted contender has not failed")
}
