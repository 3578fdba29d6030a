package durabletest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

// Store runs the conformance suite. Each subtest calls make for an empty store, and is named
// after the guarantee that it checks. With the flag -durabletest.full it tries 4000 waiting
// messages and 2000 children, instead of some hundred, and logs how long they take.
func Store(t *testing.T, make func(t testing.TB) stores.Store) {
	for _, c := range []struct {
		name string
		test func(*testing.T, stores.Store)
	}{
		{"a record comes back as it was written", comesBack},
		{"a swap of an old version changes nothing", oldVersion},
		{"of concurrent swaps one wins", oneWins},
		{"an unknown instance is not found", unknown},
		{"messages are kept in order, each key once", messages},
		{"an ended instance takes no messages", endedInbox},
		{"a swap tells of messages that were not seen", mail},
		{"a wait with an unseen message is due at once", unseen},
		{"a message makes an instance due, unless it has an owner", dueByMessage},
		{"an instance is due at its time, and for its functions", dueAtTime},
		{"a time that nanoseconds do not reach is far away", farAway},
		{"an instance at a step is due for workers that call it", dueForStep},
		{"an instance is due for workers that know its layout", dueForLayout},
		{"what is taken is hidden for a while", hidden},
		{"takings without a write are counted", countedTakings},
		{"what is taken comes as it is", takenWhole},
		{"of concurrent takers one gets an instance", oneTaker},
		{"the oldest are taken first, up to the limit", limited},
		{"what an expired worker owns is due", expired},
		{"what has ended or is stuck is not due", notDue},
		{"messages below the floor are dropped", floor},
		{"lists are filtered, in order, in pages", lists},
		{"what ended long ago is purged, and its id is free", purged},
		{"what is deleted is gone, with its messages and keys", deleted},
		{"families are deleted, with a crash at each write and by two workers", deletedFamilies},
		{"what has ended runs again, and its inbox goes on", runsAgain},
		{"reruns have new children, with a crash at each write and next to deletions", reruns},
		{"a select has one outcome, while calls fail", selects},
		{"workers that are gone and own nothing are forgotten", forgotten},
		{"a context that has ended changes nothing", canceled},
		{"a nil context never ends", nilContext},
		{"a run that never waits hears what it is told", restlessRuns},
		{"an instance that kills its workers is stuck", poison},
		{"a large state is kept", large},
		{"an instance that has grown too large is stuck, and loses nothing", tooLarge},
		{"a rolling deploy of three versions strands nothing", rollingDeploys},
		{"a cancellation of a stuck instance acts when it is resumed", canceledStuck},
		{"texts that obey the rules are kept", keptTexts},
		{"another text is kept, or refused for ever", otherTexts},
		{"an engine refuses texts alike on every store", refusedTexts},
		{"a final error makes an instance stuck, another one is tried again", finalErrors},
		{"a parent is told that it cannot be told", untold},
		{"messages sent at once arrive, each key once", messagesAtOnce},
		{"many messages are received in order", manyMessages},
		{"many children have their answers at their places", manyChildren},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, make(t)) })
	}
}

// timeAt returns a time that stores of any resolution can keep.
func timeAt(seconds int) time.Time { return time.Unix(1_800_000_000+int64(seconds), 0).UTC() }

func record(id string) *stores.Record {
	return &stores.Record{
		ID: id, Function: "f", Run: "r", Status: durable.Waiting, Labels: map[string]string{"tenant": "a"},
		Created: timeAt(1), Updated: timeAt(2), State: []byte("state \x00\xff"),
	}
}

// write swaps a record in.
func write(t *testing.T, s stores.Store, r *stores.Record) (mail bool) {
	t.Helper()
	mail, err := s.Swap(t.Context(), r)
	require.NoError(t, err)
	return mail
}

func sendTo(t *testing.T, s stores.Store, id, name, key string) {
	t.Helper()
	require.NoError(t, s.Send(t.Context(), id, stores.Message{Name: name, Key: key, Payload: []byte(name), Sent: timeAt(3)}))
}

// take returns the ids of the instances that are due at a time.
func take(t *testing.T, s stores.Store, now time.Time) []string {
	t.Helper()
	due, _, err := s.Take(t.Context(), stores.Taking{Now: now, Hide: 10 * time.Second, Functions: []string{"f", "g"}, Limit: 100})
	require.NoError(t, err)
	return ids(due)
}

