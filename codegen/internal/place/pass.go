package place

import (
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Passing: parameters and results that need no field.
//
// A machine has its parameters when it starts, and many of them are no longer needed
// where it first suspends: the context of a sleep, the address to fetch. Its results
// exist only when it has ended. A field for each would lie empty for as long as the
// machine waits. So they are parameters and results of the method that runs it, and
// several parameters are one struct, which is nil when MoveNext resumes the machine:
//
//	type napArgs struct {
//		ctx context.Context
//		d   time.Duration
//	}
//
//	func (f *napLocals) moveNext(
//		r *statemachine.Run, args *napArgs,
//	) (finished bool, result0 error)
//
//	func (f *napFrame) MoveNext(r *statemachine.Run) (finished bool) {
//		finished, f.result0 = f.moveNext(r, nil)
//		return finished
//	}
//
// A caller asks for the results when it continues itself. So a callee of machines has
// fields for them, around those that it keeps while suspended. A job stores its results
// itself.
//
// It is tempting to use a second frame for the start, with the fields that only
// the start needs. But code that runs before the first suspension may run after
// it, too, in a loop, and it exists only once.

// pass finds them. In the debug form everything is a field; a stream starts when
// it is first asked for a value, so its parameters must wait until then.
func (f *placing) pass() {
	if f.Debug || f.Stream || len(ir.Points(f.Code)) == 0 {
		return
	}
	needed := f.live.newSet()
	for _, p := range ir.Points(f.Code) {
		needed.join(f.live.at[p.Resume.At], nil)
	}
	fits := func(v *ir.Variable) bool { return v.Stored() && !v.Unnamed && !needed.has(v.Index) && f.isLight(v) }
	args := f.passable(fits)
	for _, v := range args {
		v.Passed, v.Place = true, ir.InMoveNext
	}
	for _, v := range f.Results {
		if fits(v) && !v.Cell && f.assignsLast(v) {
			v.Passed, v.Place = true, ir.InMoveNext
		}
	}
}

// passable lists the parameters to pass. A machine may assign a variable again after a
// suspension, when there is no struct of several any more.
func (f *placing) passable(fits func(*ir.Variable) bool) []*ir.Variable {
	var all, constant []*ir.Variable
	for _, v := range f.Given {
		if !fits(v) {
			continue
		}
		all = append(all, v)
		if v.Cell || !v.Mutated {
			constant = append(constant, v)
		}
	}
	if len(all) == 1 {
		return all
	}
	return constant
}

// isLight reports whether v costs next to nothing to pass. A zero is passed at each
// resumption: that of a large array would be a large part of its cost.
func (f *placing) isLight(v *ir.Variable) bool {
	const most = 128 // bytes: eight strings, or two lines of the cache
	return v.Cell || v.Type == nil || typeset.HasParam(v.Type) || f.Sizes.Sizeof(v.Type) <= most
}

// assignsLast reports whether a result gets its value only where the machine ends, as
// far as the machine itself can see. A function that recovers from a panic returns what
// its results have at that moment, which may have been assigned before a suspension;
// and deferred calls that suspend come between the return statement and the end.
func (f *placing) assignsLast(v *ir.Variable) bool {
	return !f.Resumes && (!f.Defers || v.Obj.Name() == "")
}

// Passed returns the variables that are passed, in the order of the list.
func Passed(vars []*ir.Variable) []*ir.Variable {
	var list []*ir.Variable
	for _, v := range vars {
		if v.Passed {
			list = append(list, v)
		}
	}
	return list
}
