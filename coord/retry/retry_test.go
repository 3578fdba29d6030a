package retry_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/coord/retry"
	"github.com/movenext/movenext/job"
	"github.com/movenext/movenext/schedulers"
	"github.com/movenext/movenext/schedulers/pool"
)

// doubling is a policy without chance: its pauses double, up to the end, if there is one.
type doubling struct{ first, next, end time.Duration }

func (d *doubling) NextBackOff() time.Duration {
	d.next = max(2*d.next, d.first)
	if d.end > 0 && d.next >= d.end {
		return -1
	}
	return d.next
}

func (d *doubling) Reset() { d.next = 0 }

// seconds returns durations.
func seconds(of ...int) (durations []time.Duration) {
	for _, n := range of {
		durations = append(durations, time.Duration(n)*time.Second)
	}
	return durations
}

// errAny stands for an error of which only the text is expected.
var errAny = errors.New("any")

// scenario is a call of Do or Hedge, and what is expected of it. A call of the server takes a
// second, and the pauses are those of doubling.
type scenario struct {
	script []error
	first  time.Duration // the first pause; 0: a second
	end    time.Duration // of the pauses; 0: none
	opts   []retry.Option
	budget int           // of repetitions; 0: without a limit
	cancel time.Duration // after this time; 0: never

	at    []time.Duration // when the calls begin
	takes time.Duration
	n     int    // the result
	err   string // "": none
	is    error  // what the error matches, if not errBusy
}

func (s *scenario) run(t *testing.T, call caller) {
	synctest.Test(t, func(t *testing.T) {
		ctx, shutdown := onPool(t)
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		if s.cancel > 0 {
			defer time.AfterFunc(s.cancel, func() { cancel(errGone) }).Stop()
		}
		began := time.Now()
		server := &server{script: s.script, takes: time.Second, now: func() time.Duration { return time.Since(began) }}
		opts := s.opts
		if s.budget > 0 {
			opts = append(slices.Clip(opts), retry.Spending(retry.NewBudget(0, s.budget)))
		}
		n, err := call(ctx, server, &doubling{first: cmp.Or(s.first, time.Second), next: time.Hour, end: s.end}, opts...)
		assert.Equal(t, s.takes, time.Since(began))
		assert.Equal(t, s.at, server.at)
		if s.err == "" {
			require.NoError(t, err)
			assert.Equal(t, s.n, n)
		} else {
			require.EqualError(t, err, s.err)
			want := s.is
			if want == nil {
				want = errBusy
			}
			if want != errAny {
				require.ErrorIs(t, err, want)
			}
		}
		cancel(nil)
		synctest.Wait()
		shutdown()
	})
}

// onPool returns a context whose scheduler is a pool of this test alone, as a bubble needs.
func onPool(t *testing.T) (ctx context.Context, shutdown func()) {
	p := pool.New()
	return schedulers.With(t.Context(), p), func() { require.NoError(t, p.Shutdown(context.Background())) }
}

func busy(n int) (script []error) {
	for range n {
		script = append(script, errBusy)
	}
	return script
}

