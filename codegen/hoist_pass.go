package codegen

// Passing: parameters that need no field.
//
// A machine has its parameters when it starts, and many of them are not needed any more where it first suspends:
// the context of a sleep, the address of what is fetched. A field for each would be there, empty, for as long as the machine
// waits. So they are parameters of the method that runs it. MoveNext, which is called when it is resumed, passes zeros for them:
//
//	func (f *napFrame) MoveNext(t *statemachine.Task) bool { return f.run(t, nil, 0) }
//
// It is tempting to have a second frame for the start, with the fields that only it needs. But what runs before the first suspension may run behind
// it, too, in a loop, and there is one piece of code for both.

// passParameters finds them. In the debug form everything is a field; a stream starts when it is first asked for a
// value, so that its parameters have to wait for that.
func (u *unit) passParameters() {
	if u.debug || u.streams() || len(u.parks()) == 0 {
		return
	}
	needed := u.live.newSet()
	for _, p := range u.parks() {
		needed.join(u.live.at[p.resume.at], nil)
	}
	for _, v := range u.given() {
		if u.stored(v) && !v.unnamed && !needed.has(v.index) {
			v.passed, v.place = true, inMoveNext
		}
	}
}

// passedOn are those parameters, in the order of the entries' own.
func (u *unit) passedOn() []*variable {
	var list []*variable
	for _, v := range u.given() {
		if v.passed {
			list = append(list, v)
		}
	}
	return list
}
