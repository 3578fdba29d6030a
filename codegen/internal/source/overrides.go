package source

import (
	"go/token"
	"go/types"
	"strings"
)

// Overrides finds types that declare one form of a pair of twins and get the other from an
// embedded type. Such a type has both methods, and so satisfies an interface with both; but its
// plain form and its asynchronous form are then different programs, which must never happen.
func Overrides(pkg *types.Package, position func(token.Pos) token.Position) []Diagnostic {
	var found []Diagnostic
	EachHalfPair(pkg, func(named *types.Named, m *types.Func, missing, from string) {
		found = append(found, overridden(position(m.Pos()), named.Obj().Name(), m.Name(), missing, from))
	})
	return found
}

// EachHalfPair calls found for each method m of a package's types that is one form of a pair of
// twins while the other form, missing, comes from the embedded type from.
func EachHalfPair(pkg *types.Package, found func(named *types.Named, m *types.Func, missing, from string)) {
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
			if missing, from := halfOverridden(named, m); missing != "" {
				found(named, m, missing, from)
			}
		}
	}
}

// halfOverridden returns the form that named gets from an embedded type while it declares m, the
// other form of the same pair, itself; and the name of the embedded type. Both are empty if m is
// no such half of a pair.
func halfOverridden(named *types.Named, m *types.Func) (missing, from string) {
	other := m.Name() + "Async"
	if plain, ok := strings.CutSuffix(m.Name(), "Async"); ok && beside(m, other) == nil {
		other = plain
	}
	if other == "" || beside(m, other) != nil {
		return "", ""
	}
	obj, path, _ := types.LookupFieldOrMethod(types.NewPointer(named), true, m.Pkg(), other)
	promoted, ok := obj.(*types.Func)
	if !ok || len(path) < 2 {
		return "", ""
	}
	set := methodSet(named, path)
	if set == nil {
		promoted = promoted.Origin()
	}
	sibling := besideIn(promoted, set, m.Name())
	if sibling == nil || !isPair(sibling, promoted) && !isPair(promoted, sibling) {
		return "", ""
	}
	if recv := receiverNamed(promoted); recv != nil && set == nil {
		return other, recv.Obj().Name()
	}
	if embedded, ok := types.Unalias(set).(*types.Named); ok {
		return other, embedded.Obj().Name()
	}
	return other, "an embedded interface"
}
