package measure

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/internal/usage"
	"github.com/movenext/movenext/lab/bench/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counted is a contender that counts how it is used.
type counted struct {
	started, stopped int
	args             []int
	run              suite.Run
}

func (c *counted) contender() *suite.Contender {
	return &suite.Contender{Name: "counted", Start: func(suite.Setting) (suite.Run, func()) {
		c.started++
		return func(m *suite.Meter, arg int) error {
			c.args = append(c.args, arg)
			if c.run == nil {
				return nil
			}
			return c.run(m, arg)
		}, func() { c.stopped++ }
	}}
}

func TestAContenderIsWarmedUpRepeatedAndStopped(t *testing.T) {
	var c counted
	w := &suite.Work{Size: func(n int) (int, int) { return n / 10, n }}
	s, err := Run(w, c.contender(), Plan{N: 50, Reps: 3})
	require.NoError(t, err)
	assert.Equal(t, []int{5, 5, 5, 5}, c.args)
	assert.Equal(t, 1, c.started)
	assert.Equal(t, 1, c.stopped)
	assert.Equal(t, 50, s.Ops)
}

func TestAWorkThatWaitsIsRunOnce(t *testing.T) {
	var c counted
	_, err := Run(&suite.Work{Once: true}, c.contender(), Plan{N: 7, Reps: 3, AtLeast: time.Hour})
	require.NoError(t, err)
	assert.Equal(t, []int{7}, c.args)
}

func TestAShortRunIsRepeatedWithinAMeasurement(t *testing.T) {
	var c counted
	_, err := Run(&suite.Work{}, c.contender(), Plan{N: 1, Reps: 1, AtLeast: 20 * time.Millisecond})
	require.NoError(t, err)
	assert.Greater(t, len(c.args), 3, "one to warm up, and more than a few that are measured")
}

func TestAWrongResultIsAnErrorWheneverItComes(t *testing.T) {
	for wrong := range 3 {
		c := counted{run: nil}
		runs := 0
		c.run = func(*suite.Meter, int) error {
			runs++
			if runs == wrong+1 {
				return suite.Check(1, 2)
			}
			return nil
		}
		_, err := Run(&suite.Work{ID: "W0"}, c.contender(), Plan{N: 1, Reps: 2})
		assert.EqualError(t, err, "measure: W0, counted: suite: the result is 1, where 2 is right")
		assert.Equal(t, 1, c.stopped)
	}
}

// kept is never released: the peak of a process does not grow if new memory replaces
// returned memory.
var kept [][]byte

func TestAllocationsAreSharedAmongTheOperations(t *testing.T) {
	const size, n = 1 << 16, 100
	c := counted{run: func(_ *suite.Meter, n int) error {
		for range n {
			kept = append(kept, bytes.Repeat([]byte{1}, size)) // untouched memory is not resident
		}
		return nil
	}}
	s, err := Run(&suite.Work{}, c.contender(), Plan{N: n, Reps: 2})
	require.NoError(t, err)
	assert.InDelta(t, size, s.Bytes, size/4)
	assert.InDelta(t, 1, s.Allocs, 0.5)
	if s.PeakMemory != usage.Unknown {
		assert.Greater(t, s.Memory(), float64(size)/4)
	}
}

func TestExcludedTimeIsNotMeasured(t *testing.T) {
	c := counted{run: func(m *suite.Meter, _ int) error {
		m.Exclude(time.Hour)
		m.Report("sheep", 3)
		return nil
	}}
	s, err := Run(&suite.Work{Once: true}, c.contender(), Plan{N: 1})
	require.NoError(t, err)
	assert.Less(t, s.Time, float64(-59*time.Minute))
	assert.Equal(t, map[string]float64{"sheep": 3}, s.Values)
}
