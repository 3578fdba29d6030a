package jobtest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

func TestMain(m *testing.M) {
	if os.Getenv(hangs) != "" {
		os.Exit(jobtest.DumpOnHang(m).Run())
	}
	goleak.VerifyTestMain(m)
}

// witness is a test that records its failures instead of failing.
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

// explored returns Explore's report on a program.
func explored(t *testing.T, program func(context.Context) error, opts ...jobtest.Option) *witness {
	t.Helper()
	w := &witness{TB: t}
	jobtest.Explore(w, program, opts...)
	return w
}

// planted is a program with a bug. least is the smallest number of deviations from the oldest
// turn in a schedule that shows the bug.
type planted struct {
	name    string
	program func(context.Context) error
	failure string
	least   int
	opts    []jobtest.Option
}

func plantedBugs() []planted {
	cancelled := []jobtest.Option{jobtest.CancelEverywhere}
	return []planted{
		{"lost update", lostUpdate, "an error: sold 2 of 1", 0, nil},
		{"update in two sections", twoSections, "an error: counted 1 of 2", 0, nil},
		{"lock cycle", awaited(lockCycleAsync), "a deadlock", 0, nil},
		{"lost wake-up", lostWakeUp, "a deadlock", 2, nil},
		{"double completion", doubleCompletion, "an error: completed twice", 0, nil},
		{"leak on cancel", leakOnCancel, "a leak", 1, cancelled},
		{"overtaking by 20", overtaking, "an error: overtaken by 20", 19, nil},
		{"oversell", oversell, "an error: oversold", 1, nil},
		{"ABA", aba, "an error: a node that was taken", 2, nil},

		{"channel closed twice", closedTwice, "close of closed channel", 0, nil},
		{"once that runs twice", onceTwice, "an error: ran", 0, nil},
		{"use after free", usedAfterFree, "an error: used after it was freed", 1, nil},
		{"slot written twice", overwritten, "an error: 2 of 4 values", 0, nil},
		{"Peterson's lock, turn first", petersonTurnFirst, "an error: two are inside", 3, nil},
		{"queue not drained", notDrained, "an error: the sum is", 2, nil},
		{"published early", publishedEarly, "an error: read before", 0, nil},
		{"starvation", starvation, "an error: a normal request", 0, nil},
		{"timeout against result", refundedAndDelivered, "an error: refunded and", 1, nil},
		{"lease that expires", leaseExpires, "an error: written without", 2, nil},
		{"retry", chargedTwice, "an error: charged", 1, []jobtest.Option{jobtest.Faults("the answer is lost")}},
		{"cancel that loses a value", cancelLosesAValue, "an error: 2 of 3", 1, cancelled},
		{"missed broadcast", missedBroadcast, "a deadlock", 1, nil},
		{"signal for the wrong waiter", signalForTheWrong, "a deadlock", 1, nil},
		{"cycle of three locks", cycleOfThree, "a deadlock", 0, nil},
		{"permit given back twice", releasedTwice, "a panic", 0, nil},
		{"half a write", halfAWrite, "an error: half a write", 0, nil},
		{"read lock taken again", readAgain, "a deadlock", 0, nil},
		{"counted late", addedLate, "an error: waited for", 2, nil},
		{"barrier that one leaves", leftTheBarrier, "a deadlock", 1, nil},
		{"signal that is lost", lostSignal, "a deadlock", 2, nil},
		{"channels in a circle", crossed, "a deadlock", 0, nil},
		{"slower answer", firstAnswer, "a leak", 0, nil},
		{"semaphores crosswise", crossedPermits, "a deadlock", 0, nil},
		{"initialised twice", initOnce(false), "an error: made 2 times", 0, nil},
		{"two mailmen", twoMailmen, "an error: overtaken", 2, nil},
		{"try that meets a lock", triesOnce, "an error: counted 1 of 2", 1, nil},
		{"cancel that keeps a lock", cancelKeepsTheLock, "an error: the lock is held", 1, cancelled},
		{"pause that is too short", polls(1), "an error: it has no end", 3, nil},
		{"poll that gives up", polls(3), "an error: it has no end", 9, nil},
	}
}

var foundBy = regexp.MustCompile(`schedule (\d+) \(([^)]+)\)`)