func TestDo(t *testing.T) {
	isBusy := retry.If(func(err error) bool { return errors.Is(err, errBusy) })
	for name, s := range map[string]scenario{
		"at once":            {at: seconds(0), takes: time.Second},
		"the third time":     {script: busy(2), at: seconds(0, 2, 5), takes: 6 * time.Second, n: 2},
		"attempts":           {script: busy(9), opts: []retry.Option{retry.Attempts(3)}, at: seconds(0, 2, 5), takes: 6 * time.Second, err: "retry: gave up after attempt 3: busy"},
		"one attempt":        {script: busy(9), opts: []retry.Option{retry.Attempts(0)}, at: seconds(0), takes: time.Second, err: "retry: gave up after attempt 1: busy"},
		"the policy's end":   {script: busy(9), end: 4 * time.Second, at: seconds(0, 2, 5), takes: 6 * time.Second, err: "retry: gave up after attempt 3: busy"},
		"the time":           {script: busy(9), opts: []retry.Option{retry.Within(10 * time.Second)}, at: seconds(0, 2, 5, 10), takes: 11 * time.Second, err: "retry: gave up after attempt 4: busy"},
		"no time":            {script: busy(9), opts: []retry.Option{retry.Within(-1)}, at: seconds(0), takes: time.Second, err: "retry: gave up after attempt 1: busy"},
		"for good":           {script: []error{errBusy, retry.Permanent(errBad)}, at: seconds(0, 2), takes: 3 * time.Second, err: "bad request", is: errBad},
		"for good, wrapped":  {script: []error{fmt.Errorf("call: %w", retry.Permanent(errBad))}, at: seconds(0), takes: time.Second, err: "call: bad request", is: errBad},
		"not if":             {script: []error{errBusy, errBad}, opts: []retry.Option{isBusy}, at: seconds(0, 2), takes: 3 * time.Second, err: "bad request", is: errBad},
		"the server says":    {script: []error{errBusy, errBusy, retry.After(9*time.Second, errBusy), errBusy}, at: seconds(0, 2, 5, 15, 17), takes: 18 * time.Second, n: 4},
		"the server, at end": {script: []error{retry.After(-time.Second, errBusy), retry.After(time.Hour, errBusy)}, opts: []retry.Option{retry.Within(time.Minute)}, at: seconds(0, 1), takes: 2 * time.Second, err: "retry: gave up after attempt 2: busy"},
		"gone in a call":     {script: busy(9), cancel: 2500 * time.Millisecond, at: seconds(0, 2), takes: 2500 * time.Millisecond, err: "context canceled: the client is gone", is: errGone},
		"gone in a pause":    {script: busy(9), cancel: 4 * time.Second, at: seconds(0, 2), takes: 4 * time.Second, err: "retry: context canceled: the client is gone after attempt 2: busy", is: errGone},
		"the budget":         {script: busy(9), budget: 2, at: seconds(0, 2, 5), takes: 6 * time.Second, err: "retry: the budget is spent after attempt 3: busy", is: retry.ErrBudget},
	} {
		for form, call := range doers {
			t.Run(name+"/"+form, func(t *testing.T) { s.run(t, call) })
		}
	}
}

func TestHedge(t *testing.T) {
	slow := func(n int) []error { return slices.Repeat([]error{errStays}, n) }
	for name, s := range map[string]scenario{
		"at once":          {at: seconds(0), takes: time.Second},
		"the second":       {script: slow(1), at: seconds(0, 2), takes: 3 * time.Second, n: 1},
		"the third":        {script: slow(2), at: seconds(0, 2, 6), takes: 7 * time.Second, n: 2},
		"the first again":  {script: []error{errStays, errBusy}, opts: []retry.Option{retry.Attempts(2)}, at: seconds(0, 2), takes: time.Hour},
		"one attempt":      {script: slow(1), opts: []retry.Option{retry.Attempts(1)}, at: seconds(0), takes: time.Hour},
		"the policy's end": {script: slow(9), end: 8 * time.Second, at: seconds(0, 2, 6), takes: time.Hour},
		"the time":         {script: slow(9), opts: []retry.Option{retry.Within(6 * time.Second)}, at: seconds(0, 2, 6), takes: time.Hour},
		"the budget":       {script: slow(9), budget: 1, at: seconds(0, 2), takes: time.Hour},
		"after failures":   {script: busy(2), at: seconds(0, 2, 6), takes: 7 * time.Second, n: 2},
		"all fail":         {script: busy(9), opts: []retry.Option{retry.Attempts(2)}, at: seconds(0, 2), takes: 3 * time.Second, err: "retry: gave up after attempt 2: busy"},
		"no budget, fails": {script: busy(9), budget: 1, at: seconds(0, 2), takes: 6 * time.Second, err: "retry: the budget is spent after attempt 2: busy", is: retry.ErrBudget},
		"for good":         {script: []error{errStays, retry.Permanent(errBad)}, at: seconds(0, 2), takes: 3 * time.Second, err: "bad request", is: errBad},
		"gone":             {script: slow(9), opts: []retry.Option{retry.Attempts(2)}, cancel: time.Minute, at: seconds(0, 2), takes: time.Minute, err: "context canceled: the client is gone", is: errGone},
		"a panic":          {script: []error{errStays, errPanics}, at: seconds(0, 2), takes: 3 * time.Second, err: "job: panic: a bug", is: errAny},
		"an exit":          {script: []error{errStays, errExits}, at: seconds(0, 2), takes: 3 * time.Second, err: job.ErrGoexit.Error(), is: job.ErrGoexit},
	} {
		s.first = 2 * time.Second
		for form, call := range hedgers {
			t.Run(name+"/"+form, func(t *testing.T) { s.run(t, call) })
		}
	}
}
