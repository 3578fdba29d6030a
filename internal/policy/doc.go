// Package policy contains, as tests, the rules of this repository that neither a compiler nor a
// linter knows: import directions, what documentation shows, what pages name. A rule that is only
// written down is broken unnoticed; a rule that is a test reports a violation before the review.
// Rules that a linter has are settings in .golangci.yml.
//
// # The parts
//
// A [Tree] is the object of the rules: the files that are committed or about to be, with the Go
// files parsed. A [Rule] checks a tree and returns [Finding] values, each with a position, the
// fact, and a way to fix it. A rule has no exceptions: one that needs some is changed.
//
// # The rules
//
//	directions  which packages must never reach which others, and why
//	residents   the packages that the directions name exist
//	binaries    no file over 1 MiB
//	links       each name that a comment puts in brackets exists
//	entries     documentation shows no entry for machines
//	leaks       each package with tests checks for leaked goroutines
//	hooks       options that take a function keep it in a schedulers.Hook
//	tests       each test that a page names exists
//	map         ARCHITECTURE.md names each internal package
//	generate    go generate reaches each folder with generated files
//	words       no path of a machine, no registry, no number of a tracker
//
// # Adding a rule
//
// Look for a linter first. Then write a function from *Tree to findings in a separate file, add it
// to [Rules], and test it on a small tree on which it must fail: a rule that has never failed is
// not known to work.
package policy
