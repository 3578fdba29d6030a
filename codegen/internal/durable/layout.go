package durable

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"

	"github.com/movenext/movenext/codegen/internal/layout"
	"github.com/movenext/movenext/codegen/internal/source"
)

// layout describes the contents of the function's checkpoints, and the order of its points.
func (lo *lowering) layout() *layout.Layout {
	s := &spelling{pkg: lo.fn.Package.Types, names: map[string]string{}}
	next := lo.successors()
	begin := layout.Point{Name: "begin", Kind: layout.Begin, Next: next[nil]}
	if lo.request != nil {
		begin.Values = s.values([]*variable{lo.request})
	}
	l := &layout.Layout{Points: []layout.Point{begin}}
	for _, p := range lo.points {
		l.Points = append(l.Points, lo.laidOut(p, s, next[p]))
	}
	l.Points = append(l.Points, layout.Point{Name: "return", Kind: layout.Return, Values: s.values(lo.results())})
	for _, u := range lo.undos {
		undo := layout.Undo{Step: u.step, Callee: u.callee}
		for _, t := range u.params {
			undo.Types = append(undo.Types, s.of(t))
		}
		if !slices.ContainsFunc(l.Undos, func(other layout.Undo) bool { return other.Step == u.step }) {
			l.Undos = append(l.Undos, undo)
		}
	}
	l.Types = s.list()
	return l
}

// laidOut returns a point in the form of the layout.
func (lo *lowering) laidOut(p *point, s *spelling, next []string) layout.Point {
	is := layout.Point{Name: p.name, Values: s.values(p.live), Next: next}
	fn, id, _ := source.Callee(p.call, lo.info)
	switch p.kind {
	case stepPoint:
		is.Kind, is.Callee = layout.Step, fn.FullName()
		for n, v := range p.results {
			if n > 0 {
				is.Gives += ", "
			}
			is.Gives += s.of(v.typ)
		}
	case receivePoint:
		is.Kind, is.Gives = layout.Receive, s.of(lo.info.Instances[id].TypeArgs.At(0))
	default:
		is.Kind = layout.Sleep
	}
	return is
}

func (s *spelling) values(list []*variable) []layout.Value {
	var values []layout.Value
	for _, v := range list {
		values = append(values, layout.Value{Name: v.name, Type: s.of(v.typ)})
	}
	slices.SortFunc(values, func(a, b layout.Value) int { return cmp.Compare(a.Name, b.Name) })
	return values
}

// successors returns the names of the points that can directly follow each point, in source
// order; nil stands for the beginning.
func (lo *lowering) successors() map[*point][]string {
	at := map[string]int{}
	for n, i := range lo.code {
		if i.label != "" {
			at[i.label] = n
		}
	}
	next := map[*point][]string{nil: lo.following(0, at)}
	for _, p := range lo.points {
		next[p] = lo.following(at[p.resume], at)
	}
	return next
}

// following returns the points that execution from an instruction on reaches first.
func (lo *lowering) following(from int, at map[string]int) (names []string) {
	reached := map[*point]bool{}
	seen := make([]bool, len(lo.code)+1)
	for work := []int{from}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if n >= len(lo.code) || seen[n] {
			continue
		}
		seen[n] = true
		i := lo.code[n]
		if i.point != nil {
			reached[i.point] = true
			continue
		}
		for _, to := range i.to {
			work = append(work, at[to])
		}
		if !i.stops {
			work = append(work, n+1)
		}
	}
	for _, p := range lo.points {
		if reached[p] {
			names = append(names, p.name)
		}
	}
	return names
}

// normalised returns a hash of the function's source that does not depend on comments, on
// formatting, or on the function's name.
func (lo *lowering) normalised() string {
	text := lo.slice(lo.fn.Decl.Type.Params.Pos(), lo.fn.Decl.End())
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	sum := sha256.New()
	held := "" // a comma or semicolon counts only if something follows in the list
	for {
		_, tok, lit := s.Scan()
		switch tok {
		case token.EOF:
			return hex.EncodeToString(sum.Sum(nil)[:8])
		case token.COMMA, token.SEMICOLON:
			held = tok.String()
			continue
		case token.RPAREN, token.RBRACE, token.RBRACK:
			held = ""
		}
		if lit == "" || tok.IsOperator() {
			lit = tok.String()
		}
		fmt.Fprintf(sum, "%s %q\n", held, lit)
		held = ""
	}
}

// Past is what later code must know about earlier versions of a function.
type Past struct {
	Resumes    []string    // the layouts whose instances continue as they are
	Migrations []Migration // for other layouts
}

// Migration is a function of the package that converts layout From to layout To.
type Migration struct{ From, To, Func string }

// Version is the present form of a function, for comparison with its past.
type Version struct {
	Function *source.Function
	Layout   *layout.Layout
	Source   string // a hash of its source, regardless of formatting

	at map[string]source.Extent
}

// At returns the position of a point, or of the function if there is no such point.
func (v *Version) At(point string) source.Extent {
	if at, ok := v.at[point]; ok {
		return at
	}
	return v.Function.Extent(v.Function.Decl.Name)
}

func (lo *lowering) version() *Version {
	v := &Version{Function: lo.fn, Layout: lo.layout(), Source: lo.normalised(), at: map[string]source.Extent{}}
	for _, p := range lo.points {
		v.at[p.name] = lo.fn.Extent(p.call)
	}
	return v
}

// sameStep reports whether a deferred call has a step of the same name but calls another function.
func (lo *lowering) sameStep(step string, callee *types.Func) bool {
	return slices.ContainsFunc(lo.undos, func(u *undo) bool { return u.step == step && u.callee != callee.FullName() })
}

// IsMigration reports whether a function of a package has the signature of a migration.
func IsMigration(pkg *source.Package, name string) bool {
	fn, ok := pkg.Types.Scope().Lookup(name).(*types.Func)
	return ok && isMigration(fn.Signature())
}

func isMigration(sig *types.Signature) bool {
	return sig.TypeParams().Len() == 0 && !sig.Variadic() && sig.Params().Len() == 1 && sig.Results().Len() == 1 &&
		types.TypeString(sig.Params().At(0).Type(), nil) == "*"+source.DurablePath+".Saved" && isErrorType(sig.Results().At(0).Type())
}
