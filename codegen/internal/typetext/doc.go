// Package typetext writes the names and types of the user's source as a generated file has
// to: under names that give way to what is declared already, with the imports that they
// need, and with holes for the types that the file cannot name.
//
// Its input is the model of the source (package source). Its output is text that means
// the same wherever in the file it is put:
//
//	names.go      chooses names for what is declared for a function
//	imports.go    chooses qualifiers, and prints the import declaration
//	typestring.go writes types; holes.go: which have no name here; open.go: writes around them
//	predeclared.go writes types of the universe that the source has hidden
//	signature.go  writes signatures
package typetext
