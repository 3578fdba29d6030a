package durable_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// hears is a function that waits once for a signal that is a T, and returns what it has received.
func hears[T, Res any](layout string, timeout time.Duration, of func(T) Res) durable.Function[struct{}, int, Res] {
	return durable.Function[struct{}, int, Res]{
		Name: "hears", Layout: layout, Resumes: []string{"1"}, Points: []gen.Point{{Name: "begin"}, {Name: "hear"}},
		New: func(struct{}, int) gen.Frame { return &hearsFrame[T, Res]{timeout: timeout, of: of} },
	}
}

type hearsFrame[T, Res any] struct {
	gen.NoDeferred
	timeout time.Duration
	of      func(T) Res
	result  Res
	err     error
}

func (f *hearsFrame[T, Res]) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		return t.Receive(1, "hear", f.timeout)
	}
	v, err := gen.Received[T](t)
	f.result, f.err = f.of(v), err
	return t.Return()
}

func (f *hearsFrame[T, Res]) Call(context.Context, int) error { return nil }

func (f *hearsFrame[T, Res]) Live(point int) []gen.Value {
	if point != gen.Returning {
		return nil
	}
	return []gen.Value{{Name: "result", Ptr: &f.result}, {Name: "err", Ptr: &f.err}}
}

func (f *hearsFrame[T, Res]) Outcome() (result any, err *error) { return &f.result, &f.err }

func itself[T any](v T) T { return v }

// Two versions of a type, and one in which a field has another name.
type (
	short   struct{ A int }
	grown   struct{ A, B int }
	renamed struct{ Other int }
)

func convert[To, From any](t *testing.T, from From) (To, error) {
	t.Helper()
	data, err := durable.EncodeSignal(from)
	require.NoError(t, err)
	return durable.DecodeSignal[To](data)
}

func TestAFieldThatWasNotSavedIsZero(t *testing.T) {
	got, err := convert[grown](t, short{1})
	require.NoError(t, err)
	assert.Equal(t, grown{A: 1}, got)
	less, err := convert[short](t, grown{1, 2})
	require.NoError(t, err, "an older program reads the fields that it knows")
	assert.Equal(t, short{1}, less)
	deep, err := convert[map[string][]*grown](t, map[string][]*short{"a": {{1}}})
	require.NoError(t, err)
	assert.Equal(t, &grown{A: 1}, deep["a"][0])
	_, err = convert[renamed](t, short{1})
	require.ErrorContains(t, err, "field Other is missing, and A is unknown")
	_, err = convert[struct{ A string }](t, short{1})
	require.ErrorIs(t, err, durable.ErrUnreadable)
}

// A signal of another type is put aside: it is listed and counted, and another one is received.
func TestASignalThatCannotBeReadIsPutAside(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		h, err := durable.Serve(e, hears("1", durable.Forever, itself[short]), struct{}{}).Start(t.Context(), "a", 0)
		require.NoError(t, err)
		require.NoError(t, h.Signal(t.Context(), "hear", "text", durable.SignalKey("k")))
		require.NoError(t, h.Signal(t.Context(), "hear", renamed{1}))
		_, err = durable.Update[int](t.Context(), e, "a", "hear", 1)
		require.ErrorIs(t, err, durable.ErrUnreadable, "the caller of an update gets the reason")
		time.Sleep(24 * time.Hour)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Waiting, i.Status)
		require.Len(t, i.Aside, 2)
		assert.Equal(t, []string{"hear", "k"}, []string{i.Aside[0].Name, i.Aside[0].Key})
		assert.Contains(t, i.Aside[1].Why, "field A is missing")
		assert.EqualValues(t, 3, e.Metrics().Aside)
		assert.Less(t, e.Metrics().Taken, uint64(60), "it is tried less and less often")
		require.NoError(t, h.Signal(t.Context(), "hear", short{2}))
		got, err := h.Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, short{2}, got)
	})
}

// A program that can read what was put aside receives it, without another signal.
func TestAnotherVersionReadsWhatWasPutAside(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		e := opened(t, store)
		h, err := durable.Serve(e, hears("1", durable.Forever, itself[short]), struct{}{}).Start(t.Context(), "a", 0)
		require.NoError(t, err)
		require.NoError(t, h.Signal(t.Context(), "hear", renamed{7}))
		time.Sleep(time.Hour)
		require.NoError(t, e.Shutdown(t.Context()))

		e = opened(t, store)
		got, err := durable.Serve(e, hears("2", durable.Forever, itself[renamed]), struct{}{}).Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, renamed{7}, got)
	})
}

// Signals that are put aside do not delay a timeout.
func TestATimeoutComesDespiteSignalsPutAside(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		begin := time.Now()
		h, err := durable.Serve(e, hears("1", time.Minute, itself[short]), struct{}{}).Start(t.Context(), "a", 0)
		require.NoError(t, err)
		require.NoError(t, h.Signal(t.Context(), "hear", "text"))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTimeout)
		assert.Equal(t, time.Minute, time.Since(begin).Truncate(time.Second))
	})
}

