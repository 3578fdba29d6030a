package options

import (
	"flag"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/lab/bench/suite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t *testing.T, args ...string) (*Options, error) {
	t.Helper()
	var o Options
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	o.Register(flags, "")
	require.NoError(t, flags.Parse(args))
	return &o, o.Check()
}

func works() []*suite.Work {
	return []*suite.Work{{ID: "W1"}, {ID: "W6a"}, {ID: "W6b"}, {ID: "W10"}, {ID: "H"}}
}

func TestAFamilyOfWorksIsNamedByItsNumber(t *testing.T) {
	for list, want := range map[string][]string{
		"":         {"W1", "W6a", "W6b", "W10", "H"},
		"W1":       {"W1"},
		"W6":       {"W6a", "W6b"},
		"H,W6b,W1": {"W1", "W6b", "H"},
	} {
		o, err := parse(t, "-works", list)
		require.NoError(t, err)
		selected, err := o.Select(works())
		require.NoError(t, err)
		var ids []string
		for _, w := range selected {
			ids = append(ids, w.ID)
		}
		assert.Equal(t, want, ids, list)
	}
	o, err := parse(t, "-works", "W1,W7")
	require.NoError(t, err)
	_, err = o.Select(works())
	assert.EqualError(t, err, `options: -works: there is no work "W7"`)
}

func TestContendersAreThoseAskedForAndThoseThatRatiosReferTo(t *testing.T) {
	w := &suite.Work{Bases: []string{"base"}, Contenders: []suite.Contender{
		{Name: "base"}, {Name: "ours"}, {Name: "theirs"}, {Name: "ours of a few", Most: 10},
	}}
	o, err := parse(t, "-contenders", "^ours")
	require.NoError(t, err)
	assert.Equal(t, []string{"base", "ours", "ours of a few"}, o.Choose(w, 10))
	assert.Equal(t, []string{"base", "ours"}, o.Choose(w, 11))
	o, err = parse(t)
	require.NoError(t, err)
	assert.Len(t, o.Choose(w, 1), 4)
}

func TestValuesThatMakeNoSenseAreRefused(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-reps", "-1"}, {"-scale", "0"}, {"-contenders", "("}} {
		_, err := parse(t, args...)
		assert.ErrorContains(t, err, args[0])
	}
}

func TestSleepersSleepLessInASmallerWork(t *testing.T) {
	for _, c := range []struct {
		args []string
		want time.Duration
	}{
		{nil, 8 * time.Second},
		{[]string{"-scale", "10"}, 800 * time.Millisecond},
		{[]string{"-scale", "1000000"}, 200 * time.Millisecond},
		{[]string{"-scale", "10", "-nap", "3s"}, 3 * time.Second},
	} {
		o, err := parse(t, c.args...)
		require.NoError(t, err)
		assert.Equal(t, c.want, o.Plan(1).Setting.Nap)
	}
}

func TestMeasuredFiguresArePrinted(t *testing.T) {
	o, err := parse(t, "-gogc", "400", "-rounds", "7", "-reps", "2", "-scale", "3", "-memory", "99", "-limit", "1m")
	require.NoError(t, err)
	c := o.Conditions(5)
	assert.Equal(t, []any{"400", 7, 2, 3, 5}, []any{c.GOGC, c.Rounds, c.Reps, c.Scale, c.Procs})
	b := o.Binary("x", 5)
	assert.Equal(t, []any{"x", 5, "400", int64(99), time.Minute}, []any{b.Path, b.Procs, b.GOGC, b.Memory, b.Limit})
	f := o.Runner(b, nil)
	assert.Equal(t, 7, f.Rounds)
	assert.True(t, f.Repeat)
	assert.Positive(t, o.Conditions(0).Procs)
}
