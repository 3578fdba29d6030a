package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/internal/childproc"
	"github.com/movenext/movenext/lab/bench/internal/measure"
	"github.com/movenext/movenext/lab/bench/internal/usage"
	"github.com/movenext/movenext/lab/bench/suite"
)

// One of the libraries starts goroutines when it is linked.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// machine answers trials with prepared figures, and simulates a machine whose speed drifts.
type machine struct {
	asked   []string
	slowing float64 // factor by which a trial takes longer than the previous one
}

// version returns a version whose contenders have these figures on a machine of speed 1.
func (m *machine) version(name string, figures map[string]measure.Sample) version {
	return version{name, func(_ context.Context, r childproc.Request) (childproc.Result, error) {
		m.asked = append(m.asked, name+" "+r.Contender)
		s, ok := figures[r.Contender]
		if !ok {
			return childproc.Result{}, errors.New("wrong result")
		}
		s.Time *= 1 + m.slowing*float64(len(m.asked))
		return childproc.Result{Sample: s}, nil
	}}
}

var work = &suite.Work{
	ID: "W0", Op: "op", N: 1000, Bases: []string{"base"},
	Guarded: []suite.Measure{suite.Bytes, suite.Allocs, suite.Memory},
	Contenders: []suite.Contender{
		{Name: "base"}, {Name: "movenext"}, {Name: "movenext: new"}, {Name: "someone"},
	},
}

func listing() []childproc.Listing {
	return []childproc.Listing{{ID: "W0", Contenders: []string{"base", "movenext", "movenext: gone"}}}
}

// comparedVersions runs a comparison of two versions, and returns it with its conclusion.
func comparedVersions(t *testing.T, m *machine, older, newer map[string]measure.Sample, args ...string) (*comparison, string, error) {
	t.Helper()
	cfg, err := parse(append([]string{"-against", "nothing"}, args...), io.Discard)
	require.NoError(t, err)
	c := &comparison{config: cfg, older: m.version("old", older), newer: m.version("new", newer), log: io.Discard}
	require.NoError(t, c.compare(t.Context(), work, listing()))
	var out bytes.Buffer
	err = c.conclude(&out)
	return c, out.String(), err
}

func figures(base, own float64) map[string]measure.Sample {
	sample := func(ns float64) measure.Sample { return measure.Sample{Ops: 100, Time: ns} }
	return map[string]measure.Sample{"base": sample(base), "movenext": sample(own)}
}

func TestARatioThatIsMoreThanAFifthWorseFails(t *testing.T) {
	for _, c := range []struct {
		name      string
		base, own float64 // of the new version; the old one has 100 and 50
		worse     bool
		slowing   float64
		args      []string
	}{
		{name: "the same", base: 100, own: 50},
		{name: "better", base: 100, own: 10},
		{name: "a little worse", base: 100, own: 59.9},
		{name: "worse", base: 100, own: 60.1, worse: true},
		{name: "the machine was twice as slow", base: 200, own: 100},
		{name: "only what is compared to was slow", base: 300, own: 100},
		{name: "the machine hid it", base: 50, own: 50, worse: true},
		{name: "the machine slows down all the time", base: 100, own: 50, slowing: 0.05},
		{name: "the machine slows down and it is worse", base: 100, own: 65, slowing: 0.05, worse: true},
		{name: "more is tolerated", base: 100, own: 65, args: []string{"-tolerance", "0.4"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, out, err := comparedVersions(t, &machine{slowing: c.slowing}, figures(100, 50), figures(c.base, c.own), c.args...)
			if c.worse {
				assert.ErrorIs(t, err, errWorse)
				assert.Contains(t, out, "**worse**")
			} else {
				assert.NoError(t, err)
				assert.NotContains(t, out, "**worse**")
			}
			assert.Contains(t, out, "medians of 10 pairs")
		})
	}
}

