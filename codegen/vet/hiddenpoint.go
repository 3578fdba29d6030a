package vet

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/movenext/movenext/codegen/internal/durable"
	"github.com/movenext/movenext/codegen/internal/source"
)

// hiddenPoints reports calls of durable functions that reach a step, or another point, through a
// function of another package. There a step is a plain call, which is not saved. The generator
// itself refuses those that it can follow in the function's package.
func hiddenPoints(r *reporter, s *survey) {
	for _, decl := range s.decls {
		if durable.IsDurable(decl) {
			s.eachMentioned(decl, func(id *ast.Ident, fn *types.Func) {
				if what := s.hides(fn, map[*types.Func]bool{}); what != "" {
					r.report(id, pointHidden(fn.Name(), what))
				}
			})
		}
	}
}

// eachMentioned calls f for the functions that a declaration calls or mentions.
func (s *survey) eachMentioned(decl *ast.FuncDecl, f func(id *ast.Ident, fn *types.Func)) {
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if fn, ok := s.info.Uses[id].(*types.Func); ok && fn.Pkg() != nil {
				f(id, fn.Origin())
			}
		}
		return true
	})
}

// hides returns the point that a plain function reaches through a plain function of another
// package, or "".
func (s *survey) hides(fn *types.Func, seen map[*types.Func]bool) (what string) {
	decl := s.decls[fn]
	switch {
	case decl == nil:
		return s.facts.points[fn.FullName()]
	case seen[fn] || durable.IsStep(decl) || durable.IsDurable(decl):
		return ""
	}
	seen[fn] = true
	s.eachMentioned(decl, func(_ *ast.Ident, inner *types.Func) {
		if what == "" {
			what = s.hides(inner, seen)
		}
	})
	return what
}

// durableInPlace are the functions of package durable that mean something only in a durable
// function itself, or in a step.
var durableInPlace = map[string]bool{
	"Receive": true, "Sleep": true, "All": true, "Any": true, "Select": true, "Compensate": true,
	"Key": true, "Attempt": true, "Heartbeat": true, "Progress": true, "Tx": true,
}

// reaches returns the point that a plain function of this package reaches, wherever it is, or "".
func (s *survey) reaches(fn *types.Func, seen map[*types.Func]bool) (what string) {
	decl := s.decls[fn]
	switch {
	case decl == nil && s.facts.steps[fn.FullName()]:
		return "the step " + fn.Name()
	case decl == nil && fn.Pkg().Path() == source.Module+"/durable" && durableInPlace[fn.Name()] && fn.Signature().Recv() == nil:
		return "durable." + fn.Name()
	case decl == nil:
		return s.facts.points[fn.FullName()]
	case durable.IsStep(decl):
		return "the step " + fn.Name()
	case seen[fn] || durable.IsDurable(decl):
		return ""
	}
	seen[fn] = true
	s.eachMentioned(decl, func(_ *ast.Ident, inner *types.Func) {
		if what == "" {
			what = s.reaches(inner, seen)
		}
	})
	return what
}

// pointFacts returns the steps of the package, and its plain functions that reach a point.
func (s *survey) pointFacts() (list []pointFunc) {
	if !strings.HasPrefix(s.pass.Pkg.Path(), source.Module+"/durable") {
		for fn, decl := range s.decls {
			what := s.reaches(fn, map[*types.Func]bool{})
			if what != "" {
				list = append(list, pointFunc{fn.FullName(), what, durable.IsStep(decl)})
			}
		}
	}
	return list
}
