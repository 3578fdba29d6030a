package codegen

// Hoisting: where each variable lives.
//
//	mentioned between two labels only      declared there, as in the source
//	not needed across a suspension         declared once, at the top of MoveNext
//	needed across a suspension             a field of the frame
//	a parameter or result that is not      one of what runs the machine (hoist_pass.go)
//
// The second kind exists because Go forbids jumps over a declaration, and all labels of
// MoveNext are in its outermost block.
//
// In the last two places one Go variable stands for all the variables that the source
// makes each time it executes the declaration. That is equivalent as long as the
// address of none of them is kept; so what is captured by a function literal, or has
// its address taken, gets a cell: the place holds a pointer, and the declaration makes
// a new variable for it to point to. A captured variable that is never assigned again
// needs none: the literal gets its value.
//
// Variables of one type that are never needed at the same time share a field
// (hoist_share.go), and a suspended machine keeps nothing alive that it no longer needs
// (hoist_stale.go).

// place decides for all variables.
func (u *unit) place() {
	u.reserveSteps()
	u.placeLocally()
	u.placeForDebugging()
	u.findUnnamed()
	for _, v := range u.all {
		v.cell = v.place != inBlock && (v.obj != nil && v.shared() || v.unnamed)
	}
	u.live = u.liveness()
	u.refuseUnsafe()
	u.placeInFrame()
	u.countReads()
	u.pass()
	u.share()
	if !u.debug {
		u.findStale()
	}
	u.chooseNames()
}

// countReads counts how often each variable is read, since Go wants each local
// to be read somewhere.
func (u *unit) countReads() {
	for _, i := range u.code {
		i.refs(func(v *variable) { v.reads++ }, func(*variable) {})
	}
	for _, l := range u.lifted {
		l.whole.uses(func(v *variable) { v.reads++ })
	}
}

// placeLocally finds the variables that are mentioned between two labels only,
// one of the mentions being the declaration.
func (u *unit) placeLocally() {
	const several = -1
	home := map[*variable]int{}
	declared := map[*variable]bool{}
	stretch := 1
	note := func(v *variable) {
		if at, seen := home[v]; seen && at != stretch {
			home[v] = several
		} else if !seen {
			home[v] = stretch
		}
	}
	for _, i := range u.code {
		if _, ok := i.(*mark); ok {
			stretch++
		}
		i.refs(note, note)
		for _, v := range declares(i) {
			declared[v] = true
		}
	}
	for _, l := range u.lifted {
		l.whole.uses(func(v *variable) { home[v] = several })
	}
	for _, v := range u.all {
		if v.place == inFrame {
			continue
		}
		v.place = inMoveNext
		if home[v] > 0 && declared[v] {
			v.place, v.stretch = inBlock, home[v]
		}
	}
}

// declares lists the variables that begin to exist with an instruction. Variables
// declared inside a dispatch are always passed on to other labels.
func declares(i instr) []*variable {
	switch i := i.(type) {
	case *assign:
		var list []*variable
		for _, t := range i.dst {
			if t.declares {
				list = append(list, t.v)
			}
		}
		return list
	case *zero:
		return i.vars
	}
	return nil
}

// placeInFrame moves variables that are live where the machine may be resumed.
func (u *unit) placeInFrame() {
	for _, i := range u.code {
		if p, ok := i.(*park); ok {
			for v := range u.live.before(p.point.resume.at) {
				v.place = inFrame
			}
		}
	}
}
