package codegen

import (
	"go/ast"
	"go/token"
)

// Text that is not final yet: a rope is made of literal text, mentions of
// variables, and spans of the source.

type rope []piece

// piece is one part of a rope; one of its fields is set.
type piece struct {
	text string
	v    *variable
	form form
	span *span
	to   *label
	late func(p *printer) string // names that are chosen last
}

// form says in which surroundings a variable is mentioned; it decides how one
// that lives behind a pointer is spelled.
type form uint8

const (
	value    form = iota // v
	operand              // the X of X.Sel, where Go follows a pointer by itself
	address              // &v
	pointer              // the cell itself, or v if it has none
	borrowed             // v in a function literal, where the frame must not be named
	borrowedOperand
	borrowedAddress
)

func text(s string) piece                { return piece{text: s} }
func use(v *variable) piece              { return piece{v: v} }
func useAs(v *variable, as form) piece   { return piece{v: v, form: as} }
func late(f func(*printer) string) piece { return piece{late: f} }

func (r rope) uses(use func(*variable)) {
	for _, p := range r {
		p.uses(use)
	}
}

func (p piece) uses(use func(*variable)) {
	switch {
	case p.v != nil:
		use(p.v)
	case p.span != nil:
		p.span.uses(use)
	}
}

func (r rope) jumps() []*label {
	var list []*label
	for _, p := range r {
		if p.span != nil {
			list = append(list, p.span.jumps()...)
		}
		if p.to != nil {
			list = append(list, p.to)
		}
	}
	return list
}

// span is a node of the source and what in its text has to be replaced.
type span struct {
	node  ast.Node
	label string // printed before it
	edit  []edit // in the order of the source, not overlapping
}

// edit replaces the source between pos and end.
type edit struct {
	pos, end token.Pos
	with     rope
	code     []instr // or by these instructions: a return statement
}

func (s *span) uses(use func(*variable)) {
	for _, e := range s.edit {
		e.with.uses(use)
		// a return assigns the results and ends: it needs no old values
		given := map[*variable]bool{}
		for _, i := range e.code {
			i.refs(func(v *variable) {
				if !given[v] {
					use(v)
				}
			}, func(v *variable) { given[v] = true })
		}
	}
}

func (s *span) jumps() []*label {
	var list []*label
	for _, e := range s.edit {
		list = append(list, e.with.jumps()...)
		for _, i := range e.code {
			list = append(list, i.targets()...)
		}
	}
	return list
}

// borrows calls f for each variable that a function literal in the rope
// mentions. Where it lives in the frame, the literal gets it under a name of
// its own.
func (r rope) borrows(f func(*variable)) {
	for _, p := range r {
		switch {
		case p.v != nil && p.form >= borrowed:
			f(p.v)
		case p.span != nil:
			p.span.borrows(f)
		}
	}
}

func (s *span) borrows(f func(*variable)) {
	for _, e := range s.edit {
		e.with.borrows(f)
		for _, i := range e.code {
			if b, ok := i.(borrower); ok {
				b.borrows(f)
			}
		}
	}
}

// borrower is an instruction that may hold function literals.
type borrower interface{ borrows(f func(*variable)) }

func (i *keep) borrows(f func(*variable))   { i.text.borrows(f) }
func (i *do) borrows(f func(*variable))     { i.line.borrows(f) }
func (i *branch) borrows(f func(*variable)) { i.cond.borrows(f) }
func (i *park) borrows(f func(*variable))   { i.point.sched.borrows(f) }
func (i *assign) borrows(f func(*variable)) {
	i.src.borrows(f)
	for _, t := range i.dst {
		t.place.borrows(f)
	}
}
