package source

import "go/types"

// Where the functions next to a function are; see the rule of twins in twins.go.

// method returns the callee as declared or, if it is a method of an interface, as it is in the
// method set: an interface may have its methods from an instance of another one.
func (s *Suspension) method() *types.Func {
	if s.methodSet() != nil {
		return s.Method.Obj().(*types.Func)
	}
	return s.Callee
}

// methodSet returns the interface or the type parameter through which s calls a method, or nil.
func (s *Suspension) methodSet() types.Type {
	if s.Method == nil {
		return nil
	}
	return methodSet(s.Method.Recv(), s.Method.Index())
}

// methodSet returns the interface or the type parameter to whose method path leads from typ, or
// nil if the method is that of another type.
func methodSet(typ types.Type, path []int) types.Type {
	for _, field := range EmbeddedFields(typ, path) {
		typ = field.Type()
	}
	if !types.IsInterface(typ) {
		return nil
	}
	return typ
}

// EmbeddedFields returns the embedded fields on the path from a type to one of its methods.
func EmbeddedFields(typ types.Type, path []int) []*types.Var {
	var list []*types.Var
	for _, i := range path[:len(path)-1] {
		if ptr, ok := typ.Underlying().(*types.Pointer); ok {
			typ = ptr.Elem()
		}
		field := typ.Underlying().(*types.Struct).Field(i)
		list, typ = append(list, field), field.Type()
	}
	return list
}

// besideIn finds the function called name that is declared where fn is; or, if fn is a method of
// the interface or type parameter set, the method in that set.
func besideIn(fn *types.Func, set types.Type, name string) *types.Func {
	if set == nil {
		return beside(fn, name)
	}
	obj, _, _ := types.LookupFieldOrMethod(set, false, fn.Pkg(), name)
	other, _ := obj.(*types.Func)
	return other
}

// beside finds the function called name that is declared where fn is.
func beside(fn *types.Func, name string) *types.Func {
	recv := fn.Signature().Recv()
	if recv == nil {
		other, _ := fn.Pkg().Scope().Lookup(name).(*types.Func)
		return other
	}
	if types.IsInterface(recv.Type()) {
		return besideIn(fn, recv.Type(), name)
	}
	named := receiverNamed(fn)
	if named == nil {
		return nil
	}
	for m := range named.Origin().Methods() {
		if m.Name() == name {
			return m
		}
	}
	return nil
}

// inheritedMethod finds the method called name that the receiver of fn gets from an embedded
// struct of its package, if that struct has no method of fn's name.
func inheritedMethod(fn *types.Func, name string) *types.Func {
	named := receiverNamed(fn)
	if named == nil {
		return nil
	}
	obj, path, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, fn.Pkg(), name)
	m, ok := obj.(*types.Func)
	if !ok || len(path) != 2 || m.Pkg() != fn.Pkg() {
		return nil
	}
	embedded := m.Signature().Recv().Type()
	if twin, _, _ := types.LookupFieldOrMethod(embedded, true, fn.Pkg(), fn.Name()); twin != nil {
		return nil
	}
	return m.Origin()
}

// receiverNamed returns the named type that declares the method fn, or nil.
func receiverNamed(fn *types.Func) *types.Named {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	typ := types.Unalias(recv.Type())
	if ptr, ok := typ.(*types.Pointer); ok {
		typ = types.Unalias(ptr.Elem())
	}
	named, _ := typ.(*types.Named)
	return named
}
