// Package layout compares versions of a durable function: what their checkpoints contain, and
// in which order their points can follow one another.
//
// A function in flight is resumed by whatever version of it is deployed then. That is right
// where three questions are answered well. For an instance that was saved at point p by the
// version old, and is loaded by the version now:
//
//	values   is everything that now needs at p among what old has saved there, with the
//	         same type in all its parts?
//	flow     can now run anything after p that old may have run before p, although old
//	         would not have run it again? Has everything that now always runs before p
//	         also run in old?
//	meaning  does the new code make sense for an instance whose first half the old code ran?
//
// The first two are decided here, point by point. The third cannot be decided, so a changed
// source has to be accepted by a person.
//
// # The graph of points
//
// Points are nodes. There is an edge from p to q if some path of the function leads from p to
// q without passing another point. "May run before p" and "may run after p" is reachability in
// this graph, and "always runs before p" is dominance. Both are the same as in the graph of
// all instructions: each path there passes the points of a path here, and the other way round.
//
// # The file
//
// Each package with durable functions has one file, which is committed: [Name]. It has a
// section for each function, and in it a block for each layout that instances in flight may
// have. A block has a hash of its lines, so one that was edited is found. Blocks know nothing
// of one another and have no order, so that the union of two branches is right: a block that
// is there is a layout that may be in flight.
//
// It also has a line for each layout of a function of another module that the package uses: an
// upgrade has to know them all.
//
//	layout.go   a layout, its text and its hash
//	flow.go     reachability and dominance
//	compare.go  what differs between two layouts
//	file.go     the file, written
//	parse.go    the file, read
package layout
