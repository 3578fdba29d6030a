// Package place decides where each variable lives: it is a function from the list of
// instructions to a layout.
//
//	mentioned between two labels only      declared there, as in the source
//	not needed across a suspension         declared once, at the top of MoveNext
//	needed across a suspension             a field of the frame
//	a parameter or result that is not      one of what runs the machine (pass.go)
//
// The second kind exists because Go forbids jumps over a declaration, and all labels of
// MoveNext are in its outermost block.
//
// In the last two cases one Go variable represents all the variables that the
// source makes each time it executes the declaration. That is equivalent as long
// as the address of none of them is kept; so a variable that is captured by a
// function literal, or whose address is taken, gets a cell: the Go variable holds
// a pointer, and the declaration makes a new variable for it to point to. A
// captured variable that is never assigned again needs no cell: the literal gets
// its value.
//
// Variables of one type that are never needed at the same time share a field
// (share.go), and a suspended machine keeps nothing alive that it no longer needs
// (stale.go).
//
// Names are chosen later, by package naming.
package place
