package analyse

import (
	"go/build/constraint"
	"go/types"
	"math"
	"slices"

	"github.com/movenext/movenext/codegen/internal/source"
)

// maxTags bounds the search below; real conditions have fewer tags.
const maxTags = 12

// sizesOf returns the sizes that determine gc's order in a file built under a condition: those
// of 64-bit systems, unless none of them satisfies the condition. (Committed files must not
// depend on the machine that ran the generator.)
func sizesOf(condition constraint.Expr) types.Sizes {
	wide := types.SizesFor("gc", "amd64")
	if condition == nil {
		return wide
	}
	architectures := []string{"amd64", ""} // "" is one that the condition does not mention
	var others []string
	for _, tag := range source.Tags(condition) {
		if types.SizesFor("gc", tag) != nil {
			architectures = append(architectures, tag)
		} else {
			others = append(others, tag)
		}
	}
	if len(others) > maxTags {
		return wide
	}
	var narrow types.Sizes
	for _, name := range architectures {
		sizes := types.SizesFor("gc", name)
		switch {
		case !fulfillable(condition, name, others):
		case sizes == nil || wordOf(sizes) == wordOf(wide):
			return wide
		case narrow == nil:
			narrow = sizes
		}
	}
	if narrow != nil {
		return narrow
	}
	return wide // never built
}

// quickSizes wraps another types.Sizes and computes each part of a type once. Package types
// computes the size of a struct's last field twice, and so on at each level: 60 nested generic
// types would take forever.
type quickSizes struct{ types.Sizes }

func quick(sizes types.Sizes) types.Sizes { return quickSizes{sizes} }

// Alignof returns the largest alignment of the parts.
func (s quickSizes) Alignof(t types.Type) int64 { return s.measuring().alignof(t) }

// Sizeof follows gc: a last field of size zero is given a size, so that its address lies within
// the struct.
func (s quickSizes) Sizeof(t types.Type) int64 { return s.measuring().sizeof(t) }

// measuring is one computation of a size, with the results for parts of the type.
type measuring struct {
	types.Sizes
	known      map[types.Type]int64
	alignments map[types.Type]int64
}

func (s quickSizes) measuring() *measuring {
	return &measuring{s.Sizes, map[types.Type]int64{}, map[types.Type]int64{}}
}

// alignof handles structs without fields specially: package sync/atomic uses some as markers.
func (s *measuring) alignof(t types.Type) int64 {
	alignment, ok := s.alignments[t]
	if ok {
		return alignment
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		alignment = s.alignof(u.Elem())
	case *types.Struct:
		if u.NumFields() == 0 {
			return s.Sizes.Alignof(t)
		}
		for f := range u.Fields() {
			alignment = max(alignment, s.alignof(f.Type()))
		}
	default:
		return s.Sizes.Alignof(t)
	}
	s.alignments[t] = alignment
	return alignment
}

func (s *measuring) sizeof(t types.Type) int64 {
	size, ok := s.known[t]
	if ok {
		return size
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		if size = s.sizeof(u.Elem()); size > 0 && u.Len() > math.MaxInt64/size {
			size = -1 // too large, as package types reports it
		} else if size > 0 {
			size *= u.Len()
		}
	case *types.Struct:
		size = s.sizeOfStruct(u, s.alignof(t))
	default:
		return s.Sizes.Sizeof(t)
	}
	s.known[t] = size
	return size
}

func (s *measuring) sizeOfStruct(u *types.Struct, alignment int64) int64 {
	var end, last int64
	for f := range u.Fields() {
		if last = s.sizeof(f.Type()); last < 0 {
			return -1
		}
		if end = align(end, s.alignof(f.Type())) + last; end < 0 {
			return -1
		}
	}
	if end > 0 && last == 0 {
		end++
	}
	return align(end, alignment)
}

func align(n, to int64) int64 { return (n + to - 1) / to * to }

func wordOf(sizes types.Sizes) int64 { return sizes.Sizeof(types.Typ[types.Uintptr]) }

// fulfillable reports whether the condition holds on an architecture for some choice of
// the other tags.
func fulfillable(condition constraint.Expr, architecture string, others []string) bool {
	for choice := range 1 << len(others) {
		if condition.Eval(func(tag string) bool {
			if i := slices.Index(others, tag); i >= 0 {
				return choice>>i&1 == 1
			}
			return tag == architecture
		}) {
			return true
		}
	}
	return false
}
