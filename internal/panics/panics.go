// Package panics compares the values of panics, and captures their stacks.
//
// The runtime recovers a panic where a goroutine's stack ends and the program's
// stack continues elsewhere: between machines, and between a join and the worker
// that has run its fork. It raises the value again on the other side, together
// with the stack of the first panic. A deferred function there may let the panic
// pass, or recover it and panic with something else. Only the value shows which
// of the two has happened, and the operator == itself panics for many values that
// a program can panic with.
package panics

import (
	"math"
	"math/cmplx"
	"reflect"
)

// Same reports whether two panic values are the same. Equality is undefined for
// slices, maps and functions and for values that contain them, and NaN is unequal
// to itself; here, each of those counts as equal to itself. Two functions with the
// same code count as the same, so a caller that keeps one of the values keeps the
// later one. It does not panic or block.
func Same(a, b any) bool {
	return same(reflect.ValueOf(a), reflect.ValueOf(b))
}

func same(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return a.IsValid() == b.IsValid() && !a.IsValid()
	}
	if a.Comparable() && b.Comparable() && a.Equal(b) {
		return true
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	case reflect.Complex64, reflect.Complex128:
		return cmplx.IsNaN(a.Complex()) && cmplx.IsNaN(b.Complex())
	case reflect.Slice:
		return a.UnsafePointer() == b.UnsafePointer() && a.Len() == b.Len()
	case reflect.Map, reflect.Func:
		return a.UnsafePointer() == b.UnsafePointer()
	case reflect.Interface:
		return same(a.Elem(), b.Elem())
	case reflect.Array:
		return sameParts(a, b, a.Len(), reflect.Value.Index)
	case reflect.Struct:
		return sameParts(a, b, a.NumField(), reflect.Value.Field)
	}
	return false
}

func sameParts(a, b reflect.Value, n int, part func(reflect.Value, int) reflect.Value) bool {
	for i := range n {
		if !same(part(a, i), part(b, i)) {
			return false
		}
	}
	return true
}
