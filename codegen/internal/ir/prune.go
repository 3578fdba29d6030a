package ir

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
	for n := range code {
		if z, ok := code[n].(*Zero); ok {
			z.Loop = inLoop(code, n)
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
	reached := make([]bool, len(code)+1)
	work := []int{0}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[n] || n == len(code) {
			continue
		}
		reached[n] = true
		work = append(work, Successors(code, n)...)
	}
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

// Successors returns the instructions that may follow instruction n. No instruction follows the
// last one.
//
// All decisions about lifetimes depend on it: every new way to continue must be added here.
func Successors(code []Instr, n int) []int {
	var list []int
	for _, to := range code[n].Targets() {
		list = append(list, to.At)
	}
	if code[n].Falls() {
		list = append(list, n+1)
	}
	return list
}

// inLoop reports whether instruction n may run more than once.
func inLoop(code []Instr, n int) bool {
	seen := map[int]bool{}
	work := Successors(code, n)
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
		work = append(work, Successors(code, at)...)
	}
	return false
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
