package durable_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
)

func TestWhatHasNotEndedIsNotDeleted(t *testing.T) {
	in(t, func(t *testing.T) {
		e := opened(t, durable.NewMemory())
		durable.Serve(e, tallyDurable, struct{}{})
		h, err := durable.Serve(e, sumDurable, struct{}{}).Start(t.Context(), "sum", struct{}{})
		require.NoError(t, err)
		synctest.Wait()
		i, err := e.Get(t.Context(), "sum")
		require.NoError(t, err)
		require.Len(t, i.Children, 2)
		require.ErrorIs(t, e.Delete(t.Context(), "sum"), durable.ErrNotEnded)
		require.ErrorIs(t, e.Delete(t.Context(), i.Children[0]), durable.ErrNotEnded)
		require.NoError(t, e.Signal(t.Context(), i.Children[0], "add", durable.Asked[int]{}))
		synctest.Wait()
		child, err := e.Get(t.Context(), i.Children[0])
		require.NoError(t, err)
		require.Equal(t, durable.Completed, child.Status)
		require.ErrorIs(t, e.Delete(t.Context(), child.ID), durable.ErrNotEnded, "its parent waits")

		require.NoError(t, e.Terminate(t.Context(), "sum", durable.AbandonChildren()))
		require.ErrorIs(t, e.Delete(t.Context(), "sum", durable.WithChildren()), durable.ErrNotEnded, "a child runs on")
		n, err := e.Count(t.Context(), durable.Filter{})
		require.NoError(t, err)
		assert.Equal(t, 3, n, "nothing was deleted")
		require.NoError(t, e.Delete(t.Context(), "sum"))
		_, err = h.Wait(t.Context())
		require.ErrorIs(t, err, durable.ErrNotFound)
		require.NoError(t, e.Signal(t.Context(), i.Children[1], "add", durable.Asked[int]{}))
		synctest.Wait()
		require.NoError(t, e.Delete(t.Context(), i.Children[1]), "its parent is gone")
	})
}

// A client deletes what no worker has reported yet.
func TestADeletionTellsBeforeWhatIsLeftToTell(t *testing.T) {
	in(t, func(t *testing.T) {
		store := durable.NewMemory()
		worker := opened(t, store)
		durable.Serve(worker, tallyDurable, struct{}{})
		_, err := durable.Serve(worker, sumDurable, struct{}{}).Start(t.Context(), "sum", struct{}{})
		require.NoError(t, err)
		synctest.Wait()
		require.NoError(t, worker.Shutdown(t.Context()))
		e := opened(t, store, durable.Client())
		require.NoError(t, e.Terminate(t.Context(), "sum"))
		require.NoError(t, e.Delete(t.Context(), "sum", durable.WithChildren()))
		n, err := e.Count(t.Context(), durable.Filter{})
		require.NoError(t, err)
		assert.Zero(t, n, "the children were terminated with their parent, and deleted")
		require.NoError(t, e.Delete(t.Context(), "sum"), "a second time")
		require.NoError(t, e.Delete(t.Context(), "no\x00id"))
	})
}
