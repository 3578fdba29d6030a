package ums

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAQueueIsASlice compares the queue with a slice, across the ends of its blocks: bursts of
// each length up to three blocks arrive while parts of the previous burst are left.
func TestAQueueIsASlice(t *testing.T) {
	const most = 3*62 + 2
	var q, inbox entryQueue
	var want []*Worker
	id := 0
	add := func(to *entryQueue) {
		id++
		w := &Worker{id: id}
		to.push(entry{worker: w})
		want = append(want, w)
	}
	for burst := range most {
		for range burst {
			add(&q)
		}
		for range burst / 2 {
			add(&inbox)
		}
		q.appendAll(&inbox)
		require.Zero(t, inbox.n)
		require.Equal(t, len(want), q.n)
		var got []*Worker
		q.forEach(func(e *entry) { got = append(got, e.worker) })
		require.Equal(t, want, got)
		for range len(want) - burst%5*min(1, len(want)/5) {
			require.Same(t, want[0], q.pop().worker)
			want = want[1:]
		}
	}
	assert.Len(t, want, q.n)
}

func TestAQueueKeepsNothingAlive(t *testing.T) {
	var q entryQueue
	for range 1000 {
		q.push(entry{worker: &Worker{}})
	}
	for range 1000 {
		q.pop()
	}
	for _, b := range []*block{q.first, q.spare} {
		for _, e := range b.entries {
			assert.Nil(t, e.worker)
		}
		assert.Nil(t, b.after, "the blocks of a burst are not kept")
	}
}
