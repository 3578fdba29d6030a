package natsstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/durabletest"
	"github.com/movenext/movenext/durable/natsstore"
	"github.com/movenext/movenext/durable/natsstore/natstest"
	"github.com/movenext/movenext/durable/stores"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// few is enough shards for a test.
const few = 3

func embedded(t testing.TB, opts ...natsstore.Option) *natsstore.Store {
	t.Helper()
	s, err := natsstore.Embedded(t.TempDir(), append([]natsstore.Option{natsstore.Unsynced(), natsstore.Shards(few)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func connected(t testing.TB, url string, opts ...natsstore.Option) *natsstore.Store {
	t.Helper()
	s, err := natsstore.Connect(t.Context(), url, append([]natsstore.Option{natsstore.Shards(few)}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func TestStore(t *testing.T) {
	durabletest.Store(t, func(t testing.TB) stores.Store { return embedded(t) })
}

// TestStoreInACluster has three servers, and three replicas of all.
func TestStoreInACluster(t *testing.T) {
	if testing.Short() {
		t.Skip("starts clusters")
	}
	c := natstest.New(t, 3)
	n := 0
	durabletest.Store(t, func(t testing.TB) stores.Store {
		n++
		return connected(t, c.URL(), natsstore.Bucket(fmt.Sprint("store-", n)), natsstore.Shards(1))
	})
}

// TestADamagedEntryHarmsNoOther changes a byte of an entry or of its header, cuts it short, or
// writes something else.
func TestADamagedEntryHarmsNoOther(t *testing.T) {
	c := natstest.New(t, 1)
	s := connected(t, c.URL(), natsstore.Shards(1))
	js := connection(t, c.URL())
	const bucket = "movenext-0"
	stream, err := js.Stream(t.Context(), "KV_"+bucket)
	require.NoError(t, err)
	durabletest.Damaged(t, s, func(random *rand.Rand, id string) string {
		raw, err := stream.GetLastMsgForSubject(t.Context(), "$KV."+bucket+".i."+id)
		require.NoError(t, err)
		m := &nats.Msg{Subject: raw.Subject, Data: raw.Data, Header: nats.Header{"Movenext": raw.Header["Movenext"]}}
		what := random.IntN(5)
		switch at := random.IntN(len(m.Data)); what {
		case 0:
			m.Data[at] ^= byte(1 + random.IntN(255))
		case 1:
			m.Data = m.Data[:at]
		case 2:
			m.Data = []byte(strings.Repeat("{", 100_000))
		case 3:
			m.Data = nil
		case 4:
			header := []byte(m.Header.Get("Movenext"))
			at %= len(header)
			header[at] = "{}[],:x9\""[random.IntN(9)]
			m.Header.Set("Movenext", string(header))
		}
		_, err = js.PublishMsg(t.Context(), m)
		require.NoError(t, err)
		return fmt.Sprint("change ", what)
	})
}

func instance(id string) *stores.Record {
	return &stores.Record{ID: id, Function: "f", Run: "r", Status: durable.Waiting, State: []byte("state")}
}

func due(now int64) stores.Taking {
	return stores.Taking{Now: time.Unix(now, 0), Hide: time.Hour, Functions: []string{"f"}, Limit: 100}
}

func TestWhatWasWrittenIsThereAgain(t *testing.T) {
	dir := t.TempDir()
	first, err := natsstore.Embedded(dir, natsstore.Shards(few))
	require.NoError(t, err)
	for _, id := range []string{"a", "waits"} {
		_, err = first.Swap(t.Context(), instance(id))
		require.NoError(t, err)
	}
	require.NoError(t, first.Send(t.Context(), "a", stores.Message{Name: "m", Key: "k"}))
	require.NoError(t, first.Close())
	require.NoError(t, first.Close(), "a second time")
	_, err = first.Load(t.Context(), "a")
	require.ErrorIs(t, err, natsstore.ErrClosed)
	_, err = first.Swap(t.Context(), instance("b"))
	require.ErrorIs(t, err, natsstore.ErrClosed)

	second, err := natsstore.Embedded(dir, natsstore.Shards(7))
	require.NoError(t, err)
	defer func() { assert.NoError(t, second.Close()) }()
	r, err := second.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "state", string(r.State))
	taken, _, err := second.Take(t.Context(), due(1))
	require.NoError(t, err)
	assert.Equal(t, []string{"a"}, idsOf(taken))
	require.NoError(t, second.Send(t.Context(), "a", stores.Message{Name: "m", Key: "k"}))
	list, err := second.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	assert.Len(t, list, 1, "the key is known")
}

func TestWhatCannotBeOpenedSaysWhy(t *testing.T) {
	_, err := natsstore.Embedded("")
	require.ErrorContains(t, err, "natsstore: starting a server")
	_, err = natsstore.Connect(t.Context(), "nats://127.0.0.1:1")
	require.ErrorContains(t, err, "natsstore: opening the store")
	for _, o := range []natsstore.Option{natsstore.Bucket("a.b"), natsstore.Shards(0), natsstore.Replicas(9), nil} {
		_, err = natsstore.Connect(t.Context(), "nats://127.0.0.1:1", o)
		require.Error(t, err)
	}
}

func TestBucketsOfANewerVersionAreRefused(t *testing.T) {
	c := natstest.New(t, 1)
	old := connected(t, c.URL())
	js := connection(t, c.URL())
	_, err := js.Publish(t.Context(), "$KV.movenext-workers.store", []byte(`{"version":99,"shards":1}`))
	require.NoError(t, err)
	_, err = natsstore.Connect(t.Context(), c.URL())
	require.ErrorIs(t, err, natsstore.ErrVersion)
	require.ErrorContains(t, err, "has 99")
	_, err = old.Swap(t.Context(), instance("a"))
	require.NoError(t, err, "a worker that runs goes on")

	_, err = js.Publish(t.Context(), "$KV.movenext-workers.store", []byte(`{}`))
	require.NoError(t, err)
	_, err = natsstore.Connect(t.Context(), c.URL())
	require.ErrorIs(t, err, natsstore.ErrForeign)
}

// TestTwoNamesAreTwoStores in one account, and one name is one, whatever its programs are.
func TestTwoNamesAreTwoStores(t *testing.T) {
	c := natstest.New(t, 1)
	stores := map[string]*natsstore.Store{}
	for _, name := range []string{"orders", "orders-2", "orders again"} {
		stores[name] = connected(t, c.URL(), natsstore.Bucket(strings.TrimSuffix(name, " again")), natsstore.Shards(1))
	}
	_, err := stores["orders"].Swap(t.Context(), instance("a"))
	require.NoError(t, err)
	_, err = stores["orders-2"].Load(t.Context(), "a")
	require.ErrorIs(t, err, durable.ErrNotFound)
	_, err = stores["orders again"].Swap(t.Context(), instance("a"))
	require.ErrorIs(t, err, durable.ErrConflict, "its id is taken")
}

func TestBucketsOfOthersAreRefused(t *testing.T) {
	c := natstest.New(t, 1)
	js := connection(t, c.URL())
	_, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "theirs-workers"})
	require.NoError(t, err)
	_, err = natsstore.Connect(t.Context(), c.URL(), natsstore.Bucket("theirs"))
	require.ErrorIs(t, err, natsstore.ErrForeign)
	require.ErrorContains(t, err, "direct gets")
}

// connection is that of an operator.
func connection(t testing.TB, url string, opts ...nats.Option) jetstream.JetStream {
	t.Helper()
	c, err := nats.Connect(url, opts...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	js, err := jetstream.New(c)
	require.NoError(t, err)
	return js
}

func TestTextsThatCannotBeKeptAreRefused(t *testing.T) {
	s := embedded(t)
	for _, text := range []string{"\xff", strings.Repeat("a", 1001)} {
		_, err := s.Swap(t.Context(), instance(text))
		require.ErrorIs(t, err, durable.ErrUnstorable)
		_, err = s.Load(t.Context(), text)
		require.ErrorIs(t, err, durable.ErrUnstorable)
	}
	require.ErrorIs(t, s.Send(t.Context(), "a", stores.Message{Name: "\xff"}), durable.ErrUnstorable)
	for _, id := range []string{"", "=", "a.b", "a b*>\r\n\x00", strings.Repeat("ü", 500)} {
		r := instance(id)
		r.Due = time.Unix(1, 0)
		_, err := s.Swap(t.Context(), r)
		require.NoError(t, err, id)
		got, err := s.Load(t.Context(), id)
		require.NoError(t, err, id)
		assert.Equal(t, id, got.ID)
	}
	taken, _, err := s.Take(t.Context(), due(2))
	require.NoError(t, err)
	assert.Len(t, taken, 5)
}

// TestTwoWorkersTakeDifferentInstances has two stores, as two processes have them.
func TestTwoWorkersTakeDifferentInstances(t *testing.T) {
	c := natstest.New(t, 1)
	a, b := connected(t, c.URL()), connected(t, c.URL(), natsstore.Shards(9))
	const n = 60
	for i := range n {
		r := instance(fmt.Sprint("i", i))
		r.Due = time.Unix(1, 0)
		_, err := a.Swap(t.Context(), r)
		require.NoError(t, err)
	}
	var mu sync.Mutex
	count := map[string]int{}
	var both sync.WaitGroup
	for _, s := range []*natsstore.Store{a, b} {
		both.Go(func() {
			for {
				mu.Lock()
				all := len(count) == n
				mu.Unlock()
				if all {
					return
				}
				by := due(2)
				by.Limit = 7
				list, _, err := s.Take(t.Context(), by)
				if !assert.NoError(t, err) {
					return
				}
				mu.Lock()
				for _, d := range list {
					count[d.ID]++
				}
				mu.Unlock()
			}
		})
	}
	both.Wait()
	for id, times := range count {
		assert.Equal(t, 1, times, id)
	}
}

// TestAnotherProcessIsToldOfAMessage has one store whose engine waits, and another one that sends.
func TestAnotherProcessIsToldOfAMessage(t *testing.T) {
	c := natstest.New(t, 1)
	a, b := connected(t, c.URL()), connected(t, c.URL())
	_, err := a.Swap(t.Context(), instance("x"))
	require.NoError(t, err)
	told := make(chan struct{}, 100)
	defer b.Notify(func() { told <- struct{}{} })()
	require.NoError(t, a.Send(t.Context(), "x", stores.Message{Name: "m"}))
	for {
		<-told
		taken, _, err := b.Take(t.Context(), due(1))
		require.NoError(t, err)
		if len(taken) > 0 {
			assert.Equal(t, []string{"x"}, idsOf(taken))
			return
		}
	}
}

// TestASendMeetsTheEndOfAWait has a sender and a worker at the same entry, again and again: the
// message is either seen by the swap, or makes the instance due.
func TestASendMeetsTheEndOfAWait(t *testing.T) {
	s := embedded(t)
	for i := range 30 {
		r := instance(fmt.Sprint("i", i))
		r.Owner = "w"
		_, err := s.Swap(t.Context(), r)
		require.NoError(t, err)
		r.Owner = ""
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() { assert.NoError(t, s.Send(context.Background(), r.ID, stores.Message{Name: "m", Key: "k"})) })
		}
		all.Go(func() {
			_, err := s.Swap(context.Background(), r)
			assert.NoError(t, err)
		})
		all.Wait()
		taken, _, err := s.Take(t.Context(), due(1))
		require.NoError(t, err)
		assert.Equal(t, []string{r.ID}, idsOf(taken))
		list, err := s.Inbox(t.Context(), r.ID, 0)
		require.NoError(t, err)
		assert.Len(t, list, 1, "one of two with the same key")
	}
}

// TestALargeMailboxLiesApart has payloads and keys that do not fit into an entry's head, and many
// messages. What is no longer needed is deleted.
func TestALargeMailboxLiesApart(t *testing.T) {
	s := embedded(t, natsstore.Shards(1), natsstore.Listen("127.0.0.1:0"))
	stream, err := connection(t, s.URL()).Stream(t.Context(), "KV_movenext-0")
	require.NoError(t, err)
	parts := func(what string) int {
		info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter("$KV.movenext-0."+what+".>"))
		require.NoError(t, err)
		return len(info.State.Subjects)
	}
	r := instance("a")
	_, err = s.Swap(t.Context(), r)
	require.NoError(t, err)
	const n = 400
	size := func(i int) int { return 30 * (i % 160) }
	for range 2 {
		for i := range n {
			require.NoError(t, s.Send(t.Context(), "a", stores.Message{Name: "m", Key: fmt.Sprint(i), Payload: make([]byte, size(i))}))
		}
	}
	assert.Greater(t, parts("m"), n/20, "pages, and long payloads")
	assert.Greater(t, parts("k"), n/2)
	for floor := int64(0); floor < n; floor += 7 {
		r.Seen, r.Floor = n, floor
		_, err = s.Swap(t.Context(), r)
		require.NoError(t, err)
		list, err := s.Inbox(t.Context(), "a", 0)
		require.NoError(t, err)
		require.Len(t, list, n-int(floor))
		for i, m := range list {
			assert.Equal(t, floor+int64(i)+1, m.Seq)
			assert.Len(t, m.Payload, size(int(m.Seq)-1))
		}
		list, err = s.Inbox(t.Context(), "a", n-1)
		require.NoError(t, err)
		require.Len(t, list, 1)
	}
	r.Floor = n
	_, err = s.Swap(t.Context(), r)
	require.NoError(t, err)
	assert.Zero(t, parts("m"))
	r.Status, r.Updated = durable.Completed, time.Unix(1, 0)
	_, err = s.Swap(t.Context(), r)
	require.NoError(t, err)
	purged, err := s.Purge(t.Context(), time.Unix(2, 0), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, purged)
	assert.Zero(t, parts("k"))
}

// TestADamagedPageHarmsNoOther has messages that cannot be read, or are gone.
func TestADamagedPageHarmsNoOther(t *testing.T) {
	s := embedded(t, natsstore.Shards(1), natsstore.Listen("127.0.0.1:0"))
	js := connection(t, s.URL())
	stream, err := js.Stream(t.Context(), "KV_movenext-0")
	require.NoError(t, err)
	for _, id := range []string{"a", "b"} {
		_, err := s.Swap(t.Context(), instance(id))
		require.NoError(t, err)
		for range 200 {
			require.NoError(t, s.Send(t.Context(), id, stores.Message{Name: "m"}))
		}
	}
	info, err := stream.Info(t.Context(), jetstream.WithSubjectFilter("$KV.movenext-0.m.a.>"))
	require.NoError(t, err)
	require.NotEmpty(t, info.State.Subjects)
	for subject := range info.State.Subjects {
		_, err := js.Publish(t.Context(), subject, []byte(strings.Repeat("[", 100_000)))
		require.NoError(t, err)
	}
	_, err = s.Inbox(t.Context(), "a", 0)
	require.ErrorIs(t, err, natsstore.ErrForeign)
	for subject := range info.State.Subjects {
		require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSubject(subject)))
	}
	_, err = s.Inbox(t.Context(), "a", 0)
	require.ErrorContains(t, err, "gone")
	list, err := s.Inbox(t.Context(), "b", 0)
	require.NoError(t, err)
	assert.Len(t, list, 200)
}

