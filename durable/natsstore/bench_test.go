package natsstore_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/movenext/movenext/durable/natsstore"
	"github.com/movenext/movenext/durable/natsstore/natstest"
	"github.com/movenext/movenext/durable/stores"
)

// perWriter makes b.N calls from the given number of goroutines.
func perWriter(b *testing.B, writers int, do func(writer int) error) {
	b.ResetTimer()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := w; i < b.N; i += writers {
				if err := do(w); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}

func swaps(b *testing.B, s stores.Store) {
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprint("writers ", writers), func(b *testing.B) {
			records := make([]*stores.Record, writers)
			for w := range records {
				records[w] = instance(fmt.Sprint(writers, "-", w, "-", b.N))
				records[w].State = make([]byte, 500)
			}
			perWriter(b, writers, func(w int) error {
				_, err := s.Swap(context.Background(), records[w])
				return err
			})
		})
	}
}

// BenchmarkSwap runs on one server whose writes are synced.
func BenchmarkSwap(b *testing.B) {
	s, err := natsstore.Embedded(b.TempDir())
	require.NoError(b, err)
	defer func() { _ = s.Close() }()
	swaps(b, s)
}

// synced starts a cluster of three servers whose writes are synced.
func synced(b *testing.B) *natstest.Cluster {
	b.Helper()
	p, err := natstest.NewPlan(b.TempDir(), 3)
	require.NoError(b, err)
	c := &natstest.Cluster{Plan: p}
	for i := range p.Clients {
		s, err := p.Start(i)
		require.NoError(b, err)
		b.Cleanup(s.Stop)
		c.Servers = append(c.Servers, s)
	}
	return c
}

// BenchmarkSwapInACluster runs on three servers in this process, with one disk.
func BenchmarkSwapInACluster(b *testing.B) {
	s, err := natsstore.Connect(b.Context(), synced(b).URL())
	require.NoError(b, err)
	defer func() { _ = s.Close() }()
	swaps(b, s)
}

// BenchmarkBareCompareAndSwap measures the same cluster without a store: messages of the same
// size, in as many streams, each of which expects the revision of the previous one.
func BenchmarkBareCompareAndSwap(b *testing.B) {
	c := synced(b)
	const streams, writers = 8, 64
	s, err := natsstore.Connect(b.Context(), c.URL(), natsstore.Shards(streams))
	require.NoError(b, err)
	require.NoError(b, s.Close())
	js := connection(b, c.URL())
	revisions := make([]uint64, writers)
	value := make([]byte, 800)
	b.Run(fmt.Sprint("writers ", writers), func(b *testing.B) {
		perWriter(b, writers, func(w int) error {
			m := nats.NewMsg(fmt.Sprintf("$KV.movenext-%d.bare.%d", w%streams, w))
			m.Data = value
			m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(revisions[w], 10))
			ack, err := js.PublishMsg(context.Background(), m)
			if err == nil {
				revisions[w] = ack.Sequence
			}
			return err
		})
	})
}

// BenchmarkTimers measures how late a worker takes instances that become due at a steady rate.
func BenchmarkTimers(b *testing.B) {
	s, err := natsstore.Embedded(b.TempDir(), natsstore.Unsynced())
	require.NoError(b, err)
	defer func() { _ = s.Close() }()
	const n, rate, writers = 20_000, 4000, 64
	for b.Loop() {
		begin := time.Now().Add(20 * time.Second).Round(time.Second)
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := w; i < n; i += writers {
					r := instance(fmt.Sprint("i", i, "-", begin.Unix()))
					r.Due = begin.Add(time.Duration(i) * time.Second / rate)
					if _, err := s.Swap(context.Background(), r); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		require.True(b, time.Now().Before(begin), "the machine is too slow to prepare this in time")
		time.Sleep(time.Until(begin))
		var late []time.Duration
		for len(late) < n {
			now := time.Now()
			list, _, err := s.Take(b.Context(), stores.Taking{Now: now, Hide: time.Hour, Functions: []string{"f"}, Limit: 128})
			require.NoError(b, err)
			for _, d := range list {
				i, err := strconv.Atoi(d.ID[1:strings.Index(d.ID, "-")])
				require.NoError(b, err)
				late = append(late, time.Since(begin.Add(time.Duration(i)*time.Second/rate)))
			}
			if len(list) == 0 {
				time.Sleep(time.Millisecond)
			}
		}
		slices.Sort(late)
		b.ReportMetric(late[n/2].Seconds()*1000, "p50-late-ms")
		b.ReportMetric(late[n-n/100].Seconds()*1000, "p99-late-ms")
	}
}
