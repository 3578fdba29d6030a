package codegen

import "go/types"

// coreType is the underlying type of t, or for a type parameter the one that all its type
// arguments have; nil: they have several.
func coreType(t types.Type) types.Type {
	param, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return t.Underlying()
	}
	return coreOf(param.Constraint().Underlying().(*types.Interface))
}

func coreOf(i *types.Interface) types.Type {
	for embedded := range i.EmbeddedTypes() {
		if t := coreOfTerm(embedded); t != nil {
			return t
		}
	}
	return nil
}

func coreOfTerm(t types.Type) types.Type {
	union, ok := types.Unalias(t).(*types.Union)
	if !ok {
		if i, ok := t.Underlying().(*types.Interface); ok {
			return coreOf(i)
		}
		return t.Underlying()
	}
	var core types.Type
	for term := range union.Terms() {
		one := coreOfTerm(term.Type())
		switch {
		case one == nil || core != nil && !types.Identical(core, one) && !isChannel(core):
			return nil
		case core == nil || !isChannel(core) || one.(*types.Chan).Dir() != types.SendRecv:
			core = one
		}
	}
	return core
}

func isChannel(t types.Type) bool {
	_, ok := t.(*types.Chan)
	return ok
}
