// Package forms writes every program of a small world: each form that Go has for
// expressions and statements, with each kind of operand, and one operand that suspends
// and changes what its neighbours read.
//
// Random programs (package programs) find defects that need many things to
// coincide. They find defects that need only two things, a form and an operand,
// only by luck: a slice whose lower bound is a field and whose upper bound is a
// call was in none of a hundred thousand. So this package leaves nothing to luck,
// at the price of programs of one statement.
//
// # The world
//
// A program is made of choices, each of which is a list in a file:
//
//	types     what the names of types stand for: predeclared, declared, parameters (types.go)
//	form      a statement, or an expression in one, with holes (statements.go, expressions.go)
//	operand   what a hole holds: a local variable, a captured one, a field, … (operands.go)
//	focus     the hole that suspends, and changes what the others read
//
// The size of a program is how many forms are inside one another: a statement alone has
// size 1, unless it only shows the value of an expression, and an expression in it adds
// 1.
//
// A form with one or two holes is written with all combinations of operands. With more
// holes, one hole at a time takes each kind of operand while the others are captured
// variables, since three operands that differ only together were never seen.
//
// # Templates
//
// A form is text. @I is the name of a type, which symbols explains, and a hole is
// written in « and »:
//
//	«I»       an operand of type I
//	«I=0,3»   the same; it has the first value, and the second when it was changed
//	«&I»      an operand that has an address
//	«=I»      something to assign to
//	«!I»      an operand that never suspends: it stands in a literal that is a value
//	«;»       a statement, which suspends if it is the focus
//
// A combination that Go refuses is no program ([Case.Source]): the type checker is a
// better judge of that than rules in a table.
package forms
