package source

import (
	"go/token"
	"go/types"
	"strings"
)

// HalfPair is one form of a pair of twins in a type that has the other form from elsewhere: the
// two are different programs. The type nevertheless satisfies an interface with both.
type HalfPair struct {
	Type   *types.Named
	Method *types.Func // the form that has no other one beside it
	By     string      // the embedded type that Type has it from; empty: Type declares it

	Missing string // the other form
	From    string // the embedded type that Type has that from, where it belongs to a pair
}

// Overrides finds half pairs in the types of a package.
func Overrides(pkg *types.Package, position func(token.Pos) token.Position) []Diagnostic {
	var found []Diagnostic
	EachHalfPair(pkg, func(h HalfPair) {
		if h.By == "" {
			found = append(found, overridden(position(h.Method.Pos()), h))
		} else {
			found = append(found, mixed(position(h.Type.Obj().Pos()), h))
		}
	})
	return found
}

// EachHalfPair calls found for each half pair of a package's types.
func EachHalfPair(pkg *types.Package, found func(HalfPair)) {
	scope := pkg.Scope()
	for _, name := range scope.Names() {
		obj, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() {
			continue
		}
		named, ok := obj.Type().(*types.Named)
		if !ok || types.IsInterface(named) {
			continue
		}
		for m := range named.Methods() {
			if h, ok := halfPair(named, m, nil); ok {
				found(h)
			}
		}
		for sel := range types.NewMethodSet(types.NewPointer(named)).Methods() {
			if len(sel.Index()) == 1 {
				continue // declared: as above
			}
			if h, ok := halfPair(named, sel.Obj().(*types.Func), sel.Index()); ok {
				found(h)
			}
		}
	}
}

// halfPair decides whether the method m of named, which it declares or has by a path of embedded
// fields, is one form of a pair whose other form comes from another embedded type.
func halfPair(named *types.Named, m *types.Func, by []int) (HalfPair, bool) {
	none := HalfPair{}
	set := methodSetBy(named, by)
	other := m.Name() + "Async"
	if plain, ok := strings.CutSuffix(m.Name(), "Async"); ok && besideIn(m, set, other) == nil {
		other = plain
	}
	obj, path, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, m.Pkg(), other)
	promoted, ok := obj.(*types.Func)
	if !ok || len(path) < 2 || by != nil && by[0] == path[0] {
		return none, false // or both come from one field, whose type is the half pair
	}
	from := methodSetBy(named, path)
	if from == nil {
		promoted = promoted.Origin()
	}
	sibling := besideIn(promoted, from, m.Name())
	if sibling == nil || !isPair(sibling, promoted) && !isPair(promoted, sibling) {
		return none, false
	}
	h := HalfPair{Type: named, Method: m, Missing: other, From: declaredBy(promoted, from)}
	if by != nil {
		h.By = declaredBy(m, set)
	}
	return h, true
}

// methodSetBy is methodSet, which is nil for a method without a path.
func methodSetBy(named *types.Named, path []int) types.Type {
	if path == nil {
		return nil
	}
	return methodSet(named, path)
}

// declaredBy names the type that has a method: its receiver's or the interface set.
func declaredBy(m *types.Func, set types.Type) string {
	if recv := receiverNamed(m); recv != nil && set == nil {
		return recv.Obj().Name()
	}
	if embedded, ok := types.Unalias(set).(*types.Named); ok {
		return embedded.Obj().Name()
	}
	return "an embedded interface"
}
