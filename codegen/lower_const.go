package codegen

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"math/big"
	"slices"
	"strings"
)

// Constants that repeat an expression which means something else each time.
//
//	const (
//		A    = iota
//		iota = iota
//		B           // = iota: the constant above
//	)
//
// The repeated part is text: its names are looked up anew in each line. Moved constants
// may have new names, but the text would keep its old meaning; and type information has
// only the last meaning of each name. So such expressions are written as values. (Not
// all: users want to find their iota again.)

// spellRepeated replaces the repeated text of a declaration by its values.
func (u *unit) spellRepeated(decl *ast.GenDecl, whole *span) {
	for _, spec := range repeatsOwnNames(decl) {
		from, to := spec.Names[len(spec.Names)-1].End(), spec.End()
		whole.edit = slices.DeleteFunc(whole.edit, func(e edit) bool { return from <= e.pos && e.end <= to })
		values := late(func(p *printer) string {
			var list []string
			for _, id := range spec.Names {
				list = append(list, p.constantValue(u.info.Defs[id].(*types.Const), spec))
			}
			return " = " + strings.Join(list, ", ")
		})
		whole.edit = append(whole.edit, edit{pos: from, end: to, with: rope{values}})
	}
	slices.SortStableFunc(whole.edit, func(a, b edit) int { return int(a.pos - b.pos) })
}

// repeatsOwnNames are the lines that repeat, or have repeated, an expression which
// mentions a name that the declaration declares.
func repeatsOwnNames(decl *ast.GenDecl) []*ast.ValueSpec {
	declared := map[string]bool{}
	for _, spec := range decl.Specs {
		for _, id := range spec.(*ast.ValueSpec).Names {
			declared[id.Name] = true
		}
	}
	var found, group []*ast.ValueSpec
	end := func() {
		if len(group) > 1 && slices.ContainsFunc(group[0].Values, func(e ast.Expr) bool { return mentionsAny(e, declared) }) {
			found = append(found, group...)
		}
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			end()
			group = nil
		}
		group = append(group, spec)
	}
	end()
	return found
}

func mentionsAny(e ast.Expr, names map[string]bool) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && names[id.Name]
		return !found
	})
	return found
}

// constantValue is an expression for the value of c, of the same type; untyped
// constants keep their kind.
func (p *printer) constantValue(c *types.Const, at ast.Node) string {
	basic, ok := c.Type().(*types.Basic)
	if !ok || basic.Info()&types.IsUntyped == 0 {
		return "(" + p.typ(c.Type(), at) + ")(" + literalOf(c.Val(), c.Type().Underlying().(*types.Basic)) + ")"
	}
	return literalOf(c.Val(), basic)
}

func literalOf(v constant.Value, of *types.Basic) string {
	switch info := of.Info(); {
	case info&types.IsComplex != 0:
		return "(" + fraction(constant.Real(v)) + " + " + fraction(constant.Imag(v)) + "*1i)"
	case info&types.IsFloat != 0:
		return fraction(constant.ToFloat(v))
	case of.Kind() == types.UntypedRune:
		return "('\\x00' + " + v.ExactString() + ")"
	case info&types.IsInteger != 0:
		return constant.ToInt(v).ExactString()
	}
	return v.ExactString()
}

// fraction is an untyped float with the value of v, exactly.
func fraction(v constant.Value) string {
	if f, ok := constant.Val(v).(*big.Float); ok {
		return f.Text('p', 0)
	}
	return fmt.Sprintf("(%s.0/%s)", constant.Num(v).ExactString(), constant.Denom(v).ExactString())
}
