package codegen

import (
	"go/ast"
	"go/types"
	"strings"
)

// Expressions that need a type, whether it can be named or not. Where it cannot, a
// function of the runtime infers it from a like.

// convertedTo is the conversion of val to t.
func (u *unit) convertedTo(t types.Type, val rope, at ast.Node) rope {
	return u.withType(t, val, "Typed", func(p *printer) (before, behind string) { return "(" + p.typ(t, at) + ")(", ")" })
}

// asserted is the assertion that val, an interface, is of type t.
func (u *unit) asserted(t types.Type, val rope, at ast.Node) rope {
	return u.withType(t, val, "Asserted", func(p *printer) (before, behind string) { return "", ".(" + p.typ(t, at) + ")" })
}

// withType is val between what around prints, or as the argument of a function of the
// runtime.
func (u *unit) withType(t types.Type, val rope, function string, around func(*printer) (before, behind string)) rope {
	before := late(func(p *printer) string {
		if _, ok := p.likeFor(t); ok {
			return p.runtime(function) + "("
		}
		before, _ := around(p)
		return before
	})
	behind := late(func(p *printer) string {
		if like, ok := p.likeFor(t); ok {
			return ", " + like + ")"
		}
		_, behind := around(p)
		return behind
	})
	return append(append(rope{before}, val...), behind)
}

// typeArgument is a list of type arguments, in brackets. It is left out, to be
// inferred, if one cannot be named.
func (u *unit) typeArgument(at ast.Node, list ...types.Type) piece {
	return late(func(p *printer) string {
		var args []string
		for _, t := range list {
			if u.imports.IsOpen(t) {
				return ""
			}
			args = append(args, p.typ(t, at))
		}
		return "[" + strings.Join(args, ", ") + "]"
	})
}
