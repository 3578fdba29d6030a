package simulation_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/simulation"
)

// do is a Work with a name.
type do struct {
	name string
	run  func(on schedulers.Worker)
}

func (d do) Run(on schedulers.Worker) { d.run(on) }

func (do) Abandon(error) {}

func (d do) String() string { return d.name }

func submit(t *testing.T, s schedulers.Scheduler, name string, run func(on schedulers.Worker)) {
	t.Helper()
	require.NoError(t, s.Submit(do{name, run}, schedulers.Hint{}))
}

func pump(on schedulers.Worker, until <-chan struct{}) error {
	return schedulers.Wait(context.Background(), on, nil, until)
}

// program starts work items that write letters, start others, sleep and wait, and
// returns the order in which everything happened.
func program(t *testing.T, s *simulation.Scheduler) string {
	t.Helper()
	var log strings.Builder
	ctx := s.Context(context.Background())
	gate := make(chan struct{})
	for i := range 4 {
		name := string(rune('a' + i))
		job.Go(ctx, func(ctx context.Context) error {
			log.WriteString(name)
			job.Go(context.WithoutCancel(ctx), func(context.Context) error {
				log.WriteString(strings.ToUpper(name))
				return nil
			})
			if err := pump(schedulers.WorkerFrom(ctx), gate); err != nil {
				return err
			}
			fmt.Fprintf(&log, "%s@%v ", name, s.Now())
			return nil
		})
	}
	later := job.SleepAsync(ctx, time.Second)
	job.ContinueWith(ctx, later, func(context.Context, *job.Job[job.Void]) (int, error) {
		log.WriteByte('!')
		close(gate)
		return 0, nil
	})
	require.NoError(t, s.Run())
	return log.String()
}

func TestOneSeedOneSchedule(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(50) {
		first, second := simulation.New(seed), simulation.New(seed)
		order := program(t, first)
		require.Equal(t, order, program(t, second), "seed %d", seed)
		require.Equal(t, first.Trace(), second.Trace())
		orders[order] = true

		again := simulation.Replay(first.Trace())
		require.Equal(t, order, program(t, again), "replay of seed %d", seed)
		require.Equal(t, first.Trace(), again.Trace())
	}
	assert.Greater(t, len(orders), 40, "seeds differ")
}

// Every order of three independent work items occurs.
func TestAllOrdersAreReached(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(100) {
		s := simulation.New(seed)
		var order strings.Builder
		for _, name := range []string{"a", "b", "c"} {
			submit(t, s, name, func(schedulers.Worker) { order.WriteString(name) })
		}
		require.NoError(t, s.Run())
		orders[order.String()] = true
	}
	assert.Len(t, orders, 6)
}

// transfer reads, waits for something else, and writes what it has computed from what
// it read: wrong if another transfer comes in between.
func transfer(ctx context.Context, balance *int) func(context.Context) error {
	return func(inner context.Context) error {
		read := *balance
		err := pump(schedulers.WorkerFrom(inner), job.Go(ctx, func(context.Context) error { return nil }).Done())
		*balance = read + 1
		return err
	}
}

// A lost update, which needs one of the two rare orders. A few seeds find it, and each
// of them finds it again, by its seed and by its trace.
func TestABugIsFoundBySomeSeedAndThenAlways(t *testing.T) {
	run := func(s *simulation.Scheduler) int {
		balance := 0
		ctx := schedulers.With(context.Background(), s)
		job.Go(ctx, transfer(ctx, &balance))
		job.Go(ctx, transfer(ctx, &balance))
		require.NoError(t, s.Run())
		return balance
	}
	found := map[int]simulation.Trace{}
	for seed := range uint64(100) {
		s := simulation.New(seed)
		balance := run(s)
		found[balance] = s.Trace()
		require.Equal(t, balance, run(simulation.New(seed)))
	}
	require.Contains(t, found, 1, "an update was lost")
	require.Contains(t, found, 2, "no update was lost")
	for balance, trace := range found {
		parsed, err := simulation.ParseTrace(trace.String())
		require.NoError(t, err)
		for range 10 {
			assert.Equal(t, balance, run(simulation.Replay(parsed)))
		}
	}
}

func TestAReplayOfAnotherProgramIsNoticed(t *testing.T) {
	three := func(s *simulation.Scheduler, n int) error {
		for range n {
			submit(t, s, "work", func(schedulers.Worker) {})
		}
		return s.Run()
	}
	s := simulation.New(1)
	require.NoError(t, three(s, 3))
	trace := s.Trace()
	require.NoError(t, three(simulation.Replay(trace), 3))
	require.ErrorIs(t, three(simulation.Replay(trace), 2), simulation.ErrDiverged, "it offers less")
	err := three(simulation.Replay(trace), 4)
	require.ErrorIs(t, err, simulation.ErrDiverged)
	assert.Contains(t, err.Error(), "choice 1 was one of 3, and is one of 4 now")

	shorter := simulation.Replay(nil)
	require.NoError(t, three(shorter, 3))
	assert.Equal(t, simulation.Trace{{Of: 3}, {Of: 2}}, shorter.Trace(), "beyond the end, the oldest comes first")
}