func TestAllocationsAreGuardedToo(t *testing.T) {
	with := func(change func(*measure.Sample)) map[string]measure.Sample {
		all := figures(100, 50)
		s := all["movenext"]
		s.PeakMemory = 10 << 20
		change(&s)
		all["movenext"] = s
		return all
	}
	nothing := func(*measure.Sample) {}
	for _, c := range []struct {
		name     string
		old, new func(*measure.Sample)
		worse    suite.Measure
	}{
		{name: "nothing", old: nothing, new: nothing},
		{name: "the first bytes", old: nothing, new: func(s *measure.Sample) { s.Bytes = 8 }, worse: suite.Bytes},
		{name: "noise of bytes", old: nothing, new: func(s *measure.Sample) { s.Bytes = 1 }},
		{name: "the first object", old: nothing, new: func(s *measure.Sample) { s.Allocs = 1 }, worse: suite.Allocs},
		{name: "noise of objects", old: nothing, new: func(s *measure.Sample) { s.Allocs = 0.05 }},
		{name: "one object more", old: func(s *measure.Sample) { s.Allocs = 1 }, new: func(s *measure.Sample) { s.Allocs = 2 }, worse: suite.Allocs},
		{name: "a fifth more bytes", old: func(s *measure.Sample) { s.Bytes = 96 }, new: func(s *measure.Sample) { s.Bytes = 128 }, worse: suite.Bytes},
		{name: "memory", old: nothing, new: func(s *measure.Sample) { s.PeakMemory = 20 << 20 }, worse: suite.Memory},
		{name: "noise of memory", old: nothing, new: func(s *measure.Sample) { s.PeakMemory = 12 << 20 }},
		{name: "memory is not known", old: nothing, new: func(s *measure.Sample) { s.PeakMemory = usage.Unknown }},
	} {
		t.Run(c.name, func(t *testing.T) {
			comparison, _, err := comparedVersions(t, &machine{}, with(c.old), with(c.new), "-pairs", "3")
			assert.Equal(t, c.worse != "", errors.Is(err, errWorse))
			for _, ch := range comparison.changes {
				assert.Equal(t, ch.measure == c.worse, ch.worse, ch.measure)
			}
		})
	}
}

func TestTheOrderOfAPairAlternates(t *testing.T) {
	var m machine
	_, _, err := comparedVersions(t, &m, figures(1, 1), figures(1, 1), "-pairs", "2")
	require.NoError(t, err)
	assert.Equal(t, []string{
		"old base", "old movenext", "new base", "new movenext",
		"new base", "new movenext", "old base", "old movenext",
	}, m.asked)
}

func TestAFigureThatOneVersionLacksIsNoted(t *testing.T) {
	c, out, err := comparedVersions(t, &machine{}, figures(1, 1), figures(1, 1))
	require.NoError(t, err)
	assert.Equal(t, []string{`W0: the other version does not have "movenext: new"`}, c.notes)
	assert.Contains(t, out, "- W0: the other version does not have")
}

func TestAContenderThatFailsInThisVersionAloneFailsTheComparison(t *testing.T) {
	broken := map[string]measure.Sample{"base": {Ops: 1, Time: 1}}
	_, out, err := comparedVersions(t, &machine{}, figures(1, 1), broken)
	assert.ErrorIs(t, err, errWorse)
	assert.Contains(t, out, "- W0: movenext **fails** in this version alone: wrong result")

	_, out, err = comparedVersions(t, &machine{}, broken, figures(1, 1))
	assert.ErrorContains(t, err, "nothing was compared")
	assert.Contains(t, out, "- W0: movenext fails in the other version alone: wrong result")

	_, out, err = comparedVersions(t, &machine{}, broken, broken)
	assert.ErrorContains(t, err, "nothing was compared")
	assert.Contains(t, out, "- W0: movenext fails in both versions: wrong result")
}

func TestAComparisonOfNothingIsNoSuccess(t *testing.T) {
	cfg, err := parse([]string{"-against", "nothing"}, io.Discard)
	require.NoError(t, err)
	c := &comparison{config: cfg, log: io.Discard}
	require.NoError(t, c.compare(t.Context(), work, nil))
	var out bytes.Buffer
	assert.ErrorContains(t, c.conclude(&out), "nothing was compared")
	assert.Contains(t, out.String(), "- W0: the other version does not have this work")
}

func TestAVersionWithoutTheBaseCannotBeCompared(t *testing.T) {
	cfg, err := parse([]string{"-against", "nothing"}, io.Discard)
	require.NoError(t, err)
	c := &comparison{config: cfg, log: io.Discard}
	err = c.compare(t.Context(), work, []childproc.Listing{{ID: "W0", Contenders: []string{"movenext"}}})
	assert.ErrorContains(t, err, `does not have "base"`)
}

func TestAComparisonEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	v := version{"old", func(context.Context, childproc.Request) (childproc.Result, error) {
		cancel()
		return childproc.Result{}, errors.New("killed")
	}}
	_, _, err := runPairs(ctx, v, v, "W0", []string{"base"}, measure.Plan{}, 3, io.Discard)
	assert.ErrorIs(t, err, context.Canceled)
}
