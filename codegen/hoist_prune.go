package codegen

// prune drops unreachable instructions, and jumps and labels without effect. The
// compiler refuses unused labels, and vet reports unreachable code; and a suspension
// point that is never reached needs no state.
func (u *unit) prune() {
	for u.dropUnreachable() || u.dropIdleJumps() {
	}
	u.dropUnusedLabels()
	u.locate()
	for n := range u.code {
		if z, ok := u.code[n].(*zero); ok {
			z.loop = u.inLoop(n)
		}
	}
}

// locate notes where each label is.
func (u *unit) locate() {
	for n, i := range u.code {
		if m, ok := i.(*mark); ok {
			m.label.at = n
		}
	}
}

func (u *unit) dropUnreachable() bool {
	u.locate()
	reached := make([]bool, len(u.code)+1)
	work := []int{0}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if reached[n] || n == len(u.code) {
			continue
		}
		reached[n] = true
		work = append(work, u.successors(n)...)
	}
	return u.filter(func(n int, _ instr) bool { return reached[n] })
}

// dropIdleJumps drops jumps to the next instruction.
func (u *unit) dropIdleJumps() bool {
	return u.filter(func(n int, i instr) bool {
		j, ok := i.(*jump)
		if !ok {
			return true
		}
		for _, next := range u.code[n+1:] {
			if _, ok := next.(*stand); ok {
				continue
			}
			m, ok := next.(*mark)
			if !ok {
				return true
			}
			if m.label == j.to {
				return false
			}
		}
		return true
	})
}

func (u *unit) dropUnusedLabels() {
	used := map[*label]bool{}
	for _, i := range u.code {
		for _, l := range i.targets() {
			used[l] = true
		}
	}
	u.filter(func(_ int, i instr) bool {
		m, ok := i.(*mark)
		return !ok || used[m.label]
	})
}

// filter keeps the instructions for which keep holds and reports whether any went.
func (u *unit) filter(keep func(n int, i instr) bool) bool {
	var rest []instr
	for n, i := range u.code {
		if keep(n, i) {
			rest = append(rest, i)
		}
	}
	gone := len(rest) < len(u.code)
	u.code = rest
	return gone
}

// inLoop reports whether instruction n may be executed more than once.
func (u *unit) inLoop(n int) bool {
	seen := map[int]bool{}
	work := u.successors(n)
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at == n {
			return true
		}
		if seen[at] || at >= len(u.code) {
			continue
		}
		seen[at] = true
		work = append(work, u.successors(at)...)
	}
	return false
}

// parks are the suspension points that are left.
func (u *unit) parks() []*point {
	var list []*point
	for _, i := range u.code {
		if p, ok := i.(*park); ok {
			list = append(list, p.point)
		}
	}
	return list
}
