package graph_test

import (
	"fmt"

	"github.com/movenext/movenext/codegen/internal/graph"
)

// Instruction 1 of three follows a jump, and no label leads to it.
func ExampleGraph_Reach() {
	next := [][]int{{2}, {2}, {3}}
	g := graph.New(len(next), func(n int) []int { return next[n] })
	fmt.Println(g.Reach(0))
	// Output: [true false true true]
}
