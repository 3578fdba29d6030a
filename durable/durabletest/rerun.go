package durabletest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// runsAgain checks a record that has ended and is swapped in as running.
func runsAgain(t *testing.T, s stores.Store) {
	r := record("a")
	write(t, s, r)
	for _, key := range []string{"k", "", "l"} {
		sendTo(t, s, "a", "m"+key, key)
	}
	r.Seen, r.Floor, r.Status = 2, 1, durable.Completed
	write(t, s, r)
	require.ErrorIs(t, s.Send(t.Context(), "a", stores.Message{Name: "m"}), durable.ErrEnded)
	assert.Empty(t, take(t, s, timeAt(20)), "it has ended, and does not wait")
	old := *r

	changed := make(chan struct{}, 1)
	if n, ok := s.(stores.Notifier); ok {
		defer n.Notify(func() {
			select {
			case changed <- struct{}{}:
			default:
			}
		})()
	} else {
		changed <- struct{}{}
	}
	r.Status, r.Due, r.Updated, r.Run = durable.Running, timeAt(30), timeAt(30), "again"
	assert.True(t, write(t, s, r), "a message has not been seen")
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Error("a swap from an ended status makes an instance due")
	}
	_, err := s.Swap(t.Context(), &old)
	require.ErrorIs(t, err, durable.ErrConflict)
	require.ErrorIs(t, s.Delete(t.Context(), "a", old.Version), durable.ErrConflict, "the version that had ended is gone")
	n, err := s.Purge(t.Context(), timeAt(100), 10)
	require.NoError(t, err)
	assert.Zero(t, n, "it has not ended")
	list, err := s.List(t.Context(), durable.Filter{Status: durable.Running})
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "again", list[0].Run)
	assert.Equal(t, []string{"a"}, take(t, s, timeAt(30)))

	sendTo(t, s, "a", "known", "k")
	sendTo(t, s, "a", "new", "n")
	inbox, err := s.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	for n, m := range inbox {
		assert.Greater(t, m.Seq, int64(1), "it is above the floor")
		if n > 0 {
			assert.Greater(t, m.Seq, inbox[n-1].Seq)
		}
		assert.NotEqual(t, "known", m.Name, "keys stay known")
	}
	require.NotEmpty(t, inbox)
	last := inbox[len(inbox)-1]
	assert.Equal(t, "new", last.Name)
	assert.EqualValues(t, 4, last.Seq, "numbers go on")

	r.Status, r.Due, r.Updated = durable.Failed, time.Time{}, timeAt(40)
	write(t, s, r)
	n, err = s.Purge(t.Context(), timeAt(100), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
}

// reruns runs instances with children again: with a crash before and after each write, several
// times at once, and while others delete and purge them.
func reruns(t *testing.T, s stores.Store) {
	const children = 2
	e := quiet(t, s, durable.Retention(0))
	crowds := durable.Serve(e, crowdDurable(), struct{}{})
	ended := func(id string) {
		t.Helper()
		got, err := crowds.Handle(id).Wait(t.Context())
		require.NoError(t, err)
		assert.Equal(t, children, got)
	}
	count := func() int {
		n, err := e.Count(t.Context(), durable.Filter{})
		require.NoError(t, err)
		return n
	}
	_, err := crowds.Start(t.Context(), "crowd", children)
	require.NoError(t, err)
	ended("crowd")
	require.NoError(t, e.Rerun(t.Context(), "crowd"))
	ended("crowd")
	assert.Equal(t, 1+2*children, count(), "the children of a rerun are new")
	require.NoError(t, e.Rerun(t.Context(), "crowd", durable.AsNew("copy")))
	require.NoError(t, e.Rerun(t.Context(), "crowd", durable.AsNew("copy")), "it is the same rerun")
	ended("copy")
	assert.Equal(t, 2+3*children, count())
	_, err = crowds.Start(t.Context(), "other", children)
	require.NoError(t, err)
	require.ErrorIs(t, e.Rerun(t.Context(), "crowd", durable.AsNew("other")), durable.ErrOther)

	for _, how := range [][]durable.RerunOption{nil, {durable.AsNew("next")}} {
		for _, after := range []bool{false, true} {
			other := dyingClient(t, &mortal{Store: s, death: &death{1, after}, creates: true})
			durable.Serve(other, crowdDurable(), struct{}{})
			require.ErrorIs(t, other.Rerun(t.Context(), "crowd", how...), errDied)
			shutdown(other)
			id := "crowd"
			if len(how) > 0 {
				id = "next"
				require.NoError(t, e.Rerun(t.Context(), "crowd", how...))
			}
			ended(id)
		}
	}
	contendedReruns(t, e, crowds, s)
}

// contendedReruns runs an instance again while others do, and delete it.
func contendedReruns(t *testing.T, e *durable.Engine, crowds *durable.Served[int, int], s stores.Store) {
	other := quiet(t, s, durable.Client(), durable.Retention(0))
	durable.Serve(other, crowdDurable(), struct{}{})
	engines := []*durable.Engine{e, other}
	for round := range 5 {
		id := fmt.Sprint("contended ", round)
		h, err := crowds.Start(t.Context(), id, 0)
		require.NoError(t, err)
		_, err = h.Wait(t.Context())
		require.NoError(t, err)
		var all sync.WaitGroup
		for n := range 6 {
			all.Go(func() {
				var err error
				switch n {
				case 4:
					err = other.Delete(context.Background(), id)
				case 5:
					_, err = s.Purge(context.Background(), time.Now().Add(time.Hour), 1000)
				default:
					err = engines[n%2].Rerun(context.Background(), id)
				}
				if err != nil && !errors.Is(err, durable.ErrNotEnded) && !errors.Is(err, durable.ErrNotFound) {
					assert.NoError(t, err)
				}
			})
		}
		all.Wait()
		_, err = crowds.Start(t.Context(), id, 0)
		require.NoError(t, err, "it is there, or its id is free")
		got, err := h.Wait(t.Context())
		if !errors.Is(err, durable.ErrNotFound) {
			require.NoError(t, err)
			assert.Zero(t, got)
		}
	}
}
