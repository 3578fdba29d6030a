// Package programs writes random Go programs for the generator to lower: well
// typed, ending, and with an output that depends on nothing but the program.
//
// A program is one file with an annotated function that calls others, methods and
// literals, nearly all of which suspend somewhere. It is worth running because
// much of it changes what its neighbours read: calls assign variables that appear
// next to them in the same expression, literals capture, pointers alias, deferred
// literals assign results.
//
// # What programs must not do
//
// The two executions of a program are compared by what they log. So a program does
// not
//
//	run forever               each loop, backward goto and function burns fuel
//	log an address            only values that print alike everywhere are logged
//	depend on a map's order   maps that are ranged over have one entry
//	depend on select's choice one case is ready at most, or the default is taken
//	depend on a capacity      appending is to a slice without room, or to a fresh one
//	name a twin               the plain form would not be plain any more
//
// A word on capacities: the compiler gives a slice on the stack more room than one on
// the heap. A slice that escapes in a machine need not escape in the plain form. So
// whether two slices share elements after an append is no property of the source.
//
// # Text, and why not a tree
//
// Programs are written as text, left to right, by functions that return the text
// of an expression of a wanted type. A tree would serve shrinking; but shrinking
// works on the source of any program (see package shrink), and text is easier to
// read here. The result is type-checked before it is used ([Write]); a few in a
// hundred fail, for example because of overflowing constants, and are replaced.
package programs
