// Package programs writes random Go programs for the generator to lower. They are well typed and
// terminate, and their output depends on nothing but the program.
//
// A program is one file with an annotated function that calls other functions, methods and
// literals, nearly all of which suspend somewhere. It is a useful test because much of it changes
// what its neighbours read: calls assign variables that appear next to them in the same
// expression, literals capture, pointers alias, deferred literals assign results.
//
// # What programs must not do
//
// The two executions of a program are compared by their logs. So a program does not
//
//	run forever               each loop, backward goto and function burns fuel
//	log an address            only values that print alike everywhere are logged
//	depend on a map's order   maps that are ranged over have one entry
//	depend on select's choice at most one case is ready, or the default is taken
//	depend on a capacity      it appends only to a full slice, or to a fresh one
//	name a twin               the plain form would no longer be plain
//
// On capacities: the compiler gives a slice on the stack more spare capacity than one on the heap.
// A slice that escapes in a machine need not escape in the plain form. So whether two slices share
// elements after an append is not a property of the source.
//
// # Text, and why not a tree
//
// Programs are written as text, from left to right, by functions that return the text of an
// expression of a required type. A tree would help shrinking; but shrinking works on the source of
// any program (see package shrink), and text is easier to read here. The result is type-checked
// before it is used ([Write]); a few in a hundred fail, for example because of overflowing
// constants, and are replaced.
package programs
