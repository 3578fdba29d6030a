package durable

import "slices"

// live finds the values that each point needs: those that are live after its label, and its
// arguments. The results of its own step do not exist yet.
func (lo *lowering) live() {
	at := map[string]int{}
	for n, i := range lo.code {
		if i.label != "" {
			at[i.label] = n
		}
	}
	before := make([]map[*variable]bool, len(lo.code)+1)
	for n := range before {
		before[n] = map[*variable]bool{}
	}
	for changed := true; changed; {
		changed = false
		for n := len(lo.code) - 1; n >= 0; n-- {
			changed = lo.flow(before, at, n) || changed
		}
	}
	for n, p := range lo.points {
		p.number = n + 1
		for _, v := range lo.list {
			live := before[at[p.resume]][v] && !slices.Contains(p.results, v)
			if live || slices.Contains(p.args, v) || v.pinned {
				p.live = append(p.live, v)
			}
		}
	}
}

// flow computes what is live before an instruction, and reports whether the set has grown.
func (lo *lowering) flow(before []map[*variable]bool, at map[string]int, n int) (grown bool) {
	i, set := lo.code[n], before[n]
	add := func(v *variable) {
		if !set[v] {
			set[v], grown = true, true
		}
	}
	for _, v := range i.uses {
		add(v)
	}
	next := i.to
	pass := func(from map[*variable]bool) {
		for v := range from {
			if !slices.Contains(i.defs, v) {
				add(v)
			}
		}
	}
	for _, label := range next {
		pass(before[at[label]])
	}
	if !i.stops {
		pass(before[n+1])
	}
	return grown
}
