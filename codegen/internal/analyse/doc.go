// Package analyse determines what the later phases need to know about an annotated function,
// before the first instruction is made.
//
// Its input is a function of the model. Its output is [Facts]: which calls suspend, how each
// variable is used, which function literals become machines, which statements have to be
// taken apart although nothing in them suspends, and the findings about source that cannot be
// lowered. Facts are complete when [Function] returns, and the later phases only read them.
// Properties that depend on the form of the machine, or on the progress of lowering, are not
// facts.
//
//	facts.go          the output, and the order of the steps
//	usage.go          what the function does with each of its variables
//	points.go         suspension points, deferred calls, streams
//	literals.go       function literals that become machines
//	funcvars.go       variables that hold functions which suspend; collect.go finds them
//	runs.go           functions that the runtime calls; runnervars.go: variables that hold them
//	orderhazards.go   statements whose order depends on how the compiler treats a variable
//	tuple.go          statements that are taken apart for their panics or appended values
//	operands.go       the parts of an expression, in gc's order
//	representation.go gc's representation of values, as far as its order depends on it
//	same.go           expressions that denote the same place
//	sizes.go          sizes that do not depend on the machine that runs the generator
//	check.go          what cannot be lowered; receiver.go and unsafe.go: two special cases
//
// Both this package and the lowering have to know whether gc evaluates an operand early. So the
// methods that answer this, about types and expressions, belong to Facts.
//
// Nothing here is for concurrent use: a function is analysed by one goroutine.
package analyse
