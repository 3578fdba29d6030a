// Package gentypes has what generated code needs to write a type that it could not write
// otherwise: the predeclared types, for packages that declare their names otherwise; functions
// that infer a type that the package cannot name; and tuples for the results of twins with more
// than three.
//
// No program needs to call it. Package statemachine imports it, so that it is in the vendor folder
// of a module before the first generated file imports it.
package gentypes
