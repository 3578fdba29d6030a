package durable

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"

	"github.com/movenext/movenext/codegen/internal/durable/layout"
	"github.com/movenext/movenext/codegen/internal/graph"
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
		l.Points = append(l.Points, lo.layoutPoint(p, s, next[p]))
	}
	l.Points = append(l.Points, layout.Point{Name: "return", Kind: layout.Return, Values: s.values(lo.results())})
	for _, u := range lo.undos {
		undo := layout.Undo{Step: u.step, Callee: u.callee}
		for _, t := range u.params {
			undo.Types = append(undo.Types, s.write(t))
		}
		if !slices.ContainsFunc(l.Undos, func(other layout.Undo) bool { return other.Step == u.step }) {
			l.Undos = append(l.Undos, undo)
		}
	}
	l.Types = s.list()
	return l
}

// layoutPoint returns a point in the form of the layout.
func (lo *lowering) layoutPoint(p *point, s *spelling, next []string) layout.Point {
	described := layout.Point{Name: p.name, Values: s.values(p.live), Next: next}
	fn, id, _ := source.Callee(p.call, lo.info)
	switch p.kind {
	case stepPoint:
		described.Kind, described.Callee = layout.Step, fn.FullName()
		for n, v := range p.results {
			if n > 0 {
				described.Gives += ", "
			}
			described.Gives += s.write(v.typ)
		}
	case receivePoint:
		described.Kind, described.Gives = layout.Receive, s.write(lo.info.Instances[id].TypeArgs.At(0))
	default:
		described.Kind = layout.Sleep
	}
	return described
}

func (s *spelling) values(list []*variable) []layout.Value {
	var values []layout.Value
	for _, v := range list {
		values = append(values, layout.Value{Name: v.name, Type: s.write(v.typ)})
	}
	slices.SortFunc(values, func(a, b layout.Value) int { return cmp.Compare(a.Name, b.Name) })
	return values
}

// successors returns the names of the points that can directly follow each point, in source
// order; nil stands for the beginning.
func (lo *lowering) successors() map[*point][]string {
	g := lo.graph(func(i *instr) bool { return i.pause != nil })
	next := map[*point][]string{nil: lo.pointsAfter(g, 0)}
	labels := lo.labelIndex()
	for _, p := range lo.points {
		next[p] = lo.pointsAfter(g, labels[p.resume])
	}
	return next
}

// pointsAfter returns the points that execution from an instruction on reaches, in source order.
func (lo *lowering) pointsAfter(g graph.Graph, from int) (names []string) {
	reached := g.Reach(from)
	first := map[*point]bool{}
	for n, i := range lo.code {
		if i.pause != nil && reached[n] {
			first[i.pause.point] = true
		}
	}
	for _, p := range lo.points {
		if first[p] {
			names = append(names, p.name)
		}
	}
	return names
}

// sourceHash returns a hash of the function's source that does not depend on comments, on
// formatting, or on the function's name.
func (lo *lowering) sourceHash() string {
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

// at returns the position of a point, or of the function if there is no such point.
func (lo *lowering) at(point string) source.Extent {
	for _, p := range lo.points {
		if p.name == point {
			return lo.fn.Extent(p.call)
		}
	}
	return lo.fn.Extent(lo.fn.Decl.Name)
}