func ids(due []stores.Taken) (ids []string) {
	for _, d := range due {
		ids = append(ids, d.ID)
	}
	return ids
}

func comesBack(t *testing.T, s stores.Store) {
	r := record("id/with 'quotes' and ü")
	r.Reason, r.Owner, r.Epoch, r.Due, r.Seen, r.Floor = "why", "w", 3, timeAt(9), 7, 5
	r.Step, r.Layout = "shop.charge", "f 1f0c2a9b"
	write(t, s, r)
	assert.EqualValues(t, 1, r.Version, "versions count from 1")
	got, err := s.Load(t.Context(), r.ID)
	require.NoError(t, err)
	assert.Empty(t, differences(r, got))
	got.State[0], got.Labels["tenant"] = 'X', "b"
	again, err := s.Load(t.Context(), r.ID)
	require.NoError(t, err)
	assert.Empty(t, differences(r, again), "what Load returns belongs to its caller")
}

// differences returns the fields that differ; times may have different locations.
func differences(a, b *stores.Record) (list []string) {
	x, y := *a, *b
	for _, r := range []*stores.Record{&x, &y} {
		r.Created, r.Updated, r.Due = r.Created.UTC(), r.Updated.UTC(), r.Due.UTC()
	}
	if !assert.ObjectsAreEqual(x, y) {
		list = append(list, fmt.Sprintf("%+v", x), fmt.Sprintf("%+v", y))
	}
	return list
}

func oldVersion(t *testing.T, s stores.Store) {
	r := record("a")
	write(t, s, r)
	_, err := s.Swap(t.Context(), record("a"))
	require.ErrorIs(t, err, durable.ErrConflict, "it exists")
	old := *r
	r.Reason = "new"
	write(t, s, r)
	assert.EqualValues(t, 2, r.Version)
	_, err = s.Swap(t.Context(), &old)
	require.ErrorIs(t, err, durable.ErrConflict)
	missing := record("b")
	missing.Version = 1
	_, err = s.Swap(t.Context(), missing)
	require.ErrorIs(t, err, durable.ErrConflict, "it does not exist")
	got, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, "new", got.Reason)
}

func oneWins(t *testing.T, s stores.Store) {
	write(t, s, record("a"))
	const goroutines, rounds = 8, 10
	wins := make(chan int64, goroutines*rounds)
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for range rounds {
				r, err := s.Load(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Swap(t.Context(), r); err == nil {
					wins <- r.Version
				}
			}
		})
	}
	wg.Wait()
	close(wins)
	seen := map[int64]bool{1: true}
	for v := range wins {
		assert.False(t, seen[v], "version %d was written twice", v)
		seen[v] = true
	}
	r, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.EqualValues(t, len(seen), r.Version)
}

func unknown(t *testing.T, s stores.Store) {
	_, err := s.Load(t.Context(), "none")
	require.ErrorIs(t, err, durable.ErrNotFound)
	require.ErrorIs(t, s.Send(t.Context(), "none", stores.Message{Name: "m"}), durable.ErrNotFound)
	until, err := s.Leased(t.Context(), "none")
	require.NoError(t, err)
	assert.True(t, until.IsZero())
}

func messages(t *testing.T, s stores.Store) {
	write(t, s, record("a"))
	write(t, s, record("b"))
	for _, key := range []string{"", "", "k", "k", "l"} {
		sendTo(t, s, "a", "m"+key, key)
	}
	sendTo(t, s, "b", "other", "k")
	list, err := s.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	require.Len(t, list, 4)
	for i, m := range list {
		assert.EqualValues(t, i+1, m.Seq)
		assert.Equal(t, []string{"m", "m", "mk", "ml"}[i], m.Name)
		assert.Equal(t, m.Name, string(m.Payload))
		assert.True(t, timeAt(3).Equal(m.Sent))
	}
	list, err = s.Inbox(t.Context(), "a", 3)
	require.NoError(t, err)
	assert.Len(t, list, 1)
	list, err = s.Inbox(t.Context(), "b", 0)
	require.NoError(t, err)
	assert.Len(t, list, 1, "each instance has its own")
}

