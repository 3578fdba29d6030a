// Package typetext writes the names and types of the user's source in the form that a generated
// file needs: under names that avoid existing declarations, with the required imports, and with
// holes for the types that the file cannot name.
//
// Its input is the model of the source (package source). Its output is text that means the same
// anywhere in the file:
//
//	names.go      chooses names for the declarations made for a function
//	imports.go    chooses qualifiers, and prints the import declaration
//	typestring.go writes types; holes.go: types without a name here; open.go: types with holes
//	predeclared.go writes predeclared types that the source has hidden
//	signature.go  writes signatures
package typetext
