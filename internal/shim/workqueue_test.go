package shim

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/interleave"
	"github.com/movenext/movenext/schedulers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// load is a work item; the pointer makes each one an object of its own for the collector.
type load struct{ _ *int }

func (*load) Run(schedulers.Worker) {}
func (*load) Abandon(error)         {}

// add adds w to q, as a policy does, and returns its number.
func add(q *WorkQueue, w schedulers.Work, arrivals *interleave.Uint64) uint64 {
	number, listed := q.PushListed(w, arrivals)
	if !listed {
		number, _ = q.Push(w, arrivals)
	}
	return number
}

// The test compares a queue with a slice.
func TestAWorkQueueIsFirstInFirstOut(t *testing.T) {
	type item struct {
		number uint64
		work   schedulers.Work
	}
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 2))
		var q WorkQueue
		var arrivals interleave.Uint64
		var model, out []item
		check := func() {
			number, ok := q.First()
			require.Equal(t, len(model) > 0, ok)
			require.Equal(t, ok, q.listed)
			if ok {
				require.Equal(t, model[0].number, number)
			}
		}
		for range 2000 {
			switch n := random.IntN(8); {
			case n < 3:
				w := new(load)
				if random.IntN(2) == 0 {
					arrivals.Add(3) // other queues have got some
				}
				list := len(model) == 0
				number, listed := q.PushListed(w, &arrivals)
				require.Equal(t, !list, listed)
				if !listed {
					var first bool
					number, first = q.Push(w, &arrivals)
					require.True(t, first)
				}
				require.Equal(t, arrivals.Load(), number)
				model = append(model, item{number, w})
			case n < 5 && len(model) > 0:
				require.Same(t, model[0].work, q.Pop())
				out, model = append(out, model[0]), model[1:]
				check()
			case n < 7 && len(model) > 0:
				i := random.IntN(len(model))
				require.Same(t, model[i].work, q.Remove(model[i].number))
				out, model = append(out, model[i]), slices.Delete(model, i, i+1)
				check()
			case len(out) > 0:
				require.Nil(t, q.Remove(out[random.IntN(len(out))].number))
			}
			require.Equal(t, len(model), q.Len())
			var all []item
			for number, w := range q.All() {
				all = append(all, item{number, w})
			}
			require.Equal(t, append([]item(nil), model...), all)
		}
		for range model {
			require.NotNil(t, q.Pop())
		}
		assert.Nil(t, q.Pop())
		check2 := func() (ok bool) { _, ok = q.First(); return ok }
		assert.False(t, check2())
		assert.False(t, q.listed)
	}
}

func TestAQueueNumbersItsItemsItself(t *testing.T) {
	var q WorkQueue
	for want := range uint64(5) {
		assert.Equal(t, want+1, add(&q, new(load), nil))
	}
	_, list := q.Push(new(load), nil)
	assert.False(t, list, "another submitter has listed it meanwhile")
}

// A full scheduler beneath refuses one work item after another, while the first stays.
func TestGapsDoNotPileUpBehindWorkThatStays(t *testing.T) {
	for _, moved := range []bool{false, true} {
		var q WorkQueue
		first := add(&q, new(load), nil)
		if moved {
			_, _ = q.First() // the worker's part has it
		}
		for range 1000 {
			require.NotNil(t, q.Remove(add(&q, new(load), nil)))
			require.LessOrEqual(t, len(q.inbox.all)+len(q.out.all), 1)
			require.Equal(t, 1, q.Len())
		}
		require.NotNil(t, q.Remove(first))
	}
	// The gaps before work that stays are dropped with it.
	var q WorkQueue
	var numbers []uint64
	for range 100 {
		numbers = append(numbers, add(&q, new(load), nil))
	}
	for _, n := range numbers[:99] {
		require.NotNil(t, q.Remove(n))
	}
	require.Equal(t, 1, q.Len())
	n, _ := q.First()
	require.Equal(t, numbers[99], n)
	require.NotNil(t, q.Pop())
	require.Zero(t, q.out.gaps+q.inbox.gaps)
}

// Two items come and go in turn, while another one stays in front, or leaves at last.
func TestGapsDoNotPileUpBetweenOthers(t *testing.T) {
	for _, stays := range []bool{false, true} {
		for _, moved := range []bool{false, true} {
			var q WorkQueue
			if stays {
				add(&q, new(load), nil)
			}
			if moved {
				_, _ = q.First()
			}
			before := add(&q, new(load), nil)
			for range 1000 {
				next := add(&q, new(load), nil)
				require.NotNil(t, q.Remove(before))
				before = next
				require.LessOrEqual(t, len(q.inbox.all)+len(q.out.all), keep+5)
			}
			number, _ := q.First()
			require.Equal(t, stays, number == 1)
			require.NotNil(t, q.Remove(before))
			for _, part := range []*entries{&q.inbox, &q.out} {
				for _, e := range part.all[len(part.all):cap(part.all)] {
					require.Nil(t, e.work, "the rest of a buffer keeps nothing")
				}
			}
		}
	}
}

func TestTheBufferOfABurstIsReleased(t *testing.T) {
	var q WorkQueue
	burst := func(n int) {
		for range n {
			add(&q, new(load), nil)
		}
		for q.Pop() != nil {
			_, _ = q.First()
		}
	}
	burst(10 * keep)
	burst(10 * keep) // through the other buffer
	assert.Zero(t, cap(q.inbox.all)+cap(q.out.all))
	burst(keep / 2)
	assert.Positive(t, cap(q.inbox.all)+cap(q.out.all), "a small buffer is used again")
}

func TestWorkThatIsOutIsNotKept(t *testing.T) {
	var q WorkQueue
	var gone []weak.Pointer[load]
	var numbers []uint64
	for range 6 {
		w := new(load)
		gone = append(gone, weak.Make(w))
		numbers = append(numbers, add(&q, w, nil))
	}
	stays := add(&q, new(load), nil)
	q.Remove(numbers[1])
	for range 2 {
		q.Pop()
	}
	add(&q, new(load), nil)
	for range 3 {
		q.Pop()
	}
	runtime.GC()
	for i, w := range gone {
		assert.Nil(t, w.Value(), "work %d", i)
	}
	number, _ := q.First()
	assert.Equal(t, stays, number)
	runtime.KeepAlive(&q)
}
