package durable_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
)

// listener is a function that waits for one of two signals, perhaps beside a child that does so.
type listener struct {
	gen.NoDeferred
	child bool

	wait time.Duration
	got  durable.Selection
	text string
	err  error
}

func (f *listener) MoveNext(ctx context.Context, t gen.Turn) bool {
	if t.Point() == 0 {
		var children []durable.Child
		if f.child {
			children = append(children, durable.Call(listening(false), struct{}{}, durable.Forever))
		}
		return gen.Select[durable.Child](t, 1, f.wait, []string{"a", "b"}, children...)
	}
	if f.got, f.err = gen.Chosen[durable.Selection](t); f.err != nil {
		return t.Return()
	}
	asked, err := durable.As[durable.Asked[string]](f.got)
	if err == nil {
		f.text, f.err = asked.Value, asked.Answer(ctx, asked.Value+"!", nil)
	} else {
		f.text, f.err = durable.As[string](f.got)
	}
	return t.Return()
}

func (f *listener) Call(context.Context, int) error { return errors.New("no steps") }

func (f *listener) Live(int) []gen.Value {
	return []gen.Value{{Name: "wait", Ptr: &f.wait}, {Name: "got", Ptr: &f.got}, {Name: "text", Ptr: &f.text}, {Name: "err", Ptr: &f.err}}
}

func (f *listener) Outcome() (any, *error) { return &f.text, &f.err }

func listening(child bool) durable.Function[struct{}, time.Duration, string] {
	name := "listener"
	if child {
		name = "listening parent"
	}
	return durable.Function[struct{}, time.Duration, string]{
		Name: name, Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "select"}},
		New: func(_ struct{}, wait time.Duration) gen.Frame { return &listener{child: child, wait: wait} },
	}
}

// listen starts an instance, alone or with a child.
func listen(t *testing.T, child bool, wait time.Duration, opts ...durable.Option) (*durable.Engine, *durable.Served[time.Duration, string]) {
	t.Helper()
	e := opened(t, durable.NewMemory(), opts...)
	served := durable.Serve(e, listening(child), struct{}{})
	if child {
		durable.Serve(e, listening(false), struct{}{})
	}
	_, err := served.Start(t.Context(), "a", wait)
	require.NoError(t, err)
	synctest.Wait()
	return e, served
}

// eachListener runs a test without and with a child.
func eachListener(t *testing.T, wait time.Duration, test func(t *testing.T, e *durable.Engine, s *durable.Served[time.Duration, string])) {
	t.Helper()
	for _, child := range []bool{false, true} {
		in(t, func(t *testing.T) {
			e, s := listen(t, child, wait, durable.Trail(1<<16))
			test(t, e, s)
		})
	}
}

func TestASelectTakesTheFirstSignalInTheInbox(t *testing.T) {
	eachListener(t, time.Hour, func(t *testing.T, e *durable.Engine, s *durable.Served[time.Duration, string]) {
		require.NoError(t, e.Signal(t.Context(), "a", "c", "other"))
		synctest.Wait()
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, "a, b", i.Signal)
		require.NoError(t, e.Signal(t.Context(), "a", "b", "two"))
		text, err := s.Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "two", text)
	})
}

func TestASelectWithoutAnEventTimesOut(t *testing.T) {
	eachListener(t, time.Minute, func(t *testing.T, e *durable.Engine, s *durable.Served[time.Duration, string]) {
		begin := time.Now()
		_, err := s.Handle("a").Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTimeout)
		assert.Equal(t, time.Minute, time.Since(begin).Truncate(time.Minute))
	})
}

func TestASelectAnswersUpdatesAndRefusesThem(t *testing.T) {
	eachListener(t, time.Hour, func(t *testing.T, e *durable.Engine, s *durable.Served[time.Duration, string]) {
		errShort := errors.New("too short")
		durable.Validate(s, "b", func(i *durable.Instance, value string) error {
			var wait time.Duration
			if err := i.Value("wait", &wait); err != nil {
				return err
			}
			if len(value) < 3 || wait != time.Hour {
				return errShort
			}
			return nil
		})
		_, err := durable.Update[string](t.Context(), e, "a", "b", "x")
		require.ErrorContains(t, err, "too short")
		answer, err := durable.Update[string](t.Context(), e, "a", "b", "long")
		require.NoError(t, err)
		assert.Equal(t, "long!", answer)
	})
}

