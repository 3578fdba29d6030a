package durable

import (
	"slices"

	"github.com/movenext/movenext/codegen/internal/graph"
)

// labelIndex returns the position of each label.
func (lo *lowering) labelIndex() map[string]int {
	index := map[string]int{}
	for n, i := range lo.code {
		if i.label != "" {
			index[i.label] = n
		}
	}
	return index
}

// graph returns the control flow of the instructions. It ends at the instructions that cut
// selects; none if cut is nil.
func (lo *lowering) graph(cut func(*instr) bool) graph.Graph {
	labels := lo.labelIndex()
	return graph.New(len(lo.code), func(n int) []int {
		i := lo.code[n]
		if cut != nil && cut(i) {
			return nil
		}
		var next []int
		for _, label := range i.to {
			next = append(next, labels[label])
		}
		if !i.stops {
			next = append(next, n+1)
		}
		return next
	})
}

// prune drops unreachable instructions, labels without jumps, and the points that go with them.
func (lo *lowering) prune() {
	reached := lo.graph(nil).Reach(0)
	used := map[string]bool{}
	for n, i := range lo.code {
		for _, label := range i.to {
			used[label] = used[label] || reached[n]
		}
	}
	var rest []*instr
	for n, i := range lo.code {
		if reached[n] && (i.label == "" || used[i.label]) {
			rest = append(rest, i)
		}
	}
	lo.code = rest
	lo.points = slices.DeleteFunc(lo.points, func(p *point) bool { return !used[p.resume] })
}

// live finds the values that each point needs: those that are live after its label, and its
// arguments. The results of its own step do not exist yet.
func (lo *lowering) live() {
	before := lo.liveBefore()
	labels := lo.labelIndex()
	for n, p := range lo.points {
		p.number = n + 1
		for i, v := range lo.list {
			live := before[labels[p.resume]].Has(i) && !slices.Contains(p.results, v)
			if live || slices.Contains(p.args, v) || v.pinned {
				p.live = append(p.live, v)
			}
		}
	}
}

// liveBefore returns the variables that are live before each instruction, by their index in the
// list.
func (lo *lowering) liveBefore() []graph.Set {
	index := map[*variable]int{}
	for i, v := range lo.list {
		index[v] = i
	}
	uses, defs := make([]graph.Set, len(lo.code)+1), make([]graph.Set, len(lo.code)+1)
	for n, i := range lo.code {
		for _, v := range i.uses {
			uses[n].Add(index[v])
		}
		for _, v := range i.defs {
			defs[n].Add(index[v])
		}
	}
	return lo.graph(nil).Live(uses, defs)
}
