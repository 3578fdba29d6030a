package codegen

import (
	"go/build/constraint"
	"go/types"
	"slices"
)

// maxTags bounds the search below: nobody writes conditions of more.
const maxTags = 12

// sizesOf are the sizes that gc's order follows in a file that is built under a condition: those of 64-bit systems, unless
// none of them fulfils it. (What is checked in must not depend on who has run the generator.)
func sizesOf(condition constraint.Expr) types.Sizes {
	wide := types.SizesFor("gc", "amd64")
	if condition == nil {
		return wide
	}
	architectures := []string{"amd64", ""} // "" is one that the condition does not mention
	var others []string
	for _, tag := range tagsOf(condition) {
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
	return wide // it is never built
}

func wordOf(sizes types.Sizes) int64 { return sizes.Sizeof(types.Typ[types.Uintptr]) }

// fulfillable reports whether the condition holds on an architecture for some choice of the other tags.
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

// tagsOf are the tags of a condition.
func tagsOf(condition constraint.Expr) []string {
	switch e := condition.(type) {
	case *constraint.TagExpr:
		return []string{e.Tag}
	case *constraint.NotExpr:
		return tagsOf(e.X)
	case *constraint.AndExpr:
		return append(tagsOf(e.X), tagsOf(e.Y)...)
	case *constraint.OrExpr:
		return append(tagsOf(e.X), tagsOf(e.Y)...)
	}
	return nil
}
