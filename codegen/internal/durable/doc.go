// Package durable translates durable functions. It combines the roles that analyse, lower, place
// and emit have for asynchronous functions, for a smaller language.
//
// The body becomes a flat list of instructions with labels. A statement without a point is one
// instruction, printed as in the source, with mentions of variables replaced by fields of
// the frame. A statement that contains a point is taken apart: if, for, range, switch, blocks. A
// point is a statement of its own: x, err := step(ctx, a), return step(ctx, a), or the call
// alone; a step inside of another expression is refused. Source, then result:
//
//	held, err := s.reserve(ctx, o.Items)
//
//	f.reserveItems = f.o.Items
//	return t.Step(1)
//	resume1:
//	f.held, f.err = f.reserveResult, t.Err()
//
// Liveness over these instructions determines which values a checkpoint contains: the variables
// that are live after the label of a point, and the arguments of its step. Variables whose address
// is taken, or that a function literal captures, count as live everywhere.
//
// A comparison of the layout with those that instances in flight may have precedes the printing
// (package layout). The driver of the generator knows only that durable functions are a [Kind].
//
//	kind.go       what the driver and the search know
//	directive.go  the directives
//	find.go       the search for durable functions, steps and migrations
//	function.go   the input, and the order of the phases
//	variables.go  the fields of the frame
//	flatten.go    statements become instructions
//	loops.go      loops and switches
//	points.go     steps, signals, sleeps, children
//	reach.go      points behind calls of helpers
//	compensate.go deferred compensations
//	text.go       the source, with mentions replaced
//	live.go       control flow, unreachable code, liveness
//	savable.go    which types can be saved
//	layout.go     what is saved, the order of the points, the hash of the source
//	spell.go      types as a layout spells them
//	past.go       the comparison with earlier versions, and the file of layouts
//	foreign.go    the layouts of functions of other modules
//	print.go      the declarations
//	diagnostics.go, pastdiagnostics.go  what is refused
package durable
