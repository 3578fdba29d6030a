package place

import "github.com/movenext/movenext/codegen/internal/ir"

// Prune drops unreachable instructions, and jumps and labels without effect. The
// compiler refuses unused labels, and vet reports unreachable code; and a suspension
// point that is never reached needs no state.
//
// It returns what is left, and fills in what depends on it: where the labels are, and
// which declarations may be executed again.
func Prune(code []ir.Instr) []ir.Instr {
	for size := -1; size != len(code); {
		size = len(code)
		if code = reachable(code); size == len(code) {
			code = withoutIdleJumps(code)
		}
	}
	code = withoutUnusedLabels(code)
	locate(code)
	for n := range code {
		if z, ok := code[n].(*ir.Zero); ok {
			z.Loop = inLoop(code, n)
		}
	}
	return code
}

// locate notes where each label is.
func locate(code []ir.Instr) {
	for n, i := range code {
		if m, ok := i.(*ir.Mark); ok {
			m.Label.At = n
		}
	}
}

// reachable is the code that may run.
func reachable(code []ir.Instr) []ir.Instr {
	locate(code)
	reached := make([]bool, len(code)+1)
	work := []int{0}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[n] || n == len(code) {
			continue
		}
		reached[n] = true
		work = append(work, successors(code, n)...)
	}
	return filter(code, func(n int, _ ir.Instr) bool { return reached[n] })
}

// withoutIdleJumps drops jumps to the next instruction.
func withoutIdleJumps(code []ir.Instr) []ir.Instr {
	return filter(code, func(n int, i ir.Instr) bool {
		j, ok := i.(*ir.Jump)
		if !ok {
			return true
		}
		for _, next := range code[n+1:] {
			if _, ok := next.(*ir.Stand); ok {
				continue
			}
			m, ok := next.(*ir.Mark)
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

func withoutUnusedLabels(code []ir.Instr) []ir.Instr {
	used := map[*ir.Label]bool{}
	for _, i := range code {
		for _, l := range i.Targets() {
			used[l] = true
		}
	}
	return filter(code, func(_ int, i ir.Instr) bool {
		m, ok := i.(*ir.Mark)
		return !ok || used[m.Label]
	})
}

// filter returns the instructions that keep accepts.
func filter(code []ir.Instr, keep func(n int, i ir.Instr) bool) []ir.Instr {
	var rest []ir.Instr
	for n, i := range code {
		if keep(n, i) {
			rest = append(rest, i)
		}
	}
	return rest
}

// inLoop reports whether instruction n may be executed more than once.
func inLoop(code []ir.Instr, n int) bool {
	seen := map[int]bool{}
	work := successors(code, n)
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == n {
			return true
		}
		if seen[at] || at >= len(code) {
			continue
		}
		seen[at] = true
		work = append(work, successors(code, at)...)
	}
	return false
}

// Points are the suspension points in the code.
func Points(code []ir.Instr) []*ir.Point {
	var list []*ir.Point
	for _, i := range code {
		if p, ok := i.(*ir.Park); ok {
			list = append(list, p.Point)
		}
	}
	return list
}
