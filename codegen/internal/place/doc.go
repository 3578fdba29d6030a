// Package place decides where each variable lives. It adds the fields of the frame to a function.
//
//	mentioned between two labels only      declared there, as in the source
//	not needed across a suspension         declared once, at the top of MoveNext
//	needed across a suspension             a field of the frame
//	a parameter or result that is not      passed to or returned by the running method (pass.go)
//
// The second kind exists because Go forbids jumps over a declaration, and all labels of
// MoveNext are in its outermost block.
//
// In the last two cases one Go variable represents all the variables that the source creates each
// time it executes the declaration. That is equivalent as long as no address of these variables
// is kept. So a variable that is captured by a function literal, or whose address is taken, gets a
// cell: the Go variable holds a pointer, and the declaration creates a new variable for it to
// point to. A captured variable that is never assigned again needs no cell: the literal gets its
// value.
//
// Variables of one type that are never needed at the same time share a field (share.go), and a
// suspended machine keeps nothing alive that it no longer needs (stale.go).
//
// Package naming chooses the names later.
package place
