package graph_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/movenext/movenext/codegen/internal/graph"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loop is: 0 sets x; 1 jumps to 4 if it is done; 2 uses x; 3 jumps to 1; 4 is the end.
func loop() graph.Graph {
	next := [][]int{{1}, {2, 4}, {3}, {1}}
	return graph.New(len(next), func(n int) []int { return next[n] })
}

func TestAJumpBackIsFollowedOnce(t *testing.T) {
	assert.Equal(t, []bool{false, true, true, true, true}, loop().Reach(2))
	assert.Equal(t, []bool{false, false, false, false, true}, loop().Reach(4))
	assert.Equal(t, []bool{false, false, false, false, false}, loop().Reach())
}

// The successors of a node are a part of the graph, which a search from them leaves as it is.
func TestASearchFromTheSuccessorsOfANodeLeavesTheGraphAlone(t *testing.T) {
	g := loop()
	for n := range g {
		g.Reach(g[n]...)
	}
	assert.Equal(t, loop(), g)
}

func TestAValueIsLiveUntilItsLastUseInALoop(t *testing.T) {
	const x, y = 0, 64 // in two words of the set
	uses, defs := make([]graph.Set, 5), make([]graph.Set, 5)
	defs[0].Add(x)
	uses[2].Add(x)
	uses[4].Add(y)
	live := loop().Live(uses, defs)
	assert.False(t, live[0].Has(x), "it is set there")
	for _, n := range []int{1, 2, 3} {
		assert.True(t, live[n].Has(x), n)
	}
	assert.Equal(t, []int{y}, slices.Collect(live[4].Members()))
	assert.Equal(t, []int{y}, slices.Collect(live[0].Members()))
}

func TestASetReportsWhetherItHasGrown(t *testing.T) {
	var a, b, without graph.Set
	b.Add(3)
	b.Add(69)
	without.Add(3)
	assert.True(t, a.Join(b, without))
	assert.False(t, a.Join(b, without))
	assert.False(t, a.Has(3))
	assert.True(t, a.Join(b, nil))
	assert.Equal(t, []int{3, 69}, slices.Collect(a.Members()))
	for range a.Members() {
		break // an iteration may end early
	}
	assert.Equal(t, []int{69}, slices.Collect(a.From(4)))
	assert.Equal(t, []int{69}, slices.Collect(a.From(69)))
	assert.Empty(t, slices.Collect(a.From(70)))

	var middle graph.Set
	middle.Add(64)
	assert.True(t, a.Join(middle, nil), "between two others")
	assert.Equal(t, []int{3, 64, 69}, slices.Collect(a.Members()))
	a.Add(1000)
	a.Add(500)
	assert.Equal(t, []int{3, 64, 69, 500, 1000}, slices.Collect(a.Members()))
	assert.False(t, a.Has(700))
	assert.Equal(t, []int{64}, slices.Collect(a.Common(middle).Members()))
	assert.Empty(t, a.Common(nil))
	assert.False(t, graph.Set(nil).Has(0))
}
