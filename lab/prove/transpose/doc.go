// Package transpose runs as machines the programs of Go's own tests: the files in the folder test
// of the Go distribution that say "// run". They were written over fifteen years to find bugs in
// compilers.
//
// A program becomes a package: each of its functions is annotated, a suspension point is inserted
// before every statement, and main is renamed so that it can be called. A refused function keeps
// its plain form, and is counted. Then the program runs twice, once by calling the plain form of
// its main and once by waiting for its twin. Both times it must print the expected output.
//
// Some programs behave differently as a package with other names and more methods, even in the
// plain form. They show nothing about machines, and are therefore excluded.
package transpose