// TestACheckpointThatIsTooLargeIsRefused by a server of whom a message may have less.
func TestACheckpointThatIsTooLargeIsRefused(t *testing.T) {
	s := embedded(t)
	r := instance("a")
	_, err := s.Swap(t.Context(), r)
	require.NoError(t, err)
	r.State = make([]byte, 5<<20)
	_, err = s.Swap(t.Context(), r)
	require.ErrorIs(t, err, durable.ErrTooLarge)
	require.ErrorContains(t, err, "messages of 4194304 bytes")
	got, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "state", string(got.State), "nothing was written")
	assert.EqualValues(t, 1, r.Version)
}

// idsOf are the ids of what was taken.
func idsOf(list []stores.Taken) (ids []string) {
	for _, t := range list {
		ids = append(ids, t.ID)
	}
	return ids
}

func TestANilContextNeverEnds(t *testing.T) {
	var none context.Context
	s := embedded(t)
	_, err := s.Swap(none, instance("a"))
	require.NoError(t, err)
	_, err = s.Load(none, "a")
	require.NoError(t, err)
	require.NoError(t, s.Send(none, "a", stores.Message{Name: "m"}))
	_, err = s.Inbox(none, "a", 0)
	require.NoError(t, err)
	_, _, err = s.Take(none, due(1))
	require.NoError(t, err)
	_, err = s.List(none, durable.Filter{})
	require.NoError(t, err)
	_, err = s.Purge(none, time.Now(), 1)
	require.NoError(t, err)
	require.NoError(t, s.Lease(none, "w", time.Now()))
	_, err = s.Leased(none, "w")
	require.NoError(t, err)
}
