// Package policy contains, as tests, the rules of this repository that a compiler does
// not know: import directions, lengths of functions, words that must not be committed. A
// rule that is only written down is broken unnoticed; a rule that is a test reports a
// violation before the review.
//
// # The parts
//
// A [Tree] is the object of the rules: the files that are committed or about to be, with
// the Go files parsed. A [Rule] checks a tree and returns [Finding] values, each with a
// place, the fact, and a way to fix it. An [Exception] is a file or declaration that may
// break a rule, with the reason. An unused exception is itself a finding, so the list of
// exceptions stays accurate.
//
// # The rules
//
//	directions    which packages must never reach which others, and why
//	residents     the packages that the directions name exist
//	dependencies  which packages of other modules a package may import
//	portability   no cgo, no unsafe, no linkname, no assembly
//	size          functions that fit a reader's head
//	names         no package or file with an empty name such as util
//	comments      each package and each exported name of the library has a doc comment;
//	              those of declarations begin with the name
//	links         each name that a comment puts in brackets exists
//	entries       documentation shows no entry for machines
//	leaks         each package with tests checks for leaked goroutines
//	hooks         options that take a function keep it in a schedulers.Hook
//	tests         each test that a page names exists
//	map           ARCHITECTURE.md names each internal package and each command
//	generate      go generate reaches each folder with generated files
//	width         comments end before column 100
//	subjects      the subject of a clause is a noun
//	terms         names and comments use the terms of the field
//	words         no unfinished business, no path of a machine, no registry
//
// One rule does not apply to the tree: [CheckSubjects] checks the subjects of commits.
//
// # Adding a rule
//
// Write a function from *Tree to findings in a separate file, add it to [Rules], and test
// it on a small tree on which it must fail: a rule that has never failed is not known to
// work. If existing code has to stay as it is, add a line with a reason to exceptions.go.
//
// A linter plugin is the tempting alternative. But plugins have to be built into the
// linter, so they work only where that linter runs; a test works wherever go test runs.
package policy
