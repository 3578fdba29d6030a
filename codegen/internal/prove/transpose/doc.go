// Package transpose runs the programs that Go's own tests consist of as machines: the
// files of the folder test of the Go distribution that say "// run". They were
// written over fifteen years by people who were looking for mistakes in compilers.
//
// A program becomes a package: each of its functions is annotated, a suspension
// point is put in front of every statement, and main gets a name under which it
// can be called. What the generator refuses keeps its plain form, and is counted.
// Then the program runs twice, by calling the plain form of its main and by waiting
// for its twin, and both times it has to print what it is expected to.
//
// A program that is not itself as a package with other names and more methods, by the
// plain form, says nothing about machines, and is left out with that reason.
package transpose
