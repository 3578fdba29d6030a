package main

import (
	"fmt"
	"go/ast"
	"go/token"
)

const defines = token.DEFINE

// instruction is a line of a machine. One of its kinds is a suspension.
type instruction struct {
	kind   kind
	text   string   // of plain and suspend: the expression or statement; of unless: the condition
	sets   string   // the variable that it sets
	uses   []string // the variables that it reads
	target string   // the label of label, jump and unless
}

type kind int

const (
	plain   kind = iota
	suspend      // sets = await(text)
	label
	jump
	unless // jump to target unless text is true
	end    // return text
)

// lowerer turns statements into instructions. Nested statements become labels and
// jumps, because a machine has to be able to jump to any suspension, and Go
// forbids jumps into a block.
type lowerer struct {
	out    []instruction
	labels int
}

func (l *lowerer) block(list []ast.Stmt) {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ast.AssignStmt:
			l.assign(stmt)
		case *ast.ReturnStmt:
			l.add(instruction{kind: end, text: text(stmt.Results[0]), uses: names(stmt.Results[0])})
		case *ast.ForStmt:
			l.loop(stmt)
		}
	}
}

func (l *lowerer) assign(stmt *ast.AssignStmt) {
	in := instruction{kind: plain, text: text(stmt.Rhs[0]), sets: text(stmt.Lhs[0]), uses: names(stmt.Rhs[0])}
	if call, ok := stmt.Rhs[0].(*ast.CallExpr); ok && isAwait(call) {
		in.kind, in.text = suspend, text(call.Args[0])
	}
	l.add(in)
}

func (l *lowerer) loop(stmt *ast.ForStmt) {
	l.labels++
	loop, done := fmt.Sprint("loop", l.labels), fmt.Sprint("end", l.labels)
	l.add(instruction{kind: label, target: loop})
	l.add(instruction{kind: unless, text: text(stmt.Cond), uses: names(stmt.Cond), target: done})
	l.block(stmt.Body.List)
	l.add(instruction{kind: jump, target: loop})
	l.add(instruction{kind: label, target: done})
}

func (l *lowerer) add(in instruction) { l.out = append(l.out, in) }
