package durabletest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// Enlisted checks the writes of a store in transactions of the program: see [stores.Enlister].
// begin begins one of them, and returns what commits it or rolls it back.
func Enlisted(t *testing.T, s stores.Store, begin func(t testing.TB) (tx any, end func(commit bool) error)) {
	e := quiet(t, s, durable.Poll(10*time.Millisecond), durable.Payloads(reversed{}))
	tallies := durable.Serve(e, tallyDurable, struct{}{})
	crowds := durable.Serve(e, crowdDurable(), struct{}{})
	number := func(n int, key string) durable.StartOption {
		return durable.WithSignal("number", n, durable.SignalKey(key))
	}

	// Rolled back: neither the instance nor the signal exists.
	tx, end := begin(t)
	_, err := tallies.StartTx(t.Context(), tx, "a", 2, number(0, "k"))
	require.NoError(t, err)
	require.NoError(t, end(false))
	_, err = e.Get(t.Context(), "a")
	require.ErrorIs(t, err, durable.ErrNotFound)

	// Committed: both exist, once. What conflicts does not end the transaction.
	tx, end = begin(t)
	h, err := tallies.StartTx(t.Context(), tx, "a", 2, number(0, "k"), durable.Labels(map[string]string{"tenant": "x"}))
	require.NoError(t, err)
	_, err = tallies.StartTx(t.Context(), tx, "a", 2, number(0, "k"))
	require.NoError(t, err, "the same again")
	_, err = tallies.StartTx(t.Context(), tx, "a", 3)
	require.ErrorIs(t, err, durable.ErrOther)
	_, err = crowds.StartTx(t.Context(), tx, "a", 2)
	require.ErrorIs(t, err, durable.ErrOther)
	require.ErrorIs(t, e.SignalTx(t.Context(), tx, "none", "number", 1), durable.ErrNotFound)
	require.NoError(t, e.SignalTx(t.Context(), tx, "a", "number", 0, durable.SignalKey("k")), "a known key")
	require.NoError(t, end(true))
	r, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"tenant": "x"}, r.Labels)
	assert.False(t, bytes.Contains(r.State, []byte("layout")), "the codec sees what is stored")

	for _, commit := range []bool{false, true} {
		tx, end = begin(t)
		require.NoError(t, e.SignalTx(t.Context(), tx, "a", "number", 1))
		require.NoError(t, end(commit))
	}
	got, err := h.Wait(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 2, got)

	tx, end = begin(t)
	require.ErrorIs(t, e.SignalTx(t.Context(), tx, "a", "number", 1), durable.ErrEnded)
	require.NoError(t, e.SignalTx(t.Context(), tx, "a", "number", 0, durable.SignalKey("k")), "a known key")
	require.ErrorIs(t, e.SignalTx(t.Context(), tx, "\x00", "number", 1), durable.ErrNotFound)
	require.Error(t, e.SignalTx(t.Context(), tx, "a", "$cancel", 1))
	_, err = tallies.StartTx(t.Context(), tx, "a", 2, number(2, "l"))
	require.ErrorIs(t, err, durable.ErrEnded)
	_, err = tallies.StartTx(t.Context(), tx, "b", 1, number(0, ""))
	require.NoError(t, err, "the transaction goes on")
	require.NoError(t, end(true))
	_, err = tallies.Handle("b").Wait(t.Context())
	require.NoError(t, err)

	_, err = tallies.StartTx(t.Context(), "no transaction", "c", 2)
	require.ErrorIs(t, err, durable.ErrNoTx)
	require.ErrorIs(t, e.SignalTx(t.Context(), nil, "a", "number", 1), durable.ErrNoTx)
	contendedStarts(t, tallies, begin)
}

// contendedStarts starts the same instances in several transactions at once, some of which are
// rolled back.
func contendedStarts(t *testing.T, tallies *durable.Served[int, int], begin func(t testing.TB) (tx any, end func(commit bool) error)) {
	const callers, rounds = 6, 4
	for round := range rounds {
		id := fmt.Sprint("contended ", round)
		var all sync.WaitGroup
		for n := range callers {
			all.Go(func() {
				tx, end := begin(t)
				_, err := tallies.StartTx(context.Background(), tx, id, 1, durable.WithSignal("number", 0, durable.SignalKey("k")))
				assert.NoError(t, err)
				assert.NoError(t, end(n%2 == round%2))
			})
		}
		all.Wait()
		got, err := tallies.Handle(id).Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, got)
	}
}

// reversed is a codec.
type reversed struct{}

func (reversed) Encode(_ string, plain []byte) ([]byte, error) {
	data := slices.Clone(plain)
	slices.Reverse(data)
	return data, nil
}

func (reversed) Decode(_ string, data []byte) ([]byte, error) { return reversed{}.Encode("", data) }
