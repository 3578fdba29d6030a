package ir

import "github.com/movenext/movenext/codegen/internal/graph"

// Prune drops unreachable instructions, and jumps and labels without effect. The compiler
// rejects unused labels, vet reports unreachable code, and a suspension point that is never
// reached needs no state.
//
// Prune returns the remaining instructions, and fills in the data that depends on them: the
// positions of labels, and which declarations may run more than once.
func Prune(code []Instr) []Instr {
	for size := -1; size != len(code); {
		size = len(code)
		if code = reachable(code); size == len(code) {
			code = withoutIdleJumps(code)
		}
	}
	code = withoutUnusedLabels(code)
	locate(code)
	flow := Flow(code)
	for n := range code {
		if z, ok := code[n].(*Zero); ok {
			z.Loop = flow.Reach(flow[n]...)[n]
		}
	}
	return code
}

// locate records the position of each label.
func locate(code []Instr) {
	for n, i := range code {
		if m, ok := i.(*Mark); ok {
			m.Label.At = n
		}
	}
}

// reachable returns the instructions that may run.
func reachable(code []Instr) []Instr {
	locate(code)
	reached := Flow(code).Reach(0)
	return filter(code, func(n int, _ Instr) bool { return reached[n] })
}

// withoutIdleJumps drops jumps to the next instruction.
func withoutIdleJumps(code []Instr) []Instr {
	return filter(code, func(n int, i Instr) bool {
		j, ok := i.(*Jump)
		if !ok {
			return true
		}
		for _, next := range code[n+1:] {
			if _, ok := next.(*SourceLine); ok {
				continue
			}
			m, ok := next.(*Mark)
			if !ok {
				return true
			}
			if m.Label == j.To {
				return false
			}
		}
		return true
	})
}

func withoutUnusedLabels(code []Instr) []Instr {
	used := map[*Label]bool{}
	for _, i := range code {
		for _, l := range i.Targets() {
			used[l] = true
		}
	}
	return filter(code, func(_ int, i Instr) bool {
		m, ok := i.(*Mark)
		return !ok || used[m.Label]
	})
}

// filter returns the instructions that keep accepts.
func filter(code []Instr, keep func(n int, i Instr) bool) []Instr {
	var rest []Instr
	for n, i := range code {
		if keep(n, i) {
			rest = append(rest, i)
		}
	}
	return rest
}

// Flow returns the control flow of the instructions: which of them may follow which.
//
// All decisions about lifetimes depend on it: every new way to continue must be added here.
func Flow(code []Instr) graph.Graph {
	return graph.New(len(code), func(n int) []int {
		var next []int
		for _, label := range code[n].Targets() {
			next = append(next, label.At)
		}
		if code[n].Falls() {
			next = append(next, n+1)
		}
		return next
	})
}

// Points returns the suspension points in the code.
func Points(code []Instr) []*Point {
	var list []*Point
	for _, i := range code {
		if p, ok := i.(*Park); ok {
			list = append(list, p.Point)
		}
	}
	return list
}
