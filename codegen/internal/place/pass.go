package place

import (
	"github.com/movenext/movenext/codegen/internal/ir"
	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Passing: parameters and results that need no field.
//
// A machine has its parameters when it starts, and often no longer needs them where it first
// suspends: the context of a sleep, the address to fetch. Its results exist only when it has
// ended. A field for each would be empty for as long as the machine waits. So they are parameters
// and results of the method that runs the machine. Several parameters are one struct, which is
// nil when MoveNext resumes the machine:
//
//	type napArgs struct {
//		ctx context.Context
//		d   time.Duration
//	}
//
//	func (f *napLocals) moveNext(
//		r *statemachine.Run, args *napArgs,
//	) (hasEnded bool, result0 error)
//
//	func (f *napFrame) MoveNext(r *statemachine.Run) (hasEnded bool) {
//		hasEnded, f.result0 = f.kept.moveNext(r, nil)
//		return hasEnded
//	}
//
// A caller requests the results when it continues. So a callee of machines has fields for them,
// in an outer struct around the fields that it keeps while suspended. A job stores its results
// itself.
//
// It is tempting to use a second frame for the start, with the fields that only the start needs.
// But there is only one copy of the code before the first suspension, and in a loop it may also
// run after the suspension.

// pass finds the parameters and results to pass. In the debug form everything is a field. A
// stream starts when its first value is requested, so its parameters must be stored until then.
func (p *placing) pass() {
	if p.Debug || p.Streams() || len(ir.Points(p.Code)) == 0 {
		return
	}
	fits := func(v *ir.Variable) bool {
		return v.Stored() && !v.Unnamed && !p.live.across.Has(v.Index) && p.isLight(v)
	}
	args := p.passable(fits)
	for _, v := range args {
		v.Passed, v.Place = true, ir.InMoveNext
	}
	for _, v := range p.Results {
		if fits(v) && !v.Cell && p.assignsLast(v) {
			v.Passed, v.Place = true, ir.InMoveNext
		}
	}
}

// passable lists the parameters to pass. A machine may assign a variable again after a
// suspension, when the struct for several parameters no longer exists.
func (p *placing) passable(fits func(*ir.Variable) bool) []*ir.Variable {
	var all, constant []*ir.Variable
	for _, v := range p.Inputs() {
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

// isLight reports whether passing v costs next to nothing. Each resumption passes a zero value,
// and passing a large array would be a large part of its cost.
func (p *placing) isLight(v *ir.Variable) bool {
	const maxSize = 128 // bytes: eight strings, or two cache lines
	return v.Cell || v.Type == nil || typeset.HasParam(v.Type) || p.Sizes.Sizeof(v.Type) <= maxSize
}

// assignsLast reports whether a result gets its value only where the machine ends, as far as the
// machine itself can see. There are two exceptions. A function that recovers from a panic returns
// the values of its results at that moment, which may have been assigned before a suspension. And
// deferred calls that suspend run between the return statement and the end.
func (p *placing) assignsLast(v *ir.Variable) bool {
	return p.Epilogue == nil && !p.Loops && (!p.Defers || v.Obj.Name() == "")
}

// PassedVariables returns the variables that are passed, in the order of the list.
func PassedVariables(vars []*ir.Variable) []*ir.Variable {
	var list []*ir.Variable
	for _, v := range vars {
		if v.Passed {
			list = append(list, v)
		}
	}
	return list
}
