package natsstore

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable"
	"github.com/movenext/movenext/durable/stores"
)

func waiting(wake int64) note {
	return note{Function: "f", Status: durable.Waiting, Wake: &wake}
}

func by(now int64) stores.Taking {
	return stores.Taking{Now: time.Unix(0, now), Hide: time.Nanosecond * 100, Functions: []string{"f"}}
}

// TestTheIndexAgreesWithAMap applies random revisions, in order as a bucket has them and early as
// this process's own writes come, and compares what is due with a plain map.
func TestTheIndexAgreesWithAMap(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 1))
		x := newIndex(1)
		wakes := map[string]*int64{}
		type write struct {
			id string
			n  note
		}
		var log []write
		behind := 0
		follow := func() {
			w := log[behind]
			behind++
			x.apply(0, w.id, uint64(behind), w.n, false)
			x.advance(0, uint64(behind))
		}
		for range 500 {
			id := fmt.Sprint("i", random.IntN(20))
			n := note{Function: "f", Status: durable.Waiting}
			switch random.IntN(5) {
			case 0:
				n.Owner = "w"
			case 1:
				n.Status = durable.Completed
			case 2:
				n.Status = durable.Stuck
			case 3:
				n = waiting(random.Int64N(1000))
			}
			log = append(log, write{id, n})
			wakes[id] = n.Wake
			x.apply(0, id, uint64(len(log)), n, true)
			for behind < len(log) && random.IntN(2) == 0 {
				follow()
			}
		}
		for behind < len(log) {
			follow()
		}
		x.lease("w", 1, 2000)
		var want []string
		for id, wake := range wakes {
			if wake != nil && *wake <= 700 {
				want = append(want, fmt.Sprintf("%04d %s", *wake, id))
			}
		}
		slices.Sort(want)
		var got []string
		for _, f := range x.take(by(700), 1000) {
			got = append(got, fmt.Sprintf("%04d %s", f.due, f.id))
		}
		assert.Equal(t, want, got, "seed %d", seed)
		assert.Empty(t, x.take(by(700), 1000), "they are hidden")
		assert.Empty(t, x.shards[0].absent)
		for id, it := range x.items {
			assert.True(t, it.heapIndex >= 0 || it.owner != nil || x.stuck[id] != nil || x.ended[id] != nil, "%s is kept for nothing", id)
		}
	}
}

// TestABucketThatIsAnotherOneIsForgotten leaves those of the other buckets.
func TestABucketThatIsAnotherOneIsForgotten(t *testing.T) {
	x := newIndex(2)
	x.apply(0, "a", 5, waiting(1), false)
	x.apply(1, "b", 5, waiting(1), false)
	x.apply(0, "c", 6, note{Function: "f", Status: durable.Stuck}, false)
	x.reset(0)
	list := x.take(by(2), 10)
	require.Len(t, list, 1)
	assert.Equal(t, "b", list[0].id)
	assert.Empty(t, x.stuckIDs(durable.Filter{}))
	assert.True(t, x.apply(0, "a", 1, waiting(1), false), "its revisions count anew")
}

func TestTokensAreReversible(t *testing.T) {
	for _, s := range []string{"", "a", "order-17_B", "=", "=YQ", "a.b", "*", ">", "ü\x00\n", strings.Repeat("x", maxText)} {
		tok := token(s)
		assert.NotContains(t, tok, ".")
		assert.NotEmpty(t, tok)
		back, ok := text(tok)
		assert.True(t, ok)
		assert.Equal(t, s, back)
	}
	_, ok := text("=!")
	assert.False(t, ok)
}

func FuzzDecode(f *testing.F) {
	e := entry{Record: stores.Record{ID: "a", Function: "f", Status: durable.Waiting, State: []byte("s\n")}}
	value, err := e.encode()
	require.NoError(f, err)
	f.Add(value)
	f.Add([]byte("{}"))
	f.Add([]byte("null\n"))
	f.Fuzz(func(t *testing.T, value []byte) {
		e, err := decode("a", value, 1)
		if err != nil {
			require.ErrorIs(t, err, ErrForeign)
			return
		}
		again, err := e.encode()
		require.NoError(t, err)
		back, err := decode("a", again, 1)
		require.NoError(t, err)
		require.Equal(t, e.Version, back.Version)
		require.Equal(t, e.State, back.State)
	})
}

// BenchmarkIndexOfAMillion is what a worker needs for each timer, and to take those that are due.
func BenchmarkIndexOfAMillion(b *testing.B) {
	const n = 1_000_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	x := newIndex(1)
	for i := range n {
		x.apply(0, fmt.Sprintf("order-%07d", i), uint64(i+1), waiting(int64(1000+rand.IntN(n))), false)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
		x.next(by(0))
		require.Empty(b, x.take(by(0), 128))
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "bytes/timer")
}

// Claims are for other processes: none is needed while only workers of this one live.
func TestAStoreIsAloneWhileNoOtherWorkerLives(t *testing.T) {
	x := newIndex(1)
	assert.False(t, x.alone(5), "it is not known who takes")
	x.markOwn("mine")
	x.lease("mine", 1, 10)
	assert.True(t, x.alone(5))
	x.lease("other", 2, 10)
	assert.False(t, x.alone(5))
	x.lease("mine", 3, 30)
	assert.True(t, x.alone(10), "the other one has ended")
	assert.False(t, x.alone(30))
}