func TestAStrictReceiveReturnsAnError(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		s := durable.Serve(e, hears("1", durable.Forever, func(v durable.Strict[short]) short { return v.Value }), struct{}{})
		for id, value := range map[string]any{"good": short{3}, "bad": "text"} {
			h, err := s.Start(t.Context(), id, 0)
			require.NoError(t, err)
			require.NoError(t, h.Signal(t.Context(), "hear", value))
			got, err := h.Wait(t.Context())
			if id == "bad" {
				require.ErrorIs(t, err, durable.ErrUnreadable)
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, short{3}, got)
		}
	})
}

// The plain form and the machine treat a signal of another type alike, with and without crashes.
func TestSignalsOfOtherTypesInThePlainForm(t *testing.T) {
	in(t, func(t *testing.T) {
		durabletest.CrashEverywhere(t, durabletest.Case[struct{}, int, short]{
			Function: hears("1", durable.Forever, itself[short]),
			Plain: func(_ struct{}, ctx context.Context, _ int) (short, error) {
				return durable.Receive[short](ctx, "hear", durable.Forever)
			},
			Receiver: func() struct{} { return struct{}{} },
			Signals:  []durabletest.Signal{{Name: "hear", Value: "text"}, {Name: "hear", Value: renamed{1}}, {Name: "hear", Value: short{4}}},
		})
		durabletest.CrashEverywhere(t, durabletest.Case[struct{}, int, short]{
			Function: hears("1", durable.Forever, func(v durable.Strict[short]) short { return v.Value }),
			Plain: func(_ struct{}, ctx context.Context, _ int) (short, error) {
				v, err := durable.Receive[durable.Strict[short]](ctx, "hear", durable.Forever)
				return v.Value, err
			},
			Receiver: func() struct{} { return struct{}{} },
			Signals:  []durabletest.Signal{{Name: "hear", Value: "text"}},
		})
	})
}

// A worker looks only after the deadline, and finds a signal from before it, or from after it.
func TestASignalAfterTheDeadlineLosesToIt(t *testing.T) {
	for _, late := range []bool{false, true} {
		in(t, func(t *testing.T) {
			store := durable.NewMemory()
			e := opened(t, store)
			_, err := durable.Serve(e, hears("1", time.Minute, itself[int]), struct{}{}).Start(t.Context(), "a", 0)
			require.NoError(t, err)
			synctest.Wait()
			require.NoError(t, e.Shutdown(t.Context()))
			client := opened(t, store, durable.Client())
			if late {
				time.Sleep(2 * time.Minute)
			}
			require.NoError(t, client.Signal(t.Context(), "a", "hear", 5))
			time.Sleep(2 * time.Minute)
			n, err := durable.Serve(opened(t, store), hears("1", time.Minute, itself[int]), struct{}{}).Handle("a").Wait(t.Context())
			if late {
				require.ErrorIs(t, err, durable.ErrTimeout)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, 5, n)
		})
	}
}

// The clock of the sender is ahead, so that the worker looks before the deadline.
func TestASignalOfAClockThatIsAheadLosesToTheDeadlineToo(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		h, err := durable.Serve(opened(t, store), hears("1", time.Minute, itself[int]), struct{}{}).Start(t.Context(), "a", 0)
		require.NoError(t, err)
		synctest.Wait()
		payload, err := durable.EncodeSignal(5)
		require.NoError(t, err)
		require.NoError(t, store.Send(t.Context(), "a", stores.Message{Name: "hear", Payload: payload, Sent: time.Now().Add(61 * time.Second)}))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTimeout)
	})
}

// request1 and request2 are two versions of a request.
type (
	request1 struct {
		Name  string
		Parts []short
	}
	request2 struct {
		Name  string
		Parts []grown
		Rate  float64
		Extra map[string]int
		Fixed [2]int
		When  time.Time
	}
)

func asked[Req any]() durable.Function[struct{}, Req, int] {
	return durable.Function[struct{}, Req, int]{
		Name: "asked", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "hear"}},
		New: func(struct{}, Req) gen.Frame {
			return &hearsFrame[int, int]{timeout: durable.Forever, of: itself[int]}
		},
	}
}

// A start is the same if its request is equal in the present type.
func TestAStartIsTheSameForATypeThatHasGrown(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		e := opened(t, store)
		_, err := durable.Serve(e, asked[request1](), struct{}{}).Start(t.Context(), "a", request1{Name: "n", Parts: []short{{1}}})
		require.NoError(t, err)
		require.NoError(t, e.Shutdown(t.Context()))
		now := durable.Serve(opened(t, store), asked[request2](), struct{}{})
		same := func() request2 { return request2{Name: "n", Parts: []grown{{A: 1}}} }
		for _, r := range []request2{
			same(),
			{Name: "n", Parts: []grown{{A: 1}}, Extra: map[string]int{}, Rate: math.Copysign(0, -1)},
		} {
			_, err = now.Start(t.Context(), "a", r)
			require.NoError(t, err)
		}
		for name, change := range map[string]func(*request2){
			"a field": func(r *request2) { r.Name = "" }, "a new field": func(r *request2) { r.Rate = 1 }, "a new field deep inside": func(r *request2) { r.Parts[0].B = 1 },
			"an element": func(r *request2) { r.Parts = append(r.Parts, grown{}) }, "an array": func(r *request2) { r.Fixed[1] = 1 }, "a time": func(r *request2) { r.When = time.Now() },
		} {
			r := same()
			change(&r)
			_, err = now.Start(t.Context(), "a", r)
			require.ErrorIs(t, err, durable.ErrOther, name)
		}
	})
}
