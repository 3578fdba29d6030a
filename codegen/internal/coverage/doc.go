// Package coverage moves the counts of a coverage profile from generated files to their sources.
//
// The go command counts how often blocks of statements run, in both forms of a function. Machines
// run in the generated file, whose blocks are others: a statement with a suspension is in several,
// and //line directives give some of them the lines of the source, without columns. So a block of
// the source has the count of the statement of the generated file that begins its first
// statement. The generator says which one that is (codegen.Traces). Statements without a
// suspension are in the generated file as they are; those inside of them are found by their lines.
//
//	profile.go     the text form of profiles
//	blocks.go      the blocks of a file, from go tool cover
//	statements.go  the statements of a file
//	add.go         the counts
package coverage
