package analyse

import (
	"go/ast"
	"go/constant"
	"go/types"

	"github.com/movenext/movenext/codegen/internal/typeset"
)

// Builtin returns the name of the predeclared function that fun denotes. Functions of package
// unsafe have a prefix.
func (fs *Facts) Builtin(fun ast.Expr) (string, bool) {
	var id *ast.Ident
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return "", false
	}
	b, ok := fs.Info.Uses[id].(*types.Builtin)
	if !ok {
		return "", false
	}
	if b.Pkg() != nil {
		return "unsafe." + b.Name(), true
	}
	return b.Name(), true
}

// KeyBy returns how the runtime receives the keys of maps with these key and element types.
func (fs *Facts) KeyBy(key, elem types.Type) KeyKind {
	if fs.Sizes.Sizeof(elem) > MaxFastElem {
		return KeySlow
	}
	return fs.FastKey(key)
}

// MaxFastElem is the maximum size in bytes of elements that do not affect how a map receives
// its keys.
const MaxFastElem = 128

// IsConstant reports whether e has a known constant value.
func (fs *Facts) IsConstant(e ast.Expr) bool {
	v := fs.Info.Types[e].Value
	return v != nil && v.Kind() != constant.Unknown
}

// KeyKind is how the runtime receives the key of a map.
type KeyKind int

// The results of FastKey.
const (
	KeySlow KeyKind = iota // by address
	KeyCast                // by value, through a temporary of another type
	KeyFast                // by value
)

// FastKey returns how maps with small elements receive keys of type t.
func (fs *Facts) FastKey(t types.Type) KeyKind {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case t.Info()&types.IsString != 0:
			return KeyFast
		case t.Info()&types.IsInteger != 0 && fs.Sizes.Sizeof(t) >= 4, t.Kind() == types.UnsafePointer:
			return KeyFast
		}
	case *types.Pointer, *types.Chan:
		return KeyFast
	case *types.Struct, *types.Array:
		if kind := fs.soleComponent(t); kind != nil {
			if fs.FastKey(kind) != KeySlow {
				return KeyCast
			}
			return KeySlow
		}
		if size := fs.Sizes.Sizeof(t); (size == 4 || size == 8) && fs.plainMemory(t) {
			return KeyCast
		}
	}
	return KeySlow
}

// soleComponent returns the type of the only component of a struct or array, or nil.
func (fs *Facts) soleComponent(t types.Type) types.Type {
	switch t := t.Underlying().(type) {
	case *types.Struct:
		if t.NumFields() == 1 {
			return t.Field(0).Type()
		}
	case *types.Array:
		if t.Len() == 1 {
			return t.Elem()
		}
	}
	return nil
}

// plainMemory reports whether values of t are equal exactly when their bytes are.
func (fs *Facts) plainMemory(t types.Type) bool { return typeset.EachOnce(t, true, fs.isPlainMemory) }

func (fs *Facts) isPlainMemory(t types.Type, part func(types.Type) bool) bool {
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsInteger|types.IsBoolean) != 0 || t.Kind() == types.UnsafePointer
	case *types.Pointer, *types.Chan:
		return true
	case *types.Array:
		return part(t.Elem())
	case *types.Struct:
		var sum int64
		for f := range t.Fields() {
			if f.Name() == "_" || !part(f.Type()) {
				return false
			}
			sum += fs.Sizes.Sizeof(f.Type())
		}
		return sum == fs.Sizes.Sizeof(t)
	}
	return false
}

// BoxedByAddress reports whether converting a t to an interface needs its address. That is true
// of all types except small numbers, strings and slices (dataWordFuncName).
func (fs *Facts) BoxedByAddress(t types.Type) bool {
	size, align := fs.Sizes.Sizeof(t), fs.Sizes.Alignof(t)
	switch {
	case size == 2 && align == 2:
		return false
	case size == 4 && align == 4 && !typeset.HasPointers(t):
		return false
	case size == 8 && align == fs.Sizes.Alignof(types.Typ[types.Uint64]) && !typeset.HasPointers(t):
		return false
	}
	for sole := t; sole != nil; sole = fs.soleComponent(sole) {
		if _, ok := sole.Underlying().(*types.Slice); ok || typeset.IsString(sole) {
			return false
		}
	}
	return true
}

// IsDirect reports whether an interface stores a t itself and not its address, as it does for
// types that consist of one pointer.
func (fs *Facts) IsDirect(t types.Type) bool {
	if types.IsInterface(t) || fs.Sizes.Sizeof(t) != fs.Sizes.Sizeof(types.Typ[types.Uintptr]) {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Map, *types.Signature:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Struct:
		for f := range t.Fields() {
			if fs.Sizes.Sizeof(f.Type()) > 0 {
				return fs.IsDirect(f.Type())
			}
		}
	case *types.Array:
		return t.Len() == 1 && fs.IsDirect(t.Elem())
	}
	return false
}
