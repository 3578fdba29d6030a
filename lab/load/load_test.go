package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheCountsOfEachSchedulerBalance(t *testing.T) {
	const jobs, producers = 10_000, 16
	var completed, faulted, canceled int64
	for _, v := range candidates() {
		t.Run(v.name, func(t *testing.T) {
			r := load(v, jobs, producers, 7, timeout)
			require.NoError(t, r.err)
			assert.Equal(t, int64(jobs), r.submitted.Load())
			assert.GreaterOrEqual(t, r.refused.Load(), int64(producers), "each has a job that comes too late")
			completed += r.completed.Load()
			faulted += r.faulted.Load()
			canceled += r.canceled.Load()
		})
	}
	assert.Positive(t, completed)
	assert.Positive(t, faulted)
	assert.Positive(t, canceled)
}

// miscounting is a pool that forgets one refusal.
type miscounting struct{ *pool.Pool }

func (m miscounting) Metrics() schedulers.Metrics {
	truth := m.Pool.Metrics()
	truth.Refused--
	return truth
}

func TestADifferenceOfOneIsFound(t *testing.T) {
	var out strings.Builder
	wrong := candidate{name: "wrong", make: func() target { return miscounting{pool.New()} }}
	right := candidate{name: "right", make: func() target { return pool.New() }}
	assert.False(t, report(&out, []candidate{wrong, right}, 2_000, 4, 1))
	assert.Contains(t, out.String(), "wrong: the scheduler has accepted")
	assert.NotContains(t, out.String(), "right: ")
	assert.True(t, report(&out, []candidate{right}, 2_000, 4, 1))
}

func TestEveryWayToBeOutOfBalanceHasWords(t *testing.T) {
	var a account
	a.calls.Store(1)
	require.ErrorContains(t, a.balance(nil), "functions were called 1 times, and 0 times when their jobs ended")
	a.calls.Store(0)
	a.submitted.Store(10)
	a.completed.Store(7)
	a.faulted.Store(2)
	require.ErrorContains(t, a.balance(nil), "10 jobs were submitted, and 9 ended")
	a.canceled.Store(1)
	require.NoError(t, a.balance(nil))
	for want, m := range map[string]schedulers.Metrics{
		"1 work items are queued": {Submitted: 10, Completed: 9, Queued: 1},
		"and 1 run":               {Submitted: 10, Completed: 9, Running: 1},
		"completed 9, and":        {Submitted: 10, Completed: 9},
		"and refused 1":           {Submitted: 10, Completed: 10, Refused: 1},
	} {
		require.ErrorContains(t, a.balance(&m), want)
	}
	require.NoError(t, a.balance(&schedulers.Metrics{Submitted: 9, Completed: 5, Abandoned: 4, Refused: 1}))
}

func TestNamesChooseSchedulers(t *testing.T) {
	all, err := choose("")
	require.NoError(t, err)
	for _, v := range all {
		assert.False(t, v.onRequest)
	}
	two, err := choose("simulation,pool")
	require.NoError(t, err)
	assert.Equal(t, "simulation", two[0].name)
	assert.Equal(t, "pool", two[1].name)
	_, err = choose("pool,none")
	require.ErrorContains(t, err, `no scheduler is named "none"`)
}

// On a busy machine a job's context may end between the start of its nested job and the beginning
// of the nested job's function.
func TestANestedJobMayBeCanceledWithTheJobThatStartedIt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for roll, want := range map[int]string{1609: "", 1600: "was never canceled"} {
		st := &storm{jobs: 10}
		_, err := st.runNested(ctx, &fate{roll: roll})
		require.ErrorIs(t, err, context.Canceled)
		for _, e := range st.unawaited.jobs {
			st.settle(e)
		}
		require.EqualValues(t, 1, st.canceled.Load())
		if err := st.mismatches.err(); want == "" {
			require.NoError(t, err, "of roll %d", roll)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// A soak loads every scheduler under disturbances, reports how many there were, and restores
// everything.
func TestASoakBalances(t *testing.T) {
	procs := runtime.GOMAXPROCS(0)
	chosen, err := choose("pool,workstealing,eventloop,dedicated,pool-blocking")
	require.NoError(t, err)
	s := &soak{chosen: chosen, dice: rand.New(rand.NewPCG(1, 0)), maxJobs: 5000}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var out strings.Builder
	require.True(t, s.run(ctx, &out), out.String())
	assert.Positive(t, s.rounds)
	assert.Equal(t, procs, runtime.GOMAXPROCS(0))
	for _, v := range chosen {
		a := s.total[v.name]
		assert.EqualValues(t, s.rounds, a.loads)
		assert.Equal(t, a.submitted, a.completed+a.faulted+a.canceled+a.refused)
		assert.Contains(t, out.String(), v.name)
	}
	assert.Contains(t, out.String(), "changes: GOMAXPROCS")
}

// A load that is shut down before a broken job begins is correct, so the soak may need several
// rounds.
func TestASoakEndsAtALoadThatFails(t *testing.T) {
	broken := candidate{name: "broken", make: func() target { return pool.New() }, launch: wrong()[0].launch}
	s := &soak{chosen: []candidate{broken}, dice: rand.New(rand.NewPCG(1, 0)), maxJobs: 1000}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out strings.Builder
	assert.False(t, s.run(ctx, &out))
	assert.Contains(t, out.String(), fmt.Sprintf("round %d: ", s.rounds))
	assert.Contains(t, out.String(), "seed")
	assert.EqualValues(t, s.rounds, s.total["broken"].loads)
}

func TestAnInterruptedSoakPrintsItsAccount(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &soak{dice: rand.New(rand.NewPCG(1, 0)), maxJobs: 10}
	var out strings.Builder
	assert.True(t, s.run(ctx, &out))
	assert.Contains(t, out.String(), "0 rounds")
}
