package main

import "slices"

// hoist returns the variables that are needed after a suspension: those become fields.
//
// A variable is live before an instruction if the instruction reads it, or if it
// is live after it and the instruction does not set it. A jump is followed by its
// target, so loops need several rounds, until nothing changes.
func hoist(code []instruction) (fields []string) {
	live := make([]map[string]bool, len(code)+1)
	for i := range live {
		live[i] = map[string]bool{}
	}
	for changed := true; changed; {
		changed = false
		for i := len(code) - 1; i >= 0; i-- {
			for _, next := range successors(code, i) {
				for v := range live[next] {
					if v != code[i].sets && !live[i][v] {
						live[i][v], changed = true, true
					}
				}
			}
			for _, v := range code[i].uses {
				if !live[i][v] {
					live[i][v], changed = true, true
				}
			}
		}
	}
	for i, in := range code {
		if in.kind != suspend {
			continue
		}
		for v := range live[i+1] {
			if v != in.sets && !slices.Contains(fields, v) {
				fields = append(fields, v)
			}
		}
	}
	slices.Sort(fields)
	return fields
}

// successors returns the instructions that can follow instruction i.
func successors(code []instruction, i int) []int {
	switch code[i].kind {
	case end:
		return nil
	case jump:
		return []int{find(code, code[i].target)}
	case unless:
		return []int{i + 1, find(code, code[i].target)}
	default:
		return []int{i + 1}
	}
}

func find(code []instruction, target string) int {
	return slices.IndexFunc(code, func(in instruction) bool { return in.kind == label && in.target == target })
}
