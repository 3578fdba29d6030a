package codegen

import (
	"go/token"
	"go/types"
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
func holdsLock(t types.Type) bool {
	if t == nil || isTypeParam(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return holdsLock(u.Elem())
	case *types.Struct:
		if types.Implements(types.NewPointer(t), locker) && !types.Implements(t, locker) {
			return true
		}
		for f := range u.Fields() {
			if holdsLock(f.Type()) {
				return true
			}
		}
	}
	return false
}