func TestTracesAreText(t *testing.T) {
	trace := simulation.Trace{{Of: 3, Chosen: 2}, {Of: 2}}
	assert.Equal(t, "2/3 0/2", trace.String())
	parsed, err := simulation.ParseTrace(" 2/3\n0/2 ")
	require.NoError(t, err)
	assert.Equal(t, trace, parsed)
	for _, bad := range []string{"x", "1", "2/2", "-1/3", "0/1", "0/0", "1/2/3"} {
		_, err := simulation.ParseTrace(bad)
		assert.ErrorContains(t, err, bad)
	}
}

func TestAYearPassesInNoTime(t *testing.T) {
	s := simulation.New(1)
	ctx := s.Context(context.Background())
	var order []time.Duration
	for _, days := range []int{365, 30, 365, 1} {
		slept := job.SleepAsync(ctx, time.Duration(days)*24*time.Hour)
		job.ContinueWith(ctx, slept, func(context.Context, *job.Job[job.Void]) (int, error) {
			order = append(order, s.Now()/(24*time.Hour))
			return 0, nil
		})
	}
	require.NoError(t, s.Run())
	assert.Equal(t, []time.Duration{1, 30, 365, 365}, order)
	assert.Equal(t, 365*24*time.Hour, s.Now())
}

func TestTheClockStandsStillWhileAnythingCanRun(t *testing.T) {
	s := simulation.New(1)
	job.SleepAsync(s.Context(context.Background()), time.Second)
	left := 100
	var again func(schedulers.Worker)
	again = func(schedulers.Worker) {
		assert.Zero(t, s.Now())
		if left--; left > 0 {
			submit(t, s, "again", again)
		}
	}
	submit(t, s, "again", again)
	require.NoError(t, s.Run())
	assert.Equal(t, time.Second, s.Now())
}

func TestTheObserverSeesEachStep(t *testing.T) {
	var events []string
	s := simulation.New(1, simulation.Observe(func(e simulation.Event) { events = append(events, e.String()) }), nil)
	done := make(chan struct{})
	ctx := schedulers.With(context.Background(), s)
	submit(t, s, "waiter", func(on schedulers.Worker) { assert.NoError(t, pump(on, done)) })
	require.True(t, s.Step())
	job.ContinueWith(ctx, job.SleepAsync(ctx, time.Second), func(context.Context, *job.Job[job.Void]) (int, error) {
		close(done)
		return 0, nil
	}, job.Named("closer"))
	require.NoError(t, s.Run())
	assert.Equal(t, []string{"0s begin waiter", "1s expire *job.sleep", "1s begin closer", "1s resume waiter"}, events)
	assert.Equal(t, "Kind(7)", simulation.Kind(7).String())
	assert.False(t, s.Step())
}

func TestSnapshotListsWhatIsQueuedInItsOrder(t *testing.T) {
	s := simulation.New(1)
	for _, name := range []string{"a", "b", "c"} {
		submit(t, s, name, func(schedulers.Worker) {})
	}
	var names []string
	for _, w := range s.Snapshot() {
		names = append(names, w.(do).name)
	}
	assert.Equal(t, []string{"a", "b", "c"}, names)
	assert.True(t, slices.IsSorted(names))
	require.NoError(t, s.Shutdown(context.Background()))
	assert.Equal(t, schedulers.Metrics{Submitted: 3, Completed: 3}, s.Metrics())
}

// FuzzReplay replays any text that is a trace: it is followed, or it is not that of the program.
// What was done instead is a trace, and repeats itself.
func FuzzReplay(f *testing.F) {
	f.Add("2/3 0/2 1/5")
	f.Add("2/3,0/2")
	f.Add("1/9223372036854775807 -1/3 00/2")
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := simulation.ParseTrace(text)
		if err != nil {
			return
		}
		again, err := simulation.ParseTrace(trace.String())
		require.NoError(t, err)
		require.Equal(t, trace, again)
		follow(t, trace)
	})
}

// follow replays a trace with a program that chooses among turns, and by Pick.
func follow(t *testing.T, trace simulation.Trace) {
	t.Helper()
	run := func(trace simulation.Trace) (order string, s *simulation.Scheduler, err error) {
		s = simulation.Replay(trace)
		for _, name := range []string{"a", "b", "c"} {
			submit(t, s, name, func(schedulers.Worker) { order += name + strconv.Itoa(s.Pick(5)) })
		}
		err = s.Run()
		return order, s, err
	}
	order, s, err := run(trace)
	if err != nil {
		require.ErrorIs(t, err, simulation.ErrDiverged)
	}
	made := s.Trace()
	for _, c := range made {
		require.Less(t, c.Chosen, c.Of)
		require.GreaterOrEqual(t, c.Chosen, 0)
	}
	repeated, _, err := run(made)
	require.NoError(t, err)
	require.Equal(t, order, repeated)
}

// A trace need not come from ParseTrace.
func TestAChoiceOfATraceThatIsNoneIsNoticed(t *testing.T) {
	for _, c := range []simulation.Choice{{Of: 3, Chosen: -1}, {Of: 3, Chosen: 3}, {Of: -3, Chosen: -3}, {}} {
		follow(t, simulation.Trace{c})
		s := simulation.Replay(simulation.Trace{c})
		for range 3 {
			submit(t, s, "work", func(schedulers.Worker) {})
		}
		require.ErrorIs(t, s.Run(), simulation.ErrDiverged, "%v", c)
	}
}
