// Package lower translates statements and expressions into instructions.
//
// Its input is the facts about an annotated function. Its output is lists of instructions, one
// for the function and one for each function literal in it that is a machine, with their variables
// and the findings made on the way ([Instructions]). It decides neither where a variable lives nor
// what its name is; mentions of variables stay open in the text of an instruction.
//
// A statement without a suspension point becomes one instruction, with its text from the source.
// A statement with a suspension point is taken apart until the suspending operation stands alone,
// in the order in which gc evaluates the parts:
//
//	for i := 0; i < n; i++ {            i := 0
//		sum += fetch(ctx, i) + len(m)   for:
//	}                                   if !(i < n) goto endFor
//	                                    fetch1, fetch2 = fetchEnter(r, ctx, i)
//	                                    park, to continue at resume
//	                                    resume:
//	                                    fetch2 = fetch1.Results(r)
//	                                    …
//	                                    sum += fetch2 + len(m)
//	                                    i++
//	                                    goto for
//
// Files:
//
//	lower.go       the input and the output; the state while instructions are made
//	statements.go  statements, blocks and labels
//	assign.go      assignments; decomposed.go: statements taken apart for their order
//	declare.go     declarations; constants and types move out of the function
//	branch.go      break, continue, goto, return; terminate.go: terminating statements
//	if.go          if, and conditions
//	switch.go      switches; select.go: of channels
//	loops.go       for, and ranges over everything but functions
//	rangefunc.go   ranges over streams and functions; yields
//	defer.go       deferred calls, including suspending ones
//	literals.go    function literals that become machines, and variables that hold them
//	run.go         functions that the runtime calls
//	tail.go        functions that return the results of another, and need no frame
//	points.go      suspension points, one kind after another
//	spill.go       expressions with suspension points
//	order.go       what gc evaluates early
//	callee.go      callees and method values; calls that go to another function
//	scan.go        the text of the source, and the replacements in it
//
// Nothing here is for concurrent use: a function is lowered by one goroutine.
package lower
