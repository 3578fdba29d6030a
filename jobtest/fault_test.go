package jobtest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
	"github.com/movenext/movenext/schedulers"
)

var errFull = errors.New("the store is full")

// ledger transfers an amount, and forgets to put it back if the second save fails.
type ledger struct{ from, to int }

func save(ctx context.Context, place *int, v int) error {
	if jobtest.Fault(ctx, "store is full") {
		return errFull
	}
	*place = v
	return nil
}

func (l *ledger) transfer(ctx context.Context, n int) error {
	if err := save(ctx, &l.from, l.from-n); err != nil {
		return err
	}
	return save(ctx, &l.to, l.to+n)
}

// transfers returns a program that transfers three times, and then checks the sum.
func transfers(ctx context.Context) error {
	l := &ledger{from: 100}
	for range 3 {
		_ = l.transfer(ctx, 10)
	}
	if l.from+l.to != 100 {
		return errors.New("money is lost")
	}
	return nil
}

func TestAFaultIsFoundAndShrunk(t *testing.T) {
	for name, opts := range map[string][]jobtest.Option{
		"all":   {jobtest.Faults()},
		"named": {jobtest.Faults("another", "store is full")},
		"PCT":   {jobtest.Faults(), jobtest.PCT(2)},
	} {
		w := explored(t, transfers, opts...)
		require.Len(t, w.failures, 1, name)
		assert.Contains(t, w.failures[0], "an error: money is lost", name)
		assert.Regexp(t, `\n1 choice[,;]`, w.failures[0], name)
		assert.Contains(t, w.failures[0], "    fault: store is full", name)
	}
}

// A fault that no option names does not happen, nor one outside of a search.
func TestNoFaultUnlessItIsAskedFor(t *testing.T) {
	assert.Empty(t, explored(t, transfers).failures)
	assert.Empty(t, explored(t, transfers, jobtest.Faults("another")).failures)
	assert.False(t, jobtest.Fault(context.Background(), "store is full"))
}

// hopeful starts a job, and does not look at its error.
func hopeful(ctx context.Context) error {
	ran := false
	_, err := job.Go(ctx, func(context.Context) error { ran = true; return nil }).Wait(ctx)
	if err != nil && !errors.Is(err, schedulers.ErrRejected) {
		return err
	}
	if !ran {
		return errors.New("the job has not run")
	}
	return nil
}

func TestASchedulerRefusesAJob(t *testing.T) {
	w := explored(t, hopeful, jobtest.Faults(jobtest.Refusal))
	require.Len(t, w.failures, 1)
	assert.Contains(t, w.failures[0], "an error: the job has not run")
	assert.Contains(t, w.failures[0], "    fault: refusal")
	assert.Empty(t, explored(t, hopeful, jobtest.Faults("store is full")).failures)
}

// A machine that has started continues, whatever the scheduler refuses.
func TestAMachineThatContinuesIsNotRefused(t *testing.T) {
	w := explored(t, twoSections, jobtest.Faults(jobtest.Refusal))
	require.Len(t, w.failures, 1)
	assert.Contains(t, w.failures[0], "counted 1 of 2")
}

// Run suspends a machine at every await only if it is asked to.
func TestRunSuspendsEverywhereIfAskedTo(t *testing.T) {
	assert.Empty(t, ran(t, twoSections, jobtest.Choices(nil)).failures)
	w := ran(t, twoSections, jobtest.Choices(nil), jobtest.SuspendEverywhere)
	require.Len(t, w.failures, 1)
	assert.Contains(t, w.failures[0], "counted 1 of 2")
	assert.Empty(t, ran(t, twoSections, jobtest.Choices(nil)).failures, "the budget is the usual one again")
}
