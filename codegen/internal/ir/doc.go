// Package ir is the intermediate form of one function: a flat list of instructions with
// labels, jumps and suspension points, as MoveNext will have them.
//
// The step between syntax and text exists for one reason: where a variable lives
// (in the frame, in MoveNext, in a block of its own) is known only after the
// whole function has been flattened. But this decides how every mention of the
// variable is spelled. So instructions keep pieces of the source together with
// the mentions in them that depend on such decisions (see [Span]), and are
// printed last.
//
// Instructions are data. They say which variables they need and assign, and where
// they lead; they do not know how they are printed. Lowering makes the list,
// placing fills in what is decided about variables and points, and the printer
// has one switch over the kinds of instructions and one over the kinds of open
// text ([Open]).
//
//	instr.go     what runs from one label to the next
//	control.go   where the machine continues: labels, jumps, suspension points, the end
//	prune.go     what may follow what; unreachable code
//	rope.go      text whose mentions of variables are still open
//	variable.go  variables, where they live, the fields of the frame
//	function.go  what there is of a function besides instructions
//
// Nothing here is for concurrent use: a function is lowered by one goroutine.
package ir
