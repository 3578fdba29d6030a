// Package durable translates durable functions: it is to them what analyse, lower, place and
// emit together are to asynchronous ones, for a smaller language.
//
// The body becomes a flat list of instructions with labels. A statement without a point is one
// instruction, printed as the source has it, with mentions of variables replaced by fields of
// the frame. A statement with a point inside is taken apart: if, for, range, switch, blocks. A
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
// Which values a checkpoint has follows from liveness over these instructions: what is live
// behind the label of a point, and the arguments of its step. Variables whose address is taken,
// or that a function literal captures, count as live everywhere.
//
//	function.go   the input, the order of the work
//	variables.go  the fields of the frame
//	flatten.go    statements become instructions
//	loops.go      loops and switches
//	points.go     steps, signals, sleeps, compensations
//	text.go       the source, with mentions replaced
//	live.go       liveness
//	savable.go    which types can be saved
//	layout.go     what is saved and in which order the points come; the hash of the source
//	spell.go      types as a layout has them
//	print.go      the declarations
//	refuse.go     what is refused
package durable
