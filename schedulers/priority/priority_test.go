package priority_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/manual"
	"github.com/movenext/movenext/schedulers/pool"
	"github.com/movenext/movenext/schedulers/priority"
	"github.com/movenext/movenext/schedulers/schedulertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	for name, workers := range map[string]int{"over one": 1, "over four": 4} {
		t.Run(name, func(t *testing.T) {
			schedulertest.Run(t, func(testing.TB) schedulertest.Scheduler {
				return priority.New(pool.New(pool.Workers(workers, workers)), 3)
			})
		})
	}
}

// do is a function as Work. It records the reason for which it was abandoned.
type do struct {
	run       func()
	abandoned error
}

func (d *do) Run(schedulers.Worker) { d.run() }

func (d *do) Abandon(reason error) { d.abandoned = reason }

func submit(t *testing.T, s schedulers.Scheduler, run func()) *do {
	t.Helper()
	d := &do{run: run}
	require.NoError(t, s.Submit(d, schedulers.Hint{}))
	return d
}

// log records the order in which work items run, a letter for each.
type log struct{ strings.Builder }

func (l *log) submit(t *testing.T, s schedulers.Scheduler, letters string) {
	t.Helper()
	for _, letter := range letters {
		submit(t, s, func() { l.WriteRune(letter) })
	}
}

func TestUrgentWorkComesFirstAndEqualWorkInItsOrder(t *testing.T) {
	beneath := manual.New()
	s := priority.New(beneath, 3, priority.Age(100))
	var order log
	order.submit(t, s.Group(2), "xyz")
	order.submit(t, s, "mn") // the middle level
	order.submit(t, s.Group(0), "ab")
	assert.Len(t, s.Snapshot(), 7)
	assert.Equal(t, 7, beneath.RunAll(), "one submission beneath for each work")
	assert.Equal(t, "abmnxyz", order.String())
}

// The urgent work arrives last, when a long queue of tickets waits beneath. The first of
// them runs it, even if the scheduler beneath runs the newest first.
func TestUrgentWorkDoesNotWaitForTheTicketsBeforeIt(t *testing.T) {
	for _, newest := range []bool{false, true} {
		beneath := manual.New()
		s := priority.New(beneath, 2)
		var order log
		order.submit(t, s.Group(1), "bcdef")
		order.submit(t, s.Group(0), "A")
		for beneath.Len() > 0 {
			if newest {
				beneath.StepAt(beneath.Len() - 1)
			} else {
				beneath.Step()
			}
		}
		assert.Equal(t, "Abcdef", order.String())
	}
}

// The cases are the table of the package comment.
func TestAgeing(t *testing.T) {
	beneath := manual.New()
	s := priority.New(beneath, 3, priority.Age(3))
	var order log
	order.submit(t, s.Group(2), "1")
	order.submit(t, s.Group(0), "2345678")
	beneath.RunAll()
	assert.Equal(t, "23456178", order.String())
}

// More urgent work arrives than can ever run, in an endless stream, with one item of the
// lowest level: fewer than level × age of the later items overtake that item.
func TestNothingStarves(t *testing.T) {
	const levels, age = 4, 10
	for level := range levels {
		beneath := manual.New()
		s := priority.New(beneath, levels, priority.Age(age))
		urgent := s.Group(0)
		before := 5
		for range before {
			submit(t, urgent, func() {})
		}
		ran := false
		submit(t, s.Group(level), func() { ran = true })
		overtaken := -before // earlier items do not count
		for !ran {
			submit(t, urgent, func() {})
			submit(t, urgent, func() {})
			require.True(t, beneath.Step())
			if !ran {
				overtaken++
			}
			require.Less(t, overtaken, max(1, level*age), "level %d", level)
		}
	}
}

// The bound holds for each item, with random levels, arrivals and runs.
func TestTheBoundHoldsForAll(t *testing.T) {
	const levels, age = 5, 7
	random := rand.New(rand.NewPCG(3, 4))
	beneath := manual.New()
	s := priority.New(beneath, levels, priority.Age(age))
	var groups []*priority.Group
	for l := range levels {
		groups = append(groups, s.Group(l))
	}
	type arrival struct{ level, overtaken int }
	waiting := map[int]*arrival{} // by arrival number
	arrivals := 0
	for range 5000 {
		if random.IntN(2) == 0 {
			number, level := arrivals, random.IntN(levels)
			arrivals++
			waiting[number] = &arrival{level: level}
			submit(t, groups[level], func() {
				delete(waiting, number)
				for other, a := range waiting {
					if other < number {
						a.overtaken++
						require.Less(t, a.overtaken, a.level*age)
					}
				}
			})
		} else {
			beneath.Step()
		}
	}
	beneath.RunAll()
	assert.Empty(t, waiting)
}

