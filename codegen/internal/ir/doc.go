// Package ir is the intermediate form of one function: a flat list of instructions with
// labels, jumps and suspension points, as MoveNext will have them.
//
// This step between syntax and text exists for one reason. Whether a variable lives in the
// frame, in MoveNext or in a block of its own is known only after the whole function has been
// flattened, but it determines how every mention of the variable is spelled. So instructions
// keep pieces of the source together with the mentions that depend on such decisions (see
// [Span]), and are printed last.
//
// Instructions are data. They list the variables that they use and assign, and the instructions
// that may follow; they do not know how they are printed. Lowering creates the list, placing fills
// in its decisions about variables and points, and the printer has one switch over the kinds of
// instructions and one over the kinds of open text ([Open]).
//
//	instr.go     instructions between two labels
//	control.go   where the machine continues: labels, jumps, suspension points, the end
//	prune.go     which instructions may follow which; unreachable code
//	rope.go      text with unresolved mentions of variables
//	variable.go  variables, where they live, the fields of the frame
//	function.go  other data about a function
//
// Nothing here is for concurrent use: a function is lowered by one goroutine.
package ir
