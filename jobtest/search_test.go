package jobtest_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

// orders returns a program of jobs that end in any order; told is called with that order.
func orders(jobs int, told func(order string) error) func(context.Context) error {
	return func(ctx context.Context) error {
		order := ""
		var all []*job.Job[job.Void]
		for i := range jobs {
			all = append(all, job.Go(ctx, func(context.Context) error { order += string(rune('a' + i)); return nil }))
		}
		for _, j := range all {
			if _, err := j.Wait(ctx); err != nil {
				return err
			}
		}
		return told(order)
	}
}

// Each strategy alone finds the only order of 24 that is wrong.
func TestEachStrategyFindsARareOrder(t *testing.T) {
	for name, opt := range map[string]jobtest.Option{
		"random": jobtest.Random, "POS": jobtest.POS, "PCT": jobtest.PCT(2), "PCT of all depths": jobtest.PCT(0),
		"exhaustive": jobtest.Exhaustive(0),
	} {
		w := explored(t, orders(4, func(order string) error {
			if order == "dbca" {
				return errors.New("wrong order")
			}
			return nil
		}), opt)
		require.Len(t, w.failures, 1, name)
		assert.Contains(t, w.failures[0], "wrong order")
	}
}

// A seed determines the sequence of schedules, whatever the strategies.
func TestSeedsRepeat(t *testing.T) {
	run := func(seed uint64) (all []string) {
		w := explored(t, orders(4, func(order string) error { all = append(all, order); return nil }),
			jobtest.Seed(seed), jobtest.Schedules(40), jobtest.Random, jobtest.POS, jobtest.PCT(3))
		assert.Empty(t, w.failures)
		assert.Equal(t, []string{"40 schedules without a failure"}, w.logs)
		return all
	}
	assert.Equal(t, run(1), run(1))
	assert.NotEqual(t, run(1), run(2))
}

// n jobs have n! orders, each of which is one schedule: the waiting function adds no choices.
func TestExhaustiveTriesEachScheduleOnce(t *testing.T) {
	seen := map[string]int{}
	w := explored(t, func(ctx context.Context) error {
		order := new(strings.Builder)
		var all []*job.Job[job.Void]
		for i := range 4 {
			all = append(all, job.Go(ctx, func(context.Context) error { order.WriteByte(byte('a' + i)); return nil }))
		}
		_, err := job.WhenAll(all...).Wait(ctx)
		seen[order.String()]++
		return err
	}, jobtest.Exhaustive(0))
	assert.Empty(t, w.failures)
	assert.Equal(t, []string{"complete: the program has 24 schedules, and none fails"}, w.logs)
	assert.Len(t, seen, 24)
}

func TestCompleteIsSaidOnlyWhenItIsTrue(t *testing.T) {
	fine := orders(4, func(string) error { return nil })
	bounded := explored(t, fine, jobtest.Exhaustive(1))
	require.Len(t, bounded.logs, 1)
	assert.Regexp(t, "^not complete, but every schedule with at most 1 choice other than the oldest turn: \\d+ schedules", bounded.logs[0])

	few := explored(t, fine, jobtest.Exhaustive(0), jobtest.Schedules(5))
	assert.Equal(t, []string{"not complete: 5 schedules without a failure"}, few.logs)

	calls := 0
	changing := explored(t, func(ctx context.Context) error {
		calls++
		return orders(2+calls%2, func(string) error { return nil })(ctx)
	}, jobtest.Exhaustive(0), jobtest.Schedules(50))
	assert.Empty(t, changing.failures)
	assert.Contains(t, changing.logs[0], "not complete")
}

var replayed = regexp.MustCompile(`-jobtest\.replay=(\S+)`)

// A schedule that fails is shrunk to the one deviation that it needs, and the
// flag repeats it.
func TestAFailureIsShrunkAndReplayed(t *testing.T) {
	program := orders(8, func(order string) error {
		if strings.Index(order, "h") < strings.Index(order, "a") {
			return fmt.Errorf("h before a: %s", order)
		}
		return nil
	})
	w := explored(t, program, jobtest.Random)
	require.Len(t, w.failures, 1)
	assert.Regexp(t, `1 choice, shrunk from \d+; replay: `, w.failures[0])
	line := replayed.FindStringSubmatch(w.failures[0])
	require.NotNil(t, line)

	setReplay(t, line[1])
	for range 2 {
		again := explored(t, program)
		require.Len(t, again.failures, 1)
		assert.Contains(t, again.failures[0], "replay: an error: h before a")
		assert.Contains(t, ran(t, program).failures[0], "h before a")
	}
	other := explored(t, orders(3, func(string) error { return nil }))
	require.Len(t, other.failures, 1)
	assert.Contains(t, other.failures[0], "the program does not follow the trace")

	setReplay(t, "0/8")
	assert.Contains(t, explored(t, program).logs[0], "the schedule does not fail")
	setReplay(t, "8/8")
	assert.Contains(t, explored(t, program).failures[0], `"8/8" is not a choice`)
}

