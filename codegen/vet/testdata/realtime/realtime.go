package realtime

import (
	"context"
	"testing"
	"time"

	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/jobtest"
)

//movenext:async
func patient(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Hour) // want `context.WithTimeout waits for real time; TestForms runs it in a simulation, whose clock is virtual; call job.WithTimeout \[realtime\]`
	defer cancel()
	return later(ctx)
}

//movenext:async
func later(ctx context.Context) error {
	ctx, cancel := context.WithDeadline(ctx, time.Now().Add(time.Hour)) // want `context.WithDeadline waits for real time; TestForms`
	defer cancel()
	return job.Sleep(ctx, time.Minute)
}

type shop struct{ closed func() }

//movenext:async
func (s *shop) buy(ctx context.Context) error {
	time.Sleep(time.Second) // want `time.Sleep blocks the worker; .* \[blocking\]`
	s.closed()
	return nil
}

func newShop() *shop {
	return &shop{closed: func() { time.AfterFunc(time.Second, func() {}) }} // want `time.AfterFunc waits for real time; TestMethod runs it in a simulation, whose clock is virtual; call job.Sleep in a job`
}

func TestForms(t *testing.T) { jobtest.BothForms(t, plainOnly, patientAsync) }

func TestMethod(t *testing.T) {
	jobtest.Explore(t, func(ctx context.Context) error {
		s := newShop()
		_, err := s.buyAsync(ctx).Wait(ctx)
		return err
	}, jobtest.TimeRaces)
}

func TestLiteral(t *testing.T) {
	jobtest.Run(t, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeoutCause(ctx, time.Hour, context.Canceled) // want `context.WithTimeoutCause waits for real time; TestLiteral`
		defer cancel()
		time.Sleep(time.Second) // want `time.Sleep waits for real time; TestLiteral runs it in a simulation, whose clock is virtual; call job.Sleep`
		return job.Go(ctx, func(ctx context.Context) error {
			<-time.After(time.Second) // want `time.After waits for real time; TestLiteral`
			return nil
		}).Err()
	})
}

func TestTable(t *testing.T) {
	for _, c := range []struct{ program func(context.Context) error }{
		{program: func(ctx context.Context) error {
			defer time.NewTicker(time.Second).Stop() // want `time.NewTicker waits for real time; explore runs it`
			return nil
		}},
		{func(ctx context.Context) error {
			defer time.NewTimer(time.Second).Stop() // want `time.NewTimer waits for real time; explore runs it`
			return nil
		}},
	} {
		explore(t, c.program)
	}
}

func explore(t *testing.T, program func(context.Context) error) {
	began := time.Now()
	jobtest.Explore(t, program)
	t.Log(time.Since(began))
}

func TestSimulatedTime(t *testing.T) {
	time.Sleep(time.Second)
	jobtest.Run(t, func(ctx context.Context) error {
		ctx, cancel := job.WithTimeout(ctx, time.Hour)
		defer cancel()
		return job.Sleep(ctx, time.Minute)
	})
}

// plainOnly runs in a bubble, or outside of tests.
func plainOnly(ctx context.Context) error {
	_, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	time.Sleep(time.Second)
	return nil
}