// Each bug is found within 200 schedules under any seed, and shrunk to the fewest deviations. The
// log shows how many schedules the worst of the seeds needed.
func TestPlantedBugsAreFound(t *testing.T) {
	for _, p := range plantedBugs() {
		t.Run(p.name, func(t *testing.T) {
			began, most := time.Now(), 0
			for seed := range uint64(4) {
				w := explored(t, p.program, append(p.opts, jobtest.Seed(seed), jobtest.Schedules(200))...)
				require.Len(t, w.failures, 1, "%v", w.logs)
				assert.Contains(t, w.failures[0], p.failure)
				assert.Regexp(t, fmt.Sprintf(`\n%d choices?[,;].* replay: -jobtest\.replay=`, p.least), w.failures[0])
				number := foundBy.FindStringSubmatch(w.failures[0])
				require.NotNil(t, number)
				n, err := strconv.Atoi(number[1])
				require.NoError(t, err)
				most = max(most, n+1)
			}
			t.Logf("%s: at most %d schedules, shrunk to %d choices; 4 searches in %v", p.name, most, p.least, time.Since(began).Round(time.Millisecond))
		})
	}
}

// The table's least numbers of deviations are minimal: a search that begins with the fewest finds
// no failure with fewer.
func TestNoScheduleHasFewerChoices(t *testing.T) {
	for _, p := range plantedBugs() {
		t.Run(p.name, func(t *testing.T) {
			w := explored(t, p.program, append(p.opts, jobtest.Exhaustive(p.least), jobtest.Schedules(1000))...)
			require.Len(t, w.failures, 1, "%v", w.logs)
			assert.Contains(t, w.failures[0], fmt.Sprintf("\n%d choice", p.least))
		})
	}
}

// A timeout around the whole program may come before any of its steps, and hides no bug of the
// later ones.
func TestATimeoutHidesNoBug(t *testing.T) {
	guarded := func(ctx context.Context) error {
		ctx, cancel := job.WithTimeout(ctx, time.Hour)
		defer cancel()
		err := petersonTurnFirst(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
		return err
	}
	for seed := range uint64(4) {
		w := explored(t, guarded, jobtest.Seed(seed), jobtest.Schedules(200))
		require.Len(t, w.failures, 1, "%v", w.logs)
		assert.Contains(t, w.failures[0], "an error: two are inside")
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
		"lost update":     noLostUpdate,
		"livelock":        noLivelock,
		"leak on cancel":  noLeakOnCancel,
		"oversell":        noOversell,
		"Peterson's lock": petersonRight,
		"three locks":     noCycleOfThree,
		"broadcast":       broadcastToAll,
		"barrier":         leavesTheBarrier,
		"letters":         cancelKeepsAllValues,
		"semaphores":      permitsInOrder,
		"initialised":     initOnce(true),
		"channel as lock": channelAsLock,
	} {
		for mode, opts := range map[string][]jobtest.Option{
			"":         nil,
			"no time":  {jobtest.StepTime(0)},
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

// If steps take no time, a pause is long enough for all that can run, and a timeout ends nothing
// of it. So some bugs are not found.
func TestStepsTakeTimeUnlessTheOptionSaysOtherwise(t *testing.T) {
	for name, program := range map[string]func(context.Context) error{
		"pause": polls(1), "poll": polls(3), "oversell": oversell, "timeout": refundedAndDelivered, "lease": leaseExpires,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, explored(t, program, jobtest.StepTime(0), jobtest.Schedules(200)).failures)
			assert.Empty(t, explored(t, program, jobtest.TimeRaces, jobtest.StepTime(-1), jobtest.Schedules(200)).failures)
			assert.Len(t, explored(t, program, jobtest.StepTime(0), jobtest.TimeRaces, jobtest.Schedules(200)).failures, 1)
		})
	}
	for seed := range uint64(50) {
		assert.Empty(t, ran(t, polls(1), jobtest.Seed(seed)).failures)
	}
}

var shrunkFrom = regexp.MustCompile(`, shrunk from \d+`)

// The moment at which time passes is a choice like others: it is found again under the same seed,
// and by the flag.
func TestASearchWithTimersRepeats(t *testing.T) {
	for name, program := range map[string]func(context.Context) error{
		"poll": polls(3), "oversell": oversell, "timeout": refundedAndDelivered, "lease": leaseExpires,
	} {
		t.Run(name, func(t *testing.T) {
			search := func() string {
				w := explored(t, program, jobtest.Seed(7))
				require.Len(t, w.failures, 1)
				lines := strings.Split(w.failures[0], "\n")
				return lines[0] + lines[1]
			}
			found := search()
			assert.Equal(t, found, search())
			setReplay(t, replayed.FindStringSubmatch(found)[1])
			_, failure, _ := strings.Cut(found, "): ")
			_, again, _ := strings.Cut(search(), "replay: ")
			assert.Equal(t, shrunkFrom.ReplaceAllString(failure, ""), again)
		})
	}
}
