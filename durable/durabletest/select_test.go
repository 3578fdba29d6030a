package durabletest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
)

// pick receives signals of several names, until none comes for an hour.
//
//movenext:durable name=pick
func (c *clerk) pick(ctx context.Context, names []string) (list []string, err error) {
	for {
		//movenext:point one
		got, err := durable.Select(ctx, time.Hour, names)
		if errors.Is(err, durable.ErrTimeout) {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		word, err := durable.As[string](got)
		if errors.Is(err, durable.ErrUnreadable) {
			word = "unreadable"
		}
		n, err := c.double(ctx, len(word))
		if err != nil {
			return list, err
		}
		list = append(list, fmt.Sprint(got.Signal, got.Child, word, n))
	}
}

// race waits for the first of its children and of two signals.
//
//movenext:durable name=race
func (c *clerk) race(ctx context.Context, list []int) (result string, err error) {
	var parts []durable.Child
	for _, n := range list {
		parts = append(parts, durable.Call(partDurable, c, n))
	}
	//movenext:point first
	got, err := durable.Select(ctx, 2000*time.Hour, []string{"stop", "more"}, parts...)
	switch {
	case err != nil:
		return fmt.Sprint("child ", got.Child), err
	case got.Signal != "":
		word, err := durable.As[string](got)
		return got.Signal + " " + word, err
	}
	n, err := durable.As[int](got)
	return fmt.Sprint("child ", got.Child, " has ", n), err
}

func raceCase(list []int, signals ...durabletest.Signal) durabletest.Case[*clerk, []int, string] {
	return durabletest.Case[*clerk, []int, string]{
		Function: raceDurable, Plain: (*clerk).race, Receiver: newClerk, Request: list, Signals: signals,
		Serve: func(e *durable.Engine, c *clerk) { durable.Serve(e, partDurable, c) },
	}
}

func TestASelectSurvivesACrashAtEachWrite(t *testing.T) {
	pick := func(names []string, signals ...durabletest.Signal) durabletest.Case[*clerk, []string, []string] {
		return durabletest.Case[*clerk, []string, []string]{
			Function: pickDurable, Plain: (*clerk).pick, Receiver: newClerk, Request: names, Signals: signals,
		}
	}
	a, b, other := durabletest.Signal{Name: "a", Value: "x"}, durabletest.Signal{Name: "b", Value: 7}, durabletest.Signal{Name: "c", Value: "z"}
	survives(t, pick([]string{"a", "b"}, b, other, a, a, b), pick([]string{"a"}), pick(nil), pick([]string{"b", "c"}, a, other))
	if testing.Short() {
		return // what follows does not share more between goroutines
	}
	stop := durabletest.Signal{Name: "stop", Value: "now"}
	survives(t, raceCase([]int{2}), raceCase([]int{3}), raceCase([]int{200}), raceCase([]int{4, 200, 300}),
		raceCase([]int{200, 300}, stop), raceCase(nil, stop), raceCase([]int{200}, a, durabletest.Signal{Name: "more", Value: "then"}, stop))
}

// racing starts an instance of race that waits for children that sleep.
func racing(t *testing.T) (*durable.Engine, durable.Handle[string]) {
	t.Helper()
	e, _ := opened(t)
	h, err := durable.Serve(e, raceDurable, newClerk()).Start(t.Context(), "f", []int{2000, 3000})
	require.NoError(t, err)
	synctest.Wait()
	return e, h
}

func TestASignalCancelsTheChildrenOfASelect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, h := racing(t)
		i, err := e.Get(t.Context(), "f")
		require.NoError(t, err)
		assert.Equal(t, "stop, more", i.Signal)
		assert.Equal(t, time.Now().Add(2000*time.Hour).UTC(), i.Until)
		assert.Len(t, i.Children, 2)
		require.NoError(t, e.Signal(t.Context(), "f", "other", "x"))
		synctest.Wait()
		require.NoError(t, e.Signal(t.Context(), "f", "more", "a"))
		require.NoError(t, e.Signal(t.Context(), "f", "stop", "b"))
		result, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "more a", result, "the first in the inbox")
		assert.Equal(t, []durable.Status{durable.Canceled, durable.Canceled}, statuses(t, e))
	})
}

func TestACancellationEndsASelectAndItsChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, h := racing(t)
		require.NoError(t, h.Cancel(t.Context()))
		_, err := h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrCanceled)
		assert.Equal(t, []durable.Status{durable.Canceled, durable.Canceled}, statuses(t, e))
	})
}

func TestTheTimeOfASelectCancelsItsChildren(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := opened(t)
		h, err := durable.Serve(e, hastyDurable, newClerk()).Start(t.Context(), "f", 5)
		require.NoError(t, err)
		begin := time.Now()
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTimeout)
		assert.Equal(t, time.Hour, time.Since(begin).Truncate(time.Hour))
		assert.Equal(t, []durable.Status{durable.Canceled, durable.Canceled, durable.Canceled, durable.Canceled, durable.Canceled}, statuses(t, e))
	})
}

// hasty gives its children an hour, which is too short.
//
//movenext:durable name=hasty
func (c *clerk) hasty(ctx context.Context, n int) (int, error) { //nolint:unused // its durable form is called
	var parts []durable.Child
	for range n {
		parts = append(parts, durable.Call(partDurable, c, 200))
	}
	got, err := durable.Select(ctx, time.Hour, nil, parts...)
	return got.Child, err
}

// slow needs a second attempt: the first one ends with its timeout.
//
//movenext:step
func (c *clerk) slow(ctx context.Context, n int) (int, error) {
	if durable.Attempt(ctx) == 1 {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return n, nil
}

// patient has a policy for each call of a step.
//
//movenext:durable name=patient
func (c *clerk) patient(ctx context.Context, n int) (sum int, err error) {
	for i := range n {
		limit := durable.Retry{Attempts: 2, Timeout: time.Duration(i+1) * time.Minute, Never: []error{errOdd}}
		got, err := c.slow(durable.WithRetry(ctx, limit), i)
		if err != nil {
			return sum, err
		}
		sum += got
	}
	err = c.put(durable.WithRetry(ctx, durable.Retry{}), &ledger{}, sum)
	return sum, err
}

func TestPoliciesOfCallsSurviveACrashAtEachWrite(t *testing.T) {
	survives(t, durabletest.Case[*clerk, int, int]{
		Function: patientDurable, Plain: (*clerk).patient, Receiver: newClerk, Request: 3,
	})
}
