package durabletest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// deleted checks what a store deletes, and in which version.
func deleted(t *testing.T, s stores.Store) {
	require.ErrorIs(t, s.Delete(t.Context(), "a", 1), durable.ErrNotFound)
	for _, id := range []string{"a", "b"} {
		r := record(id)
		write(t, s, r)
		sendTo(t, s, id, "m", "k")
		r.Status = durable.Completed
		write(t, s, r)
	}
	for _, version := range []int64{0, 1, 3} {
		require.ErrorIs(t, s.Delete(t.Context(), "a", version), durable.ErrConflict)
	}
	r, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.EqualValues(t, 2, r.Version)
	require.NoError(t, s.Delete(t.Context(), "a", 2))
	_, err = s.Load(t.Context(), "a")
	require.ErrorIs(t, err, durable.ErrNotFound)
	require.ErrorIs(t, s.Delete(t.Context(), "a", 2), durable.ErrNotFound)
	_, err = s.Swap(t.Context(), r)
	require.ErrorIs(t, err, durable.ErrConflict, "a writer that has read it before")

	left, err := s.List(t.Context(), durable.Filter{})
	require.NoError(t, err)
	require.Len(t, left, 1)
	assert.Equal(t, "b", left[0].ID)
	write(t, s, record("a"))
	list, err := s.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	assert.Empty(t, list, "the messages were deleted too")
	sendTo(t, s, "a", "m", "k")
	list, err = s.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	assert.Len(t, list, 1, "and their keys")
	n, err := s.Purge(t.Context(), timeAt(100), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n, "what is deleted is not purged again, and its successor has not ended")
}

// deletedFamilies deletes instances with their children: with a crash before and after each write,
// and by several workers at once.
func deletedFamilies(t *testing.T, s stores.Store) {
	const children = 2
	e := quiet(t, s)
	crowds := durable.Serve(e, crowdDurable(), struct{}{})
	family := func(id string) {
		h, err := crowds.Start(t.Context(), id, children)
		require.NoError(t, err)
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
	}
	left := func() int {
		n, err := e.Count(t.Context(), durable.Filter{})
		require.NoError(t, err)
		return n
	}
	for n := 1; n <= children+1; n++ {
		for _, after := range []bool{false, true} {
			id := fmt.Sprint("family ", n, after)
			family(id)
			require.Equal(t, children+1, left())
			other := dyingClient(t, &mortal{Store: s, death: &death{n, after}})
			require.ErrorIs(t, other.Delete(t.Context(), id, durable.WithChildren()), errDied)
			shutdown(other)
			if n <= children {
				_, err := e.Get(t.Context(), id)
				require.NoError(t, err, "the instance is deleted last")
			}
			require.NoError(t, e.Delete(t.Context(), id, durable.WithChildren()))
			require.Zero(t, left())
		}
	}
	family("shared")
	engines := []*durable.Engine{e, quiet(t, s, durable.Client())}
	var all sync.WaitGroup
	for n := range 6 {
		all.Go(func() {
			assert.NoError(t, engines[n%2].Delete(context.Background(), "shared", durable.WithChildren()))
		})
	}
	all.Wait()
	require.Zero(t, left())
	family("shared")
	require.NoError(t, e.Delete(t.Context(), "shared"))
	assert.Equal(t, children, left(), "without the option the children stay")
}
