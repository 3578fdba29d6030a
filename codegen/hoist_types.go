package codegen

import (
	"go/token"
	"go/types"
	"slices"
)

// locker is interface{ Lock(); Unlock() }.
var locker = func() *types.Interface {
	sig := types.NewSignatureType(nil, nil, nil, nil, nil, false)
	return types.NewInterfaceType([]*types.Func{
		types.NewFunc(token.NoPos, nil, "Lock", sig),
		types.NewFunc(token.NoPos, nil, "Unlock", sig),
	}, nil).Complete()
}()

// holdsLock reports whether values of t must not be copied, by the rule of vet's
// copylocks: it is, or holds, something that only a pointer can lock. A frame is
// copied when it is promoted.
func holdsLock(t types.Type) bool { return eachOnce(t, false, isOrHoldsLock) }

func isOrHoldsLock(t types.Type, part func(types.Type) bool) bool {
	if t == nil || isTypeParam(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return part(u.Elem())
	case *types.Struct:
		if types.Implements(types.NewPointer(t), locker) && !types.Implements(t, locker) {
			return true
		}
		for f := range u.Fields() {
			if part(f.Type()) {
				return true
			}
		}
	}
	return false
}

// eachOnce calls is for t, which calls part for the types inside t. A type that was
// asked about before gets the answer repeated. Otherwise 60 types that each hold the
// next one twice would take 2⁶⁰ questions.
func eachOnce(t types.Type, repeated bool, is func(t types.Type, part func(types.Type) bool) bool) bool {
	seen := map[types.Type]bool{}
	var ask func(types.Type) bool
	ask = func(t types.Type) bool {
		if seen[t] {
			return repeated
		}
		seen[t] = true
		return is(t, ask)
	}
	return ask(t)
}

// namesType reports whether writing t down takes a declared type for which is true.
func namesType(t types.Type, is func(*types.TypeName) bool) bool {
	some := func(list ...types.Type) bool {
		return slices.ContainsFunc(list, func(t types.Type) bool { return namesType(t, is) })
	}
	switch t := t.(type) {
	case *types.TypeParam:
		return is(t.Obj())
	case *types.Named:
		return is(t.Obj()) || some(slices.Collect(t.TypeArgs().Types())...)
	case *types.Alias:
		return is(t.Obj()) || some(types.Unalias(t))
	case *types.Map:
		return some(t.Key(), t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return some(t.Elem())
	case *types.Tuple:
		for v := range t.Variables() {
			if some(v.Type()) {
				return true
			}
		}
	case *types.Signature:
		return some(t.Params(), t.Results())
	case *types.Struct:
		for f := range t.Fields() {
			if some(f.Type()) {
				return true
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if some(m.Type()) {
				return true
			}
		}
		return some(slices.Collect(t.EmbeddedTypes())...)
	case *types.Union:
		for term := range t.Terms() {
			if some(term.Type()) {
				return true
			}
		}
	}
	return false
}
