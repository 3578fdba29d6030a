package codegen

// Passing: parameters and results that need no field.
//
// A machine has its parameters when it starts, and many of them are no longer needed
// where it first suspends: the context of a sleep, the address to fetch. Its results
// exist only when it has ended. A field for each would lie empty for as long as the
// machine waits. So they are parameters and results of the method that runs it.
// MoveNext, which is called when it is resumed, passes zeros:
//
//	func (f *napLocals) moveNext(
//		t *statemachine.Task, ctx context.Context, d time.Duration,
//	) (finished bool, result0 error)
//
//	func (f *napFrame) MoveNext(t *statemachine.Task) (finished bool) {
//		finished, f.result0 = f.moveNext(t, nil, 0)
//		return finished
//	}
//
// A caller asks for the results when it continues itself. So a callee of machines has
// fields for them, around those that it keeps while suspended. A job stores its results
// itself.
//
// It is tempting to have a second frame for the start, with the fields that only it
// needs. But what runs before the first suspension may run after it, too, in a loop,
// and there is one piece of code for both.

// pass finds them. In the debug form everything is a field; a stream starts when it is
// first asked for a value, so its parameters must wait until then.
func (u *unit) pass() {
	if u.debug || u.streams() || len(u.parks()) == 0 {
		return
	}
	needed := u.live.newSet()
	for _, p := range u.parks() {
		needed.join(u.live.at[p.resume.at], nil)
	}
	fits := func(v *variable) bool { return u.stored(v) && !v.unnamed && !needed.has(v.index) && u.isLight(v) }
	for _, v := range u.given() {
		if fits(v) {
			v.passed, v.place = true, inMoveNext
		}
	}
	for _, v := range u.results {
		if fits(v) && !v.cell && u.assignsLast(v) {
			v.passed, v.place = true, inMoveNext
		}
	}
}

// isLight reports whether v costs next to nothing to pass. Zeros are passed at each
// resumption: those of a large array would be a large part of its cost.
func (u *unit) isLight(v *variable) bool {
	const most = 128 // bytes: eight strings, or two lines of the cache
	return v.cell || v.typ == nil || hasTypeParam(v.typ) || u.sizes.Sizeof(v.typ) <= most
}

// assignsLast reports whether a result gets its value only where the machine ends, as
// far as the machine itself can see. A function that recovers from a panic returns what
// its results have at that moment, which may have been assigned before a suspension;
// and deferred calls that suspend come between the return statement and the end.
func (u *unit) assignsLast(v *variable) bool {
	return u.epilogue == nil && !u.loops && (!u.defers || v.obj.Name() == "")
}

// passedOn are the parameters that are passed, in the order of the entries' own.
func (u *unit) passedOn() []*variable { return onlyPassed(u.given()) }

// returned are the results that are.
func (u *unit) returned() []*variable { return onlyPassed(u.results) }

func onlyPassed(vars []*variable) []*variable {
	var list []*variable
	for _, v := range vars {
		if v.passed {
			list = append(list, v)
		}
	}
	return list
}