func TestMovingAGroupMovesWhatItHasQueued(t *testing.T) {
	beneath := manual.New()
	s := priority.New(beneath, 3, priority.Age(100))
	rush, low := s.Group(2), s.Group(2)
	var order log
	order.submit(t, low, "ab")
	order.submit(t, rush, "XY")
	order.submit(t, s, "mn")
	assert.Equal(t, 2, rush.Move(0))
	assert.Equal(t, 0, rush.Level())
	beneath.Step()
	order.submit(t, rush, "Z")
	assert.Equal(t, 2, low.Move(-7), "the nearest level is 0")
	assert.Equal(t, 2, rush.Move(100), "the nearest level is 2")
	beneath.RunAll()
	assert.Equal(t, "X"+"ab"+"mn"+"YZ", order.String())
	assert.Zero(t, rush.Move(0), "work that has run is not moved")
}

// A moved item keeps its arrival number: its position is the one that it would have if it had
// been urgent from the beginning.
func TestAMovedItemKeepsItsAge(t *testing.T) {
	beneath := manual.New()
	s := priority.New(beneath, 2, priority.Age(100))
	old := s.Group(1)
	var order log
	order.submit(t, old, "o")
	order.submit(t, s.Group(0), "u")
	old.Move(0)
	beneath.RunAll()
	assert.Equal(t, "ou", order.String())
}

func TestAJobIsMovedByItsGroup(t *testing.T) {
	beneath := manual.New()
	s := priority.New(beneath, 2)
	var order log
	note := func(letter string) func(context.Context) error {
		return func(context.Context) error { order.WriteString(letter); return nil }
	}
	job.Go(context.Background(), note("a"), job.On(s.Group(1)))
	late := s.Group(1)
	job.Go(context.Background(), note("b"), job.On(late))
	late.Move(0)
	beneath.RunAll()
	assert.Equal(t, "ba", order.String())
}

func TestAShutdownThatGivesUpAbandonsInTheOrderOfPriority(t *testing.T) {
	beneath := manual.New()
	s := priority.New(beneath, 2)
	low := submit(t, s.Group(1), nil)
	high := submit(t, s.Group(0), nil)
	assert.Equal(t, []schedulers.Work{high, low}, s.Snapshot())
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	require.Equal(t, cause, s.Shutdown(ctx))
	assert.Equal(t, schedulers.ErrShutdown, low.abandoned)
	assert.Equal(t, schedulers.ErrShutdown, high.abandoned)
	require.ErrorIs(t, s.Group(0).Submit(&do{}, schedulers.Hint{}), schedulers.ErrShutdown)
	assert.Equal(t, 2, beneath.RunAll(), "the tickets find nothing to run")
}

// full is a scheduler beneath that refuses all while it is closed.
type full struct {
	*manual.Scheduler
	closed bool
}

func (f *full) Submit(w schedulers.Work, hint schedulers.Hint) error {
	if f.closed {
		return schedulers.ErrRejected
	}
	return f.Scheduler.Submit(w, hint)
}

func TestRefusedWorkAgesNoOtherWork(t *testing.T) {
	beneath := &full{Scheduler: manual.New()}
	s := priority.New(beneath, 3)
	var order log
	order.submit(t, s.Group(2), "z")
	beneath.closed = true
	for range 100 {
		require.ErrorIs(t, s.Group(1).Submit(&do{}, schedulers.Hint{}), schedulers.ErrRejected)
	}
	beneath.closed = false
	order.submit(t, s.Group(0), "a")
	beneath.RunAll()
	assert.Equal(t, "az", order.String())
}

// The ticket of work that was given up is refused, which costs no other work its ticket.
func TestATicketOfWorkThatWasGivenUpIsNotReplaced(t *testing.T) {
	beneath := &late{}
	s := priority.New(beneath, 1)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	beneath.answer = func() { assert.ErrorIs(t, s.Shutdown(ended), context.Canceled) }
	w := submit(t, s, nil)
	require.ErrorIs(t, w.abandoned, schedulers.ErrShutdown)
	assert.Equal(t, 1, beneath.submissions)
}

// late is a scheduler beneath that refuses work after it has called a function.
type late struct {
	answer      func()
	submissions int
}

func (l *late) Submit(schedulers.Work, schedulers.Hint) error {
	l.submissions++
	l.answer()
	return schedulers.ErrRejected
}

func TestAsManyLevelsAsThereAreNumbers(t *testing.T) {
	beneath := manual.New()
	s := priority.New(beneath, math.MaxInt, priority.Age(math.MaxInt))
	var order log
	order.submit(t, s.Group(math.MaxInt), "z")
	order.submit(t, s.Group(1<<30), "m")
	order.submit(t, s.Group(0), "a")
	beneath.RunAll()
	assert.Equal(t, "amz", order.String())
}

func TestBadInput(t *testing.T) {
	s := priority.New(nil, -1, priority.Age(-1), nil)
	assert.Equal(t, 1, s.Levels())
	assert.Zero(t, s.Group(5).Level())
	require.ErrorIs(t, s.Submit(&do{}, schedulers.Hint{}), schedulers.ErrRejected)
	require.ErrorIs(t, s.Submit(nil, schedulers.Hint{}), schedulers.ErrRejected)
	assert.Equal(t, uint64(2), s.Metrics().Refused)
}

func TestOverAnyScheduler(t *testing.T) {
	schedulertest.RunOver(t, func(_ testing.TB, s schedulers.Scheduler) schedulertest.Scheduler { return priority.New(s, 3) })
}
