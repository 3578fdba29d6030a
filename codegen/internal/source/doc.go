// Package source is the generator's model of the user's source: a package with
// its types, its annotated functions, the names that will be declared for them,
// and the findings about all this. Every other phase imports it, and it imports
// none.
//
// It also answers the questions that depend on the source alone and that several
// phases ask:
//
//	twins.go        which calls suspend: the rule of twins; twinmatch.go: what is a pair
//	stream.go       which functions are streams
//	directive.go    what an annotation is, and what is only meant as one
//	header.go       which files are generated, and from what; digest.go: edited by hand?
//	buildname.go    under which condition a file is built
//	significant.go  which parts of a file matter to which readers
//	overrides.go    which types override one form of a pair
package source