func TestASelectOfAnotherTypeIsAnError(t *testing.T) {
	eachListener(t, time.Hour, func(t *testing.T, e *durable.Engine, s *durable.Served[time.Duration, string]) {
		require.NoError(t, e.Signal(t.Context(), "a", "b", 7))
		_, err := s.Handle("a").Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrUnreadable)
	})
}

func TestTheResultOfAChildIsSelected(t *testing.T) {
	in(t, func(t *testing.T) {
		e, s := listen(t, true, durable.Forever)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		require.NoError(t, e.Signal(t.Context(), i.Children[0], "a", "from the child"))
		text, err := s.Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "from the child", text)
	})
	in(t, func(t *testing.T) {
		e, s := listen(t, true, durable.Forever)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		require.NoError(t, e.Terminate(t.Context(), i.Children[0]))
		_, err = s.Handle("a").Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrTerminated)
	})
}

// A Select without children is a point to go back to; one with children is not.
func TestASelectIsAPointToGoBackTo(t *testing.T) {
	eachListener(t, time.Hour, func(t *testing.T, e *durable.Engine, s *durable.Served[time.Duration, string]) {
		require.NoError(t, e.Signal(t.Context(), "a", "b", "one"))
		_, err := s.Handle("a").Wait(t.Context())
		require.NoError(t, err)
		if err := e.Rerun(t.Context(), "a", durable.FromPoint("select")); err != nil {
			require.ErrorIs(t, err, durable.ErrNoTrail)
			require.NoError(t, e.Rerun(t.Context(), "a"))
		}
		synctest.Wait()
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, "a, b", i.Signal)
		assert.Equal(t, time.Now().Add(time.Hour).UTC(), i.Until)
		require.NoError(t, e.Signal(t.Context(), "a", "a", "two"))
		text, err := s.Handle("a").Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "two", text)
	})
}

// A policy that cannot be meant or saved makes the instance stuck.
func TestAPolicyOfACallHasToBeMeant(t *testing.T) {
	for want, r := range map[string]durable.Retry{
		"cannot be negative": {Timeout: -1}, "not registered": {Never: []error{errors.New("private")}},
	} {
		in(t, func(t *testing.T) {
			f := scripted{step: func(context.Context) (int, error) { return 1, nil }, policy: &r}
			e := opened(t, durable.NewMemory())
			_, err := durable.Serve(e, f.function(), struct{}{}).Start(t.Context(), "a", 1)
			require.NoError(t, err)
			synctest.Wait()
			i, err := e.Get(t.Context(), "a")
			require.NoError(t, err)
			assert.Equal(t, durable.Stuck, i.Status)
			assert.Contains(t, i.Reason, want)
		})
	}
}

// The policy of a call replaces that of the engine, in every attempt.
func TestThePolicyOfACallCounts(t *testing.T) {
	in(t, func(t *testing.T) {
		begin := time.Now()
		calls := 0
		_, err := outcome(t, scripted{policy: &durable.Retry{Attempts: 4, First: time.Minute, Factor: 1, Timeout: time.Second, Never: []error{durable.ErrTerminated}},
			step: func(ctx context.Context) (int, error) {
				if calls++; calls == 3 {
					return 0, durable.ErrTerminated
				}
				<-ctx.Done()
				return 0, ctx.Err()
			}}, durable.RetryStep("", durable.Retry{Attempts: 100, First: time.Hour}))
		require.ErrorIs(t, err, durable.ErrTerminated)
		assert.Equal(t, 3, calls)
		assert.Equal(t, 2*time.Minute, time.Since(begin).Truncate(time.Minute))
	})
}
