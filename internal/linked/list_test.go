package linked_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/internal/linked"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type guest struct {
	name  int
	links linked.Node[guest]
}

// The test compares the list with a slice after each of many random operations.
func TestTheListDoesAsASliceDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var (
		list linked.List[guest]
		want []*guest
	)
	for i := range 5000 {
		if len(want) == 0 || random.IntN(2) == 0 {
			g := &guest{name: i}
			if random.IntN(4) == 0 {
				list.AddFirst(&g.links, g)
				want = slices.Insert(want, 0, g)
			} else {
				list.Add(&g.links, g)
				want = append(want, g)
			}
		} else {
			at := random.IntN(len(want))
			list.Remove(&want[at].links)
			assert.False(t, want[at].links.In())
			want = slices.Delete(want, at, at+1)
		}
		assert.Equal(t, len(want), list.Len())
		if i%50 == 0 {
			requireSame(t, want, &list)
		}
	}
}

func requireSame(t *testing.T, want []*guest, list *linked.List[guest]) {
	t.Helper()
	got := slices.Collect(list.All())
	assert.True(t, slices.Equal(want, got))
	for i, g := range want {
		assert.True(t, g.links.In())
		if i > 0 {
			assert.Same(t, want[i-1], g.links.Prev())
			assert.Same(t, g, want[i-1].links.Next())
		}
	}
	if n := len(want); n > 0 {
		assert.Same(t, want[0], list.First())
		assert.Same(t, want[n-1], list.Last())
		assert.Nil(t, want[0].links.Prev())
		assert.Nil(t, want[n-1].links.Next())
	} else {
		assert.Nil(t, list.First())
		assert.Nil(t, list.Last())
	}
}

func TestTheLastYieldedMayBeRemoved(t *testing.T) {
	var list linked.List[guest]
	for i := range 4 {
		g := &guest{name: i}
		list.Add(&g.links, g)
	}
	for g := range list.All() {
		if g.name == 3 {
			break
		}
		list.Remove(&g.links)
	}
	assert.Equal(t, 1, list.Len())
	assert.Equal(t, 3, list.First().name)
}

func ExampleList() {
	type waiter struct {
		name  string
		links linked.Node[waiter]
	}
	var line linked.List[waiter]
	a, b, c := &waiter{name: "a"}, &waiter{name: "b"}, &waiter{name: "c"}
	for _, w := range []*waiter{a, b, c} {
		line.Add(&w.links, w)
	}
	line.Remove(&b.links) // gives up
	for w := range line.All() {
		fmt.Println(w.name)
	}
	// Output:
	// a
	// c
}