// The flag may hold anything: it is reported, or what the program does instead is.
func TestAReplayThatIsNoneIsReported(t *testing.T) {
	program := orders(3, func(string) error { return nil })
	for schedule, says := range map[string]string{
		"nonsense": "is not a choice", "1": "is not a choice", "1/0": "is not a choice", "0/3,-1/3": "is not a choice",
		"1/99999999999999999999": "is not a choice", fmt.Sprint("1/", math.MaxInt): "the program does not follow the trace",
		"1/3,\x1b[2J": `"\x1b[2J" is not a choice`, strings.Repeat("1/3,", 100_000) + "1/3": "the program does not follow the trace",
	} {
		setReplay(t, schedule)
		for _, w := range []*witness{explored(t, program), ran(t, program)} {
			require.Len(t, w.failures, 1)
			assert.Contains(t, w.failures[0], says)
		}
	}
}

func setReplay(t *testing.T, schedule string) {
	t.Helper()
	require.NoError(t, flag.Set("jobtest.replay", schedule))
	t.Cleanup(func() { require.NoError(t, flag.Set("jobtest.replay", "")) })
}

func TestAnInvariantIsCheckedAfterEachStep(t *testing.T) {
	var s *shop
	w := explored(t, func(ctx context.Context) error {
		s = &shop{stock: 2}
		err := awaited(func(ctx context.Context) *job.Job[job.Void] { return refill(ctx, s) })(ctx)
		s.stock = 0
		return err
	}, jobtest.Invariant(func() error {
		if s.stock < 0 {
			return fmt.Errorf("the stock is %d", s.stock)
		}
		return nil
	}))
	require.Len(t, w.failures, 1)
	assert.Contains(t, w.failures[0], "a broken invariant: the stock is -1")
}

// refill breaks the invariant for one step.
func refill(ctx context.Context, s *shop) *job.Job[job.Void] {
	return job.Go(ctx, func(context.Context) error {
		s.stock = -1
		job.Yield()
		s.stock = 5
		return nil
	})
}

func TestAProgramThatDependsOnMoreThanTheScheduleIsNamed(t *testing.T) {
	calls := 0
	w := explored(t, func(context.Context) error {
		if calls++; calls == 3 {
			return errors.New("now and then")
		}
		return nil
	}, jobtest.Random)
	require.Len(t, w.failures, 1)
	assert.Contains(t, w.failures[0], "now and then")
	assert.Contains(t, w.failures[0], "the program depends on more than its schedule")
	assert.Contains(t, w.failures[0], "a failure that does not repeat: an error")
}

// A failure is one of the program if it repeats, and Run looks for that as Explore does.
func TestAFailureIsRepeated(t *testing.T) {
	for fails, repeats := range map[int]bool{1: false, 2: true, 4: true, 5: false} {
		for name, test := range map[string]func(t *testing.T, f func(context.Context) error, opts ...jobtest.Option) *witness{
			"Run": ran, "Explore": explored,
		} {
			calls := 0
			w := test(t, func(context.Context) error {
				if calls++; calls == 1 || calls == fails {
					return errors.New("now and then")
				}
				return nil
			}, jobtest.Random)
			require.Len(t, w.failures, 1)
			assert.Equal(t, !repeats, strings.Contains(w.failures[0], "does not repeat"), "%s, which fails the first and time %d", name, fails)
			assert.Equal(t, !repeats, strings.Contains(w.failures[0], "came late"))
		}
	}
}

func TestATestThatFailsByItselfEndsTheSearch(t *testing.T) {
	w := &witness{TB: t}
	calls := 0
	jobtest.Explore(w, func(context.Context) error {
		if calls++; calls == 3 {
			w.Errorf("by itself")
		}
		return nil
	}, jobtest.Random)
	assert.Equal(t, 3, calls)
	assert.Equal(t, []string{"by itself"}, w.failures)
	assert.Contains(t, w.logs[0], "the schedule that has failed is -jobtest.replay=")
}