func endedInbox(t *testing.T, s stores.Store) {
	r := record("a")
	write(t, s, r)
	sendTo(t, s, "a", "m", "k")
	r.Status = durable.Completed
	write(t, s, r)
	sendTo(t, s, "a", "m", "k")
	for range 2 {
		require.ErrorIs(t, s.Send(t.Context(), "a", stores.Message{Name: "m"}), durable.ErrEnded)
		require.ErrorIs(t, s.Send(t.Context(), "a", stores.Message{Name: "m", Key: "l"}), durable.ErrEnded)
	}
	list, err := s.Inbox(t.Context(), "a", 0)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(list), 1, "a known key is no error, and no message")
}

func mail(t *testing.T, s stores.Store) {
	r := record("a")
	r.Owner = "w"
	assert.False(t, write(t, s, r))
	sendTo(t, s, "a", "m", "")
	assert.True(t, write(t, s, r))
	r.Seen = 1
	assert.False(t, write(t, s, r))
}

func unseen(t *testing.T, s stores.Store) {
	r := record("a")
	r.Owner = "w"
	write(t, s, r)
	require.NoError(t, s.Lease(t.Context(), "w", timeAt(1000)))
	sendTo(t, s, "a", "m", "")
	assert.Empty(t, take(t, s, timeAt(20)), "it has an owner")
	r.Owner, r.Due = "", timeAt(500)
	write(t, s, r)
	assert.Equal(t, []string{"a"}, take(t, s, timeAt(20)))
	r.Seen = 1
	write(t, s, r)
	assert.Empty(t, take(t, s, timeAt(40)), "the message has been seen")
	assert.Equal(t, []string{"a"}, take(t, s, timeAt(500)))
}

func floor(t *testing.T, s stores.Store) {
	r := record("a")
	write(t, s, r)
	sendTo(t, s, "a", "m1", "k")
	sendTo(t, s, "a", "m2", "")
	r.Floor, r.Seen = 1, 2
	write(t, s, r)
	list, err := s.Inbox(t.Context(), "a", 1)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.EqualValues(t, 2, list[0].Seq)
	sendTo(t, s, "a", "m1", "k")
	sendTo(t, s, "a", "m3", "")
	list, err = s.Inbox(t.Context(), "a", 1)
	require.NoError(t, err)
	require.Len(t, list, 2, "a key is known although its message was dropped")
	assert.EqualValues(t, 3, list[1].Seq)
}

func lists(t *testing.T, s stores.Store) {
	for i := range 7 {
		r := record(fmt.Sprint("i", 6-i))
		r.Created, r.Updated = timeAt(100+i), timeAt(200+i)
		if i%2 == 0 {
			r.Status = durable.Completed
			r.Labels = map[string]string{"tenant": "b", "x": "y"}
		}
		write(t, s, r)
	}
	for _, c := range []struct {
		f    durable.Filter
		want []string
	}{
		{durable.Filter{}, []string{"i0", "i1", "i2", "i3", "i4", "i5", "i6"}},
		{durable.Filter{Function: "g"}, nil},
		{durable.Filter{Status: durable.Waiting}, []string{"i1", "i3", "i5"}},
		{durable.Filter{Labels: map[string]string{"tenant": "b"}, Limit: 2}, []string{"i0", "i2"}},
		{durable.Filter{Labels: map[string]string{"tenant": "b"}, After: "i2"}, []string{"i4", "i6"}},
		{durable.Filter{Created: durable.Period{From: timeAt(104)}}, []string{"i0", "i1", "i2"}},
		{durable.Filter{Created: durable.Period{Until: timeAt(102)}}, []string{"i5", "i6"}},
		{durable.Filter{Updated: durable.Period{From: timeAt(201), Until: timeAt(204)}}, []string{"i3", "i4", "i5"}},
		{durable.Filter{Updated: durable.Period{From: timeAt(201), Until: timeAt(204)}, Limit: 2, After: "i3"}, []string{"i4", "i5"}},
		{durable.Filter{Created: durable.Period{From: timeAt(100)}, Updated: durable.Period{Until: timeAt(202)}, Status: durable.Waiting}, []string{"i5"}},
		{durable.Filter{Created: durable.Period{From: timeAt(106), Until: timeAt(106)}}, nil},
	} {
		for _, c.f.Bare = range []bool{false, true} {
			records, err := s.List(t.Context(), c.f)
			require.NoError(t, err)
			var ids []string
			for _, r := range records {
				ids = append(ids, r.ID)
				whole, err := s.Load(t.Context(), r.ID)
				require.NoError(t, err)
				if c.f.Bare {
					whole.State = nil
				}
				assert.Empty(t, differences(whole, r))
			}
			assert.Equal(t, c.want, ids, "%+v", c.f)
		}
	}
}

