package source

import (
	"go/ast"
	"go/types"
	"strings"
)

// The rule of twins: a function F is async if FAsync is declared next to it, with the same
// receiver, type parameters and parameters, and returns the *job.Job of F's results. "Next to"
// means in the same package scope or on the same receiver type, so that one of the two cannot be
// overridden without the other. For a call through an interface or a type parameter it means in
// the method set, where methods have the same rank wherever they were declared: io.Reader and
// ReadAsync are a pair in an interface that embeds the one and declares the other. It is tempting
// to look where the method itself was declared. But io.Reader knows no twins.
//
// The rule considers types alone. Twins that are still to be generated also exist as types, in
// the form of stubs (see package load); twins written by hand and those of other modules need no
// special treatment. It is tempting to use the annotations instead of the types. But then calls
// of twins that another module generated would block, and an interface could not have a twin.
//
// The entry FEnter is next to F, too. It may also be a method of a struct of the same package
// that the receiver embeds, if F is not a method of that struct: then the entry can only belong
// to F. A package hides entries from the documentation of a generic type this way; see package
// coord.

// Twins decides which calls suspend. It is safe for concurrent use.
type Twins struct {
	names map[FuncKey]Names // of annotated functions
}

// NewTwins returns Twins that know the names chosen for annotated functions, whose entries may
// have other names than the rule gives them.
func NewTwins(names map[FuncKey]Names) *Twins { return &Twins{names} }

// FuncKey identifies a function without its object: one source function is several objects if its
// package is also loaded with tests. It has the form "path.F" or "path.T.Method".
type FuncKey string

// KeyOf returns the key of a function that has been type-checked.
func KeyOf(fn *types.Func) FuncKey {
	pkg, recv := "", ""
	if fn.Pkg() != nil {
		pkg = fn.Pkg().Path()
	}
	if named := receiverNamed(fn); named != nil {
		recv = named.Obj().Name()
	}
	return NewKey(pkg, recv, fn.Name())
}

// NewKey returns the key of a function of which only the syntax is known; recv is empty if it is
// not a method.
func NewKey(pkg, recv, name string) FuncKey {
	if recv != "" {
		name = recv + "." + name
	}
	return FuncKey(pkg + "." + name)
}

// Suspends reports whether call is a suspension point, and what kind.
func (t *Twins) Suspends(call *ast.CallExpr, info *types.Info) (Suspension, bool) {
	s, ok := calleeOf(call, info)
	if !ok {
		return valueCall(call, info)
	}
	switch kind := intrinsic(s.Callee); kind {
	case 0:
		return t.twinCall(s)
	case KindAwaitJob:
		s.Kind, s.Result = kind, jobArgument(awaitedJob(s))
		return s, s.Result != nil
	case KindAwait:
		s.Kind, s.Result = kind, s.TypeArgs.At(0)
		return s, true
	default:
		s.Kind = kind
		return s, true
	}
}

// calleeOf describes the callee of a call, and reports whether it has one that is declared.
func calleeOf(call *ast.CallExpr, info *types.Info) (Suspension, bool) {
	fn, id, sel := Callee(call, info)
	if fn == nil {
		return Suspension{}, false
	}
	return Suspension{Callee: fn.Origin(), Method: sel, TypeArgs: info.Instances[id].TypeArgs}, true
}

// Twin returns the asynchronous form of fn if fn is the plain form of a pair of twins, or nil.
func (t *Twins) Twin(fn *types.Func) *types.Func { return TwinOf(fn.Origin()) }

// TwinIn is Twin for the method called name of a value of type typ, in code of package pkg.
func (t *Twins) TwinIn(typ types.Type, name string, pkg *types.Package) *types.Func {
	obj, path, _ := types.LookupFieldOrMethod(typ, true, pkg, name)
	fn, ok := obj.(*types.Func)
	if !ok {
		return nil
	}
	return twinIn(fn, methodSet(typ, path))
}

// Plain returns the plain form of fn if fn is the asynchronous form of a pair of twins, or nil.
func (t *Twins) Plain(fn *types.Func) *types.Func {
	name, ok := strings.CutSuffix(fn.Name(), "Async")
	if !ok {
		return nil
	}
	fn = fn.Origin()
	if plain := beside(fn, name); plain != nil && isTwin(plain, fn) {
		return plain
	}
	return nil
}

// EntersGiven describes a call of a function that has no twin, but an entry with companions: it
// suspends where what it is given does, and is plain otherwise. So a function that waits for
// nothing itself, like parallel.Map, costs nothing where nothing can suspend.
func (t *Twins) EntersGiven(call *ast.CallExpr, info *types.Info) (Suspension, bool) {
	s, ok := calleeOf(call, info)
	if !ok || s.Callee.Pkg() == nil || twinIn(s.method(), s.methodSet()) != nil {
		return Suspension{}, false
	}
	enter := t.enterOf(s)
	if enter == nil || !t.enters(&s, enter) {
		return Suspension{}, false
	}
	return s, len(s.Companions) > 0
}

