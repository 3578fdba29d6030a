// Package forms writes every program of a small world: each form that Go has for expressions and
// statements, with each kind of operand, and with one operand that suspends and changes what its
// neighbours read.
//
// Random programs (package programs) find defects that need many things to coincide. A defect that
// needs only two things, a form and an operand, they find only by luck: a slice whose lower bound
// is a field and whose upper bound is a call was in none of a hundred thousand programs. So this
// package leaves nothing to luck, at the price of programs with a single statement.
//
// # The world
//
// A program consists of choices, each from a list in a file:
//
//	types     what type names stand for: predeclared, declared, parameters (types.go)
//	form      a statement, or an expression in one, with holes (statements.txt, expressions.go)
//	operand   the content of a hole: a local variable, a captured one, a field, … (operands.go)
//	focus     the hole that suspends, and changes what the others read
//
// The size of a program is the nesting depth of its forms. A statement alone has size 1, unless it
// only shows the value of an expression; an expression in it adds 1.
//
// A form with one or two holes is written with all combinations of operands. With more holes, one
// hole at a time takes each kind of operand while the others are captured variables, since no
// defect was ever seen that needed three particular operands together.
//
// # Templates
//
// A form is text. @I is the name of a type, explained at symbols, and a hole is written in « and
// »:
//
//	«I»       an operand of type I
//	«I=0,3»   the same; it has the first value, and the second after it was changed
//	«&I»      an operand that has an address
//	«=I»      something assignable
//	«!I»      an operand that never suspends: it is in a literal that is a value
//	«;»       a statement, which suspends if it is the focus
//
// A combination that Go rejects is not a program ([Case.Source]): the type checker is a better
// judge of that than rules in a table.
package forms
