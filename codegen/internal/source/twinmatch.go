package source

import (
	"go/types"
	"slices"
)

// isTwin reports whether twin is the asynchronous form of fn: both are declared in the same place,
// and twin takes the same parameters as fn and returns the job of its results.
func isTwin(fn, twin *types.Func) bool {
	sig, ok := alike(fn, twin)
	if !ok || sig.Results().Len() != 1 || !sameParams(fn.Signature(), sig, 0) {
		return false
	}
	arg := jobArgument(sig.Results().At(0).Type())
	return arg != nil && isJobOf(arg, ResultsOf(fn.Signature()))
}

// isPair reports whether async is the asynchronous form of fn, as a job or as a stream.
func isPair(fn, async *types.Func) bool { return isTwin(fn, async) || isStreamTwin(fn, async) }

// isEnter reports whether enter is fn's entry for machines: its first parameter is a
// *statemachine.Run, its first result is a pointer to the suspended frame, and the companions of
// fn's parameters, if it has any, follow the first parameter.
func isEnter(fn, enter *types.Func) bool {
	sig, ok := alike(fn, enter)
	if !ok || sig.Params().Len() == 0 || !isRun(sig.Params().At(0).Type()) {
		return false
	}
	plain := fn.Signature()
	first := 1 + len(companionsOf(fn, enter))
	if !sameParams(plain, sig, first) || sig.Results().Len() != plain.Results().Len()+1 {
		return false
	}
	for i := range plain.Results().Len() {
		if !types.Identical(plain.Results().At(i).Type(), sig.Results().At(i+1).Type()) {
			return false
		}
	}
	ptr, ok := types.Unalias(sig.Results().At(0).Type()).(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = types.Unalias(ptr.Elem()).(*types.Named)
	return ok
}

// alike returns the signature of other written with the type parameters of fn,
// if both have the same receiver and as many type parameters.
func alike(fn, other *types.Func) (*types.Signature, bool) {
	a, b := fn.Signature(), other.Signature()
	if a.TypeParams().Len() != b.TypeParams().Len() || IsPointer(a.Recv()) != IsPointer(b.Recv()) {
		return nil, false
	}
	if a.TypeParams().Len() > 0 {
		// Instantiate checks that the constraints of fn are sufficient for other.
		inst, err := types.Instantiate(nil, b, typeParams(a.TypeParams()), true)
		if err != nil {
			return nil, false
		}
		return inst.(*types.Signature), true
	}
	if a.RecvTypeParams().Len() == 0 {
		return b, true
	}
	named := receiverNamed(fn)
	if named == nil {
		return nil, false
	}
	recv, err := types.Instantiate(nil, named.Origin(), typeParams(a.RecvTypeParams()), false)
	if err != nil {
		return nil, false
	}
	return methodOf(recv, other), true
}

// methodOf returns the signature of method fn for the instance recv of its receiver type.
func methodOf(recv types.Type, fn *types.Func) *types.Signature {
	obj, _, _ := types.LookupFieldOrMethod(types.NewPointer(recv), true, fn.Pkg(), fn.Name())
	return obj.(*types.Func).Signature()
}

// instance returns the signature of other, declared next to the callee of s, as the call of s
// would use it, or nil if the call would not reach other.
func instance(s Suspension, other *types.Func) *types.Signature {
	if s.Method != nil {
		obj, _, _ := types.LookupFieldOrMethod(s.Method.Recv(), true, other.Pkg(), other.Name())
		fn, ok := obj.(*types.Func)
		if !ok || fn.Origin() != other.Origin() {
			return nil // Another, less deeply embedded method hides other.
		}
		return fn.Signature()
	}
	if s.TypeArgs.Len() == 0 {
		return other.Signature()
	}
	inst, err := types.Instantiate(nil, other.Signature(), slices.Collect(s.TypeArgs.Types()), true)
	if err != nil {
		return nil
	}
	return inst.(*types.Signature)
}

func typeParams(list *types.TypeParamList) []types.Type {
	var args []types.Type
	for p := range list.TypeParams() {
		args = append(args, p)
	}
	return args
}

// sameParams compares the parameters of a with those of b, after skipping the first ones of b.
func sameParams(a, b *types.Signature, skip int) bool {
	if a.Variadic() != b.Variadic() || a.Params().Len()+skip != b.Params().Len() {
		return false
	}
	for i := range a.Params().Len() {
		if !types.Identical(a.Params().At(i).Type(), b.Params().At(i+skip).Type()) {
			return false
		}
	}
	return true
}

// isJobOf reports whether T of a *job.Job[T] carries results.
func isJobOf(arg types.Type, results Results) bool {
	switch n := len(results.Values); n {
	case 0:
		return types.Identical(arg, types.NewStruct(nil, nil))
	case 1:
		return types.Identical(arg, results.Values[0].Type())
	default:
		tuple, ok := types.Unalias(arg).(*types.Named)
		if !ok || !isTuple(tuple.Obj(), n) || tuple.TypeArgs().Len() != n {
			return false
		}
		for i, v := range results.Values {
			if !types.Identical(tuple.TypeArgs().At(i), v.Type()) {
				return false
			}
		}
		return true
	}
}

// IsPointer reports whether v, which may be nil, is a pointer.
func IsPointer(v *types.Var) bool {
	if v == nil {
		return false
	}
	_, ok := types.Unalias(v.Type()).(*types.Pointer)
	return ok
}
