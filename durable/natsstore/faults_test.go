package natsstore_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/natsstore"
	"github.com/movenext/movenext/durable/natsstore/internal/serving"
	"github.com/movenext/movenext/durable/natsstore/natstest"
	"github.com/movenext/movenext/durable/stores"
)

// leader is the number of the server that leads a stream.
func leader(t *testing.T, c *natstest.Cluster, stream string) int {
	t.Helper()
	js := connection(t, c.URL())
	s, err := js.Stream(t.Context(), stream)
	require.NoError(t, err)
	for i := range c.Servers {
		if c.Name(i) == s.CachedInfo().Cluster.Leader {
			return i
		}
	}
	require.FailNow(t, "there is no leader")
	return 0
}

// TestNothingIsLostWithALeader stops the server that leads a bucket while eight writers count in
// it, starts it again, and stops the next leader. Each answered write is there.
func TestNothingIsLostWithALeader(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	c := natstest.New(t, 3)
	s := connected(t, c.URL(), natsstore.Shards(1), natsstore.Patience(time.Minute))
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan struct{}, 100)
	var counts [8]int64
	var writers sync.WaitGroup
	for w := range counts {
		writers.Go(func() {
			r := instance(fmt.Sprint("w", w))
			for ctx.Err() == nil {
				_, err := s.Swap(context.WithoutCancel(ctx), r)
				if !assert.NoError(t, err) {
					return
				}
				if !assert.NoError(t, s.Send(context.WithoutCancel(ctx), r.ID, stores.Message{Name: "m"})) {
					return
				}
				r.Seen++
				r.Floor = r.Seen
				counts[w]++
				select {
				case written <- struct{}{}:
				default:
				}
			}
		})
	}
	more := func() { // waits for writes
		for range 2 * cap(written) {
			<-written
		}
	}
	for range 2 {
		more()
		i := leader(t, c, "KV_movenext-0")
		c.Servers[i].Stop()
		more()
		again, err := c.Start(i)
		require.NoError(t, err)
		c.Servers[i] = again
	}
	more()
	cancel()
	writers.Wait()
	other := connected(t, c.URL())
	for w, n := range counts {
		r, err := other.Load(t.Context(), fmt.Sprint("w", w))
		require.NoError(t, err)
		assert.Equal(t, n, r.Version, "each swap counted once")
		list, err := other.Inbox(t.Context(), r.ID, 0)
		require.NoError(t, err)
		require.Len(t, list, 1, "each send counted once")
		assert.Equal(t, n, list[0].Seq)
	}
	list, _, err := other.Take(t.Context(), due(1))
	require.NoError(t, err)
	assert.Len(t, list, len(counts), "all have a message that was not seen")
}

// TestAListHasWhatWasWritten whichever server its reader is on: two of three follow the leader.
func TestAListHasWhatWasWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	c := natstest.New(t, 3)
	s := connected(t, c.URL(), natsstore.Shards(1))
	for i := range 100 {
		_, err := s.Swap(t.Context(), instance(fmt.Sprintf("i%02d", i)))
		require.NoError(t, err)
		list, err := s.List(t.Context(), durable.Filter{Limit: 1000})
		require.NoError(t, err)
		require.Len(t, list, i+1)
	}
	js := connection(t, c.URL())
	stream, err := js.Stream(t.Context(), "KV_movenext-0")
	require.NoError(t, err)
	require.NoError(t, stream.DeleteMsg(t.Context(), stream.CachedInfo().State.LastSeq))
	list, err := s.List(t.Context(), durable.Filter{Limit: 1000})
	require.NoError(t, err)
	assert.Len(t, list, 99, "the newest is gone, and the list does not wait for it")
}

// TestWithoutMostServersCallsSaySo stops two servers of three.
func TestWithoutMostServersCallsSaySo(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	c := natstest.New(t, 3)
	connected(t, c.URL(), natsstore.Shards(1)) // which waits until the cluster has formed
	s := connected(t, c.URL(), natsstore.Patience(time.Second))
	r := instance("a")
	_, err := s.Swap(t.Context(), r)
	require.NoError(t, err)
	c.Servers[0].Stop()
	c.Servers[1].Stop()
	_, err = s.Swap(t.Context(), r)
	require.ErrorIs(t, err, natsstore.ErrUnavailable)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = s.Swap(ctx, r)
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// TestAStoreThatCannotBeOpenedInTimeSaysWhy: one server has no room for three replicas.
func TestAStoreThatCannotBeOpenedInTimeSaysWhy(t *testing.T) {
	c := natstest.New(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := natsstore.Connect(ctx, c.URL(), natsstore.Replicas(3))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "replicas > 1 not supported")
}

// TestAFullDiskFailsTheWritesThatNeedRoom has a server that keeps little. A write that fails
// changes nothing, and later ones succeed when there is room again.
func TestAFullDiskFailsTheWritesThatNeedRoom(t *testing.T) {
	srv, err := serving.Start(serving.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Unsynced: true, Store: 8 << 20})
	require.NoError(t, err)
	t.Cleanup(func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	})
	s := connected(t, srv.ClientURL(), natsstore.Patience(200*time.Millisecond))
	small := instance("small")
	_, err = s.Swap(t.Context(), small)
	require.NoError(t, err)
	n := 0
	for ; err == nil && n < 100; n++ {
		large := instance(fmt.Sprint("large", n))
		large.State = make([]byte, 1<<20)
		large.Status, large.Updated = durable.Completed, time.Unix(1, 0)
		_, err = s.Swap(t.Context(), large)
	}
	require.ErrorIs(t, err, natsstore.ErrUnavailable)
	require.ErrorContains(t, err, "resource")
	_, err = s.Load(t.Context(), fmt.Sprint("large", n-1))
	require.ErrorIs(t, err, durable.ErrNotFound)
	_, err = s.Load(t.Context(), "small")
	require.NoError(t, err)
	purged, err := s.Purge(t.Context(), time.Unix(2, 0), 100)
	require.NoError(t, err)
	assert.Equal(t, n-1, purged)
	_, err = s.Swap(t.Context(), small)
	require.NoError(t, err, "there is room again")
}