func purged(t *testing.T, s stores.Store) {
	for i, status := range []durable.Status{durable.Completed, durable.Failed, durable.Waiting, durable.Stuck} {
		r := record(fmt.Sprint("i", i))
		write(t, s, r)
		sendTo(t, s, r.ID, "m", "k")
		r.Status, r.Updated = status, timeAt(10)
		write(t, s, r)
	}
	n, err := s.Purge(t.Context(), timeAt(10), 10)
	require.NoError(t, err)
	assert.Zero(t, n, "they did not end before that")
	n, err = s.Purge(t.Context(), timeAt(11), 1)
	require.NoError(t, err)
	assert.Equal(t, 1, n, "the limit")
	n, err = s.Purge(t.Context(), timeAt(11), 10)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	left, err := s.List(t.Context(), durable.Filter{})
	require.NoError(t, err)
	assert.Len(t, left, 2)
	write(t, s, record("i0"))
	list, err := s.Inbox(t.Context(), "i0", 0)
	require.NoError(t, err)
	assert.Empty(t, list, "the messages were deleted too")
	sendTo(t, s, "i0", "m", "k")
	list, err = s.Inbox(t.Context(), "i0", 0)
	require.NoError(t, err)
	assert.Len(t, list, 1, "and their keys")
}

func forgotten(t *testing.T, s stores.Store) {
	for worker, until := range map[string]int{"gone": 1, "owner": 1, "alive": 11} {
		require.NoError(t, s.Lease(t.Context(), worker, timeAt(until)))
	}
	owned := record("a")
	owned.Owner = "owner"
	write(t, s, owned)
	_, err := s.Purge(t.Context(), timeAt(10), 10)
	require.NoError(t, err)
	for worker, kept := range map[string]bool{"gone": false, "owner": true, "alive": true} {
		until, err := s.Leased(t.Context(), worker)
		require.NoError(t, err)
		assert.Equal(t, kept, !until.IsZero(), worker)
	}
}

func canceled(t *testing.T, s stores.Store) {
	write(t, s, record("a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Swap(ctx, record("b"))
	require.Error(t, err)
	require.Error(t, s.Send(ctx, "a", stores.Message{Name: "m"}))
	_, err = s.Load(ctx, "a")
	require.Error(t, err)
	require.Error(t, s.Delete(ctx, "a", 1))
	_, err = s.Load(t.Context(), "a")
	require.NoError(t, err)
	_, err = s.Load(t.Context(), "b")
	require.ErrorIs(t, err, durable.ErrNotFound)
}

func nilContext(t *testing.T, s stores.Store) {
	var none context.Context
	_, err := s.Swap(none, record("a"))
	require.NoError(t, err)
	_, err = s.Load(none, "a")
	require.NoError(t, err)
	require.NoError(t, s.Send(none, "a", stores.Message{Name: "m"}))
	list, err := s.Inbox(none, "a", 0)
	require.NoError(t, err)
	assert.Len(t, list, 1)
	_, _, err = s.Take(none, stores.Taking{Now: timeAt(10), Functions: []string{"f"}, Limit: 1})
	require.NoError(t, err)
	_, err = s.List(none, durable.Filter{})
	require.NoError(t, err)
	_, err = s.Purge(none, timeAt(10), 1)
	require.NoError(t, err)
	require.NoError(t, s.Lease(none, "w", timeAt(10)))
	until, err := s.Leased(none, "w")
	require.NoError(t, err)
	assert.True(t, until.Equal(timeAt(10)))
	require.NoError(t, s.Delete(none, "a", 1))
}

func large(t *testing.T, s stores.Store) {
	r := record("a")
	r.State = make([]byte, durable.MaxCheckpoint+100)
	r.State[len(r.State)-1] = 7
	write(t, s, r)
	got, err := s.Load(t.Context(), "a")
	require.NoError(t, err)
	assert.Equal(t, r.State, got.State)
}
