package jobtest_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/jobtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(hangs) != "" {
		os.Exit(jobtest.DumpOnHang(m).Run())
	}
	goleak.VerifyTestMain(m)
}

// witness is a test that notes how it has failed instead of failing.
type witness struct {
	testing.TB
	failures []string
	logs     []string
}

func (w *witness) Helper() {}

func (w *witness) Errorf(format string, args ...any) {
	w.failures = append(w.failures, fmt.Sprintf(format, args...))
}

func (w *witness) Logf(format string, args ...any) {
	w.logs = append(w.logs, fmt.Sprintf(format, args...))
}

func (w *witness) Failed() bool { return len(w.failures) > 0 }

// explored returns what Explore says of a program.
func explored(t *testing.T, program func(context.Context) error, opts ...jobtest.Option) *witness {
	t.Helper()
	w := &witness{TB: t}
	jobtest.Explore(w, program, opts...)
	return w
}

// planted is a program with a bug. least is how many choices other than the
// oldest turn a schedule that shows it needs.
type planted struct {
	name    string
	program func(context.Context) error
	failure string
	least   int
	opts    []jobtest.Option
}

func plantedBugs() []planted {
	return []planted{
		{"lost update", awaited(lostUpdateAsync), "an error: sold 2 of 1", 0, nil},
		{"update in two sections", awaited(twoSectionsAsync), "an error: counted 1 of 2", 0, nil},
		{"lock cycle", awaited(lockCycleAsync), "a deadlock", 0, nil},
		{"lost wake-up", awaited(lostWakeUpAsync), "a deadlock", 2, nil},
		{"double completion", awaited(doubleCompletionAsync), "an error: completed twice", 0, nil},
		{"leak on cancel", awaited(leakOnCancelAsync), "a leak", 1, []jobtest.Option{jobtest.CancelEverywhere}},
		{"overtaking by 20", awaited(overtakingAsync), "an error: overtaken by 20", 19, nil},
		{"oversell", awaited(oversellAsync), "an error: oversold", 1, []jobtest.Option{jobtest.TimeRaces}},
		{"ABA", awaited(abaAsync), "an error: a node that was taken", 2, nil},
	}
}

// Each bug is found within 200 schedules under any seed, and shrunk to the least
// choices.
func TestPlantedBugsAreFound(t *testing.T) {
	for _, p := range plantedBugs() {
		t.Run(p.name, func(t *testing.T) {
			for seed := range uint64(4) {
				w := explored(t, p.program, append(p.opts, jobtest.Seed(seed), jobtest.Schedules(200))...)
				require.Len(t, w.failures, 1, "%v", w.logs)
				assert.Contains(t, w.failures[0], p.failure)
				assert.Regexp(t, fmt.Sprintf(`\n%d choices?[,;].* replay: -jobtest\.replay=`, p.least), w.failures[0])
			}
		})
	}
}

// A deadlock names the lock, its holder, and the lines.
func TestALockCycleIsNamed(t *testing.T) {
	w := explored(t, awaited(lockCycleAsync))
	require.Len(t, w.failures, 1)
	for _, want := range []string{
		"there, since 0s, in jobtest_test.both (planted_test.go:", "for coord.Mutex, held by back",
		"back, since 0s, in jobtest_test.both (planted_test.go:", "for coord.Mutex, held by there",
		"if err := from.Lock(ctx); err != nil {", "has waited for coord.Mutex",
	} {
		assert.Contains(t, w.failures[0], want)
	}
	assert.NotRegexp(t, `\t#\d+, since`, w.failures[0], "machines have the names of their functions")
}

func TestProgramsWithoutABugDoNotFail(t *testing.T) {
	for name, program := range map[string]func(context.Context) error{
		"lost update":    awaited(noLostUpdateAsync),
		"livelock":       awaited(noLivelockAsync),
		"leak on cancel": awaited(noLeakOnCancelAsync),
		"oversell":       awaited(noOversellAsync),
	} {
		for mode, opts := range map[string][]jobtest.Option{
			"":         nil,
			"time":     {jobtest.TimeRaces},
			"canceled": {jobtest.CancelEverywhere},
		} {
			t.Run(strings.TrimSpace(name+" "+mode), func(t *testing.T) {
				w := explored(t, program, append(opts, jobtest.Schedules(200))...)
				assert.Empty(t, w.failures)
				t.Log(w.logs)
			})
		}
	}
}
