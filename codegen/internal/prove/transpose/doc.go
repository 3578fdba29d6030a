// Package transpose runs the programs that Go's own tests consist of as machines: the
// files of the folder test of the Go distribution that say "// run". They were written
// over fifteen years to find mistakes in compilers.
//
// A program becomes a package: each of its functions is annotated, a suspension point
// is put before every statement, and main gets a name under which it can be called. A
// refused function keeps its plain form, and is counted. Then the program runs twice,
// by calling the plain form of its main and by waiting for its twin, and both times it
// must print the expected output.
//
// Some programs behave differently as a package with other names and more
// methods, even in the plain form. They say nothing about machines, and are left
// out for that reason.
package transpose
