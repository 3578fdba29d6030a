// Package source is the generator's model of the user's source: a package with its types, its
// annotated functions, the names that will be declared for them, and the findings about all
// this. Every other phase imports it, and it imports none of them.
//
// It also answers queries that depend on the source alone and that several phases need:
//
//	twins.go        which calls suspend: the rule of twins; twinmatch.go: what forms a pair
//	stream.go       which functions are streams
//	directive.go    what is an annotation, and what is a misspelt one
//	header.go       which files are generated, and from what; seal.go: whether they were edited
//	origin.go       the digest of a function, which says whether generated code is of its source
//	buildname.go    the condition under which a file is built
//	exports.go      the parts of a file that matter to each kind of reader
//	overrides.go    types that override one form of a pair
package source