// Entry describes a call of a function that has an entry, with a twin or without, whatever it is
// given. Without an entry it has no companions.
func (t *Twins) Entry(call *ast.CallExpr, info *types.Info) Suspension {
	s, ok := t.Suspends(call, info)
	if !ok {
		s, _ = t.EntersGiven(call, info)
	}
	return s
}

// enters completes s for a call of the entry, and reports whether the call reaches it.
func (t *Twins) enters(s *Suspension, enter *types.Func) bool {
	sig := instance(*s, enter)
	if sig == nil {
		return false
	}
	s.Kind, s.Enter, s.Frame = KindEnter, enter, sig.Results().At(0).Type()
	s.Companions = companionsOf(s.method(), enter)
	return true
}

// twinCall completes s for a call of a function that may have a twin.
func (t *Twins) twinCall(s Suspension) (Suspension, bool) {
	s.Twin = twinIn(s.method(), s.methodSet())
	if s.Twin == nil {
		return s, false
	}
	sig := instance(s, s.Twin)
	if sig == nil {
		return s, false
	}
	s.Kind, s.Result = KindTwin, jobArgument(sig.Results().At(0).Type())
	if isSleep(s.Callee) {
		s.Kind = KindSleep
		return s, true
	}
	if enter := t.enterOf(s); enter != nil {
		t.enters(&s, enter)
	}
	return s, true
}

// SoonSuffix is added to the name of an entry for the variant that is called where the machine
// soon waits again; see package keep.
const SoonSuffix = "Soon"

// Transfers reports whether the entry has a variant with the suffix next to it, as those of a
// channel's Send and Receive have.
func (s *Suspension) Transfers() bool {
	if s.Kind != KindEnter {
		return false
	}
	soon := beside(s.Enter, s.Enter.Name()+SoonSuffix)
	if soon == nil {
		return false
	}
	sig, ok := alike(s.Enter, soon)
	return ok && types.Identical(sig, s.Enter.Signature())
}

// Callee returns the function that call names, the identifier that names it, and the selection if
// it is a method. For calls of function values there is no such function, since a type does not
// show whether the value will suspend.
func Callee(call *ast.CallExpr, info *types.Info) (*types.Func, *ast.Ident, *types.Selection) {
	switch f := StripInstantiation(call.Fun).(type) {
	case *ast.Ident:
		fn, _ := info.Uses[f].(*types.Func)
		return fn, f, nil
	case *ast.SelectorExpr:
		fn, _ := info.Uses[f.Sel].(*types.Func)
		return fn, f.Sel, info.Selections[f]
	}
	return nil, nil, nil
}

// StripInstantiation returns the function that an expression may instantiate: F for F[int].
func StripInstantiation(fun ast.Expr) ast.Expr {
	fun = ast.Unparen(fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		return ast.Unparen(f.X)
	case *ast.IndexListExpr:
		return ast.Unparen(f.X)
	}
	return fun
}

// TwinOf finds FAsync next to fn, or nil.
func TwinOf(fn *types.Func) *types.Func { return twinIn(fn, nil) }

// twinIn finds FAsync next to fn in a method set; see besideIn.
func twinIn(fn *types.Func, set types.Type) *types.Func {
	twin := besideIn(fn, set, fn.Name()+"Async")
	if twin == nil || !isTwin(fn, twin) {
		return nil
	}
	return twin
}

// enterOf finds the entry for machines next to the callee of s, or nil.
func (t *Twins) enterOf(s Suspension) *types.Func {
	fn := s.method()
	name := fn.Name() + "Enter"
	if names, ok := t.names[KeyOf(fn)]; ok {
		name = names.Enter
	}
	enter := besideIn(fn, s.methodSet(), name)
	if enter == nil {
		enter = inheritedMethod(fn, name)
	}
	if enter == nil || !isEnter(fn, enter) {
		return nil
	}
	return enter
}

// NestedOf returns the name of the entry of fn for callers in pkg whose frames may be on the
// stack, or "" if there is none.
func (t *Twins) NestedOf(fn *types.Func, pkg *types.Package) string {
	if fn.Pkg() == nil || fn.Pkg().Path() != pkg.Path() {
		return ""
	}
	return t.names[KeyOf(fn)].Nested
}

// awaitedJob returns the type on which Await of the suspension s is called.
func awaitedJob(s Suspension) types.Type {
	if s.Method == nil {
		return nil
	}
	return s.Method.Obj().(*types.Func).Signature().Recv().Type()
}

// IsObject reports whether obj is declared in the package at path under that name.
func IsObject(obj types.Object, path, name string) bool {
	return obj.Name() == name && obj.Pkg() != nil && obj.Pkg().Path() == path
}
