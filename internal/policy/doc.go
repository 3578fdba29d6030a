// Package policy holds the rules of this repository that a compiler does not
// know, as tests: import directions, lengths of functions, words that must not be
// committed. A rule that is only written down is broken unnoticed; a rule that is
// a test tells its author before the review.
//
// # The parts
//
// A [Tree] is what the rules check: the files that are committed or about to be,
// with the Go files parsed. A [Rule] checks a tree and returns [Finding] values,
// each of which says where, what, and how to fix it. An [Exception] is a file or
// declaration that may break a rule, with the reason. An unused exception is
// itself a finding, so the list of exceptions stays accurate.
//
// # The rules
//
//	directions    which package never reaches which other one, and why
//	residents     the packages that the directions name exist
//	dependencies  which modules of others a package may import
//	portability   no cgo, no unsafe, no linkname, no assembly
//	size          functions that fit a reader's head
//	names         no package or file that is named after nothing
//	comments      each package and each exported name of the library says what it is
//	entries       documentation shows no entry for machines
//	leaks         each package with tests looks for leaked goroutines
//	hooks         options that take a function keep it in a schedulers.Hook
//	tests         each test that a page names exists
//	map           ARCHITECTURE.md names each internal package and each command
//	generate      go generate reaches each folder with generated files
//	width         comments end before column 100
//	subjects      the subject of a clause is a noun
//	terms         the field's words, in names and comments
//	words         no unfinished business, no machine, no registry
//
// One rule is not about the tree: [CheckSubjects] checks the subjects of commits.
//
// # Adding a rule
//
// Write a function from *Tree to findings in a file of its own, add it to
// [Rules], and test it on a small tree on which it must fail: a rule that has
// never failed is not known to work. If existing code has to stay as it is, add a
// line with a reason to exceptions.go.
//
// A linter's plugin is the tempting alternative. But plugins have to be built
// into the linter, so they hold only where that linter runs; a test holds
// wherever go test runs.
package policy
