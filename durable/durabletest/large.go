package durabletest

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/gen"
	"github.com/movenext/movenext/durable/stores"
)

// growing is a function that keeps everything it receives.
type growing struct {
	gen.NoDeferred
	data string
	err  error
}

func (f *growing) MoveNext(_ context.Context, t gen.Turn) bool {
	if t.Point() == 1 {
		more, err := gen.Received[string](t)
		if f.data += more; err != nil {
			f.err = err
			return t.Return()
		}
	}
	return t.Receive(1, "more", durable.Forever)
}

func (f *growing) Call(context.Context, int) error { return errors.New("it has no steps") }

func (f *growing) Live(int) []gen.Value {
	return []gen.Value{{Name: "data", Ptr: &f.data}, {Name: "err", Ptr: &f.err}}
}

func (f *growing) Outcome() (result any, err *error) { return &f.data, &f.err }

// tooLarge checks an instance that grows beyond what may be saved. It stays at its last point,
// the message that made it too large stays in the inbox, and it can still be ended.
func tooLarge(t *testing.T, s stores.Store) {
	stuck := make(chan error, 10)
	e, err := durable.Open(t.Context(), s, durable.Log(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	defer func() { require.NoError(t, e.Shutdown(context.Background())) }()
	e.OnEvent(func(v durable.Event) {
		if v.Kind == durable.GotStuck {
			stuck <- v.Err
		}
	})
	h, err := durable.Serve(e, durable.Function[struct{}, string, string]{
		Name: "durabletest.growing", Layout: "1", Points: []gen.Point{{Name: "begin"}, {Name: "more"}},
		New: func(_ struct{}, data string) gen.Frame { return &growing{data: data} },
	}, struct{}{}).Start(t.Context(), "a", "")
	require.NoError(t, err)
	const part = durable.MaxCheckpoint * 2 / 3
	for range 2 {
		require.NoError(t, h.Signal(t.Context(), "more", strings.Repeat("x", part)))
	}
	for range 2 {
		require.ErrorIs(t, <-stuck, durable.ErrTooLarge)
		i, err := e.Get(t.Context(), "a")
		require.NoError(t, err)
		assert.Equal(t, durable.Stuck, i.Status)
		assert.Contains(t, i.Reason, durable.ErrTooLarge.Error())
		r, err := s.Load(t.Context(), "a")
		require.NoError(t, err)
		list, err := s.Inbox(t.Context(), "a", r.Floor)
		require.NoError(t, err)
		require.NotEmpty(t, list)
		assert.Greater(t, len(list[len(list)-1].Payload), part, "the message that was too much")
		require.NoError(t, e.Resume(t.Context(), "a"), "it is tried again, and stuck again")
	}
	require.ErrorIs(t, <-stuck, durable.ErrTooLarge)
	require.NoError(t, e.Terminate(t.Context(), "a"))
	_, err = h.Wait(t.Context())
	require.ErrorIs(t, err, durable.ErrTerminated)
}
