// Package graph follows the control flow of a list of instructions: which of them may run, and
// which values are needed where.
//
// The nodes of a graph are numbers: those of the instructions, and one more for the end of the
// list. Both intermediate forms use it, that of asynchronous functions (package ir) and that of
// durable functions (package durable). Their instructions have nothing in common, but a function's
// lifetimes follow from its graph alone.
package graph

import "slices"

// Graph has the successors of each node. The last node is the end of the list.
type Graph [][]int

// New returns the graph of a list of size instructions. next lists the successors of an
// instruction.
func New(size int, next func(n int) []int) Graph {
	g := make(Graph, size+1)
	for n := range size {
		g[n] = next(n)
	}
	return g
}

// Reach returns the nodes that execution may reach from the given ones, which it includes.
func (g Graph) Reach(from ...int) []bool {
	reached := make([]bool, len(g))
	// The given nodes may be the successors of one, as a part of the graph: append must not
	// write there.
	for work := slices.Clone(from); len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !reached[n] {
			reached[n] = true
			work = append(work, g[n]...)
		}
	}
	return reached
}

// Live returns the values that are live before each node: they may be needed from there on. uses
// has the values that each node needs, defs those that it overwrites. Live adds to the sets in
// uses and returns them.
func (g Graph) Live(uses, defs []Set) []Set {
	for changed := true; changed; {
		changed = false
		for n := len(g) - 1; n >= 0; n-- {
			for _, next := range g[n] {
				changed = uses[n].Join(uses[next], defs[n]) || changed
			}
		}
	}
	return uses
}