// secured is a server with users who may do all or less.
func secured(t *testing.T, allowed ...string) (url string) {
	t.Helper()
	srv, err := serving.Start(serving.Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Unsynced: true, Users: []*server.User{
		{Username: "admin", Password: "secret"},
		{Username: "guest", Password: "guest", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: allowed},
			Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
		}},
	}})
	require.NoError(t, err)
	t.Cleanup(func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	})
	return srv.ClientURL()
}

func TestAUserWithoutRightsIsTold(t *testing.T) {
	url := secured(t, "$JS.API.STREAM.INFO.>", "$JS.API.STREAM.MSG.GET.>", "$JS.API.CONSUMER.>", "$JS.API.INFO", "$KV.movenext-workers.>")
	_, err := natsstore.Connect(t.Context(), url)
	require.ErrorContains(t, err, "uthorization", "no password")
	var told atomic.Bool
	guest := natsstore.Nats(nats.UserInfo("guest", "guest"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) { told.Store(true) }))
	_, err = natsstore.Connect(t.Context(), url, guest)
	require.ErrorIs(t, err, natsstore.ErrRights, "it may not make a stream")
	assert.True(t, told.Load(), "a handler of the user is called, too")

	connected(t, url, natsstore.Nats(nats.UserInfo("admin", "secret")))
	s, err := natsstore.Connect(t.Context(), url, guest)
	require.NoError(t, err, "it may use what is there")
	defer func() { assert.NoError(t, s.Close()) }()
	require.NoError(t, s.Lease(t.Context(), "w", time.Now()))
	_, err = s.Swap(t.Context(), instance("a"))
	require.ErrorIs(t, err, natsstore.ErrRights)
	require.ErrorContains(t, err, "$KV.movenext-")
}

// TestAWorkerNeedsTheseRights alone, where the buckets are there: docs/howto/durable-stores.md has
// the list.
func TestAWorkerNeedsTheseRights(t *testing.T) {
	url := secured(t, "$KV.>", "$JS.API.STREAM.INFO.*", "$JS.API.STREAM.MSG.GET.*", "$JS.API.STREAM.MSG.DELETE.*",
		"$JS.API.STREAM.PURGE.*", "$JS.API.CONSUMER.>")
	connected(t, url, natsstore.Nats(nats.UserInfo("admin", "secret")))
	s := connected(t, url, natsstore.Nats(nats.UserInfo("guest", "guest")))
	r := instance("a")
	_, err := s.Swap(t.Context(), r)
	require.NoError(t, err)
	require.NoError(t, s.Send(t.Context(), "a", stores.Message{Name: "m", Payload: make([]byte, 10_000)}))
	list, err := s.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
	taken, _, err := s.Take(t.Context(), due(1))
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, idsOf(taken))
	r.Seen, r.Floor = 1, 1
	_, err = s.Swap(t.Context(), r)
	require.NoError(t, err)
	records, err := s.List(t.Context(), durable.Filter{})
	require.NoError(t, err)
	assert.Len(t, records, 1)
	require.NoError(t, s.Lease(t.Context(), "w", time.Unix(1, 0)))
	r.Status, r.Updated = durable.Completed, time.Unix(1, 0)
	_, err = s.Swap(t.Context(), r)
	require.NoError(t, err)
	n, err := s.Purge(t.Context(), time.Unix(2, 0), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
}

// TestAStreamThatIsMadeAnewIsFollowedAnew deletes a bucket under a store, as an operator does who
// restores a backup.
func TestAStreamThatIsMadeAnewIsFollowedAnew(t *testing.T) {
	c := natstest.New(t, 1)
	s := connected(t, c.URL(), natsstore.Shards(1))
	for i := range 5 {
		r := instance(fmt.Sprint("old", i))
		r.Due = time.Unix(1, 0)
		_, err := s.Swap(t.Context(), r)
		require.NoError(t, err)
	}
	list, _, err := s.Take(t.Context(), due(1))
	require.NoError(t, err)
	require.Len(t, list, 5)
	js := connection(t, c.URL())
	old, err := js.Stream(t.Context(), "KV_movenext-0")
	require.NoError(t, err)
	require.NoError(t, js.DeleteStream(t.Context(), "KV_movenext-0"))
	_, err = js.CreateStream(t.Context(), old.CachedInfo().Config)
	require.NoError(t, err)
	other := connected(t, c.URL())
	r := instance("new")
	r.Due = time.Unix(1, 0)
	_, err = other.Swap(t.Context(), r)
	require.NoError(t, err)
	for now := int64(10_000); len(list) != 1; now += 10_000 { // what was taken is due again
		list, _, err = s.Take(t.Context(), due(now))
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"new"}, idsOf(list))
}
