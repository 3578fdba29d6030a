// Package layout compares versions of a durable function: what their checkpoints contain, and
// in which order their points can follow one another.
//
// A function in flight is resumed by whatever version is deployed at the time. That is correct if
// three questions have good answers. They concern an instance that the version old has saved at
// point p, and that the version now loads:
//
//	values   did old save everything that now needs at p, with the same type in all its
//	         parts?
//	flow     can now run anything after p that old may have run before p, although old
//	         would not have run it again? Has everything that now always runs before p
//	         also run in old?
//	meaning  does the new code make sense for an instance whose first half the old code ran?
//
// The first two questions are decided here, point by point. The third is not decidable, so a
// person has to accept a changed source.
//
// # The graph of points
//
// Points are nodes. There is an edge from p to q if some path of the function leads from p to
// q without passing another point. "May run before p" and "may run after p" are reachability in
// this graph, and "always runs before p" is dominance. Both are the same as in the graph of
// all instructions: each path there passes the points of a path here, and vice versa.
//
// # The file
//
// Each package with durable functions has one file, which is committed: [Name]. It has a section
// for each function, and in it a block for each layout that instances in flight may have. A block
// includes a hash of its lines, so that an edited block is detected. Blocks are independent of one
// another and unordered, so the union of two branches is correct: a block in the file is a layout
// that may be in flight.
//
// The file also has a line for each layout of a function of another module that the package uses:
// an upgrade of that module has to know all of them.
//
//	layout.go   a layout, its text and its hash
//	flow.go     reachability and dominance
//	compare.go  the differences between two layouts
//	file.go     the file, written
//	parse.go    the file, read
package layout
