// Package load reads packages: it turns patterns into packages with types, in which the twins
// that are still to be generated are known.
//
// A package that calls fetchAsync does not type-check before fetchAsync is generated, and
// fetchAsync cannot be generated without types. So loading takes four steps:
//
//	list.go       List queries the go command for packages and files
//	files.go      Sources reads and parses the files that may matter, each once
//	find.go       Find finds the annotations, on syntax alone, and chooses names;
//	              stubs.go declares the twins to come in the files that were parsed
//	typecheck.go  Checker checks types; companions.go completes the stubs before; cgo.go: files
//	              that import C
//	variant.go    builds the model of package source from the result
//
// Errors that other tools also report (in lists, syntax, types) become findings with a position
// in the user's file; a failure that leaves no package to check is an error. After lowering,
// Checker.CheckWith checks the same packages again with generated files instead of the stubs
// (checkwith.go).
package load
