package source

import (
	"fmt"
	"go/ast"
	"go/types"
)

// Calls that look like those of a pair of twins but block, because a detail of the declarations
// keeps the two functions from being one. A function whose name ends in Async and which returns a
// job is hardly ever meant otherwise.

// HalfPair returns the function that looks like the asynchronous form of the one that call names,
// and why the two are no pair. It returns nil if there is no such function, or if they are one.
func (t *Twins) HalfPair(call *ast.CallExpr, info *types.Info) (async *types.Func, why string) {
	s, ok := calleeOf(call, info)
	if !ok || intrinsic(s.Callee) != 0 || t.enterOf(s) != nil {
		return nil, "" // a function with an entry suspends, whatever FAsync is
	}
	plain, async := s.method(), s.selected(s.Callee.Name()+"Async")
	if async == nil || !returnsJob(async) {
		return nil, ""
	}
	if next := besideIn(plain, s.methodSet(), async.Name()); next == nil || next.Origin() != async.Origin() {
		return async, fmt.Sprintf("%s is a method of %s, and %s is one of %s", plain.Name(), receiverText(plain), async.Name(), receiverText(async))
	}
	if why = mismatch(plain, async); why == "" {
		return nil, ""
	}
	return async, why
}

// selected returns the function or method called name that takes the place of the callee if the
// call names it instead.
func (s *Suspension) selected(name string) *types.Func {
	if s.Method == nil {
		return beside(s.Callee, name)
	}
	obj, _, _ := types.LookupFieldOrMethod(s.Method.Recv(), true, s.Callee.Pkg(), name)
	fn, _ := obj.(*types.Func)
	return fn
}

// returnsJob reports whether fn returns nothing but a job or a stream.
func returnsJob(fn *types.Func) bool {
	results := fn.Signature().Results()
	if results.Len() != 1 {
		return false
	}
	t := results.At(0).Type()
	return jobArgument(t) != nil || StreamArgument(t) != nil
}

// mismatch returns the first reason why async, which is next to plain, is not its asynchronous
// form, or "" if it is.
func mismatch(plain, async *types.Func) string {
	if isPair(plain, async) {
		return ""
	}
	sig, ok := alike(plain, async)
	switch {
	case !ok && IsPointer(plain.Signature().Recv()) != IsPointer(async.Signature().Recv()):
		return "only one of them has a pointer receiver"
	case !ok:
		return "their type parameters differ"
	case !sameParams(plain.Signature(), sig, 0):
		return "their parameters differ"
	}
	return fmt.Sprintf("%s is not the job of what %s returns", types.TypeString(sig.Results().At(0).Type(), (*types.Package).Name), plain.Name())
}

// receiverText returns the name of the type that declares a method.
func receiverText(m *types.Func) string {
	recv := m.Signature().Recv()
	if recv == nil {
		return "no type"
	}
	t := types.Unalias(recv.Type())
	if ptr, ok := t.(*types.Pointer); ok {
		t = types.Unalias(ptr.Elem())
	}
	if named, ok := t.(*types.Named); ok {
		t = named.Origin()
	}
	return types.TypeString(t, (*types.Package).Name)
}
